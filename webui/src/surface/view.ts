/**
 * The surface on which all files are read: one scroller, in which only what is on screen exists.
 *
 * Heights are known before patches are, so the scroll bar is right from the start. Whenever a
 * height turns out different, the line that is being read stays where it is.
 */
import type { Place } from "../diff/cursor.ts";
import { lineAt, type Lines, type Mode, rowOfLine, type Side } from "../diff/rows.ts";
import type { OpenHow, Sheet } from "../diff/sheet.ts";
import { Columns, type Look } from "./columns.ts";
import { sayRow } from "./paint.ts";
import { type Artist, Pane } from "./pane.ts";
import { Reader, type Where } from "./reader.ts";
import { Slips } from "./slips.ts";

/** What the surface asks for and tells; everything is answered by calling its methods. */
export interface Host {
  needPatches(sheets: readonly Sheet[]): void;
  needContents(sheet: Sheet): Promise<boolean>;
  needTokens(sheet: Sheet): void;
  /** The reader moved: to another file, and the cursor to a line. */
  reading(file: number): void;
  atLine(file: number, side: Side, line: number): void;
  /** The reader wants to say something about lines, or about the file. */
  comment(sheet: Sheet, lines: Lines | null): void;
  readonly artist: Artist;
  copyPath(sheet: Sheet): void;
  rendered(sheet: Sheet): void;
  openEditor(sheet: Sheet): void;
  toggleReviewed(sheet: Sheet): void;
  toggleHunk(sheet: Sheet, hunk: number): void;
  say(words: string): void;
}

/** The lines that the reader picks: see `picking.ts`, which comes after the first paint. */
export interface Picks {
  coverOf(sheet: Sheet): ((row: number) => boolean) | null;
  none(): boolean;
}

/** How far beyond the view rows are kept, and patches fetched, in pixels. */
const OVERSCAN = 400;
const AHEAD = 2_500;
/** The narrowest surface that is split unless the reader said otherwise. */
export const SPLIT_WIDTH = 1_200;

const NOT_STORED = "The lines between the changes of this file are not available.";

export class DiffView {
  readonly panes = new Map<Sheet, Pane>();
  readonly reader: Reader;
  picking: Picks | null = null;
  private readonly columns: Columns;
  private readonly slips: Slips;
  private readonly resizes: ResizeObserver;
  private readonly stop = new AbortController();
  private awaited: { sheet: Sheet; then: () => unknown } | null = null;
  private frame = 0;
  private lastRead = -1;
  private marked: Element | undefined;

  constructor(readonly element: HTMLElement, private readonly host: Host) {
    this.reader = new Reader(element, () => this.schedule());
    this.columns = new Columns(element, this.reader.canvas);
    this.slips = new Slips(host.artist, this);
    const { signal } = this.stop;
    element.addEventListener("scroll", () => this.schedule(), { passive: true, signal });
    element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.resizes = new ResizeObserver(() => this.resized());
    this.resizes.observe(element);
  }

  destroy(): void {
    this.stop.abort();
    this.resizes.disconnect();
    this.slips.stop();
    for (const pane of this.panes.values()) pane.dropNotes(this.slips);
    cancelAnimationFrame(this.frame);
    this.element.replaceChildren();
  }

  // What is shown

  /** Show these files. Those that were shown before keep their place on screen. */
  setSheets(sheets: readonly Sheet[]): void {
    const { reader } = this;
    reader.holding(() => {
      reader.take(sheets);
      for (const sheet of sheets) sheet.lay(this.columns.frame());
      for (const [sheet, pane] of this.panes) if (!sheets.includes(sheet)) this.drop(sheet, pane);
      reader.restack();
    });
  }

  setLook(look: Look): void {
    this.reader.holding(() => {
      this.columns.setLook(look);
      this.relay();
    });
  }

  /** A sheet got its patch, its contents or its colours, or was folded. */
  refresh(sheet: Sheet, heights = true): void {
    const { reader } = this;
    if (!reader.sheets.includes(sheet)) return;
    if (heights) reader.holding(() => reader.resize(sheet));
    this.panes.get(sheet)?.expire();
    this.panes.get(sheet)?.refreshTail();
    if (this.awaited?.sheet === sheet && sheet.rows) {
      const { then } = this.awaited;
      this.awaited = null;
      then();
    }
    this.schedule();
  }

  /** Change what stands between the rows of a file; the line that is read stays where it is. */
  change(sheet: Sheet, act: () => void): void {
    const { reader } = this;
    if (!reader.sheets.includes(sheet)) return act();
    reader.holding(() => {
      act();
      reader.resize(sheet);
    });
    this.panes.get(sheet)?.move();
  }

  /** Change what a file shows of itself. */
  reopen(sheet: Sheet, change: () => void): void {
    this.reader.holding(() => {
      change();
      this.reader.resize(sheet);
    });
    this.refresh(sheet);
  }

