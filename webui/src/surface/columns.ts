/** How wide things are: how many characters fit a line, and how far lines reach. */
import { type Frame, LONGEST_PAINTED, type Sheet } from "../diff/sheet.ts";
import type { Mode } from "../diff/rows.ts";
import { make } from "./dom.ts";

export interface Look {
  readonly mode: Mode;
  readonly wrap: boolean;
  readonly tab: number;
  readonly quiet: Frame["quiet"];
}

/** What surrounds a line's text in its cell: padding, and the sign. */
const CODE_PADDING = 30;
const NUMBER_PADDING = 18;

export class Columns {
  look: Look = { mode: "unified", wrap: false, tab: 4, quiet: null };
  private width = 0;
  private character = 7.2;
  private canvasWidth = 0;
  private scrolled = 0;

  constructor(private readonly root: HTMLElement, private readonly canvas: HTMLElement) {}

  setLook(look: Look): void {
    this.look = look;
    this.root.classList.toggle("wrap", look.wrap);
    this.root.style.setProperty("--tab", String(look.tab));
  }

  /** Whether the surface has another width than before. */
  get resized(): boolean { return this.root.clientWidth !== this.width; }

  measure(): void {
    this.width = this.root.clientWidth;
    this.canvas.style.setProperty("--pane", `${this.width}px`);
    this.character = characterWidth(this.root);
  }

  frame(): Frame {
    const { mode, wrap, tab, quiet } = this.look;
    const columns = (sheet: Sheet): number => Math.max(10, Math.floor(this.codeWidth(sheet) / this.character));
    return { mode, tab, quiet, columns: wrap ? columns : null };
  }

  /** Give the canvas the width of its longest line, so that one bar scrolls all lines sideways. */
  spread(sheets: readonly Sheet[], scrolled: number): void {
    let extra = 0;
    if (!this.look.wrap) {
      for (const sheet of sheets) {
        const widest = Math.min(sheet.widest, LONGEST_PAINTED + 40);
        extra = Math.max(extra, widest * this.character - this.codeWidth(sheet));
      }
    }
    const width = extra > 1 ? Math.ceil(this.width + extra) : this.width;
    if (width !== this.canvasWidth) this.canvas.style.width = `${(this.canvasWidth = width)}px`;
    if (scrolled !== this.scrolled) this.canvas.style.setProperty("--sx", `${-(this.scrolled = scrolled)}px`);
  }

  private codeWidth(sheet: Sheet): number {
    const number = sheet.digits * this.character + NUMBER_PADDING;
    if (sheet.onlySide) return this.width - number - CODE_PADDING;
    if (this.look.mode === "split") return this.width / 2 - number - CODE_PADDING;
    return this.width - 2 * number - CODE_PADDING;
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
