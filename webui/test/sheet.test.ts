import { strict as assert } from "node:assert";
import { test } from "node:test";
import { firstChange, nextChange, nextFile, nextLine, type Place } from "../src/diff/cursor.ts";
import { BAR } from "../src/diff/rows.ts";
import { type Frame, Sheet, sideTexts } from "../src/diff/sheet.ts";
import { hideSpace } from "../src/diff/whitespace.ts";
import { linesOf } from "../src/state/reading.ts";
import { randomPatch, seeds } from "./random.ts";
import { file } from "./samples.ts";

const UNIFIED: Frame = { mode: "unified", tab: 4, quiet: null, columns: null };
const SPLIT: Frame = { mode: "split", tab: 4, quiet: null, columns: null };
const PATCH = "@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n@@ -9 +9 @@\n-i\n+I\n";

function sheet(patch: string | null = PATCH, more: Parameters<typeof file>[1] = {}): Sheet {
  const made = new Sheet(file("a.txt", more), [], false);
  made.lay(UNIFIED);
  if (patch !== null) made.load(patch);
  return made;
}

test("a place is found again in another layout and after lines were opened", () => {
  for (const random of seeds(60)) {
    const one = sheet(randomPatch(random).text);
    const keys = Array.from({ length: one.rows!.count }, (_, row) => one.keyOf(row));
    keys.forEach((key, row) => assert.equal(one.find(key), row));
    one.lay(SPLIT);
    for (const key of keys) {
      const row = one.find(key);
      assert.ok(one.rows!.left[row] === key || one.rows!.right[row] === key);
    }
  }
});

test("a place is found again where white space is hidden, though pairs then stand before what was removed", () => {
  const quiet: Frame["quiet"] = (patch) => hideSpace(patch, "all", false);
  const one = sheet("@@ -1,2 +1,2 @@\n-a b\n-x\n+a  b\n+y\n");
  one.lay({ ...UNIFIED, quiet });
  const texts = Array.from({ length: one.rows!.count }, (_, row) => [row, one.find(one.keyOf(row))]);
  for (const [row, found] of texts) assert.equal(found, row);
});

test("an opened line comes from the contents, and its place is found again", () => {
  const one = sheet();
  one.setContents({ before: linesOf("a\nb\nc\nd\ne\nf\ng\nh\ni\n"), after: linesOf("a\nb\nc\nD\ne\nf\ng\nh\nI\n") });
  assert.deepEqual([0, 1, 2].map((gap) => one.hidden(gap)), [2, 3, 0]);
  one.open(1, "all");

  assert.equal(one.hidden(1), 0);
  const row = one.find(-7);
  assert.equal(one.text(row, "new"), "g");
  assert.equal(one.text(row, "old"), "g");
  for (let at = 0; at < one.rows!.count; at++) assert.equal(one.find(one.keyOf(at)), at);
});

test("a line that is not shown names the gap it is hidden in", () => {
  const one = sheet();
  assert.deepEqual([1, 2, 3, 6, 8, 9].map((line) => one.gapAround("new", line)), [0, 0, -1, 1, 1, -1]);
});

test("a hunk whose bar went leads to its first line", () => {
  const one = sheet();
  one.setContents({ before: null, after: linesOf("a\nb\nc\nD\ne\nf\ng\nh\nI\n") });
  const bar = one.patch!.hunks[1];
  one.open(1, "all");

  assert.equal(one.text(one.find(bar), "new"), "i");
});

test("a wrapped line is as tall as its columns need, until the browser says otherwise", () => {
  const one = sheet(`@@ -1 +1 @@\n-short\n+${"x".repeat(95)}\n`);
  one.lay({ ...UNIFIED, columns: () => 40 });
  assert.deepEqual([...one.tops], [0, 28, 48, 108]);

  assert.ok(one.measured(1, 40));
  assert.ok(!one.measured(1, 40));
  assert.deepEqual([...one.tops], [0, 28, 68, 128]);
});

