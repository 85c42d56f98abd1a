import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ADDED, CONTEXT, HUNK, parsePatch, REMOVED, rowText, runAt, sidesOf } from "../src/diff/patch.ts";
import { randomPatch, seeds } from "./random.ts";

const HEAD = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";

test("rows, numbers and runs of a plain patch are git's", () => {
  const patch = parsePatch(HEAD + "@@ -3,3 +3,4 @@ def f():\n a\n-b\n+c\n+d\n e\n");

  assert.deepEqual([...patch.kind], [HUNK, CONTEXT, REMOVED, ADDED, ADDED, CONTEXT]);
  assert.deepEqual([...patch.oldLine], [3, 3, 4, 0, 0, 5]);
  assert.deepEqual([...patch.newLine], [3, 3, 0, 4, 5, 6]);
  assert.deepEqual(patch.runs, [{ first: 2, end: 5, removed: 1, added: 2 }]);
  assert.equal(rowText(patch, 4), "d");
});

test("lines that look like headers are lines while the hunk counts them", () => {
  const patch = parsePatch(HEAD + "@@ -1,2 +1,2 @@\n--- a\n+++ b\n @@ -9 +9 @@\n");

  assert.deepEqual([...patch.kind], [HUNK, REMOVED, ADDED, CONTEXT]);
  assert.equal(rowText(patch, 1), "-- a");
  assert.equal(patch.hunks.length, 1);
});

test("the marker of a missing newline belongs to the line before it and is no row", () => {
  const marker = "\\ No newline at end of file\n";
  const patch = parsePatch(HEAD + "@@ -1 +1 @@\n-a\n" + marker + "+b\n" + marker);

  assert.equal(patch.count, 3);
  assert.deepEqual([...patch.unended], [1, 2]);
});

test("an empty side is numbered by the line before it", () => {
  const added = parsePatch(HEAD + "@@ -0,0 +1,2 @@\n+a\n+b\n");
  const removed = parsePatch(HEAD + "@@ -6,1 +5,0 @@\n-a\n");

  assert.deepEqual([...added.newLine], [1, 1, 2]);
  assert.equal(added.oldLine[0], 1);
  assert.equal(removed.newLine[0], 6);
});

test("what follows the lines that a hunk counts is no row", () => {
  const patch = parsePatch(HEAD + "@@ -1 +1 @@\n-a\n+b\n-- \n2.40.1\n\n+more\n");

  assert.equal(patch.count, 3);
});

test("a hunk that ends early keeps the lines it has", () => {
  assert.equal(parsePatch(HEAD + "@@ -1,9 +1,9 @@\n a\n-b").count, 3);
  assert.equal(parsePatch("@@ -1,9 +1,9 @@").count, 1);
  assert.equal(parsePatch("Binary files a/x and b/x differ\n").count, 0);
});

test("only a newline ends a line", () => {
  const patch = parsePatch(HEAD + "@@ -1 +1 @@\n-a\r\u2028b\u0085\n+c\r\n");

  assert.equal(rowText(patch, 1), "a\r\u2028b\u0085");
  assert.equal(rowText(patch, 2), "c\r");
});

test("an interleaved run has all lines of each side", () => {
  const patch = parsePatch(HEAD + "@@ -1,1 +1,2 @@\n+a\n-b\n+c\n");

  assert.deepEqual(patch.runs, [{ first: 1, end: 4, removed: 1, added: 2 }]);
  assert.deepEqual(sidesOf(patch, patch.runs[0]), { removed: [2], added: [1, 3] });
});

test("any made-up patch gives back its lines, and each changed row lies in one run", () => {
  for (const random of seeds(60)) {
    const { text, lines } = randomPatch(random);
    const patch = parsePatch(HEAD + text);

    const rows = [...patch.kind].flatMap((kind, row) =>
      kind === HUNK ? [] : [" +-"[kind] + rowText(patch, row)]);
    assert.deepEqual(rows, lines);
    patch.kind.forEach((kind, row) => {
      assert.equal(runAt(patch, row) !== undefined, kind === ADDED || kind === REMOVED);
    });
  }
});

test("any text is accepted", () => {
  for (const random of seeds(200)) {
    const pieces = ["@@ -1,2 +3 @@", "\n", "+", "-", " ", "\\", "x", "@@ -0,0 +0,0 @@", "\r", "@@@", "\u2028"];
    let text = "";
    for (let i = 0; i < 40; i++) text += pieces[random(pieces.length)];

    const patch = parsePatch(text);
    assert.ok(patch.count <= text.split("\n").length);
  }
});
