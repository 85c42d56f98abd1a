/** The bar that finds: what, how, and which of how many. */
import "./shared.ts";
import { computed, effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Asked, Find, type Found, searchStored } from "../state/find.ts";
import type { Reading } from "../state/reading.ts";
import css from "../styles/find.css?sheet";
import { markFound } from "../surface/found.ts";
import { spellOut } from "../text/visible.ts";
import type { Controls } from "./Diff.tsx";
import { wear } from "./Later.tsx";
import { Icon } from "./parts.tsx";

wear(css);

/** What was looked for last, for the next time the bar opens. */
let lastAsked: Asked = { text: "", case: false, word: false, regex: false };

/** What the reader selected to look for: a piece of one line of the changes. */
function selected(): string {
  const selection = getSelection();
  const text = selection?.toString() ?? "";
  const inside = selection?.anchorNode?.parentElement?.closest(".diff .code");
  return inside && text.trim() && !text.includes("\n") && text.length <= 200 ? text : "";
}

export function FindBar({ review, controls, close }: { review: Reading; controls: Controls; close: () => void }) {
  useMemo(() => { lastAsked = { ...lastAsked, text: selected() || lastAsked.text }; }, []);
  const find = useMemo(() => new Find((...asked) => review.search?.(...asked) ?? searchStored(review, ...asked),
    computed(() => review.sheets.value.map(({ file }) => file.id)), () => review.reading.peek(), lastAsked,
    (hit) => show(hit, review, controls)), [review]);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.select(), []);
  useEffect(() => follow(find, review, controls), [find]);
  const change = (to: Partial<Asked>): void => {
    find.change(to);
    lastAsked = find.asked.peek();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === "Enter") find.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { text, ...how } = find.asked.value;
  const none = !find.found.value.length;
  return (
    <div class="find" role="search" aria-label="Find in all changes" onKeyDown={pressed}>
      <label class="search"><Icon name="search" />
        <input type="search" id="find" ref={input} value={text} aria-label="Find" placeholder="Find in every line and path"
          aria-invalid={!!find.failure.value} maxLength={400} onInput={(event) => change({ text: event.currentTarget.value })} />
      </label>
      <Switch label="Match case" short="Aa" on={how.case} change={(on) => change({ case: on })} />
      <Switch label="Whole words" short="W" on={how.word} change={(on) => change({ word: on })} />
      <Switch label="Regular expression" short=".*" on={how.regex} change={(on) => change({ regex: on })} />
      <span class="find-count" role="status">{wordsOf(find, text)}</span>
      <button type="button" class="quiet" aria-label="Previous (Shift+Enter)" title="Previous (Shift+Enter)" disabled={none} onClick={() => find.step(-1)}><Icon name="up" /></button>
      <button type="button" class="quiet" aria-label="Next (Enter)" title="Next (Enter)" disabled={none} onClick={() => find.step(1)}><Icon name="down" /></button>
      <button type="button" class="quiet" aria-label="Close (Escape)" title="Close (Escape)" onClick={close}><Icon name="close" /></button>
      {find.failure.value && <p class="find-failure" role="alert">{find.failure.value.detail}</p>}
    </div>
  );
}

function Switch({ label, short, on, change }: { label: string; short: string; on: boolean; change: (on: boolean) => void }) {
  return <button type="button" class={on ? "chosen" : "quiet"} aria-pressed={on} aria-label={label} title={label} onClick={() => change(!on)}>{short}</button>;
}

function wordsOf(find: Find, text: string): string {
  const total = find.found.value.length;
  const others = find.hits.value.length - total;
  const elsewhere = others ? `, ${others.toLocaleString("en")} in filtered files` : "";
  if (!text || find.failure.value) return "";
  if (!total) return find.running.value ? "Searching…" : `Nothing found${elsewhere}`;
  const many = total.toLocaleString("en") + (find.more.value ? (find.running.value ? "…" : "+") : "");
  const at = find.at.value;
  return at < 0 ? `${many} found${elsewhere}` : `${(at + 1).toLocaleString("en")} of ${many}${elsewhere}`;
}

/** Mark the hits on the surface for as long as the bar is open. */
function follow(find: Find, review: Reading, controls: Controls): (() => void) | void {
  const root = controls.view?.element;
  if (!root) return;
  const here = () => {
    const hit = find.found.peek()[find.at.peek()];
    return hit && hit.side && hit.line !== null ? { file: hit.fileId, side: hit.side, line: hit.line, start: hit.start } : null;
  };
  const marks = markFound(root, { inLine: (file, side, line) => find.inLine(file, side, line), current: here });
  const stop = effect(() => {
    void [find.hits.value, find.at.value, review.sheets.value];
    marks.paint();
  });
  return () => {
    stop();
    marks.stop();
    find.close();
  };
}

/** Bring a hit on screen: its file unfolded, the gap that it lies in opened. */
function show(hit: Found, review: Reading, { view }: Controls): void {
  const sheet = review.sheets.peek()[hit.file];
  if (!view || !sheet) return;
  if (sheet.folded) {
    sheet.folded = false;
    view.refresh(sheet);
  }
  if (hit.line === null || hit.side === null) view.goToFile(hit.file);
  else view.goToLine(hit.file, hit.side, hit.line);
  document.querySelector(".find-count")?.setAttribute("title", spellOut(hit.excerpt.trim()));
}