  showMarks(sheet: Sheet): void {
    this.panes.get(sheet)?.showMarks();
    this.schedule();
  }

  fold(sheet: Sheet, folded: boolean): void {
    if (sheet.folded !== folded) this.toggleFold(this.reader.sheets.indexOf(sheet));
  }

  toggleFold(file = this.reader.file): void {
    const { reader } = this;
    const sheet = reader.sheets[file];
    if (!sheet) return;
    const start = reader.topOf(file);
    sheet.folded = !sheet.folded;
    // The head of a folded file must not be scrolled away with its body.
    if (sheet.folded && reader.top > start) reader.scrollTo(start);
    this.refresh(sheet);
  }

  get mode(): Mode { return this.columns.look.mode; }

  shows(sheet: Sheet): boolean {
    return this.panes.has(sheet);
  }

  sheetOf(place: Place): Sheet | undefined { return this.reader.sheets[place.file]; }

  /** The file that keys are about: the cursor's, else the one at the top. */
  get here(): Sheet | undefined { return this.reader.sheets[this.reader.file]; }

  say(words: string): void { this.host.say(words); }

  comment(sheet: Sheet, lines: Lines | null): void { this.host.comment(sheet, lines); }

  /** Show lines that the patch of a file leaves out, where they can be had. */
  async expand(sheet: Sheet, change: () => void): Promise<void> {
    if (await this.readable(sheet)) this.reopen(sheet, change);
    else this.host.say(NOT_STORED);
  }

  private async readable(sheet: Sheet): Promise<boolean> {
    return sheet.expandable && (await this.host.needContents(sheet));
  }

  // Moving

  /** How far down the reader is; `position` set again brings the same lines back. */
  get position(): number { return this.reader.top; }
  set position(top: number) { this.reader.scrollTo(top); }

  scrollBy(away: number): void { this.reader.scrollTo(this.reader.top + away); }

  goToFile(file: number): void {
    if (!this.reader.sheets[file]) return;
    this.moveTo({ ...this.reader.cursor, file, row: -1 }, "top");
  }

  /** Show one line; waits for the patch when it is not here yet, and opens the gap it lies in. */
  goToLine(file: number, side: Side, line: number): void {
    const { reader } = this;
    const sheet = reader.sheets[file];
    if (!sheet) return;
    this.goToFile(file);
    this.whenLoaded(sheet, async () => {
      const gap = sheet.gapAround(side, line);
      if (gap >= 0 && (await this.readable(sheet))) this.reopen(sheet, () => sheet.open(gap, "all"));
      const { rows, patch } = sheet;
      if (!rows || !patch) return;
      this.moveTo({ file: reader.sheets.indexOf(sheet), side, row: rowOfLine(rows, patch, side, line) }, "middle");
    });
  }

