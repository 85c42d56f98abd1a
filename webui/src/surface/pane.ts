/** The elements of one file: its head, its notices, and the rows that are on screen. */
import { rowAt } from "../diff/layout.ts";
import type { Sheet } from "../diff/sheet.ts";
import { stagingOf } from "../text/staging.ts";
import { commitTag, isDocument } from "../text/format.ts";
import { oddIn, spellOut } from "../text/visible.ts";
import { icon, make } from "./dom.ts";
import { ICONS, STATUS_WORDS } from "./icons.ts";
import { gapButtons, oddMark, paintRow } from "./paint.ts";

/** Draws what stands between rows; the surface only knows how tall it is. */
export interface Artist {
  draw(sheet: Sheet, key: string): HTMLElement;
  drop(element: HTMLElement): void;
}

/** In short, what more is said where there is room, and an explanation. */
const MARK_WORDS: Readonly<Record<Sheet["mark"], readonly [string, string, string]>> = {
  none: ["", "", ""],
  reviewed: ["", "", ""],
  carried: ["carried", "", "You reviewed the very same change elsewhere"],
  changed: ["changed", " since you reviewed", "You reviewed an earlier version of this file"],
  off: ["", "", ""],
};

export class Pane {
  readonly element: HTMLElement;
  readonly notices: HTMLElement;
  private readonly grid = make("div", { class: "rows", role: "grid" });
  private readonly layer = make("div", { class: "slips" });
  private readonly drawn = new Map<string, HTMLElement>();
  private readonly tail = make("div", { class: "tail" });
  private readonly fold: HTMLElement;
  private readonly reviewed = make("button", { type: "button", class: "reviewed", "data-act": "reviewed" });
  private readonly standing = make("a", { class: "tag standing", "data-link": "" });
  private first = 0;
  private painted: HTMLElement[] = [];
  private stale = false;
  /** Whether painted rows are no longer where the sheet has them. */
  private moved = false;

  constructor(readonly sheet: Sheet) {
    const { file } = sheet;
    const label = spellOut(file.path);
    this.fold = make("button", { type: "button", class: "fold", "data-act": "fold", "aria-label": `Lines of ${label}` }, icon(ICONS.chevron));
    this.notices = make("div", { class: "notices" });
    for (const { tone, text } of sheet.notices) this.notices.append(make("p", { class: `notice ${tone}` }, text));
    this.grid.setAttribute("aria-label", `Changed lines of ${label}`);
    if (sheet.onlySide) this.grid.classList.add(`only-${sheet.onlySide}`);
    const inner = make("div", { class: "pane" }, this.head(), this.notices, this.layer, this.grid, this.tail);
    this.element = make("section", { class: "file", "aria-label": label, "data-file": file.id }, inner);
    this.showMarks();
  }

  /** Put the pane where it belongs and show what the sheet says now. */
  place(top: number): void {
    const { sheet, element } = this;
    element.style.top = `${top}px`;
    element.style.height = `${sheet.height}px`;
    element.classList.toggle("folded", sheet.folded);
    this.fold.setAttribute("aria-expanded", String(!sheet.folded));
    this.grid.style.height = `${sheet.rowsHeight}px`;
    this.grid.hidden = !sheet.rowsHeight;
    this.grid.style.marginTop = `${sheet.notes.headHeight}px`;
    this.grid.classList.toggle("waiting", sheet.hasPatch && !sheet.rows);
    this.grid.style.setProperty("--digits", String(sheet.digits));
    this.grid.setAttribute("aria-rowcount", String(sheet.rows?.count ?? -1));
  }

  /** Show what is reviewed now, of the file and of the hunks whose rows are painted. */
  showMarks(): void {
    const { mark, delta, seenHunks, file } = this.sheet;
    this.reviewed.setAttribute("aria-pressed", String(mark === "reviewed" || mark === "carried"));
    const [words, more, title] = MARK_WORDS[mark];
    const hunks = seenHunks.size ? `${words && ", "}${seenHunks.size} of ${file.rows?.hunks}` : "";
    const roomy = (text: string): HTMLElement => make("span", { class: "more-words" }, text);
    this.standing.replaceChildren(words, roomy(more), hunks, roomy(hunks && " hunks reviewed"));
    this.standing.title = title;
    this.standing.hidden = !words && !hunks;
    this.reviewed.hidden = mark === "off";
    if (delta) this.standing.href = delta;
    else this.standing.removeAttribute("href");
    this.standing.classList.toggle("warn", mark === "changed");
    this.painted.forEach((element, at) => this.markRow(element, this.first + at));
  }

