/**
 * What a file shows, row by row: a patch laid out as one column or two, with context lines from
 * the stored contents put in where the reader asked for them.
 */
import { ADDED, CONTEXT, HUNK, type Patch, type Run, REMOVED, rowText, sidesOf } from "./patch.ts";
import { pairLines } from "./worddiff.ts";

export type Mode = "split" | "unified";
export type Side = "old" | "new";

/** Lines of one side, both ends among them. */
export interface Lines {
  readonly side: Side;
  readonly start: number;
  readonly end: number;
}

/** A row's kinds: a hunk's bar, lines of the patch, a line from the contents. */
export const BAR = 0;
export const LINES = 1;
export const FILL = 2;

/**
 * `left` and `right` name patch rows (-1 for none); in unified mode both name the same row.
 * A BAR names its hunk's row. A FILL names the line numbers of an unchanged line instead.
 */
export interface Rows {
  readonly mode: Mode;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/** Unchanged lines between two hunks (or before the first, or after the last). */
export interface Gap {
  readonly oldFrom: number;
  readonly newFrom: number;
  /** Hidden lines; Infinity after the last hunk while the contents are not known. */
  readonly lines: number;
  /** The old number of a line, where the sides do not keep step; 0 for none. */
  readonly oldOf?: (line: number) => number;
}

/** How many lines of a gap are shown at its top and at its bottom. */
export interface Opened {
  readonly top: number;
  readonly bottom: number;
}

export const CLOSED: Opened = { top: 0, bottom: 0 };

/** The gaps of a patch: one above each hunk, and one below the last. */
export function gapsOf(patch: Patch, newTotal: number | null, oldOf?: Gap["oldOf"]): Gap[] {
  const gaps: Gap[] = [];
  const steps = oldOf ? { oldOf } : {};
  let oldFrom = 1;
  let newFrom = 1;
  patch.hunks.forEach((hunk, at) => {
    gaps.push({ oldFrom, newFrom, ...steps, lines: Math.max(0, patch.newLine[hunk] - newFrom) });
    const next = patch.hunks[at + 1] ?? patch.count;
    [oldFrom, newFrom] = lineAfter(patch, hunk, next);
  });
  const rest = newTotal === null ? unknownRest(patch) : Math.max(0, newTotal - newFrom + 1);
  gaps.push({ oldFrom, newFrom, ...steps, lines: patch.hunks.length ? rest : 0 });
  return gaps;
}

/** Git gives three lines of context; a patch that ends with fewer has reached the file's end. */
function unknownRest(patch: Patch): number {
  const last = patch.runs.at(-1);
  return last && patch.count - last.end < 3 ? 0 : Infinity;
}

/** The line numbers that follow the hunk whose rows are `[hunk, end)`. */
function lineAfter(patch: Patch, hunk: number, end: number): [number, number] {
  let oldLine = patch.oldLine[hunk];
  let newLine = patch.newLine[hunk];
  for (let row = hunk + 1; row < end; row++) {
    if (patch.kind[row] !== ADDED) oldLine++;
    if (patch.kind[row] !== REMOVED) newLine++;
  }
  return [oldLine, newLine];
}

export interface Contents {
  /** Lines of each side; null where that side was not stored. */
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
}

/** Lay a patch out. `opened` has one entry per gap; missing ones are closed. */
export function layRows(patch: Patch, mode: Mode, gaps: readonly Gap[], opened: readonly Opened[]): Rows {
  const build = new Builder(mode, patch, gaps, opened);
  patch.hunks.forEach((hunk, at) => {
    build.gap(at);
    if (!isOpen(gaps[at], opened[at])) build.push(BAR, hunk, hunk);
    build.fillBottom(at);
    build.hunk(hunk + 1, patch.hunks[at + 1] ?? patch.count);
  });
  build.gap(patch.hunks.length);
  return build.finish();
}

/** Whether nothing of the gap is hidden any more, so that its bar can go. */
export function isOpen(gap: Gap | undefined, opened: Opened = CLOSED): boolean {
  return !!gap && gap.lines > 0 && opened.top + opened.bottom >= gap.lines;
}

class Builder {
  private kind: number[] | Uint8Array;
  private left: Int32Array;
  private right: Int32Array;
  private count = 0;
  private nextRun = 0;

  constructor(
    private readonly mode: Mode, private readonly patch: Patch,
    private readonly gaps: readonly Gap[], private readonly opened: readonly Opened[],
  ) {
    let most = patch.count;
    for (const { top, bottom } of opened) most += top + bottom;
    this.kind = new Uint8Array(most);
    this.left = new Int32Array(most);
    this.right = new Int32Array(most);
  }

  push(kind: number, left: number, right: number): void {
    this.kind[this.count] = kind;
    this.left[this.count] = left;
    this.right[this.count++] = right;
  }

