/** The lines that the reader picks to say something about: by mouse from the numbers, or by keys. */
import { type Direction, nextLine, type Place } from "../diff/cursor.ts";
import { lineAt, type Lines, rowOfLine, type Side } from "../diff/rows.ts";
import type { Sheet } from "../diff/sheet.ts";
import { linesWords } from "../text/lines.ts";

/** What picking needs of the surface. */
export interface Picked {
  readonly reader: { readonly place: Place | null; readonly sheets: readonly Sheet[] };
  readonly here: Sheet | undefined;
  placeOf(target: Element): Place | null;
  sheetOf(place: Place): Sheet | undefined;
  moveTo(place: Place, where: "near", picking: true): void;
  comment(sheet: Sheet, lines: Lines | null): void;
  say(words: string): void;
  schedule(): void;
}

export class Picking {
  private range: Range | null = null;
  private dragging: Place | null = null;

  constructor(private readonly root: HTMLElement, private readonly surface: Picked, signal: AbortSignal) {
    root.addEventListener("mousedown", (event) => this.dragFrom(event), { signal });
    root.addEventListener("mousemove", (event) => this.dragTo(event), { signal });
    addEventListener("mouseup", () => this.dragEnd(), { signal });
  }

  /** Which rows of a file to show as picked. */
  coverOf(sheet: Sheet): ((row: number) => boolean) | null {
    const { range } = this;
    return range?.sheet === sheet ? (row) => range.covers(row) : null;
  }

  /** Pick nothing; tells whether something was picked. */
  none(): boolean {
    const had = !!this.range;
    this.range = null;
    if (had) this.surface.schedule();
    return had;
  }

  /** Say something about the picked lines, the cursor's line, or a file where the cursor is on its head. */
  comment(whole = false): void {
    const { here: sheet, reader: { place } } = this.surface;
    if (!sheet) return;
    if (whole) return this.surface.comment(sheet, null);
    const range = this.range?.sheet === sheet ? this.range : place && Range.at(sheet, place.row, place.side);
    if (range || place) this.surface.comment(sheet, range?.lines ?? null);
    else this.surface.say("Go to a line first, with j or k");
  }

  /** Pick one line more, or one less; false where the cursor is on no line. */
  stretch(way: Direction): boolean {
    const { place, sheets } = this.surface.reader;
    const sheet = place && this.surface.sheetOf(place);
    if (!place || !sheet || place.row < 0) return false;
    const next = nextLine(sheets, place, way);
    this.range ??= Range.at(sheet, place.row, place.side);
    if (next.file !== place.file || !this.range) return true;
    this.range = this.range.to(next.row);
    this.surface.moveTo({ ...next, side: this.range.side }, "near", true);
    this.surface.say(sayLines(this.range.lines));
    return true;
  }

  private dragFrom(event: MouseEvent): void {
    const number = (event.target as Element).closest(".num");
    const place = number && event.button === 0 ? this.surface.placeOf(number) : null;
    const sheet = place && this.surface.sheetOf(place);
    if (!place || !sheet || place.row < 0) return;
    const cursor = this.surface.reader.place;
    const begun = !event.shiftKey ? null
      : this.range?.sheet === sheet ? this.range
      : cursor?.file === place.file ? Range.at(sheet, cursor.row, place.side) : null;
    this.range = begun?.to(place.row) ?? Range.at(sheet, place.row, place.side);
    this.dragging = this.range && place;
    // Otherwise the browser would select code while the reader picks lines.
    event.preventDefault();
    this.root.focus({ preventScroll: true });
    this.surface.schedule();
  }

  private dragTo(event: MouseEvent): void {
    if (!this.dragging || !this.range) return;
    const place = this.surface.placeOf(event.target as Element);
    if (!place || this.surface.sheetOf(place) !== this.range.sheet) return;
    this.range = this.range.to(place.row);
    this.surface.schedule();
  }

  private dragEnd(): void {
    const { dragging, range } = this;
    this.dragging = null;
    const { rows, patch } = range?.sheet ?? {};
    if (!dragging || !range || !rows || !patch || this.surface.sheetOf(dragging) !== range.sheet) return;
    const { side, end } = range.lines;
    this.surface.moveTo({ ...dragging, side, row: rowOfLine(rows, patch, side, end) }, "near", true);
    this.surface.comment(range.sheet, range.lines);
  }
}

class Range {
  private constructor(
    readonly sheet: Sheet, readonly side: Side, private readonly anchor: number, private readonly head: number,
  ) {}

  /** Begin at a row: on the side that was meant, or on the other where the line is not on it. */
  static at(sheet: Sheet, row: number, side: Side): Range | null {
    const line = lineOn(sheet, row, side);
    if (line) return new Range(sheet, side, line, line);
    const other: Side = side === "old" ? "new" : "old";
    const there = lineOn(sheet, row, other);
    return there ? new Range(sheet, other, there, there) : null;
  }

  /** Reach to another row of the same side; the same range where the row is not on it. */
  to(row: number): Range {
    const line = lineOn(this.sheet, row, this.side);
    return line ? new Range(this.sheet, this.side, this.anchor, line) : this;
  }

  get lines(): Lines {
    const { side, anchor, head } = this;
    return { side, start: Math.min(anchor, head), end: Math.max(anchor, head) };
  }

  covers(row: number): boolean {
    const { start, end } = this.lines;
    const line = lineOn(this.sheet, row, this.side);
    return line >= start && line <= end;
  }
}

function lineOn({ rows, patch }: Sheet, row: number, side: Side): number {
  return rows && patch && row >= 0 && row < rows.count ? lineAt(rows, patch, row, side) : 0;
}

function sayLines({ side, start, end }: Lines): string {
  return `Picked ${linesWords(side, start, end)}`;
}
