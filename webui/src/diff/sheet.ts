/** What one file shows now, and how tall that is. No DOM: the view paints what this says. */
import type { ChangedFile } from "../api/types.gen.ts";
import { BETWEEN, columnsOf, expectedHeight, HEAD, lastAtOrBefore, NOTICE, topsOf } from "./layout.ts";
import { type Note, Notes, rowsOfLines } from "./notes.ts";
import { ADDED, CONTEXT, HUNK, parsePatch, type Patch, REMOVED, rowText, runAt } from "./patch.ts";
import {
  BAR, CLOSED, type Contents, FILL, type Gap, gapsOf, layRows, lineAt, LINES, type Mode, type Opened, Partners,
  rowOfLine, type Rows, rowShowing, settleRun, type Side,
} from "./rows.ts";
import { diffWords, NOTHING, type Ranges } from "./worddiff.ts";

/** What there is to say about a file besides its lines. */
export interface Notice {
  readonly tone: "plain" | "warn" | "bad";
  readonly text: string;
}

/** How everything is laid out now; `columns` is how many fit a line when lines wrap, else null. */
export interface Frame {
  readonly mode: Mode;
  readonly tab: number;
  readonly columns: ((sheet: Sheet) => number) | null;
  /** Makes the patch to show of a full one; null shows that itself. */
  readonly quiet: ((patch: Patch, sheet: Sheet) => Quiet) | null;
}

/** A patch to show. `origin` names each row's row in the full patch; null where it is that. */
export interface Quiet {
  readonly patch: Patch;
  readonly origin: Int32Array | null;
  /** The old number of an unchanged line, where hidden changes come between. */
  readonly oldOf?: (line: number) => number;
}

/** A word about a file, in its head. */
export interface Tag {
  readonly text: string;
  readonly title: string;
}

/** Tokens of one side's lines: `records[starts[line]..starts[line + 1]]`, id << 24 | end column. */
export interface Tokens {
  readonly starts: Uint32Array;
  readonly records: Uint32Array;
}

export interface TokenSides {
  readonly old: Tokens;
  readonly new: Tokens;
  /** Whether lines count from the top of the file, not through the patch. */
  readonly whole: boolean;
}

export const LONGEST_PAINTED = 2_000;
export const STEP = 20;
const NONE_SEEN: ReadonlySet<number> = new Set();

/** Scripts whose characters take two columns, and pictures. */
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|[\u{1F300}-\u{1FAFF}]/u;

export type OpenHow = "up" | "down" | "all";

export class Sheet {
  /** The patch as stored, and as it is shown: less, where white space is hidden. */
  full: Patch | null = null;
  patch: Patch | null = null;
  contents: Contents | null = null;
  tokens: TokenSides | null = null;
  rows: Rows | null = null;
  tops: Uint32Array = new Uint32Array(1);
  noticesHeight: number;
  /** How the file stands in the review, as its head shows it. */
  mark: "none" | "reviewed" | "carried" | "changed" | "off" = "none";
  /** Where what changed since it was reviewed can be read. */
  delta: string | null = null;
  /** The reviewed hunks of a file that is not reviewed as a whole, by their numbers in the stored patch. */
  seenHunks: ReadonlySet<number> = NONE_SEEN;
  gaps: readonly Gap[] = [];
  readonly notes = new Notes();
  /** Rows of the full patch that are not the author's doing. */
  foreign: ((row: number) => boolean) | null = null;
  /** Patch rows and, below zero, new line numbers that are painted past the cap. */
  readonly uncapped = new Set<number>();
  private opened: Opened[] = [];
  private partners: Partners | null = null;
  private readonly settled = new Set<number>();
  private readonly words = new Map<number, Ranges>();
  private sideLines: { old: Uint32Array; new: Uint32Array } | null = null;
  private frame: Frame | null = null;
  private wide = false;
  private origin: Int32Array | null = null;
  private oldOf: Quiet["oldOf"];
  private widestStored = 0;

  constructor(
    readonly file: ChangedFile, readonly notices: readonly Notice[], public folded: boolean, private readonly own: readonly Note[] = [],
    readonly tags: readonly Tag[] = [],
  ) {
    this.noticesHeight = notices.length * NOTICE;
    this.notes.set(own);
  }

  /** Whether lines that the patch leaves out can be shown. */
  get expandable(): boolean {
    return !!this.file.after?.available || (!this.file.newMode && !!this.file.before?.available);
  }

