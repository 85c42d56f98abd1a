/** Patches that show less than another one: what is far from the changes that are left goes. */
import { ADDED, CONTEXT, HUNK, hunkHeading, type Patch, REMOVED, type Run } from "./patch.ts";
import type { Quiet } from "./sheet.ts";

/** A row of the source, and what it is now. */
export type Row = readonly [origin: number, kind: number, oldLine: number, newLine: number];

const AROUND = 3;

/** The rows of one hunk behind new headers; `less` says that some changes of it were left out. */
export function trimmed(hunk: number, rows: readonly Row[], less: boolean): Row[] {
  const near = (at: number): boolean => rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([, kind]) => kind !== CONTEXT);
  const kept: Row[] = [];
  rows.forEach((row, at) => {
    if (less && !near(at)) return;
    if (!kept.length || (less && !near(at - 1))) kept.push([hunk, HUNK, firstOf(rows, at, 2), firstOf(rows, at, 3)]);
    kept.push(row);
  });
  return kept;
}

/** The line number that a side begins with from a row on. */
function firstOf(rows: readonly Row[], from: number, side: 2 | 3): number {
  return rows.slice(from).find((row) => row[side])?.[side] ?? rows[from][side];
}

/** Make a patch of rows; `nothing` is what it says where no change is left. */
export function assemble(source: Patch, rows: Row[], nothing: string): Quiet {
  if (!rows.length) rows.push([source.hunks[0], HUNK, 1, 1]);
  const only = rows.length === 1;
  let text = source.text;
  const [from, to] = [new Uint32Array(rows.length), new Uint32Array(rows.length)];
  const [hunks, runs, unended]: [number[], Run[], Set<number>] = [[], [], new Set()];
  rows.forEach(([origin, kind, oldLine, newLine], at) => {
    [from[at], to[at]] = [source.from[origin], source.to[origin]];
    if (source.unended.has(origin)) unended.add(at);
    if (kind === HUNK) {
      hunks.push(at);
      from[at] = text.length;
      text += only ? nothing : `@@ -${oldLine || 1} +${newLine || 1} @@ ${hunkHeading(source, origin)}`;
      to[at] = text.length;
    } else if (kind !== CONTEXT) {
      const last = runs.at(-1);
      const run = last?.end === at ? last : { first: at, end: at, removed: 0, added: 0 };
      if (run === last) runs.pop();
      runs.push({ ...run, end: at + 1, removed: run.removed + Number(kind === REMOVED), added: run.added + Number(kind === ADDED) });
    }
  });
  const column = (at: 0 | 1 | 2 | 3): number[] => rows.map((row) => row[at]);
  const patch = { text, count: rows.length, kind: Uint8Array.from(column(1)), from, to, runs, hunks, unended,
    oldLine: Uint32Array.from(column(2)), newLine: Uint32Array.from(column(3)) };
  return { patch, origin: Int32Array.from(column(0)) };
}
