/** What a reader does besides reading: the tools in the bar, the keys, and the parts they open. */
import "./shared.ts";
import { effect, signal } from "@preact/signals";
import type { Thread } from "../api/types.gen.ts";
import { lineAt, type Lines } from "../diff/rows.ts";
import type { Sheet } from "../diff/sheet.ts";
import type { Action } from "../keys.ts";
import { onHint } from "../live.ts";
import { prefer, prefs } from "../state/prefs.ts";
import { type Draft, draftNotes, draftsOf, type Target } from "../state/drafts.ts";
import type { Reading } from "../state/reading.ts";
import { THREAD } from "../state/threads.ts";
import { type Here, nextThread } from "../state/threadwords.ts";
import { goToNote, openContext, stepChange, stepFile, stepLine, switchSide } from "../surface/moves.ts";
import { type Picked, Picking } from "../surface/picking.ts";
import { letSelect } from "../surface/select.ts";
import type { DiffView } from "../surface/view.ts";
import { plural } from "../text/format.ts";
import { copy } from "./copy.ts";
import { offerEditor, openInEditor } from "./editing.ts";
import { iterationsOpen, IterationsTool } from "./iterating.tsx";
import { Comments } from "./Comments.tsx";
import { Finish } from "./Finish.tsx";
import { later } from "./Later.tsx";
import { changeLayout, changeSpace, nextTheme } from "./looks.ts";
import { type Marking, reviewedAndOn, toggleFile, toggleHunkHere, undoMark } from "./marking.ts";
import { Icon } from "./parts.tsx";
import { actOnThread } from "./Thread.tsx";

export { openInEditor } from "./editing.ts";
export { toggleFile, toggleHunk, toggleNode } from "./marking.ts";
export { drawNote } from "./Thread.tsx";

const Iterations = later(async () => (await import("./Comparing.tsx")).Iterations);

const listOpen = signal(false);
const finishOpen = signal(false);

/** Let lines be picked and copied, and show what is being written between them, until the signal ends it. */
export function follow(review: Reading, view: DiffView, root: HTMLElement, signal: AbortSignal): void {
  if (signal.aborted) return;
  letSelect(root, signal);
  view.picking = new Picking(root, view satisfies Picked, signal);
  const drafts = draftsOf(review.contextId);
  void drafts.join();
  const stopHints = onHint((hint) => { if (hint === "connected") void drafts.join(); });
  signal.addEventListener("abort", stopHints);
  addEventListener("pagehide", () => void drafts.flush(), { signal });
  const stop = effect(() => { review.draftNotes.value = draftNotes(drafts, review.scope); });
  signal.addEventListener("abort", stop);
  const stopOffer = effect(() => { if (prefs.value.editor || root.hasAttribute("data-editor")) void offerEditor(review, root); });
  signal.addEventListener("abort", stopOffer);
}

export function startComment(review: Reading, sheet: Sheet, wanted: Lines | null, say: (words: string) => void): void {
  const { contextId, scope } = review;
  const lines = review.aim(sheet, wanted);
  if (typeof lines === "string") return say(lines);
  const file = sheet.file.id;
  const target: Target = lines ? { kind: "lines", scope, file, ...lines } : { kind: "file", scope, file };
  draftsOf(contextId).start(target);
}

export function act(action: Action, marking: Marking): void {
  const { review, controls, say } = marking;
  const { view } = controls;
  const picking = view?.picking instanceof Picking ? view.picking : null;
  const acts: Readonly<Partial<Record<Action, () => void>>> = {
    ...movesOf(view),
    "layout": () => changeLayout(view?.mode === "split", say),
    "wrap": () => prefer({ wrap: !prefs.peek().wrap }),
    "space": () => changeSpace(say),
    "theme": () => nextTheme(say),
    "copy-link": () => void copy(location.href, "Link", say),
    "reviewed": () => void toggleFile(marking, view?.here),
    "reviewed-hunk": () => toggleHunkHere(marking),
    "reviewed-next": () => reviewedAndOn(marking),
    "undo-mark": () => void undoMark(marking),
    "editor": () => void openInEditor(marking),
    "comment": () => picking?.comment(),
    "comment-file": () => picking?.comment(true),
    "pick-down": () => { if (view && !picking?.stretch(1)) stepLine(view, 1); },
    "pick-up": () => { if (view && !picking?.stretch(-1)) stepLine(view, -1); },
    "next-comment": () => stepThread(marking, 1),
    "previous-comment": () => stepThread(marking, -1),
    "reply": () => onThread(marking, "reply"),
    "edit": () => onThread(marking, "edit"),
    "hide-comments": () => {
      const hidden = (review.threads.hidden.value = !review.threads.hidden.peek());
      say(hidden ? "Comments are hidden (h shows them)" : "Comments are shown");
    },
    "comments": () => { listOpen.value = !listOpen.peek(); },
    "finish": () => { finishOpen.value = true; },
    "iterations": () => { iterationsOpen.value = true; },
    "upstream": () => void import("./Comparing.tsx").then(({ upstreamOf }) => say(upstreamOf(review))),
  };
  acts[action]?.();
}