  /** The side of a file that was added or deleted; such a file needs one column in any layout. */
  get onlySide(): Side | null {
    if (!this.file.oldMode && this.file.newMode) return "new";
    return this.file.oldMode && !this.file.newMode ? "old" : null;
  }

  get hasPatch(): boolean { return this.file.patch.available && !!this.file.rows; }

  /** Columns of the longest line that may be painted; wide characters count twice. */
  get widest(): number {
    const shown = Math.max(this.file.rows?.maxColumns ?? 0, this.opened.length ? this.widestStored : 0);
    return this.wide ? shown * 2 : shown;
  }

  get digits(): number {
    if (!this.patch?.hunks.length) return 4;
    const last = this.patch.hunks[this.patch.hunks.length - 1];
    const most = Math.max(this.patch.oldLine[last], this.patch.newLine[last]) + this.patch.count - last;
    return Math.max(4, String(most).length);
  }

  get height(): number {
    return HEAD + (this.folded ? 0 : this.rowsTop + this.rowsHeight) + BETWEEN;
  }

  /** What stands between the head and the first row. */
  get rowsTop(): number { return this.noticesHeight + this.notes.headHeight; }

  get rowsHeight(): number {
    if (this.rows) return this.tops[this.rows.count];
    const { rows } = this.file;
    if (!rows || !this.hasPatch) return 0;
    const split = this.frame?.mode === "split" && !this.onlySide;
    return expectedHeight(rows.hunks, split ? rows.split : rows.unified);
  }

  load(text: string): void {
    this.full = parsePatch(text);
    this.wide = WIDE.test(text);
    this.derive();
    if (this.frame) this.lay(this.frame);
  }

  private derive(): void {
    if (!this.full) return;
    const whole: Quiet = { patch: this.full, origin: null };
    const { patch, origin, oldOf } = this.frame?.quiet?.(this.full, this) ?? whole;
    [this.patch, this.origin, this.oldOf] = [patch, origin, oldOf];
    this.partners = new Partners(patch);
    this.gaps = gapsOf(patch, this.lineTotal(), oldOf);
    this.words.clear();
  }

  /** Forget the patch and what came from it; the reader's choices stay. */
  unload(): void {
    this.notes.lift(this.tops);
    this.full = this.patch = this.rows = this.tokens = this.partners = this.sideLines = null;
    this.words.clear();
  }

  setContents(contents: Contents): void {
    this.contents = contents;
    for (const line of contents.after ?? contents.before ?? []) {
      this.widestStored = Math.max(this.widestStored, line.length);
    }
    if (!this.patch) return;
    this.gaps = gapsOf(this.patch, this.lineTotal(), this.oldOf);
    if (this.frame) this.lay(this.frame);
  }

  lay(frame: Frame): void {
    const changed = frame.quiet !== this.frame?.quiet;
    this.frame = frame;
    if (!this.patch) return;
    if (changed) {
      this.opened = [];
      this.derive();
    }
    const opened = this.contents ? this.opened : [];
    this.rows = layRows(this.patch, this.onlySide ? "unified" : frame.mode, this.gaps, opened);
    this.settled.clear();
    const columns = frame.columns?.(this);
    this.tops = topsOf(this.rows, columns ? (row) => this.linesIn(row, columns, frame.tab) : null);
    this.placeNotes();
  }

  setNotes(notes: readonly Note[]): void {
    this.notes.lift(this.tops);
    this.notes.set([...this.own, ...notes]);
    this.placeNotes();
  }

  private placeNotes(): void {
    const { rows, patch } = this;
    if (!rows || !patch) return;
    this.notes.settle(this.tops, (side, lines) => {
      // A line moves within its run when its partners are found: find them before it is believed.
      rowsOfLines(rows, patch, side, lines).forEach((row) => { if (row >= 0) this.settle(row); });
      return rowsOfLines(rows, patch, side, lines);
    });
  }

  /** Show more of a gap; needs the contents. "up" grows from the hunk below, "down" from above. */
  open(gap: number, how: OpenHow): void {
    const { top, bottom } = this.opened[gap] ?? CLOSED;
    const more = { top: how === "up" ? 0 : how === "all" ? this.gaps[gap].lines : STEP, bottom: how === "up" ? STEP : 0 };
    while (this.opened.length < gap) this.opened.push(CLOSED);
    this.opened[gap] = { top: Math.min(this.gaps[gap].lines, top + more.top), bottom: bottom + more.bottom };
    if (this.frame) this.lay(this.frame);
  }

