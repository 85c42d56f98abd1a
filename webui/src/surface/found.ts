/**
 * Marks what was found in the lines on screen, without touching them: the browser paints ranges.
 * Where it cannot (CSS.highlights is missing), the cursor's line alone shows the place.
 */
import type { Side } from "../diff/rows.ts";
import type { Ranges } from "../diff/worddiff.ts";

export interface Spotlight {
  /** The columns to mark in a line of a file. */
  inLine(file: string, side: Side, line: number): Ranges;
  /** The one that the reader is at. */
  current(): { readonly file: string; readonly side: Side; readonly line: number; readonly start: number } | null;
}

const ALL = "found";
const ONE = "found-here";

/** Follow what is painted inside `root`; call the result again when the hits changed. */
export function markFound(root: HTMLElement, light: Spotlight): { paint(): void; stop(): void } {
  let frame = 0;
  const paint = (): void => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw(root, light);
    });
  };
  const changes = new MutationObserver(paint);
  changes.observe(root, { childList: true, subtree: true });
  paint();
  return {
    paint,
    stop() {
      changes.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights?.delete(ALL);
      CSS.highlights?.delete(ONE);
    },
  };
}

function draw(root: HTMLElement, light: Spotlight): void {
  if (!CSS.highlights) return;
  const all = new Highlight();
  const one = new Highlight();
  one.priority = 1;
  const here = light.current();
  for (const text of root.querySelectorAll<HTMLElement>(".code > .text")) {
    const place = placeOf(text);
    if (!place) continue;
    const { file, side, line } = place;
    const ranges = light.inLine(file, side, line);
    for (let at = 0; at < ranges.length; at += 2) {
      const range = rangeIn(text, ranges[at], ranges[at + 1]);
      if (!range) continue;
      all.add(range);
      if (here?.file === file && here.side === side && here.line === line && here.start === ranges[at]) one.add(range);
    }
  }
  CSS.highlights.set(ALL, all);
  CSS.highlights.set(ONE, one);
}

function placeOf(text: HTMLElement): { file: string; side: Side; line: number } | null {
  const cell = text.parentElement;
  const row = cell?.parentElement;
  const file = text.closest<HTMLElement>(".file")?.dataset["file"];
  if (!cell || !row || !file) return null;
  const split = row.classList.contains("pair");
  const removed = (split ? cell : row).classList.contains("del");
  // Unchanged lines are found on the new side, whichever column they are looked at in.
  const side: Side = removed ? "old" : "new";
  const number = row.querySelector(`.num.${side}`)?.textContent;
  return number && (!split || cell.classList.contains(side)) ? { file, side, line: Number(number) } : null;
}

/** Columns of the line as stored; marks for odd characters stand for the characters they replace. */
function rangeIn(text: HTMLElement, start: number, end: number): Range | null {
  const range = new Range();
  let column = 0;
  let begun = false;
  for (const node of text.childNodes) {
    const mark = node instanceof HTMLElement ? node.dataset["raw"] : undefined;
    if (node instanceof HTMLElement && (node.className === "rest" || node.className === "unended")) break;
    const length = mark?.length ?? node.textContent?.length ?? 0;
    const inside = mark === undefined ? innermost(node) : null;
    if (!begun && start < column + length) {
      if (inside) range.setStart(inside, start - column);
      else range.setStartBefore(node);
      begun = true;
    }
    if (begun && end <= column + length) {
      if (inside) range.setEnd(inside, end - column);
      else range.setEndAfter(node);
      return range;
    }
    column += length;
  }
  if (!begun) return null;
  range.setEndAfter(text.lastChild!);
  return range;
}

function innermost(node: Node): Node {
  return node.firstChild ? innermost(node.firstChild) : node;
}
