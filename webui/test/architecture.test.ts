/** Which room may use which: imports point downwards, and what thinks does not draw. */
import { strict as assert } from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCE = process.env.DIFFX_CONTRACTS + "/../../webui/src/";
/** Each room and the rooms below it; the same room is always allowed. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  api: [],
  text: [],
  diff: ["api", "text"],
  highlight: ["diff"],
  state: ["api", "diff", "text"],
  surface: ["api", "diff", "text"],
  ui: ["api", "diff", "highlight", "state", "styles", "surface", "text", ""],
  "": [],
};
const IMPORT = /from "(\.[^"]+)"/g;
const DRAWING = /\bdocument\.|\bHTMLElement\b|\bquerySelector/;

function files(room: string): string[] {
  return readdirSync(SOURCE + room).filter((name) => /\.tsx?$/.test(name)).map((name) => (room ? `${room}/${name}` : name));
}

function roomOf(file: string, target: string): string {
  const parts = new URL(target, `http://x/${file}`).pathname.split("/");
  return parts.length > 2 ? parts[1] : "";
}

for (const [room, below] of Object.entries(BELOW)) {
  if (room === "") continue;
  test(`${room} uses only rooms below it`, () => {
    for (const file of files(room)) {
      for (const [, target] of readFileSync(SOURCE + file, "utf8").matchAll(IMPORT)) {
        const used = roomOf(file, target);
        assert.ok(used === room || below.includes(used), `${file} imports ${target}`);
      }
    }
  });
}

test("diff, state and text never touch the page", () => {
  for (const file of ["diff", "state", "text"].flatMap(files)) {
    assert.ok(!DRAWING.test(readFileSync(SOURCE + file, "utf8")), file);
  }
});

test("nothing turns text into markup", () => {
  for (const file of Object.keys(BELOW).flatMap(files)) {
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML/.test(readFileSync(SOURCE + file, "utf8")), file);
  }
});

test("the diff's own code stays within its budget", () => {
  const lines = files("diff").map((file) => readFileSync(SOURCE + file, "utf8").split("\n").length);
  assert.ok(lines.reduce((sum, count) => sum + count, 0) <= 1_500);
});
