/** The parser here and the one in Python must agree: both run the cases in tests/contracts/patch. */
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { columnsOf } from "../src/diff/layout.ts";
import { hunkHeading, parsePatch, type Patch, rowText } from "../src/diff/patch.ts";
import { gapsOf, layRows } from "../src/diff/rows.ts";

interface Line {
  readonly kind: string;
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  readonly noNewline: boolean;
}

interface Case {
  readonly name: string;
  readonly patch: string;
  readonly additions: number;
  readonly deletions: number;
  readonly rows: { readonly hunks: number; readonly unified: number; readonly split: number; readonly maxColumns: number };
  readonly hunks: ReadonlyArray<{ readonly section: string; readonly lines: readonly Line[] }>;
}

const CASES: readonly Case[] = JSON.parse(readFileSync(`${process.env.DIFFX_CONTRACTS}/patch/hunks.json`, "utf8"));

function linesOf(patch: Patch, hunk: number): Line[] {
  const from = patch.hunks[hunk] + 1;
  const end = patch.hunks[hunk + 1] ?? patch.count;
  return Array.from({ length: end - from }, (_, at) => ({
    kind: " +-"[patch.kind[from + at]],
    old: patch.oldLine[from + at] || null,
    new: patch.newLine[from + at] || null,
    text: rowText(patch, from + at),
    noNewline: patch.unended.has(from + at),
  }));
}

test("there are cases", () => assert.ok(CASES.length > 10));

for (const one of CASES) {
  test(`patch contract: ${one.name}`, () => {
    const patch = parsePatch(one.patch);
    const gaps = gapsOf(patch, null);

    assert.deepEqual(patch.hunks.map((_, hunk) => linesOf(patch, hunk)), one.hunks.map(({ lines }) => lines));
    assert.deepEqual(patch.hunks.map((row) => hunkHeading(patch, row)), one.hunks.map(({ section }) => section.trim()));
    assert.equal(layRows(patch, "unified", gaps, []).count, one.rows.unified);
    assert.equal(layRows(patch, "split", gaps, []).count, one.rows.split);
    assert.equal(patch.runs.reduce((sum, { added }) => sum + added, 0), one.additions);
    assert.equal(patch.runs.reduce((sum, { removed }) => sum + removed, 0), one.deletions);
    const widths = one.hunks.flatMap(({ lines }) => lines.map(({ text }) => columnsOf(text, 4)));
    assert.ok(Math.max(0, ...widths) >= one.rows.maxColumns - 4);
  });
}
