/**
 * The surface on which all files are read: one scroller, in which only what is on screen exists.
 *
 * Heights are known before patches are, so the scroll bar is right from the start. Whenever a
 * height turns out different, the line that is being read stays where it is.
 */
import { type Direction, firstChange, nextChange, nextFile, nextLine, type Place } from "../diff/cursor.ts";
import { HEAD, Paging, ROW, rowAt, Stack } from "../diff/layout.ts";
import { lineAt, type Mode, rowOfLine, type Side } from "../diff/rows.ts";
import { type Frame, LONGEST_PAINTED, type OpenHow, type Sheet } from "../diff/sheet.ts";
import { make } from "./dom.ts";
import { sayRow } from "./paint.ts";
import { type Artist, Pane } from "./pane.ts";

/** What the surface asks for and tells; everything is answered by calling its methods. */
export interface Host {
  needPatches(sheets: readonly Sheet[]): void;
  needContents(sheet: Sheet): Promise<boolean>;
  needTokens(sheet: Sheet): void;
  /** The reader moved: the file at the top of the view, and the line of the cursor. */
  reading(file: number): void;
  atLine(file: number, side: Side, line: number): void;
  /** The reader wants to say something about lines, or about the file. */
  comment(sheet: Sheet, lines: Lines | null): void;
  readonly artist: Artist;
  copyPath(sheet: Sheet): void;
  rendered(sheet: Sheet): void;
  toggleReviewed(sheet: Sheet): void;
  say(words: string): void;
}

/** Lines of one side, both ends among them. */
export interface Lines {
  readonly side: Side;
  readonly start: number;
  readonly end: number;
}

/** The lines that the reader picks: see `picking.ts`, which comes after the first paint. */
export interface Picks {
  coverOf(sheet: Sheet): ((row: number) => boolean) | null;
  none(): boolean;
}

export interface Look {
  readonly mode: Mode;
  readonly wrap: boolean;
  readonly tab: number;
  readonly quiet: Frame["quiet"];
}

/** How far beyond the view rows are kept, and patches fetched, in pixels. */
const OVERSCAN = 400;
const AHEAD = 2_500;
/** What surrounds a line's text in its cell: padding, and the sign. */
const CODE_PADDING = 30;
const NUMBER_PADDING = 18;
/** The narrowest surface that is split unless the reader said otherwise. */
export const SPLIT_WIDTH = 1_200;

const NOT_STORED = "The lines between the changes of this file are not available.";

interface Anchor {
  readonly sheet: Sheet;
  readonly key: number | null;
  readonly away: number;
}

export class DiffView {
  private sheets: readonly Sheet[] = [];
  private stack = new Stack(new Float64Array(0));
  private readonly panes = new Map<Sheet, Pane>();
  private readonly paging = new Paging();
  private readonly canvas = make("div", { class: "canvas" });
  private readonly resizes: ResizeObserver;
  private readonly stop = new AbortController();
  private look: Look = { mode: "unified", wrap: false, tab: 4, quiet: null };
  private cursor: Place = { file: 0, row: -1, side: "new" };
  private cursorShown = false;
  private awaited: { sheet: Sheet; then: () => unknown } | null = null;
  private top = 0;
  private width = 0;
  private character = 7.2;
  private frame = 0;
  private lastRead = -1;
  private canvasWidth = 0;
  private scrolled = 0;
  private marked: Element | undefined;
  picking: Picks | null = null;
  private readonly noteSizes: ResizeObserver;

  constructor(private readonly root: HTMLElement, private readonly host: Host) {
    root.append(this.canvas);
    const { signal } = this.stop;
    root.addEventListener("scroll", () => this.schedule(), { passive: true, signal });
    root.addEventListener("click", (event) => this.clicked(event), { signal });
    this.noteSizes = new ResizeObserver((entries) => this.notesResized(entries.map(({ target }) => target)));
    this.resizes = new ResizeObserver(() => this.resized());
    this.resizes.observe(root);
  }

  destroy(): void {
    this.stop.abort();
    this.resizes.disconnect();
    this.noteSizes.disconnect();
    for (const pane of this.panes.values()) pane.dropNotes(this.artist);
    cancelAnimationFrame(this.frame);
    this.root.replaceChildren();
  }

