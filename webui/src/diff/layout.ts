/** Where things are, in logical pixels, and how that maps to a scroll bar. Arithmetic only. */
import { BAR, type Rows } from "./rows.ts";

export const ROW = 20;
export const BAR_ROW = 28;
export const HEAD = 36;
export const NOTICE = 32;
export const BETWEEN = 24;

/** Things of given heights one below the other. */
export class Stack {
  private tops: Float64Array;

  constructor(private readonly heights: Float64Array) {
    this.tops = sums(heights);
  }

  get count(): number { return this.heights.length; }
  get total(): number { return this.tops[this.count]; }

  top(at: number): number { return this.tops[at]; }
  height(at: number): number { return this.heights[at]; }

  resize(at: number, height: number): void {
    if (this.heights[at] === height) return;
    this.heights[at] = height;
    for (let i = at; i < this.count; i++) this.tops[i + 1] = this.tops[i] + this.heights[i];
  }

  /** The thing that covers a position; the nearest one outside the stack. */
  at(position: number): number {
    return Math.max(0, Math.min(this.count - 1, lastAtOrBefore(this.tops, position)));
  }
}

/** The top of each row of a file, and its height at the end. */
export type Tops = Float64Array | Uint32Array;

export function topsOf(rows: Rows, linesIn: ((row: number) => number) | null): Uint32Array {
  const tops = new Uint32Array(rows.count + 1);
  for (let row = 0; row < rows.count; row++) {
    const tall = rows.kind[row] === BAR ? BAR_ROW : ROW * (linesIn ? linesIn(row) : 1);
    tops[row + 1] = tops[row] + tall;
  }
  return tops;
}

/** The height of a patch that is not here yet, from the figures that the manifest has. */
export function expectedHeight(hunks: number, rows: number): number {
  return hunks * BAR_ROW + (rows - hunks) * ROW;
}

/** The row that covers a position. */
export function rowAt(tops: Tops, position: number): number {
  return Math.max(0, Math.min(tops.length - 2, lastAtOrBefore(tops, position)));
}

/** The last of ascending numbers that is no greater than a position, by its place; 0 where none is. */
export function lastAtOrBefore(tops: ArrayLike<number>, position: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sums(heights: Float64Array): Float64Array {
  const tops = new Float64Array(heights.length + 1);
  for (let i = 0; i < heights.length; i++) tops[i + 1] = tops[i] + heights[i];
  return tops;
}

/** Columns that a line takes, a tab reaching the next stop. */
export function columnsOf(text: string, tab: number): number {
  if (!text.includes("\t")) return text.length;
  let columns = 0;
  for (let i = 0; i < text.length; i++) {
    columns += text.charCodeAt(i) === 9 ? tab - (columns % tab) : 1;
  }
  return columns;
}

/**
 * A scroll bar of bounded length over any logical height. Browsers stop at 16 to 33 million
 * pixels. Small movements map one to one; a jump of the bar maps in proportion.
 */
export class Paging {
  private offset = 0;
  private last = 0;

  constructor(private readonly limit = 8_000_000) {}

  /** The length to give the scrolled element. */
  length(total: number): number { return Math.min(total, this.limit); }

  /** What to subtract from a logical position to place it in the scrolled element. */
  get shift(): number { return this.offset; }

  /**
   * The logical position for a scroll position that the browser reports. `scroll` may ask for
   * another scroll position, so that both ends stay reachable by small steps.
   */
  moved(scroll: number, view: number, total: number): { top: number; scroll: number } {
    if (total <= this.limit) {
      this.offset = 0;
      this.last = scroll;
      return { top: scroll, scroll };
    }
    const [real, logical] = [this.limit - view, total - view];
    const top = clamp(scroll + this.offset, 0, logical);
    if (Math.abs(scroll - this.last) > 4 * view) {
      return this.place(Math.round((scroll / real) * logical), scroll);
    }
    const blocked = scroll < view ? this.offset > 0
      : scroll > real - view && this.offset < logical - real;
    return this.place(top, blocked ? this.home(top, real, logical) : scroll);
  }

  /** The scroll position that shows a logical one. */
  goTo(top: number, view: number, total: number): number {
    const wanted = clamp(Math.round(top), 0, Math.max(0, total - view));
    if (total <= this.limit) {
      this.offset = 0;
      this.last = wanted;
      return wanted;
    }
    const near = wanted - this.offset;
    const real = this.limit - view;
    const reachable = near >= view && near <= real - view;
    return this.place(wanted, reachable ? near : this.home(wanted, real, total - view)).scroll;
  }

  /** A scroll position from which everything near a logical one is in reach of small steps. */
  private home(top: number, real: number, logical: number): number {
    if (top < real / 2) return top;
    if (logical - top < real / 2) return real - (logical - top);
    return Math.round((top / logical) * real);
  }

  private place(top: number, scroll: number): { top: number; scroll: number } {
    this.offset = top - scroll;
    this.last = scroll;
    return { top, scroll };
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