  private markRow(element: HTMLElement, row: number): void {
    const seen = this.sheet.isRowSeen(row);
    element.classList.toggle("seen", seen);
    element.querySelector("[data-hunk]")?.setAttribute("aria-pressed", String(seen));
  }

  /** Have exactly the rows that touch `[from, to)`, in pixels from the first row. */
  show(from: number, to: number): void {
    const { rows, tops } = this.sheet;
    if (this.stale) this.clear();
    if (!rows?.count || this.sheet.folded || to <= 0 || from >= tops[rows.count]) return this.clear();
    const first = rowAt(tops, Math.max(0, from));
    const last = rowAt(tops, Math.max(0, to));
    if (!this.painted.length || first > this.first + this.painted.length || last < this.first) this.clear(first);
    while (this.first < first) { this.painted.shift()?.remove(); this.first++; }
    while (this.first + this.painted.length - 1 > last) this.painted.pop()?.remove();
    const above: HTMLElement[] = [];
    for (let row = first; row < this.first; row++) above.push(this.paint(row));
    const below: HTMLElement[] = [];
    for (let row = this.first + this.painted.length; row <= last; row++) below.push(this.paint(row));
    this.grid.prepend(...above);
    this.grid.append(...below);
    this.painted = [...above, ...this.painted, ...below];
    this.first = first;
    if (this.moved) this.painted.forEach((element, at) => { element.style.top = `${tops[first + at]}px`; });
    this.moved = false;
  }

  /** Have the notes that touch `[from, to)`, in pixels from the first note or row. One that has the focus stays. */
  showNotes(from: number, to: number, artist: Artist): void {
    const { notes, tops, folded } = this.sheet;
    const known = new Map(notes.placed.map((one) => [one.note.key, one]));
    const wanted = [...known.values()].filter((one) => {
      const top = notes.topOf(one, tops);
      return !folded && top < to && top + notes.heightOf(one.note) > from;
    });
    const keys = new Set(wanted.map(({ note }) => note.key));
    for (const [key, element] of this.drawn) {
      if (!keys.has(key) && !(known.has(key) && element.contains(document.activeElement))) this.dropNote(key, element, artist);
    }
    let last: Element | null = null;
    for (const one of wanted) {
      let element = this.drawn.get(one.note.key);
      if (!element) {
        element = artist.draw(this.sheet, one.note.key);
        this.drawn.set(one.note.key, element);
        if (last) last.after(element);
        else this.layer.prepend(element);
      }
      last = element;
    }
    for (const [key, element] of this.drawn) {
      const one = known.get(key);
      if (one) element.style.top = `${notes.topOf(one, tops)}px`;
    }
  }

  dropNotes(artist: Artist): void {
    for (const [key, element] of this.drawn) this.dropNote(key, element, artist);
  }

  get hasFocus(): boolean { return this.layer.contains(document.activeElement); }

  /** Which note an element is, for one that changed its size. */
  noteOf(element: Element): string | undefined {
    return [...this.drawn].find(([, one]) => one === element)?.[0];
  }

  private dropNote(key: string, element: HTMLElement, artist: Artist): void {
    artist.drop(element);
    element.remove();
    this.drawn.delete(key);
  }

  /** Show which rows a range covers. */
  pick(covers: ((row: number) => boolean) | null): void {
    this.painted.forEach((element, at) => element.classList.toggle("picked", !!covers?.(this.first + at)));
  }

  /** Rows are where the sheet says from the next `show` on. */
  move(): void {
    this.moved = true;
  }

  /** What is painted no longer holds; the next `show` paints it anew. */
  expire(): void {
    this.stale = true;
  }

  private clear(first = 0): void {
    if (this.painted.length) this.grid.replaceChildren();
    this.painted = [];
    this.first = first;
    this.stale = false;
  }

  /** The buttons below the last hunk follow what is hidden there. */
  refreshTail(): void {
    const { sheet } = this;
    const gap = sheet.gaps.length - 1;
    this.tail.replaceChildren(...(sheet.rows && !sheet.folded ? gapButtons(sheet, gap, true) : []));
  }

  rowOf(element: Element | null): number {
    const at = this.painted.indexOf(element as HTMLElement);
    return at < 0 || this.stale ? -1 : this.first + at;
  }

