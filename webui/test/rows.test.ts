import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ADDED, CONTEXT, HUNK, parsePatch, type Patch, REMOVED } from "../src/diff/patch.ts";
import {
  BAR, FILL, gapsOf, layRows, lineAt, Partners, rowOfLine, type Rows, rowShowing, settleRun,
} from "../src/diff/rows.ts";
import { randomPatch, seeds } from "./random.ts";

/** The figures that the manifest promises for a patch (review.model.Rows). */
function figures(patch: Patch): { unified: number; split: number } {
  let split = 0;
  for (let row = 0; row < patch.count; row++) if (patch.kind[row] === HUNK || patch.kind[row] === CONTEXT) split++;
  for (const { removed, added } of patch.runs) split += Math.max(removed, added);
  return { unified: patch.count, split };
}

function shown(rows: Rows): number[] {
  const found = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind[row] === FILL) continue;
    for (const ref of [rows.left[row], rows.right[row]]) if (ref >= 0) found.add(ref);
  }
  return [...found].sort((a, b) => a - b);
}

test("both layouts show every row of the patch once, in as many rows as the manifest says", () => {
  for (const random of seeds(80)) {
    const patch = parsePatch(randomPatch(random).text);
    const gaps = gapsOf(patch, null);
    for (const mode of ["unified", "split"] as const) {
      const rows = layRows(patch, mode, gaps, []);
      assert.equal(rows.count, figures(patch)[mode]);
      assert.deepEqual(shown(rows), [...patch.kind.keys()]);
    }
  }
});

test("settling moves lines to their partners and loses none", () => {
  for (const random of seeds(80)) {
    const patch = parsePatch(randomPatch(random).text);
    const rows = layRows(patch, "split", gapsOf(patch, null), []);
    const partners = new Partners(patch);
    for (const run of patch.runs) {
      const first = Math.min(...[run.first, run.end - 1].map((ref) => rowShowing(rows, ref)));
      settleRun(rows, Math.min(first, firstRowOf(rows, run.first, run.end)), patch, run, partners);
    }
    assert.deepEqual(shown(rows), [...patch.kind.keys()]);
    assert.ok(ascends(rows.left) && ascends(rows.right));
  }
});

function firstRowOf(rows: Rows, first: number, end: number): number {
  for (let row = 0; row < rows.count; row++) {
    const ref = Math.max(rows.left[row], rows.right[row]);
    if (ref >= first && ref < end) return row;
  }
  return 0;
}

function ascends(column: Int32Array): boolean {
  const refs = [...column].filter((ref) => ref >= 0);
  return refs.every((ref, at) => at === 0 || ref > refs[at - 1]);
}

test("a shorter side stands beside the lines that it became", () => {
  const patch = parsePatch("@@ -1 +1,3 @@\n-value = compute(first)\n+# new\n+import os\n+value = compute(second)\n");
  const rows = layRows(patch, "split", gapsOf(patch, null), []);
  settleRun(rows, 1, patch, patch.runs[0], new Partners(patch));

  assert.deepEqual([...rows.left], [0, -1, -1, 1]);
  assert.deepEqual([...rows.right], [0, 2, 3, 4]);
});

test("gaps are what the hunks leave out", () => {
  const patch = parsePatch("@@ -11,1 +11,1 @@\n-a\n+b\n@@ -20,1 +20,2 @@\n c\n+d\n");

  assert.deepEqual(gapsOf(patch, 30), [
    { oldFrom: 1, newFrom: 1, lines: 10 },
    { oldFrom: 12, newFrom: 12, lines: 8 },
    { oldFrom: 21, newFrom: 22, lines: 9 },
  ]);
});

test("with fewer than three lines of context at its end a patch has reached the end of the file", () => {
  const end = (context: string): number => gapsOf(parsePatch(`@@ -1,9 +1,9 @@\n-a\n+b\n${context}`), null)[1].lines;

  assert.equal(end(" c\n d\n"), 0);
  assert.equal(end(" c\n d\n e\n"), Infinity);
});

test("opened gaps give each line of the file once, and their bars go when nothing is hidden", () => {
  for (const random of seeds(60)) {
    const patch = parsePatch(randomPatch(random).text);
    const total = lastNewLine(patch) + random(20);
    const gaps = gapsOf(patch, total);
    const rows = layRows(patch, random(2) ? "split" : "unified", gaps, gaps.map(({ lines }) => ({ top: lines, bottom: 0 })));

    const lines: number[] = [];
    for (let row = 0; row < rows.count; row++) {
      const line = lineAt(rows, patch, row, "new");
      if (line) lines.push(line);
      if (rows.kind[row] === BAR) assert.equal(gaps[patch.hunks.indexOf(rows.left[row])].lines, 0);
    }
    assert.deepEqual([...new Set(lines)], Array.from({ length: total }, (_, at) => at + 1));
  }
});

function lastNewLine(patch: Patch): number {
  const gap = gapsOf(patch, null).at(-1);
  return gap ? gap.newFrom - 1 : 0;
}

test("a gap opens in steps from both ends without overlap", () => {
  const patch = parsePatch("@@ -51 +51 @@\n-a\n+b\n");
  const gaps = gapsOf(patch, 51);
  const rows = layRows(patch, "unified", gaps, [{ top: 20, bottom: 20 }]);
  const numbers = [...Array(rows.count).keys()].map((row) => lineAt(rows, patch, row, "new"));

  assert.deepEqual(numbers.slice(0, 20), Array.from({ length: 20 }, (_, at) => at + 1));
  assert.equal(rows.kind[20], BAR);
  assert.deepEqual(numbers.slice(21, 41), Array.from({ length: 20 }, (_, at) => at + 31));
});

test("what was opened from both ends meets without a line twice", () => {
  const patch = parsePatch("@@ -21 +21 @@\n-a\n+b\n");
  const rows = layRows(patch, "unified", gapsOf(patch, 21), [{ top: 15, bottom: 15 }]);
  const numbers = [...Array(rows.count).keys()].map((row) => lineAt(rows, patch, row, "new")).filter(Boolean);

  assert.deepEqual(numbers, Array.from({ length: 21 }, (_, at) => at + 1));
});

test("a line is found by its number, else the nearest one before it", () => {
  const patch = parsePatch("@@ -5,2 +5,2 @@\n a\n-b\n+c\n");
  const rows = layRows(patch, "unified", gapsOf(patch, null), []);

  assert.equal(rowOfLine(rows, patch, "old", 6), 2);
  assert.equal(rowOfLine(rows, patch, "new", 6), 3);
  assert.equal(rowOfLine(rows, patch, "new", 90), 3);
  assert.equal(rowOfLine(rows, patch, "new", 2), -1);
  assert.equal(patch.kind[rows.right[2]], REMOVED);
  assert.equal(patch.kind[rows.right[3]], ADDED);
});