  /** Show these files. Those that were shown before keep their place on screen. */
  setSheets(sheets: readonly Sheet[]): void {
    this.holding(() => {
      const reader = this.sheets[this.cursor.file];
      this.sheets = sheets;
      const file = Math.max(0, sheets.indexOf(reader));
      if (sheets[file] !== reader) this.cursor = { ...this.cursor, file, row: -1 };
      else this.cursor = { ...this.cursor, file };
      for (const sheet of sheets) sheet.lay(this.layout());
      for (const [sheet, pane] of this.panes) if (!sheets.includes(sheet)) this.drop(sheet, pane);
      this.restack();
    });
  }

  setLook(look: Look): void {
    this.holding(() => {
      this.look = look;
      this.root.classList.toggle("wrap", look.wrap);
      this.root.style.setProperty("--tab", String(look.tab));
      this.relay();
    });
  }

  /** A sheet got its patch, its contents or its colours, or was folded. */
  refresh(sheet: Sheet, heights = true): void {
    if (!this.sheets.includes(sheet)) return;
    if (heights) this.holding(() => this.stack.resize(this.sheets.indexOf(sheet), sheet.height));
    this.panes.get(sheet)?.expire();
    this.panes.get(sheet)?.refreshTail();
    if (this.awaited?.sheet === sheet && sheet.rows) {
      const { then } = this.awaited;
      this.awaited = null;
      then();
    }
    this.schedule();
  }

  goToFile(file: number): void {
    if (!this.sheets[file]) return;
    this.moveTo({ ...this.cursor, file, row: -1 }, "top");
  }

  /** Show one line; waits for the patch when it is not here yet, and opens the gap it lies in. */
  goToLine(file: number, side: Side, line: number): void {
    const sheet = this.sheets[file];
    if (!sheet) return;
    this.goToFile(file);
    this.whenLoaded(sheet, async () => {
      const gap = sheet.gapAround(side, line);
      if (gap >= 0 && sheet.expandable && (await this.host.needContents(sheet))) {
        this.reopen(sheet, () => sheet.open(gap, "all"));
      }
      const { rows, patch } = sheet;
      if (!rows || !patch) return;
      this.moveTo({ file: this.sheets.indexOf(sheet), side, row: rowOfLine(rows, patch, side, line) }, "middle");
    });
  }

  stepLine(way: Direction): void {
    this.moveTo(this.cursorShown ? nextLine(this.sheets, this.cursor, way) : this.firstVisible());
  }

  stepChange(way: Direction): void {
    const from = this.cursorShown ? this.cursor : { ...this.firstVisible(), row: this.firstVisible().row - way };
    const next = nextChange(this.sheets, from, way);
    const sheet = this.sheets[next.file];
    this.moveTo(next, next.file === from.file ? "near" : "top");
    if (next.row < 0 && sheet && !sheet.folded && way > 0) {
      this.whenLoaded(sheet, () => this.moveTo(firstChange(this.sheets, next.file, next.side)));
    }
  }

  stepFile(way: Direction): void {
    const from = { ...this.cursor, file: this.fileAtTop(), row: -1 };
    const within = this.top > this.stack.top(from.file) + 1;
    this.moveTo(way < 0 && within ? from : nextFile(this.sheets, from, way), "top");
  }

  switchSide(): void {
    this.moveTo({ ...this.cursor, side: this.cursor.side === "old" ? "new" : "old" });
  }

  /** Draws notes, and watches how tall they are. */
  private readonly artist: Artist = {
    draw: (sheet, key) => {
      const element = this.host.artist.draw(sheet, key);
      this.noteSizes.observe(element);
      return element;
    },
    drop: (element) => {
      this.noteSizes.unobserve(element);
      this.host.artist.drop(element);
    },
  };

  get mode(): Mode { return this.look.mode; }

  get element(): HTMLElement { return this.root; }

  /** How far down the reader is; `position` set again brings the same lines back. */
  get position(): number { return this.top; }
  set position(top: number) { this.scrollTo(top); }

  shows(sheet: Sheet): boolean {
    return this.panes.has(sheet);
  }

  sheetOf(place: Place): Sheet | undefined { return this.sheets[place.file]; }

  /** Where the cursor is, or null while none is shown. */
  get place(): Place | null { return this.cursorShown ? this.cursor : null; }

  stepFrom(place: Place, way: Direction): Place { return nextLine(this.sheets, place, way); }

  say(words: string): void { this.host.say(words); }

  comment(sheet: Sheet, lines: Lines | null): void { this.host.comment(sheet, lines); }

  /** The file that keys are about: the cursor's, else the one at the top. */
  get here(): Sheet | undefined {
    return this.sheets[this.cursorShown ? this.cursor.file : this.fileAtTop()];
  }

