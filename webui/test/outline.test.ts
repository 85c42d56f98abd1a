import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Sheet } from "../src/diff/sheet.ts";
import { hunkItems } from "../src/state/outline.ts";
import { file } from "./samples.ts";

function sheet(patch: string | null): Sheet {
  const made = new Sheet(file("a.txt"), [], false);
  if (patch !== null) made.load(patch);
  return made;
}

test("a hunk is told by its first changed line, its counts and its heading", () => {
  const items = hunkItems(sheet("@@ -3,3 +3,4 @@ main()\n c\n-d\n+D\n+E\n e\n@@ -20 +21,0 @@\n-gone\n"))!;

  assert.deepEqual(items.map(({ title }) => title), ["Line 4: 1 line removed, 2 lines added, in main()", "Line 20: 1 line removed"]);
  assert.deepEqual(items[0].lines, [
    { removed: true, number: 4, text: "d" }, { removed: false, number: 4, text: "D" }, { removed: false, number: 5, text: "E" },
  ]);
  assert.deepEqual([items[1].side, items[1].line], ["old", 20]);
});

test("long hunks say how much is left out, and a missing patch is not an empty one", () => {
  const [item] = hunkItems(sheet(`@@ -0,0 +1,100 @@\n${"+x\n".repeat(100)}`))!;
  assert.deepEqual([item.lines.length, item.more], [60, 40]);
  assert.equal(hunkItems(sheet(null)), null);
});
