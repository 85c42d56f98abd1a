/** What reviewing needs of the first paint: everything else about it comes right after that. */
import { render } from "preact";
import type { Reading } from "../state/reading.ts";
import { make } from "../surface/dom.ts";
import type { Artist } from "../surface/pane.ts";
import { later, once } from "./Later.tsx";

type Part = typeof import("./Reviewing.tsx");

/** The code for writing, marking and finishing. */
export const reviewing = once<Part>(() => import("./Reviewing.tsx"));

/** Do something that needs that code; a server that is gone is said, not thrown. */
export function withReviewing(say: (words: string) => void, act: (part: Part) => unknown): void {
  reviewing().then(act, () => say("This part of the page could not be loaded. Is diffx still running?"));
}

export const ReviewParts = later(async () => (await reviewing()).ReviewParts);
export const ReviewTools = later(async () => (await reviewing()).ReviewTools);

/** Elements of threads and drafts are there at once; their insides come when they are loaded. */
export function noteArtist(review: Reading, say: (words: string) => void): Artist {
  const drawn = new WeakSet<HTMLElement>();
  return {
    draw(sheet, key) {
      const element = make("div", { class: "slip" });
      drawn.add(element);
      if (key === "pictures") {
        import("./Pictures.tsx").then(
          ({ drawPictures }) => { if (drawn.has(element)) drawPictures(element, review, sheet); },
          () => { element.textContent = "The image could not be loaded. Is diffx still running?"; },
        );
        return element;
      }
      reviewing().then(
        ({ drawNote }) => { if (drawn.has(element)) drawNote(element, { review, name: key, say }); },
        () => { element.textContent = "The comments could not be loaded. Is diffx still running?"; },
      );
      return element;
    },
    drop(element) {
      drawn.delete(element);
      render(null, element);
    },
  };
}