function movesOf(view: DiffView | null): Readonly<Partial<Record<Action, () => void>>> {
  return view ? {
    "next-line": () => stepLine(view, 1),
    "previous-line": () => stepLine(view, -1),
    "next-change": () => stepChange(view, 1),
    "previous-change": () => stepChange(view, -1),
    "next-file": () => stepFile(view, 1),
    "previous-file": () => stepFile(view, -1),
    "side": () => switchSide(view),
    "open-gap": () => openContext(view, false),
    "open-all": () => openContext(view, true),
  } : {};
}

export function goToThread({ review, controls }: Marking, thread: Thread): boolean {
  const at = review.sheets.peek().findIndex(({ file }) => file.id === thread.place.fileId);
  if (at < 0) return false;
  review.threads.hidden.value = false;
  review.threads.wanted.value = thread.id;
  if (controls.view) goToNote(controls.view, at, THREAD + thread.id);
  return true;
}

/** Go to where a draft is written, and on with writing it. */
function goOnWriting(marking: Marking, { key, target }: Draft): void {
  const { review, controls, say } = marking;
  const drafts = draftsOf(review.contextId);
  if ("thread" in target) {
    const thread = review.threads.list.peek().find(({ id }) => id === target.thread);
    if (!thread || !goToThread(marking, thread)) return say("The comment of this draft is not on the files that are shown");
    drafts.wanted.value = key;
    return;
  }
  if (!("file" in target)) return;
  if (target.scope !== review.scope) return say(`This draft is on the ${target.scope === "all" ? "whole of the" : target.scope} changes: switch the scope to go on`);
  const at = review.sheets.peek().findIndex(({ file }) => file.id === target.file);
  if (at < 0 || !controls.view) return say("The file of this draft is hidden by the filter");
  goToNote(controls.view, at, key);
  drafts.wanted.value = key;
}

function stepThread(marking: Marking, way: 1 | -1): void {
  const { review, say } = marking;
  const files = review.sheets.peek().map(({ file }) => file);
  const next = nextThread(review.threadsInOrder.peek(), files, hereOf(marking), way);
  if (next) goToThread(marking, next);
  else say("There are no comments on these files");
}

function hereOf({ review, controls }: Marking): Here {
  const thread = document.activeElement?.closest<HTMLElement>("[data-thread]")?.dataset["thread"];
  if (thread) return { thread };
  const place = controls.view?.reader.place ?? controls.view?.reader.firstVisible();
  const sheet = place && review.sheets.peek()[place.file];
  if (!place || !sheet) return { file: 0, line: 0 };
  const line = sheet.rows && sheet.patch && place.row >= 0 ? lineAt(sheet.rows, sheet.patch, place.row, place.side) : 0;
  return { file: place.file, line };
}

function onThread({ review, say }: Marking, what: "reply" | "edit"): void {
  if (!actOnThread(review, what)) say("Go to a comment first, with N or P");
}

export function ReviewTools({ review }: { review: Reading }) {
  const open = review.threads.list.value.filter(({ status }) => status === "open").length;
  const drafts = [...draftsOf(review.contextId).open.value.values()].filter(({ text, target }) => text.trim() && target.kind !== "summary").length;
  const label = `Comments: ${open} open${drafts ? `, ${plural(drafts, "draft")}` : ""}`;
  return (
    <>
      <IterationsTool review={review} />
      <button type="button" class="quiet tool" title={`${label} (l)`} aria-pressed={listOpen.value}
        onClick={() => { listOpen.value = !listOpen.peek(); }}>
        <Icon name="comment" /><span class="sr-only">Comments: </span>{open}<span class="sr-only"> open</span>
        {drafts > 0 && <><span class="sr-only">, </span><span class="tag warn">{plural(drafts, "draft")}</span></>}
      </button>
      <button type="button" class="tool" aria-label="Finish" title="Finish the review (F)" onClick={() => { finishOpen.value = true; }}>
        <Icon name="check" /><span class="tool-word">Finish</span>
      </button>
    </>
  );
}

export function ReviewParts({ review, controls, say }: Marking) {
  const { contextId, scope } = review;
  return (
    <>
      {iterationsOpen.value && <Iterations contextId={contextId} scope={scope} from={review.from} close={() => { iterationsOpen.value = false; }} />}
      {listOpen.value && <Comments review={review} say={say} close={() => { listOpen.value = false; }}
        go={(thread) => goToThread({ review, controls, say }, thread)} goOn={(draft) => goOnWriting({ review, controls, say }, draft)} />}
      {finishOpen.value && <Finish review={review} say={say} close={() => { finishOpen.value = false; }} />}
    </>
  );
}
