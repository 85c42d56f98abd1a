/** Joins a review, which knows, to the surface, which draws. */
import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Sheet } from "../diff/sheet.ts";
import { NARROW, prefs } from "../state/prefs.ts";
import type { Reading } from "../state/reading.ts";
import { noteSpot, route, type Spot } from "../state/route.ts";
import type { Look } from "../surface/columns.ts";
import { DiffView, SPLIT_WIDTH } from "../surface/view.ts";
import { expectField } from "./ahead.ts";
import { copy } from "./copy.ts";
import { noteArtist, withReviewing } from "./notes.ts";
import { showRendered } from "./rendering.ts";
import { followSpace, quiet } from "./space.ts";

export interface Controls {
  view: DiffView | null;
}

export function Diff({ review, spot, controls, say }: {
  review: Reading; spot: Spot | null; controls: Controls; say: (words: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  // Before the browser paints: with the frame around them come the lines, not two frames later.
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    void import("./colours.ts").catch(() => say("The colours of code could not be loaded"));
    const idOf = (file: number): string | null => review.sheets.peek()[file]?.file.id ?? null;
    const view = new DiffView(element, {
      needPatches: (sheets) => review.want(sheets),
      needContents: (sheet) => review.contentsOf(sheet),
      needTokens: (sheet) => review.colour(sheet),
      reading: (file) => { review.reading.value = idOf(file); },
      atLine(file, side, line) {
        const id = idOf(file);
        // Another scope, or a comparison, may be on its way: its address is not that of this line.
        if (id && isAsked(review)) noteSpot({ file: id, line: line ? { side, number: line } : null });
      },
      comment(sheet, lines) {
        expectField();
        withReviewing(say, (part) => part.startComment(review, sheet, lines, say));
      },
      artist: noteArtist(review, say),
      toggleReviewed: (sheet) => withReviewing(say, (part) => part.toggleFile({ review, controls, say }, sheet)),
      toggleHunk: (sheet, hunk) => withReviewing(say, (part) => part.toggleHunk({ review, controls, say }, sheet, hunk)),
      openEditor: (sheet) => withReviewing(say, (part) => part.openInEditor({ review, controls, say }, sheet)),
      rendered: (sheet) => showRendered(sheet, say),
      copyPath: (sheet: Sheet) => void copy(sheet.file.path, "Path", say),
      say,
    });
    review.drawing = controls.view = view;
    const unmounted = new AbortController();
    const pressAgain = keepPress(element, unmounted.signal);
    withReviewing(say, (part) => {
      part.follow(review, view, element, unmounted.signal);
      pressAgain();
    });
    const stops = [() => unmounted.abort(), follow(review, element, view), effect(() => view.setSheets(review.sheets.value))];
    if (spot) goTo(review, view, spot, say);
    else view.position = review.position;
    view.paint();
    element.focus({ preventScroll: true });
    return () => {
      stops.forEach((stop) => stop());
      review.position = view.position;
      view.destroy();
      review.drawing = controls.view = null;
    };
  }, [review]);
  return <div class="diff" ref={root} tabIndex={0} role="region" aria-label="Changes" />;
}

/** Keep a press on the number of a line that comes before the part that hears it; what is answered makes it again. */
function keepPress(root: HTMLElement, signal: AbortSignal): () => void {
  const heard = new AbortController();
  const until = { signal: AbortSignal.any([signal, heard.signal]) };
  let [down, up]: (MouseEvent | null)[] = [null, null];
  root.addEventListener("mousedown", (event) => {
    if (!(event.target as Element).closest(".num")) return;
    [down, up] = [event, null];
    expectField();
  }, until);
  addEventListener("mouseup", (event) => { up = event; }, until);
  return () => {
    heard.abort();
    if (!down) return;
    document.elementFromPoint(down.clientX, down.clientY)?.dispatchEvent(new MouseEvent("mousedown", down));
    if (up) dispatchEvent(new MouseEvent("mouseup", up));
  };
}

function isAsked({ contextId, scope, from }: Reading): boolean {
  const asked = route.peek();
  return asked.page === "review" && asked.context === contextId && asked.scope === scope && asked.from === from;
}

/** Keep the surface laid out as preferred: split only where there is room, unless asked for. */
function follow(review: Reading, element: HTMLElement, view: DiffView): () => void {
  let last: Look | null = null;
  const apply = (): void => {
    const { layout, wrap, tab } = prefs.value;
    const narrow = innerWidth < NARROW;
    const mode = narrow ? "unified" : layout ?? (element.clientWidth >= SPLIT_WIDTH ? "split" : "unified");
    const look: Look = { mode, wrap, tab, quiet: review.quietly(quiet.value) };
    // Other settings, and a size that changes nothing, must not lay everything out anew.
    if (last && mode === last.mode && wrap === last.wrap && tab === last.tab && look.quiet === last.quiet) return;
    view.setLook(last = look);
  };
  const stops = [effect(followSpace), effect(apply)];
  const resizes = new ResizeObserver(apply);
  resizes.observe(element);
  return () => {
    stops.forEach((stop) => stop());
    resizes.disconnect();
  };
}

function goTo(review: Reading, view: DiffView, { file, line }: Spot, say: (words: string) => void): void {
  const at = review.sheets.peek().findIndex((sheet) => sheet.file.id === file);
  if (at < 0) return say("The file of this link is not among the changes of this scope.");
  const sheet = review.sheets.peek()[at];
  if (sheet.folded) {
    sheet.folded = false;
    view.refresh(sheet);
  }
  if (line) view.goToLine(at, line.side, line.number);
  else view.goToFile(at);
}
