/**
 * Where the reader is: how far down the one scroller that holds all files, and on which line.
 *
 * Whatever changes its height, the line that is being read stays where it is on screen.
 */
import type { Place } from "../diff/cursor.ts";
import { HEAD, Paging, ROW, rowAt, Stack } from "../diff/layout.ts";
import type { Sheet } from "../diff/sheet.ts";
import { make } from "./dom.ts";

interface Anchor {
  readonly sheet: Sheet;
  readonly key: number | null;
  readonly away: number;
}

/** Where a place is to stand in the view: "stay" leaves it where it is. */
export type Where = "near" | "top" | "middle" | "stay";

export class Reader {
  sheets: readonly Sheet[] = [];
  cursor: Place = { file: 0, row: -1, side: "new" };
  cursorShown = false;
  /** The upper edge of the view, from the top of the first file. */
  top = 0;
  private view = 0;
  /** Whether the reader scrolled since the cursor was put somewhere. */
  private strayed = false;
  readonly canvas = make("div", { class: "canvas" });
  private stack = new Stack(new Float64Array(0));
  private readonly paging = new Paging();

  constructor(private readonly root: HTMLElement, private readonly schedule: () => void) {
    root.append(this.canvas);
  }

  /** Read these files from now on, on the same one where it is still among them. */
  take(sheets: readonly Sheet[]): void {
    const read = this.sheets[this.cursor.file];
    this.sheets = sheets;
    const file = Math.max(0, sheets.indexOf(read));
    this.cursor = sheets[file] === read ? { ...this.cursor, file } : { ...this.cursor, file, row: -1 };
  }

  /** All heights anew. */
  restack(): void {
    this.stack = new Stack(Float64Array.from(this.sheets, (sheet) => sheet.height));
  }

  /** One height anew. */
  resize(sheet: Sheet): void {
    this.stack.resize(this.sheets.indexOf(sheet), sheet.height);
  }

  /** Where the cursor is; null while none is shown, or where the reader scrolled away from it. */
  get place(): Place | null { return this.cursorShown && this.inView(this.cursor) ? this.cursor : null; }

  /** The file that keys are about and that the tree shows: the cursor's, else the one that is read. */
  get file(): number { return this.place?.file ?? this.fileRead(); }

  private inView(place: Place): boolean {
    const sheet = this.sheets[place.file];
    if (!sheet) return false;
    if (!this.strayed) return true;
    const y = this.yOf(place);
    if (place.row < 0 || sheet.folded) return this.fileRead() === place.file && y >= this.top - 1;
    return y + ROW > this.top + HEAD && y < this.top + this.view;
  }

  /** The file at the top of the view; towards the end, where no more can come to the top, one further down. */
  private fileRead(): number {
    if (!this.sheets.length) return 0;
    const last = Math.min(this.view, this.stack.total - this.view);
    const left = this.stack.total - this.view - this.top;
    const down = last > 0 && left < last ? this.view * (1 - left / last) : 0;
    return this.stack.at(this.top + Math.max(1, down - 1));
  }

  fileAtTop(): number {
    return this.sheets.length ? this.stack.at(this.top + 1) : 0;
  }

  firstVisible(): Place {
    const file = this.fileAtTop();
    const sheet = this.sheets[file];
    const within = this.top + HEAD - this.yOf({ file, row: 0, side: "new" });
    const row = sheet?.rows && !sheet.folded ? Math.max(0, rowAt(sheet.tops, within)) : -1;
    return { ...this.cursor, file, row };
  }

  topOf(file: number): number { return this.stack.top(file); }

  fileAt(y: number): number { return this.stack.at(y); }

  /** Where something that is `y` down stands on the canvas. */
  onCanvas(y: number): number { return y - this.paging.shift; }

  yOf({ file, row }: Place): number {
    const sheet = this.sheets[file];
    const top = this.stack.top(file);
    if (row < 0 || sheet.folded) return top;
    return top + HEAD + sheet.rowsTop + (sheet.rows ? sheet.tops[row] : 0);
  }

  /** Put the cursor somewhere, and have it in view. */
  goTo(place: Place, where: Where): void {
    this.cursor = place;
    this.cursorShown = true;
    this.strayed = false;
    const y = this.yOf(place);
    const view = this.root.clientHeight;
    const above = place.row < 0 ? 0 : HEAD;
    if (where === "top") this.scrollTo(y - above);
    else if (where === "middle") this.scrollTo(y - view / 3);
    else if (where === "stay") return this.schedule();
    else if (y < this.top + above + ROW) this.scrollTo(y - above - 3 * ROW);
    else if (y + 3 * ROW > this.top + view) this.scrollTo(y - view + 6 * ROW);
    this.schedule();
  }

  scrollTo(top: number): void {
    const scroll = this.paging.goTo(top, this.root.clientHeight, this.stack.total);
    this.root.scrollTop = scroll;
    this.top = scroll + this.paging.shift;
    this.schedule();
  }

  /** The browser scrolled. */
  scrolled(scrollTop: number, view: number): void {
    const { top, scroll } = this.paging.moved(scrollTop, view, this.stack.total);
    this.view = view;
    // Where the surface scrolled by itself, it knows; a pixel may be lost to rounding.
    if (Math.abs(top - this.top) > 2) this.strayed = true;
    if (scroll !== scrollTop) this.root.scrollTop = scroll;
    this.top = top;
  }

  /** Make a change that may move things, and put what is being read back where it was. */
  holding(change: () => void): void {
    const anchor = this.anchor();
    const cursor = this.sheets[this.cursor.file];
    const key = cursor && this.cursor.row >= 0 ? cursor.keyOf(this.cursor.row) : null;
    change();
    this.canvas.style.height = `${this.paging.length(this.stack.total)}px`;
    if (key !== null && this.sheets[this.cursor.file] === cursor) this.cursor = { ...this.cursor, row: cursor.find(key) };
    const file = anchor ? this.sheets.indexOf(anchor.sheet) : -1;
    if (anchor && file >= 0) {
      const row = anchor.key === null ? -1 : anchor.sheet.find(anchor.key);
      this.scrollTo(this.yOf({ file, row, side: "new" }) - anchor.away);
    }
    this.schedule();
  }

  /** The cursor's row if it is in view, else the first row in view. */
  private anchor(): Anchor | null {
    if (!this.sheets.length) return null;
    let place = this.cursor;
    const y = this.cursorShown && place.row >= 0 ? this.yOf(place) : -1;
    if (y < this.top || y > this.top + this.root.clientHeight) place = this.firstVisible();
    const sheet = this.sheets[place.file];
    const inRows = this.top + HEAD > this.yOf({ ...place, row: 0 }) - 1 || place === this.cursor;
    const row = inRows && sheet.rows ? place.row : -1;
    return { sheet, key: row < 0 ? null : sheet.keyOf(row), away: this.yOf({ ...place, row }) - this.top };
  }
}