  elementOf(row: number): HTMLElement | undefined {
    return this.painted[row - this.first];
  }

  /** Correct row heights to what the browser made of them; tells whether any differed. */
  measure(): boolean {
    let changed = false;
    const { sheet } = this;
    const noticesHeight = this.notices.offsetHeight;
    if (!sheet.folded && noticesHeight !== sheet.noticesHeight) {
      sheet.noticesHeight = noticesHeight;
      changed = true;
    }
    this.painted.forEach((element, at) => {
      if (sheet.measured(this.first + at, element.offsetHeight)) changed = this.moved = true;
    });
    return changed;
  }

  private paint(row: number): HTMLElement {
    this.sheet.settle(row);
    const element = paintRow(this.sheet, row);
    element.style.top = `${this.sheet.tops[row]}px`;
    this.markRow(element, row);
    return element;
  }

  private head(): HTMLElement {
    const { file } = this.sheet;
    const status = make("span", { class: `status ${file.status}`, role: "img", "aria-label": STATUS_WORDS[file.status], title: STATUS_WORDS[file.status] }, file.status);
    // Said in one piece, whatever its parts look like.
    const said = [file.oldPath ?? [], file.path].flat().map(spellOut).join(" → ");
    const name = make("h2", { class: "path", "aria-label": said });
    if (file.oldPath) name.append(pathParts(file.oldPath), make("span", { class: "arrow" }, " → "));
    name.append(pathParts(file.path));
    const copy = make("button", { type: "button", class: "quiet", "data-act": "copy-path", title: "Copy path", "aria-label": `Copy the path ${spellOut(file.path)}` }, icon(ICONS.copy));
    const edit = file.newMode ? make("button", { type: "button", class: "quiet edit", "data-act": "editor", title: "Open in the editor (E)", "aria-label": `Open ${spellOut(file.path)} in the editor` }, icon(ICONS.edit)) : null;
    return make("header", { class: "file-head" }, this.fold, status, name, copy, edit,
      make("span", { class: "grow" }), this.standing, ...this.tags(), ...counts(file.additions, file.deletions), this.markButton());
  }

  private markButton(): HTMLElement {
    const { reviewed } = this;
    reviewed.setAttribute("aria-label", `Reviewed ${spellOut(this.sheet.file.path)}`);
    reviewed.title = "Reviewed (v)";
    reviewed.append(make("span", { class: "box" }, icon(ICONS.tick)), make("span", { class: "word-reviewed" }, "Reviewed"));
    return reviewed;
  }

  private tags(): HTMLElement[] {
    const { file } = this.sheet;
    const tags = this.sheet.tags.map(({ text, title }) => make("span", { class: "tag", title }, text));
    if (isDocument(file.path) && (file.after ?? file.before)?.available) {
      tags.push(make("button", { type: "button", class: "quiet", "data-act": "rendered", title: "Show it rendered (d)" }, "Rendered"));
    }
    if (file.commit) tags.push(make("span", { class: "tag", title: file.commit }, commitTag(spellOut(file.commit))));
    if (file.noise) tags.push(make("span", { class: "tag", title: file.noise.reason }, file.noise.class));
    const staging = stagingOf(file);
    if (staging) tags.push(make("span", { class: "tag faint" }, staging));
    return tags;
  }
}

function counts(additions: number | null, deletions: number | null): HTMLElement[] {
  const count = (sign: string, value: number | null, look: string, word: string): HTMLElement[] =>
    value ? [make("span", { class: look, "aria-label": `${value} lines ${word}`, role: "img" }, sign + value.toLocaleString("en"))] : [];
  return [...count("+", additions, "plus", "added"), ...count("−", deletions, "minus", "removed")];
}

/** A path with its folders quieter than its name, odd characters marked. */
export function pathParts(path: string): HTMLElement {
  const cut = path.lastIndexOf("/", path.length - 2) + 1;
  const part = (text: string, look: string): HTMLElement => {
    const span = make("span", { class: look });
    let at = 0;
    for (const { from, to, label, title } of oddIn(text)) {
      span.append(text.slice(at, from), oddMark(label, title, text.slice(from, to)));
      at = to;
    }
    span.append(text.slice(at));
    return span;
  };
  return make("bdi", {}, ...(cut ? [part(path.slice(0, cut), "folder")] : []), part(path.slice(cut), "name"));
}