  fold(sheet: Sheet, folded: boolean): void {
    if (sheet.folded !== folded) this.toggleFold(this.sheets.indexOf(sheet));
  }

  toggleFold(file = this.cursorShown ? this.cursor.file : this.fileAtTop()): void {
    const sheet = this.sheets[file];
    if (!sheet) return;
    const start = this.stack.top(file);
    sheet.folded = !sheet.folded;
    // The head of a folded file must not be scrolled away with its body.
    if (sheet.folded && this.top > start) this.scrollTo(start);
    this.refresh(sheet);
  }

  /** Show what the nearest gap hides (the one above the cursor), or everything in the file. */
  async openContext(all: boolean): Promise<void> {
    const file = this.cursorShown ? this.cursor.file : this.fileAtTop();
    const sheet = this.sheets[file];
    if (!sheet?.rows) return;
    if (!sheet.expandable || !(await this.host.needContents(sheet))) return this.host.say(NOT_STORED);
    if (all) return this.reopen(sheet, () => sheet.openAll());
    let row = this.cursorShown ? this.cursor.row : 0;
    while (row > 0 && sheet.gapOf(row) < 0) row--;
    const gap = Math.max(0, sheet.gapOf(row));
    this.reopen(sheet, () => sheet.open(gap, "all"));
  }

  // Comments

  /** Change what stands between the rows of a file; the line that is read stays where it is. */
  change(sheet: Sheet, act: () => void): void {
    if (!this.sheets.includes(sheet)) return act();
    this.holding(() => {
      act();
      this.stack.resize(this.sheets.indexOf(sheet), sheet.height);
    });
    this.panes.get(sheet)?.move();
  }

  /** Bring a note into view, opening what hides it. */
  goToNote(file: number, key: string): void {
    const sheet = this.sheets[file];
    const placed = sheet?.notes.placed.find(({ note }) => note.key === key);
    if (!sheet || !placed) return;
    if (sheet.folded) this.toggleFold(file);
    if (placed.note.line) this.goToLine(file, placed.note.side, placed.note.line);
    else this.goToFile(file);
  }

  private notesResized(elements: readonly Element[]): void {
    for (const [sheet, pane] of this.panes) {
      for (const element of elements) {
        const key = pane.noteOf(element);
        const height = (element as HTMLElement).offsetHeight;
        if (key) this.change(sheet, () => sheet.notes.measured(key, height, sheet.tops));
        if (key && element.contains(document.activeElement)) this.reveal(element);
      }
    }
    // At once: the next frame would be one in which rows and scroll bar disagree.
    this.paint();
  }

