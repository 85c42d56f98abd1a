import { strict as assert } from "node:assert";
import { test } from "node:test";
import { CONTEXT, HUNK, parsePatch, type Patch, rowText } from "../src/diff/patch.ts";
import { Sheet } from "../src/diff/sheet.ts";
import { hideSpace, indentMatters } from "../src/diff/whitespace.ts";
import { randomPatch, seeds } from "./random.ts";
import { file } from "./samples.ts";

const SIGNS = [" ", "+", "-", "@"];

function shown(patch: Patch): string[] {
  return Array.from({ length: patch.count }, (_, row) => SIGNS[patch.kind[row]] + rowText(patch, row));
}

const BRACES = parsePatch("@@ -1,4 +1,6 @@ main\n+if (a) {\n-call(1);\n-call( 2 );\n+  call(1);\n+  call(2);\n+}\n end\n-x\n+y\n");

test("lines that moved in are context, and what really changed stays", () => {
  assert.deepEqual(shown(hideSpace(BRACES, "all", false).patch),
    ["@@@ -1 +1 @@ main", "+if (a) {", "   call(1);", "   call(2);", "+}", " end", "-x", "+y"]);
  assert.deepEqual(shown(hideSpace(BRACES, "amount", false).patch).filter((line) => line.includes("call")),
    ["-call(1);", "-call( 2 );", "+  call(1);", "+  call(2);"]);
});

test("the amount of white space is its amount: some is not none", () => {
  const patch = parsePatch("@@ -1,3 +1,3 @@\n-a  = 1;  \n+a = 1;\n-b=2\n+b = 2\n c\n");
  assert.deepEqual(shown(hideSpace(patch, "amount", false).patch).slice(1), [" a = 1;", "-b=2", "+b = 2", " c"]);
  assert.deepEqual(shown(hideSpace(patch, "all", false).patch), ["@Only white space differs here; press i to see it"]);
});

test("where indentation has a meaning it is never hidden", () => {
  const patch = parsePatch("@@ -1,2 +1,2 @@\n-  return x\n-a  = 1\n+return x\n+a = 1\n");
  assert.deepEqual(shown(hideSpace(patch, "all", true).patch).slice(1), ["-  return x", "+return x", " a = 1"]);
  for (const path of ["a.py", "x/Makefile", "deploy.YML", "a.pyi", "b.mk"]) assert.ok(indentMatters(path), path);
  for (const path of ["a.ts", "a.go", "makefile.c", "py"]) assert.ok(!indentMatters(path), path);
});

test("context far from what is left goes, and what is between is a gap of as many lines on both sides", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const body = lines.map((line, n) => (n === 2 || n === 25 ? `-${line}\n+new ${n}` : `-${line}\n+  ${line}`)).join("\n");
  const { patch } = hideSpace(parsePatch(`@@ -1,30 +1,30 @@\n${body}\n`), "all", false);

  assert.equal(patch.hunks.length, 2);
  assert.deepEqual(patch.hunks.map((row) => [patch.oldLine[row], patch.newLine[row]]), [[1, 1], [23, 23]]);
});

test("whatever is hidden, each line left is a line of the full patch with its numbers", () => {
  for (const random of seeds(200)) {
    const full = parsePatch(randomPatch(random).text);
    const { patch, origin } = hideSpace(full, random(2) ? "all" : "amount", random(2) === 1);
    if (!origin) { assert.equal(patch, full); continue; }
    const lost = new Set(Array.from({ length: full.count }, (_, row) => row));
    for (let row = 0; row < patch.count; row++) {
      const from = origin[row];
      lost.delete(from);
      if (patch.kind[row] === HUNK) continue;
      assert.equal(rowText(patch, row), rowText(full, from));
      assert.equal(patch.newLine[row], full.newLine[from]);
      assert.ok(patch.kind[row] === full.kind[from] || patch.kind[row] === CONTEXT);
    }
    const runs = patch.runs.reduce((sum, { removed, added }) => sum + removed + added, 0);
    assert.equal(runs, [...patch.kind].filter((kind) => kind !== CONTEXT && kind !== HUNK).length);
  }
});

test("a place outlives hiding, and showing again gives the very patch back", () => {
  const sheet = new Sheet(file("a.c"), [], false);
  const frame = { mode: "unified", tab: 4, columns: null, quiet: null } as const;
  sheet.lay(frame);
  sheet.load(BRACES.text);
  const end = Array.from({ length: sheet.rows!.count }, (_, row) => row).find((row) => sheet.text(row, "new") === "end")!;
  const key = sheet.keyOf(end);
  sheet.lay({ ...frame, quiet: (patch) => hideSpace(patch, "all", false) });
  assert.equal(sheet.text(sheet.find(key), "new"), "end");
  assert.equal(sheet.shownSide(2, "old"), "new");
  sheet.lay(frame);
  assert.equal(sheet.patch, sheet.full);
  assert.equal(sheet.find(key), end);
});
