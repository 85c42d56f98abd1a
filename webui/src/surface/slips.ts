/** Notes between the rows: drawn by others, kept in their place while they grow. */
import { HEAD } from "../diff/layout.ts";
import type { Sheet } from "../diff/sheet.ts";
import type { Artist, Pane } from "./pane.ts";

/** What notes need of the surface. */
export interface Between {
  readonly element: HTMLElement;
  readonly panes: ReadonlyMap<Sheet, Pane>;
  change(sheet: Sheet, act: () => void): void;
  scrollBy(away: number): void;
  paint(): void;
}

/** Draws notes, and watches how tall they are. */
export class Slips implements Artist {
  private readonly sizes = new ResizeObserver((entries) => this.resized(entries.map(({ target }) => target)));

  constructor(private readonly artist: Artist, private readonly surface: Between) {}

  draw(sheet: Sheet, key: string): HTMLElement {
    const element = this.artist.draw(sheet, key);
    this.sizes.observe(element);
    return element;
  }

  drop(element: HTMLElement): void {
    this.sizes.unobserve(element);
    this.artist.drop(element);
  }

  stop(): void {
    this.sizes.disconnect();
  }

  private resized(elements: readonly Element[]): void {
    const { surface } = this;
    for (const [sheet, pane] of surface.panes) {
      for (const element of elements) {
        const key = pane.noteOf(element);
        const height = (element as HTMLElement).offsetHeight;
        if (key) surface.change(sheet, () => sheet.notes.measured(key, height, sheet.tops));
        if (key && element.contains(document.activeElement)) this.reveal(element);
      }
    }
    // At once: the next frame would be one in which rows and scroll bar disagree.
    surface.paint();
  }

  /** Keep the box that is typed in on screen while it grows. */
  private reveal(element: Element): void {
    const { surface } = this;
    const [box, view] = [element.getBoundingClientRect(), surface.element.getBoundingClientRect()];
    const below = box.bottom - view.bottom + 8;
    const above = view.top + HEAD - box.top;
    if (below > 0) surface.scrollBy(Math.min(below, -above));
    else if (above > 0) surface.scrollBy(-above);
  }
}