  openAll(): void {
    this.gaps.forEach((_, gap) => this.open(gap, "all"));
  }

  /** Lines of a gap that are still hidden. */
  hidden(gap: number): number {
    const { top, bottom } = this.opened[gap] ?? CLOSED;
    return Math.max(0, (this.gaps[gap]?.lines ?? 0) - (this.contents ? top + bottom : 0));
  }

  /** The gap in which a line is hidden, or -1 where it is shown (or is not there at all). */
  gapAround(side: Side, line: number): number {
    if (!this.patch || !this.rows) return -1;
    const shown = rowOfLine(this.rows, this.patch, side, line);
    if (shown >= 0 && lineAt(this.rows, this.patch, shown, side) === line) return -1;
    return this.gaps.findIndex((gap) => {
      const from = side === "old" ? gap.oldFrom : gap.newFrom;
      return line >= from && line < from + gap.lines;
    });
  }

  /** Correct one row's height to what it turned out to be; tells whether it differed. */
  measured(row: number, height: number): boolean {
    const change = height + this.notes.under(row) - (this.tops[row + 1] - this.tops[row]);
    if (Math.abs(change) < 1) return false;
    for (let i = row + 1; i < this.tops.length; i++) this.tops[i] += change;
    return true;
  }

  text(row: number, side: Side): string {
    const { rows, patch } = this;
    if (!rows || !patch) return "";
    const ref = side === "old" ? rows.left[row] : rows.right[row];
    if (ref < 0) return "";
    if (rows.kind[row] !== FILL) return rowText(patch, ref);
    const after = this.contents?.after;
    return (after ? after[rows.right[row] - 1] : this.contents?.before?.[rows.left[row] - 1]) ?? "";
  }

  /** Put the partners of a split row's run side by side; called before the row is painted. */
  settle(row: number): void {
    const { rows, patch, partners } = this;
    if (!rows || !patch || !partners || rows.mode !== "split" || rows.kind[row] !== LINES) return;
    const run = runAt(patch, Math.max(rows.left[row], rows.right[row]));
    if (!run || this.settled.has(run.first)) return;
    this.settled.add(run.first);
    let first = row;
    while (first > 0 && rows.kind[first - 1] === LINES && this.inRun(first - 1, run.first, run.end)) first--;
    settleRun(rows, first, patch, run, partners);
  }

  private inRun(row: number, first: number, end: number): boolean {
    const ref = Math.max(this.rows!.left[row], this.rows!.right[row]);
    return ref >= first && ref < end;
  }

  /** The columns of a changed patch row that differ from its partner's. */
  changedWords(ref: number): Ranges {
    const { patch, partners } = this;
    const known = this.words.get(ref);
    if (known || !patch || !partners) return known ?? NOTHING;
    const run = runAt(patch, ref);
    const partner = run ? partners.of(run, ref) : -1;
    if (partner < 0) return NOTHING;
    const [before, after] = patch.kind[ref] === REMOVED ? [ref, partner] : [partner, ref];
    const [left, right] = diffWords(rowText(patch, before), rowText(patch, after));
    this.words.set(before, left);
    this.words.set(after, right);
    return patch.kind[ref] === REMOVED ? left : right;
  }

  /** Where a row's tokens lie in `tokens[side]`, as a line number from 0; -1 for none. */
  tokenLine(row: number, side: Side): number {
    const { rows, patch, tokens } = this;
    if (!rows || !patch || !tokens) return -1;
    if (tokens.whole) return lineAt(rows, patch, row, side) - 1;
    if (rows.kind[row] === FILL) return -1;
    const ref = side === "old" ? rows.left[row] : rows.right[row];
    this.sideLines ??= countSides(this.full ?? patch);
    return ref < 0 ? -1 : this.sideLines[side][this.origin?.[ref] ?? ref];
  }

  /** The side whose text a row shows: lines that differ in hidden white space show the new one. */
  shownSide(row: number, side: Side): Side {
    const ref = this.rows?.kind[row] === LINES ? this.rows.left[row] : -1;
    const added = ref >= 0 && this.full && this.origin && this.full.kind[this.origin[ref]] === ADDED;
    return added && this.patch?.kind[ref] === CONTEXT ? "new" : side;
  }