  moveTo(place: Place, where: Where = "near", picking = false): void {
    const sheet = this.sheetOf(place);
    if (!sheet) return;
    if (!picking) this.picking?.none();
    this.reader.goTo(place, where);
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

  whenLoaded(sheet: Sheet, then: () => unknown): void {
    if (sheet.rows) return void then();
    if (sheet.hasPatch) this.awaited = { sheet, then };
  }

  // Layout

  private relay(): void {
    const { reader } = this;
    for (const sheet of reader.sheets) sheet.lay(this.columns.frame());
    for (const pane of this.panes.values()) {
      pane.expire();
      pane.refreshTail();
    }
    reader.restack();
  }

  private resized(): void {
    const { columns } = this;
    if (!columns.resized) return this.schedule();
    this.reader.holding(() => {
      columns.measure();
      if (columns.look.wrap) this.relay();
    });
  }

  // Painting

  schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paint(): void {
    const { reader } = this;
    // All reading before any writing: each read after a write would lay the page out again.
    const { clientHeight: view, scrollTop, scrollLeft } = this.element;
    // Taken off the page, it has no place to read; the last one stays known.
    if (!view) return;
    reader.scrolled(scrollTop, view);
    if (!reader.sheets.length) return;
    const { top } = reader;
    const first = reader.fileAt(top - OVERSCAN);
    const last = reader.fileAt(top + view + OVERSCAN);
    this.dropOutside(first, last);
    let after: Element | null = null;
    for (let file = first; file <= last; file++) after = this.paintFile(file, after, view);
    this.paintCursor();
    this.columns.spread(reader.sheets.slice(first, last + 1), scrollLeft);
    this.ask(first, top + view + AHEAD);
    if (this.lastRead !== reader.file) this.host.reading((this.lastRead = reader.file));
    this.correct(first, last);
  }

  private dropOutside(first: number, last: number): void {
    const { reader } = this;
    const kept = new Set(reader.sheets.slice(first, last + 1));
    for (const [sheet, pane] of this.panes) {
      if (kept.has(sheet)) continue;
      if (pane.hasFocus) pane.place(reader.onCanvas(reader.topOf(reader.sheets.indexOf(sheet))));
      else this.drop(sheet, pane);
    }
  }

  private drop(sheet: Sheet, pane: Pane): void {
    pane.dropNotes(this.slips);
    pane.element.remove();
    this.panes.delete(sheet);
  }

  private paintFile(file: number, after: Element | null, view: number): Element {
    const { reader } = this;
    const sheet = reader.sheets[file];
    let pane = this.panes.get(sheet);
    if (!pane) {
      pane = new Pane(sheet);
      this.panes.set(sheet, pane);
      pane.refreshTail();
    }
    if (!pane.element.isConnected) {
      if (after) after.after(pane.element);
      else reader.canvas.prepend(pane.element);
    }
    pane.place(reader.onCanvas(reader.topOf(file)));
    const away = reader.top - reader.yOf({ file, row: 0, side: "new" });
    pane.show(away - OVERSCAN, away + view + OVERSCAN);
    const notesAway = away + (sheet.folded ? 0 : sheet.notes.headHeight);
    pane.showNotes(notesAway - OVERSCAN, notesAway + view + OVERSCAN, this.slips);
    pane.pick(this.picking?.coverOf(sheet) ?? null);
    if (sheet.patch && !sheet.tokens) this.host.needTokens(sheet);
    return pane.element;
  }

  private paintCursor(): void {
    const { place } = this.reader;
    // A file's mark must not stay in view where the reader scrolled to another: keys begin there.
    if (!place) return void (this.marked?.matches(".file") && this.marked.classList.remove("cursor"));
    const pane = this.panes.get(this.reader.sheets[place.file]);
    const element = place.row < 0 ? pane?.element : pane?.elementOf(place.row);
    if (element !== this.marked) this.marked?.classList.remove("cursor");
    this.marked = element;
    element?.classList.add("cursor");
    this.element.dataset["side"] = place.side;
  }

  /** Ask for what is on screen first, then for what comes next. */
  private ask(first: number, end: number): void {
    const { reader } = this;
    const wanted: Sheet[] = [];
    for (let file = first; file < reader.sheets.length && reader.topOf(file) < end; file++) {
      const sheet = reader.sheets[file];
      if (sheet.hasPatch && !sheet.patch && !sheet.folded) wanted.push(sheet);
    }
    if (wanted.length) this.host.needPatches(wanted);
  }

  /** Where the browser made something taller or lower than computed, take its word for it. */
  private correct(first: number, last: number): void {
    const { reader } = this;
    const changed = reader.sheets.slice(first, last + 1).filter((sheet) =>
      (this.columns.look.wrap || sheet.notices.length) && this.panes.get(sheet)?.measure());
    if (changed.length) reader.holding(() => changed.forEach((sheet) => reader.resize(sheet)));
  }

  // The mouse

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const place = this.placeOf(target);
    const button = target.closest<HTMLElement>("[data-act]");
    if (place && button) return void this.act(button, place);
    // Who selects text to copy, or presses something else, does not move.
    if (!place || target.closest("button, a, .slip, .num") || !getSelection()?.isCollapsed) return;
    if (place.row >= 0 || target.closest(".file-head")) this.moveTo(place, "stay");
  }

  placeOf(target: Element): Place | null {
    const section = target.closest(".file");
    for (const [sheet, pane] of this.panes) {
      if (pane.element !== section) continue;
      const side: Side = target.closest(".old") ? "old" : "new";
      return { file: this.reader.sheets.indexOf(sheet), row: pane.rowOf(target.closest(".row")), side };
    }
    return null;
  }

  private async act(button: HTMLElement, place: Place): Promise<void> {
    const sheet = this.reader.sheets[place.file];
    const action = button.dataset["act"];
    if (action === "fold") return this.toggleFold(place.file);
    if (action === "reviewed") return this.host.toggleReviewed(sheet);
    if (action === "hunk") return this.host.toggleHunk(sheet, Number(button.dataset["hunk"]));
    if (action === "copy-path") return this.host.copyPath(sheet);
    if (action === "editor") return this.host.openEditor(sheet);
    if (action === "rendered") return this.host.rendered(sheet);
    if (action === "rest") {
      sheet.uncapped.add(sheet.keyOf(place.row));
      this.element.focus({ preventScroll: true });
      return this.reopen(sheet, () => sheet.lay(this.columns.frame()));
    }
    const gap = Number(button.dataset["gap"]);
    await this.expand(sheet, () => sheet.open(gap, action as OpenHow));
    if (!button.isConnected) this.element.focus({ preventScroll: true });
  }
}