  /** Keep the box that is typed in on screen while it grows. */
  private reveal(element: Element): void {
    const [box, view] = [element.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const below = box.bottom - view.bottom + 8;
    const above = view.top + HEAD - box.top;
    if (below > 0) this.scrollTo(this.top + Math.min(below, -above));
    else if (above > 0) this.scrollTo(this.top - above);
  }

  private reopen(sheet: Sheet, change: () => void): void {
    this.holding(() => {
      change();
      this.stack.resize(this.sheets.indexOf(sheet), sheet.height);
    });
    this.refresh(sheet);
  }

  // Moving

  moveTo(place: Place, where: "near" | "top" | "middle" = "near", picking = false): void {
    const sheet = this.sheets[place.file];
    if (!sheet) return;
    if (!picking) this.picking?.none();
    this.cursor = place;
    this.cursorShown = true;
    const y = this.yOf(place);
    const view = this.root.clientHeight;
    const above = place.row < 0 ? 0 : HEAD;
    if (where === "top") this.scrollTo(y - above);
    else if (where === "middle") this.scrollTo(y - view / 3);
    else if (y < this.top + above + ROW) this.scrollTo(y - above - 3 * ROW);
    else if (y + 3 * ROW > this.top + view) this.scrollTo(y - view + 6 * ROW);
    this.schedule();
    this.tell(sheet, place);
  }

  private tell(sheet: Sheet, { file, row, side }: Place): void {
    if (row < 0) return this.host.atLine(file, side, 0);
    this.host.say(sayRow(sheet, row, side));
    const { rows, patch } = sheet;
    if (!rows || !patch) return;
    const other: Side = side === "old" ? "new" : "old";
    const line = lineAt(rows, patch, row, side);
    if (line) this.host.atLine(file, side, line);
    else this.host.atLine(file, other, lineAt(rows, patch, row, other));
  }

  private whenLoaded(sheet: Sheet, then: () => unknown): void {
    if (sheet.rows) return void then();
    if (sheet.hasPatch) this.awaited = { sheet, then };
  }

  private yOf({ file, row }: Place): number {
    const sheet = this.sheets[file];
    const top = this.stack.top(file);
    if (row < 0 || sheet.folded) return top;
    return top + HEAD + sheet.rowsTop + (sheet.rows ? sheet.tops[row] : 0);
  }

  private fileAtTop(): number {
    return this.sheets.length ? this.stack.at(this.top + 1) : 0;
  }

  private firstVisible(): Place {
    const file = this.fileAtTop();
    const sheet = this.sheets[file];
    const within = this.top + HEAD - this.yOf({ file, row: 0, side: "new" });
    const row = sheet?.rows && !sheet.folded ? Math.max(0, rowAt(sheet.tops, within)) : -1;
    return { ...this.cursor, file, row };
  }

  private scrollTo(top: number): void {
    const scroll = this.paging.goTo(top, this.root.clientHeight, this.stack.total);
    this.root.scrollTop = scroll;
    this.top = scroll + this.paging.shift;
    this.schedule();
  }

  // Layout

  /** Make a change that may move things, and put what is being read back where it was. */
  private holding(change: () => void): void {
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

  private layout(): Frame {
    const { mode, wrap, tab, quiet } = this.look;
    const columns = (sheet: Sheet): number => Math.max(10, Math.floor(this.codeWidth(sheet) / this.character));
    return { mode, tab, quiet, columns: wrap ? columns : null };
  }

  private codeWidth(sheet: Sheet): number {
    const number = sheet.digits * this.character + NUMBER_PADDING;
    if (sheet.onlySide) return this.width - number - CODE_PADDING;
    if (this.look.mode === "split") return this.width / 2 - number - CODE_PADDING;
    return this.width - 2 * number - CODE_PADDING;
  }

  private relay(): void {
    for (const sheet of this.sheets) sheet.lay(this.layout());
    for (const pane of this.panes.values()) pane.expire();
    this.restack();
  }

  private restack(): void {
    this.stack = new Stack(Float64Array.from(this.sheets, (sheet) => sheet.height));
  }

  private resized(): void {
    const width = this.root.clientWidth;
    if (width === this.width) return this.schedule();
    this.holding(() => {
      this.width = width;
      this.canvas.style.setProperty("--pane", `${width}px`);
      this.character = characterWidth(this.root);
      if (this.look.wrap) this.relay();
    });
  }

  // Painting

  schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    // All reading before any writing: each read after a write would lay the page out again.
    const { clientHeight: view, scrollTop, scrollLeft } = this.root;
    // Taken off the page, it has no place to read; the last one stays known.
    if (!view) return;
    const { top, scroll } = this.paging.moved(scrollTop, view, this.stack.total);
    if (scroll !== scrollTop) this.root.scrollTop = scroll;
    this.top = top;
    if (!this.sheets.length) return;
    const first = this.stack.at(top - OVERSCAN);
    const last = this.stack.at(top + view + OVERSCAN);
    this.dropOutside(first, last);
    let after: Element | null = null;
    for (let file = first; file <= last; file++) after = this.paintFile(file, after, view);
    this.paintCursor();
    this.spread(first, last, scrollLeft);
    this.ask(first, top + view + AHEAD);
    if (this.lastRead !== this.fileAtTop()) this.host.reading((this.lastRead = this.fileAtTop()));
    this.correct(first, last);
  }

  private dropOutside(first: number, last: number): void {
    const kept = new Set(this.sheets.slice(first, last + 1));
    for (const [sheet, pane] of this.panes) {
      if (kept.has(sheet)) continue;
      if (pane.hasFocus) pane.place(this.stack.top(this.sheets.indexOf(sheet)) - this.paging.shift);
      else this.drop(sheet, pane);
    }
  }

  private drop(sheet: Sheet, pane: Pane): void {
    pane.dropNotes(this.artist);
    pane.element.remove();
    this.panes.delete(sheet);
  }

  private paintFile(file: number, after: Element | null, view: number): Element {
    const sheet = this.sheets[file];
    let pane = this.panes.get(sheet);
    if (!pane) {
      pane = new Pane(sheet);
      this.panes.set(sheet, pane);
      pane.refreshTail();
    }
    if (!pane.element.isConnected) {
      if (after) after.after(pane.element);
      else this.canvas.prepend(pane.element);
    }
    pane.place(this.stack.top(file) - this.paging.shift);
    const rowsTop = this.yOf({ file, row: 0, side: "new" });
    pane.show(this.top - rowsTop - OVERSCAN, this.top - rowsTop + view + OVERSCAN);
    const notesTop = rowsTop - (sheet.folded ? 0 : sheet.notes.headHeight);
    pane.showNotes(this.top - notesTop - OVERSCAN, this.top - notesTop + view + OVERSCAN, this.artist);
    pane.pick(this.picking?.coverOf(sheet) ?? null);
    if (sheet.patch && !sheet.tokens) this.host.needTokens(sheet);
    return pane.element;
  }

  private paintCursor(): void {
    if (!this.cursorShown) return;
    const pane = this.panes.get(this.sheets[this.cursor.file]);
    const element = this.cursor.row < 0 ? pane?.element : pane?.elementOf(this.cursor.row);
    if (element !== this.marked) this.marked?.classList.remove("cursor");
    this.marked = element;
    element?.classList.add("cursor");
    this.root.dataset["side"] = this.cursor.side;
  }

  /** Give the canvas the width of its longest line, so that one bar scrolls all lines sideways. */
  private spread(first: number, last: number, scrolled: number): void {
    let extra = 0;
    if (!this.look.wrap) {
      for (const sheet of this.sheets.slice(first, last + 1)) {
        const widest = Math.min(sheet.widest, LONGEST_PAINTED + 40);
        extra = Math.max(extra, widest * this.character - this.codeWidth(sheet));
      }
    }
    const width = extra > 1 ? Math.ceil(this.width + extra) : this.width;
    if (width !== this.canvasWidth) this.canvas.style.width = `${(this.canvasWidth = width)}px`;
    if (scrolled !== this.scrolled) this.canvas.style.setProperty("--sx", `${-(this.scrolled = scrolled)}px`);
  }

  /** Ask for what is on screen first, then for what comes next. */
  private ask(first: number, end: number): void {
    const wanted: Sheet[] = [];
    for (let file = first; file < this.sheets.length && this.stack.top(file) < end; file++) {
      const sheet = this.sheets[file];
      if (sheet.hasPatch && !sheet.patch && !sheet.folded) wanted.push(sheet);
    }
    if (wanted.length) this.host.needPatches(wanted);
  }

  /** Where the browser made something taller or lower than computed, take its word for it. */
  private correct(first: number, last: number): void {
    const changed: number[] = [];
    for (let file = first; file <= last; file++) {
      const pane = this.panes.get(this.sheets[file]);
      if (pane && (this.look.wrap || this.sheets[file].notices.length) && pane.measure()) changed.push(file);
    }
    if (!changed.length) return;
    this.holding(() => {
      for (const file of changed) this.stack.resize(file, this.sheets[file].height);
    });
  }

  // The mouse

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const place = this.placeOf(target);
    const button = target.closest<HTMLElement>("[data-act]");
    if (!place) return;
    if (button) return void this.act(button, place);
  }