  isForeign(ref: number): boolean {
    return !!this.foreign?.(this.origin?.[ref] ?? ref);
  }

  /** A place in words that outlive another layout: see `find`. */
  keyOf(row: number): number {
    const { rows } = this;
    if (!rows || row < 0 || row >= rows.count) return 0;
    const ref = Math.max(rows.right[row], rows.kind[row] === FILL ? 0 : rows.left[row]);
    return rows.kind[row] === FILL ? -ref : this.origin?.[ref] ?? ref;
  }

  /** The row of a key in the present layout, or -1. */
  find(key: number): number {
    const { rows, patch } = this;
    if (!rows || !patch) return -1;
    if (key < 0) return rowOfLine(rows, patch, "new", -key);
    const exact = this.origin?.indexOf(key) ?? key;
    const ref = exact < 0 && this.origin ? this.origin.findIndex((from) => from >= key) : exact;
    const row = rowShowing(rows, ref);
    return row < 0 && patch.kind[ref] === HUNK ? rowShowing(rows, ref + 1) : row;
  }

  /** The hunk that a row is in, by its number in the stored patch; opened lines belong to the hunk below them. */
  hunkOf(row: number): number {
    const { rows, patch, full } = this;
    if (!rows || !patch || !full) return -1;
    let near = row;
    while (near < rows.count && rows.kind[near] === FILL) near++;
    const ref = near < rows.count ? Math.max(rows.left[near], rows.right[near]) : patch.count;
    return this.storedHunk(lastAtOrBefore(patch.hunks, ref));
  }

  /** The number in the stored patch of a hunk of the patch that is shown; what lies between two versions has none. */
  storedHunk(at: number): number {
    const row = this.patch?.hunks[at];
    if (this.foreign || row === undefined || !this.full) return -1;
    return this.origin ? this.full.hunks.indexOf(this.origin[row]) : at;
  }

  /** Whether a row is of a reviewed hunk; opened lines are of none. */
  isRowSeen(row: number): boolean {
    return this.rows?.kind[row] !== FILL && this.isHunkSeen(this.hunkOf(row));
  }

  isHunkSeen(hunk: number): boolean {
    return this.mark === "reviewed" || this.mark === "carried" || this.seenHunks.has(hunk);
  }

  /** Which gap a bar stands in. */
  gapOf(row: number): number {
    return this.patch && this.rows?.kind[row] === BAR ? this.patch.hunks.indexOf(this.rows.left[row]) : -1;
  }

  private lineTotal(): number | null {
    const side = this.contents?.after ?? this.contents?.before;
    return side ? side.length : null;
  }

  private linesIn(row: number, columns: number, tab: number): number {
    const tall = (side: Side): number => {
      const text = this.text(row, side);
      const shown = this.uncapped.has(this.keyOf(row)) ? text : text.slice(0, LONGEST_PAINTED);
      return Math.max(1, Math.ceil(columnsOf(shown, tab) / columns));
    };
    return this.rows?.mode === "split" ? Math.max(tall("old"), tall("new")) : tall("new");
  }
}

/** For each patch row its line number, from 0, in the text of each side's lines alone. */
function countSides(patch: Patch): { old: Uint32Array; new: Uint32Array } {
  const sides = { old: new Uint32Array(patch.count), new: new Uint32Array(patch.count) };
  let [olds, news] = [0, 0];
  for (let row = 0; row < patch.count; row++) {
    sides.old[row] = olds;
    sides.new[row] = news;
    if (patch.oldLine[row] && patch.kind[row] !== HUNK) olds++;
    if (patch.newLine[row] && patch.kind[row] !== HUNK) news++;
  }
  return sides;
}

/** The lines of each side that a patch shows, for a highlighter that has no more. */
export function sideTexts(patch: Patch): { old: string; new: string } {
  const texts = { old: [] as string[], new: [] as string[] };
  for (let row = 0; row < patch.count; row++) {
    if (patch.kind[row] === HUNK) continue;
    const text = rowText(patch, row);
    if (patch.oldLine[row]) texts.old.push(text);
    if (patch.newLine[row]) texts.new.push(text);
  }
  return { old: texts.old.join("\n"), new: texts.new.join("\n") };
}
