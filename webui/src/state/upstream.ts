/**
 * What the author changed between two versions, without what their bases differ in (9.1).
 *
 * Lines that upstream removed go; lines that it added stay as they are, as unchanged ones that the
 * earlier version has no number for.
 */
import { ADDED, CONTEXT, type Patch, REMOVED } from "../diff/patch.ts";
import { assemble, type Row, trimmed } from "../diff/quiet.ts";
import type { Frame, Quiet, Sheet } from "../diff/sheet.ts";
import type { FileInterdiff } from "../api/types.gen.ts";

export type Upstream = FileInterdiff["upstream"];

const NOTHING_LEFT = "Only upstream changed lines here; press G to see them";

/** Whether a row of an interdiff is upstream's doing. */
export function isUpstream(patch: Patch, { old, new: added }: Upstream, row: number): boolean {
  if (patch.kind[row] === ADDED) return holds(added, patch.newLine[row]);
  return patch.kind[row] === REMOVED && holds(old, patch.oldLine[row]);
}

export function dropUpstream(source: Patch, upstream: Upstream): Quiet {
  if (!upstream.old.length && !upstream.new.length) return { patch: source, origin: null };
  const rows = source.hunks.flatMap((hunk, at) => quietHunk(source, upstream, hunk, source.hunks[at + 1] ?? source.count));
  return { ...assemble(source, rows, NOTHING_LEFT), oldOf: (line) => oldLineOf(source, line) };
}

/** Hide upstream's lines first, then what else is hidden. */
export function together(first: Quiet, then: Frame["quiet"], sheet: Sheet): Quiet {
  if (!then) return first;
  const { patch, origin } = then(first.patch, sheet);
  const from = first.origin;
  return { ...first, patch, origin: origin && from ? origin.map((row) => from[row]) : origin ?? from };
}

function quietHunk(source: Patch, upstream: Upstream, hunk: number, end: number): Row[] {
  const rows: Row[] = [];
  let less = false;
  for (let row = hunk + 1; row < end; row++) {
    const { kind, oldLine, newLine } = source;
    const theirs = isUpstream(source, upstream, row);
    less ||= theirs;
    if (!theirs) rows.push([row, kind[row], oldLine[row], newLine[row]]);
    else if (kind[row] === ADDED) rows.push([row, CONTEXT, 0, newLine[row]]);
  }
  return trimmed(hunk, rows, less);
}

/** The earlier version's number of a line of the later one; 0 where it does not have it. */
export function oldLineOf({ hunks, count, kind, oldLine, newLine }: Patch, line: number): number {
  let away = 0;
  for (let at = 0; at < hunks.length && newLine[hunks[at]] <= line; at++) {
    const [from, end] = [hunks[at], hunks[at + 1] ?? count];
    let [old, now] = [oldLine[from], newLine[from]];
    for (let row = from + 1; row < end; row++) {
      if (newLine[row] === line) return kind[row] === CONTEXT ? oldLine[row] : 0;
      if (kind[row] !== ADDED) old++;
      if (kind[row] !== REMOVED) now++;
    }
    away = old - now;
  }
  return line + away;
}

function holds(ranges: Upstream["old"], line: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (line < ranges[middle][0]) high = middle - 1;
    else if (line > ranges[middle][1]) low = middle + 1;
    else return true;
  }
  return false;
}
