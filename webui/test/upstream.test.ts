import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ADDED, CONTEXT, HUNK, parsePatch, type Patch, REMOVED, rowText } from "../src/diff/patch.ts";
import { gapsOf } from "../src/diff/rows.ts";
import { Sheet } from "../src/diff/sheet.ts";
import { hideSpace } from "../src/diff/whitespace.ts";
import { dropUpstream, isUpstream, oldLineOf, together, type Upstream } from "../src/state/upstream.ts";
import { type Random, randomPatch, seeds } from "./random.ts";
import { file } from "./samples.ts";

const NONE: Upstream = { old: [], new: [] };
const SIGNS = [" ", "+", "-", "@"];

function shown(patch: Patch): string[] {
  return Array.from({ length: patch.count }, (_, row) => SIGNS[patch.kind[row]] + rowText(patch, row));
}

/** Upstream changed line 2 and added line 9; the author changed line 5. */
const MIXED = parsePatch("@@ -1,10 +1,11 @@\n 1\n-2\n+2 up\n 3\n 4\n-5\n+5 mine\n 6\n 7\n 8\n+8 up\n 9\n 10\n");
const BY_UPSTREAM: Upstream = { old: [[2, 2]], new: [[2, 2], [9, 9]] };

test("what upstream removed goes, and what it added is there unchanged", () => {
  const { patch } = dropUpstream(MIXED, BY_UPSTREAM);

  assert.deepEqual(shown(patch).slice(1), [" 2 up", " 3", " 4", "-5", "+5 mine", " 6", " 7", " 8"]);
  assert.deepEqual([...patch.oldLine].slice(1), [0, 3, 4, 5, 0, 6, 7, 8]);
  assert.deepEqual([...patch.newLine].slice(1), [2, 3, 4, 0, 5, 6, 7, 8]);
});

test("without upstream lines the patch is the very same one", () => {
  assert.deepEqual(dropUpstream(MIXED, NONE), { patch: MIXED, origin: null });
});

test("a hunk of upstream's alone goes whole, and a patch of them says so in one row", () => {
  const two = parsePatch("@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -50,2 +50,2 @@\n-x\n+y\n z\n");
  const first: Upstream = { old: [[1, 1]], new: [[1, 1]] };
  const { patch } = dropUpstream(two, first);
  assert.deepEqual(shown(patch).slice(1), ["-x", "+y", " z"]);

  const all = dropUpstream(two, { old: [[1, 1], [50, 50]], new: [[1, 1], [50, 50]] });
  assert.equal(all.patch.count, 1);
  assert.ok(rowText(all.patch, 0).startsWith("Only upstream changed lines here"));
});

test("lines between the hunks keep the numbers that each side has for them", () => {
  const full = parsePatch("@@ -1,4 +1,5 @@\n-a\n+a mine\n b\n+up\n c\n d\n@@ -20,3 +21,2 @@\n x\n-up\n y\n@@ -40,1 +40,1 @@\n-z\n+z mine\n");
  const { patch, oldOf } = dropUpstream(full, { old: [[21, 21]], new: [[3, 3]] });
  const gap = gapsOf(patch, 60, oldOf)[1];

  assert.equal(gap.newFrom, 5);
  assert.equal(gap.lines, 35);
  assert.deepEqual([3, 4, 6, 20, 22, 23, 39, 41].map((line) => oldOf!(line)), [0, 3, 5, 19, 22, 23, 39, 41]);
});

test("opened gaps show the later version's lines, with no old number for what upstream added", () => {
  const after = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
  const text = `@@ -1,4 +1,4 @@\n-x\n+line 1\n line 2\n line 3\n line 4\n@@ -13,3 +13,4 @@\n line 13\n+line 14\n line 15\n line 16\n`;
  const sheet = new Sheet(file("a.c"), [], false);
  const upstream: Upstream = { old: [], new: [[14, 14]] };
  sheet.lay({ mode: "unified", tab: 4, columns: null, quiet: (patch) => dropUpstream(patch, upstream) });
  sheet.load(text);
  sheet.setContents({ before: null, after });
  sheet.openAll();
  const rows = sheet.rows!;

  const numbers = Array.from({ length: rows.count }, (_, row) => [rows.left[row], rows.right[row], sheet.text(row, "new")] as const)
    .filter(([, , words]) => ["line 13", "line 14", "line 15", "line 30"].includes(words));
  assert.deepEqual(numbers, [[13, 13, "line 13"], [0, 14, "line 14"], [14, 15, "line 15"], [29, 30, "line 30"]]);
});

test("white space is hidden after upstream, and a row still names its row in the full patch", () => {
  const full = parsePatch("@@ -1,4 +1,4 @@\n-up\n+up 2\n-a  b\n+a b\n-mine\n+mine 2\n end\n");
  const sheet = new Sheet(file("a.c"), [], false);
  const both = together(dropUpstream(full, { old: [[1, 1]], new: [[1, 1]] }), (patch) => hideSpace(patch, "all", false), sheet);

  assert.deepEqual(shown(both.patch).slice(1), [" up 2", " a b", "-mine", "+mine 2", " end"]);
  for (let row = 1; row < both.patch.count; row++) {
    assert.equal(rowText(both.patch, row), rowText(full, both.origin![row]));
  }
});

function randomUpstream(full: Patch, random: Random): Upstream {
  const pick = (kind: number, lines: Uint32Array): number[][] =>
    Array.from({ length: full.count }, (_, row) => row).filter((row) => full.kind[row] === kind && random(2)).map((row) => [lines[row], lines[row]]);
  return { old: pick(REMOVED, full.oldLine), new: pick(ADDED, full.newLine) };
}

test("whatever upstream did, every change that is left is the author's and none of theirs is lost", () => {
  for (const random of seeds(300)) {
    const full = parsePatch(randomPatch(random).text);
    const upstream = randomUpstream(full, random);
    const { patch, origin } = dropUpstream(full, upstream);
    if (!origin) continue;
    const kept = new Set<number>();
    for (let row = 0; row < patch.count; row++) {
      if (patch.kind[row] === HUNK || patch.kind[row] === CONTEXT) continue;
      assert.ok(!isUpstream(full, upstream, origin[row]));
      kept.add(origin[row]);
    }
    const mine = Array.from({ length: full.count }, (_, row) => row)
      .filter((row) => full.kind[row] !== HUNK && full.kind[row] !== CONTEXT && !isUpstream(full, upstream, row));
    assert.deepEqual([...kept], mine);
  }
});

test("new numbers run on without a hole inside every hunk that is left", () => {
  for (const random of seeds(300)) {
    const full = parsePatch(randomPatch(random).text);
    const { patch } = dropUpstream(full, randomUpstream(full, random));
    let next = 0;
    for (let row = 0; row < patch.count; row++) {
      if (patch.kind[row] === HUNK) next = 0;
      else if (patch.kind[row] !== REMOVED) {
        if (next) assert.equal(patch.newLine[row], next);
        next = patch.newLine[row] + 1;
      }
    }
  }
});

test("the old number of an unchanged line is the one that the patch gives it", () => {
  for (const random of seeds(200)) {
    const full = parsePatch(randomPatch(random).text);
    for (let row = 0; row < full.count; row++) {
      if (full.kind[row] === CONTEXT) assert.equal(oldLineOf(full, full.newLine[row]), full.oldLine[row]);
      if (full.kind[row] === ADDED) assert.equal(oldLineOf(full, full.newLine[row]), 0);
    }
  }
});
