/** What stands between the rows of a file: threads, and comments being written. No DOM. */
import type { Patch } from "./patch.ts";
import { lineAt, type Rows, type Side } from "./rows.ts";

export interface Note {
  /** Unique within the review, and the same for the same thing later. */
  readonly key: string;
  readonly side: Side;
  /** The line it stands under; 0 is the whole file. */
  readonly line: number;
  /** How tall it will be, until it was drawn once. */
  readonly guess: number;
}

interface Placed {
  readonly note: Note;
  readonly row: number;
  /** From the note's top to the end of its row's room; for the whole file, from the first note's top. */
  readonly away: number;
}

/** The notes of one file and the room they take: each row's room holds what stands under it. */
export class Notes {
  placed: readonly Placed[] = [];
  /** The room above the first row: that of notes on the whole file. */
  headHeight = 0;
  private list: readonly Note[] = [];
  private rows: readonly number[] = [];
  private readonly heights = new Map<string, number>();
  private readonly room = new Map<number, number>();

  under(row: number): number { return this.room.get(row) ?? 0; }

  heightOf({ key, guess }: Note): number { return this.heights.get(key) ?? guess; }

  set(notes: readonly Note[]): void {
    this.list = [...notes].sort((a, b) => a.line - b.line);
    this.rows = this.list.map(() => -1);
    this.stack();
  }

  /** Make room below the rows; `find` gives the rows of ascending lines of one side. */
  settle(tops: Uint32Array, find: (side: Side, lines: readonly number[]) => readonly number[]): void {
    const rows = this.list.map(() => -1);
    for (const side of ["old", "new"] as const) {
      const mine = this.list.flatMap((note, at) => (note.line && note.side === side ? [at] : []));
      if (mine.length) find(side, mine.map((at) => this.list[at].line)).forEach((row, at) => { rows[mine[at]] = row; });
    }
    this.rows = rows;
    this.stack();
    this.shift(tops, 1);
  }

  /** Take the room away again: without rows all notes stand above them. */
  lift(tops: Uint32Array): void {
    this.shift(tops, -1);
    this.set(this.list);
  }

  /** Believe how tall a note turned out; tells whether that differed. */
  measured(key: string, height: number, tops: Uint32Array): boolean {
    const note = this.list.find((one) => one.key === key);
    if (!note || !height || this.heightOf(note) === height) return false;
    this.shift(tops, -1);
    this.heights.set(key, height);
    this.stack();
    this.shift(tops, 1);
    return true;
  }

  /** Where a note stands, from the top of the file's notes and rows. */
  topOf({ row, away }: Placed, tops: Uint32Array): number {
    return row < 0 ? away : this.headHeight + tops[row + 1] - away;
  }

  private stack(): void {
    this.room.clear();
    this.headHeight = 0;
    const placed = this.list.map((note, at) => {
      const row = this.rows[at];
      const before = row < 0 ? this.headHeight : this.under(row);
      if (row < 0) this.headHeight += this.heightOf(note);
      else this.room.set(row, before + this.heightOf(note));
      return { note, row, before };
    });
    this.placed = placed.map(({ note, row, before }) => ({ note, row, away: row < 0 ? before : this.under(row) - before }));
  }

  private shift(tops: Uint32Array, way: 1 | -1): void {
    if (!this.room.size) return;
    let sum = 0;
    for (let row = 0; row < tops.length; row++) {
      tops[row] += way * sum;
      sum += this.under(row);
    }
  }
}

/** The rows of ascending line numbers, each the nearest one before where the line is not shown. */
export function rowsOfLines(rows: Rows, patch: Patch, side: Side, lines: readonly number[]): number[] {
  const found: number[] = [];
  let before = -1;
  for (let row = 0; row < rows.count && found.length < lines.length; row++) {
    const line = lineAt(rows, patch, row, side);
    if (!line) continue;
    while (found.length < lines.length && lines[found.length] < line) found.push(before);
    while (lines[found.length] === line) found.push(row);
    before = row;
  }
  while (found.length < lines.length) found.push(before);
  return found;
}