  placeOf(target: Element): Place | null {
    const section = target.closest(".file");
    for (const [sheet, pane] of this.panes) {
      if (pane.element !== section) continue;
      const side: Side = target.closest(".old") ? "old" : "new";
      return { file: this.sheets.indexOf(sheet), row: pane.rowOf(target.closest(".row")), side };
    }
    return null;
  }

  private async act(button: HTMLElement, place: Place): Promise<void> {
    const sheet = this.sheets[place.file];
    const action = button.dataset["act"];
    if (action === "fold") return this.toggleFold(place.file);
    if (action === "reviewed") return this.host.toggleReviewed(sheet);
    if (action === "copy-path") return this.host.copyPath(sheet);
    if (action === "rendered") return this.host.rendered(sheet);
    if (action === "rest") {
      sheet.uncapped.add(sheet.keyOf(place.row));
      this.root.focus({ preventScroll: true });
      return this.reopen(sheet, () => sheet.lay(this.layout()));
    }
    const gap = Number(button.dataset["gap"]);
    if (await this.host.needContents(sheet)) this.reopen(sheet, () => sheet.open(gap, action as OpenHow));
    else this.host.say(NOT_STORED);
    if (!button.isConnected) this.root.focus({ preventScroll: true });
  }
}

/** The width of one character of code, a fraction of a pixel included. */
function characterWidth(root: HTMLElement): number {
  const probe = make("span", { class: "probe", "aria-hidden": "true" }, "0".repeat(100));
  root.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width || 7.2;
}