test("what a patch is forgotten with comes back with it", () => {
  const one = sheet();
  one.setContents({ before: null, after: linesOf("a\nb\nc\nD\ne\nf\ng\nh\nI\n") });
  one.open(0, "all");
  const before = one.rows!.count;
  one.unload();
  assert.equal(one.rows, null);
  one.load(PATCH);

  assert.equal(one.rows!.count, before);
});

test("the lines of each side keep their numbers for the highlighter", () => {
  const one = sheet();
  one.tokens = { old: none(), new: none(), whole: false };
  const sides = sideTexts(one.patch!);
  assert.equal(sides.new, "c\nD\ne\nI");
  for (let row = 0; row < one.rows!.count; row++) {
    if (one.rows!.kind[row] === BAR) continue;
    const side = one.patch!.newLine[one.rows!.right[row]] ? "new" : "old";
    assert.equal(sides[side].split("\n")[one.tokenLine(row, side)], one.text(row, side));
  }
});

const none = () => ({ starts: new Uint32Array(1), records: new Uint32Array(0) });

test("keys walk over bars and through files, and stop at both ends", () => {
  const sheets = [sheet(), sheet()];
  let place: Place = { file: 0, row: -1, side: "new" };
  const seen: string[] = [];
  for (;;) {
    const next = nextLine(sheets, place, 1);
    if (next === place) break;
    place = next;
    seen.push(`${place.file}:${sheets[place.file].text(place.row, "new")}`);
  }
  assert.deepEqual(seen, ["c", "d", "D", "e", "i", "I"].flatMap((text) => [`0:${text}`]).concat(
    ["c", "d", "D", "e", "i", "I"].map((text) => `1:${text}`)));
  while (nextLine(sheets, place, -1) !== place) place = nextLine(sheets, place, -1);
  assert.deepEqual(place, { file: 0, row: 1, side: "new" });
});

test("changes are met at their first line, and a file without rows at its head", () => {
  const sheets = [sheet(), sheet(null), sheet()];
  const start = firstChange(sheets, 0, "new");
  assert.equal(start.row, 2);
  const second = nextChange(sheets, start, 1);
  assert.equal(sheets[0].text(second.row, "old"), "i");
  const head = nextChange(sheets, second, 1);
  assert.deepEqual(head, { file: 1, row: -1, side: "new" });
  assert.equal(nextChange(sheets, head, 1).file, 2);
  sheets[2].folded = true;
  assert.equal(nextChange(sheets, head, 1).row, -1);
  assert.equal(nextFile(sheets, { file: 2, row: 0, side: "new" }, 1).file, 2);
});

test("every row knows its hunk, in any layout, with lines opened and white space hidden", () => {
  const one = sheet("@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n@@ -9 +9 @@\n-i\n+ i\n@@ -12 +12 @@\n-k\n+K\n");
  const hunks = (): number[] => Array.from({ length: one.rows!.count }, (_, row) => one.hunkOf(row));
  assert.deepEqual(hunks(), [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
  one.lay(SPLIT);
  assert.deepEqual(hunks(), [0, 0, 0, 0, 1, 1, 2, 2]);

  const lines = linesOf("a\nb\nc\nD\ne\nf\ng\nh\n i\nj\nj\nK\nl\n");
  one.setContents({ before: lines, after: lines });
  one.openAll();
  // Opened lines belong to the hunk below; those at the end to the last one.
  assert.deepEqual(hunks(), [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);

  one.lay({ ...UNIFIED, quiet: (patch) => hideSpace(patch, "all", false) });
  assert.equal(one.rows!.kind[0], BAR);
  assert.deepEqual([...new Set(hunks())], [0, 2]);
});

test("a hunk is seen with its file, or by itself", () => {
  const one = sheet();
  one.seenHunks = new Set([1]);
  assert.deepEqual([0, 1].map((hunk) => one.isHunkSeen(hunk)), [false, true]);
  one.mark = "carried";
  assert.ok(one.isHunkSeen(0));
  assert.equal(sheet(null).hunkOf(0), -1);
});