  /** The opened lines at the top of a gap; all that is opened when nothing stays hidden. */
  gap(at: number): void {
    const { top } = this.opened[at] ?? CLOSED;
    for (let i = 0; i < Math.min(top, this.gaps[at].lines); i++) this.fill(at, i);
  }

  fillBottom(at: number): void {
    const { top, bottom } = this.opened[at] ?? CLOSED;
    const { lines } = this.gaps[at];
    for (let i = Math.max(top, lines - bottom); i < lines; i++) this.fill(at, i);
  }

  private fill(at: number, i: number): void {
    const { oldFrom, newFrom, oldOf } = this.gaps[at];
    this.push(FILL, oldOf ? oldOf(newFrom + i) : oldFrom + i, newFrom + i);
  }

  hunk(from: number, end: number): void {
    if (this.mode === "unified") {
      for (let row = from; row < end; row++) this.push(LINES, row, row);
      return;
    }
    for (let row = from; row < end;) {
      if (this.patch.kind[row] === CONTEXT) { this.push(LINES, row, row); row++; continue; }
      const run = this.patch.runs[this.nextRun++];
      this.run(run);
      row = run.end;
    }
  }

  private run(run: Run): void {
    const { removed, added } = sidesOf(this.patch, run);
    for (let at = 0; at < Math.max(run.removed, run.added); at++) {
      this.push(LINES, removed[at] ?? -1, added[at] ?? -1);
    }
  }

  finish(): Rows {
    const { mode, count } = this;
    return {
      mode, count,
      kind: Uint8Array.from(this.kind.slice(0, count)),
      left: this.left.slice(0, count),
      right: this.right.slice(0, count),
    };
  }
}

/**
 * The partners of changed lines, found when a run is first looked at: likeness costs too much to
 * compute for lines that nobody scrolls to.
 */
export class Partners {
  private readonly known = new Map<Run, ReadonlyMap<number, number>>();

  constructor(private readonly patch: Patch) {}

  /** The row on the other side that `row` became or came from, or -1. */
  of(run: Run, row: number): number {
    return this.inRun(run).get(row) ?? -1;
  }

  /**
   * Where the lines of the shorter side stand beside the longer side's, so that partners meet
   * without making the run any taller. One index per line of the shorter side.
   */
  places(run: Run): number[] {
    const { removed, added } = sidesOf(this.patch, run);
    const [short, long] = removed.length <= added.length ? [removed, added] : [added, removed];
    const partners = this.inRun(run);
    const places: number[] = [];
    short.forEach((row, at) => {
      const least = at === 0 ? 0 : places[at - 1] + 1;
      const most = long.length - (short.length - at);
      const partner = long.indexOf(partners.get(row) ?? -1);
      places.push(Math.min(most, Math.max(least, partner)));
    });
    return places;
  }

  private inRun(run: Run): ReadonlyMap<number, number> {
    const known = this.known.get(run);
    if (known) return known;
    const { removed, added } = sidesOf(this.patch, run);
    const text = (row: number): string => rowText(this.patch, row);
    const found = new Map<number, number>();
    pairLines(removed.map(text), added.map(text)).forEach((partner, at) => {
      if (partner < 0) return;
      found.set(removed[at], added[partner]);
      found.set(added[partner], removed[at]);
    });
    this.known.set(run, found);
    return found;
  }
}

/** Move the shorter side's lines of a run to their partners, in place; rows stay as many. */
export function settleRun(rows: Rows, first: number, patch: Patch, run: Run, partners: Partners): void {
  if (run.removed === run.added || !run.removed || !run.added) return;
  const { removed, added } = sidesOf(patch, run);
  const removedIsShort = removed.length < added.length;
  const [short, column] = removedIsShort ? [removed, rows.left] : [added, rows.right];
  column.fill(-1, first, first + Math.max(removed.length, added.length));
  partners.places(run).forEach((place, at) => { column[first + place] = short[at]; });
}

/** The display row that shows a patch row, or -1. Hunk rows are found by their bar. */
export function rowShowing(rows: Rows, patchRow: number): number {
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind[row] !== FILL && (rows.left[row] === patchRow || rows.right[row] === patchRow)) return row;
  }
  return -1;
}

/** The display row of a line number on one side, or the nearest row before it, or -1. */
export function rowOfLine(rows: Rows, patch: Patch, side: Side, line: number): number {
  let nearest = -1;
  for (let row = 0; row < rows.count; row++) {
    const found = lineAt(rows, patch, row, side);
    if (found === line) return row;
    if (found > 0 && found < line) nearest = row;
  }
  return nearest;
}

/** The line number that a display row has on one side; 0 for none. */
export function lineAt(rows: Rows, patch: Patch, row: number, side: Side): number {
  const ref = side === "old" ? rows.left[row] : rows.right[row];
  if (rows.kind[row] === FILL) return ref;
  if (rows.kind[row] === BAR || ref < 0 || patch.kind[ref] === HUNK) return 0;
  return side === "old" ? patch.oldLine[ref] : patch.newLine[ref];
}
