/** The changes as a list: what each hunk holds, in words, for those who do not look at the surface. */
import { ADDED, CONTEXT, hunkHeading, type Patch, REMOVED, rowText } from "../diff/patch.ts";
import type { Side } from "../diff/rows.ts";
import type { Sheet } from "../diff/sheet.ts";
import { plural } from "../text/format.ts";

export interface HunkItem {
  readonly title: string;
  readonly side: Side;
  readonly line: number;
  readonly lines: ReadonlyArray<{ readonly removed: boolean; readonly number: number; readonly text: string }>;
  /** Changed lines beyond those listed. */
  readonly more: number;
}

const MOST_LINES = 60;
const LONGEST = 300;

/** The hunks of a file; null while its lines are not here. */
export function hunkItems({ patch }: Sheet): HunkItem[] | null {
  return patch && patch.hunks.map((hunk, at) => item(patch, hunk, patch.hunks[at + 1] ?? patch.count));
}

function item(patch: Patch, hunk: number, end: number): HunkItem {
  const changed: number[] = [];
  for (let row = hunk + 1; row < end; row++) if (patch.kind[row] !== CONTEXT) changed.push(row);
  const count = (kind: number): number => changed.filter((row) => patch.kind[row] === kind).length;
  const first = changed[0] ?? hunk;
  const side: Side = patch.kind[first] === REMOVED ? "old" : "new";
  const line = (side === "old" ? patch.oldLine : patch.newLine)[first];
  const parts = [[count(REMOVED), "removed"], [count(ADDED), "added"]] as const;
  const counts = parts.filter(([many]) => many).map(([many, what]) => `${plural(many, "line")} ${what}`).join(", ");
  const heading = hunkHeading(patch, hunk).slice(0, LONGEST);
  return {
    title: `Line ${line}: ${counts || "no changed line"}${heading ? `, in ${heading}` : ""}`,
    side, line,
    lines: changed.slice(0, MOST_LINES).map((row) => ({
      removed: patch.kind[row] === REMOVED,
      number: patch.oldLine[row] || patch.newLine[row],
      text: rowText(patch, row).slice(0, LONGEST),
    })),
    more: Math.max(0, changed.length - MOST_LINES),
  };
}
