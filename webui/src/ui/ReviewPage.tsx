/** One review: bar, tree, diff, footer, and whatever stands in for them. */
import { signal, useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Scope } from "../api/types.gen.ts";
import type { Action } from "../keys.ts";
import { onHint } from "../live.ts";
import { NARROW, prefer, prefs } from "../state/prefs.ts";
import type { Comparison } from "../state/comparison.ts";
import type { Colours, Reading } from "../state/reading.ts";
import { Review } from "../state/review.ts";
import { navigate, pickerRoute, route, type Spot } from "../state/route.ts";
import { expectNone } from "./ahead.ts";
import { type Controls, Diff } from "./Diff.tsx";
import { onAction } from "./keyboard.ts";
import { later, once } from "./Later.tsx";
import { Icon } from "./parts.tsx";
import { ReviewParts, ReviewTools, withReviewing } from "./notes.ts";
import { Failed, lasts, Loading, State } from "./States.tsx";
import { rendered, showRendered } from "./rendering.ts";
import { Toolbar } from "./Toolbar.tsx";

const Banners = later(async () => (await import("./Frame.tsx")).Banners);
const Footer = later(async () => (await import("./Frame.tsx")).Footer);
/** Asked for beside the changes: there is no tree to draw before they are here, and few need words about files. */
const loadTree = once(() => import("./Tree.tsx"));
const loadRemarks = once(() => import("./remarks.ts"));
for (const load of [loadTree, loadRemarks]) load().catch(() => undefined); // told by what needs them
const remarks = async () => (await loadRemarks()).remarksOf;
const Tree = later(async () => (await loadTree()).Tree);
const dialogs = () => import("./dialogs.ts");
const NoChanges = later(async () => (await dialogs()).NoChanges);
const comparing = () => import("./Comparing.tsx");
const Strip = later(async () => (await comparing()).Strip);
const NothingCompared = later(async () => (await comparing()).NothingCompared);
const Outline = later(async () => (await dialogs()).Outline);
const Rendered = later(async () => (await import("./Rendered.tsx")).Rendered);
const Settings = later(async () => (await dialogs()).Settings);
const FindBar = later(async () => (await import("./FindBar.tsx")).FindBar);
const Help = later(async () => (await dialogs()).Help);

/** Colours are for lines that are here: their code comes beside the first of these. */
const loadColours = once(() => import("./colours.ts"));
loadColours().catch(() => undefined); // told by the surface, which wears them
const colours: Colours = {
  tokens: async (path, sides) => {
    const part = await loadColours().catch(() => null);
    return part && part.highlighter.tokens(path, sides);
  },
};
/** What the page says: to a screen reader at once, and to everyone for a moment if it matters. */
const spoken = signal("");
const toast = signal("");
const helpOpen = signal(false);
const settingsOpen = signal(false);
const outlineOpen = signal(false);
const findOpen = signal(false);
const drawerOpen = signal(false);

const TOAST_MS = 2_500;
const AGAIN_MS = 2_000;

interface ReviewPageProps {
  readonly context: string;
  readonly scope: Scope;
  readonly spot: Spot | null;
  /** The earlier context that this one is compared with, if it is. */
  readonly from: string | undefined;
}

export function ReviewPage({ context, scope, spot, from }: ReviewPageProps) {
  const reviews = useMemo(() => new Map<Scope, Review>(), [context]);
  const wanted = useMemo(() => {
    const known = reviews.get(scope);
    if (known) {
      void known.reloadReview(); // it may have been reviewed further in another scope
      return known;
    }
    const made = new Review(context, scope, colours, remarks);
    reviews.set(scope, made);
    void made.load();
    return made;
  }, [context, scope]);
  const status = wanted.status.value;
  // What is read stays until what was asked for is here: a slow or lost server takes nothing away.
  const last = useRef<Review | null>(null);
  if (status.kind === "ready") last.current = wanted;
  const review = last.current ?? wanted;
  const { shown, comparison, waits, ready } = useShown(review, from);
  const controls = useRef<Controls>({ view: null }).current;
  useEffect(() => onHint((hint) => {
    const was = wanted.status.peek();
    if (was.kind === "failed" && lasts(was.failure)) return;
    if (hint === "connected" && was.kind === "failed") return void wanted.load();
    if (hint === "connected") {
      void shown.retry();
      shown.retryPatches();
    }
    if (hint !== "review") void review.checkFreshness();
    if (hint !== "catalog") void review.reloadReview();
  }), [review, wanted, shown]);
  useEffect(() => onAction((action) => act(action, review, shown, controls)), [review, shown]);
  useTitle(review, from);

  const failed = status.kind === "failed" ? status.failure : null;
  if (failed && (review === wanted || lasts(failed))) return <main class="alone"><Failed failure={failed} retry={() => void wanted.load()} /></main>;
  return (
    <div class={`review${prefs.value.tree ? "" : " no-tree"}${drawerOpen.value ? " drawer-open" : ""}`}>
      <button type="button" class="skip" onClick={() => { outlineOpen.value = true; }}>All changes as a list</button>
      <Toolbar context={review.context.value} manifest={review.manifest.value} scope={failed ? review.scope : scope} progress={review.progress.value} tools={<ReviewTools review={shown} />}
        chooseScope={(to) => chooseScope(review, to)} toggleTree={toggleTree} help={() => { helpOpen.value = true; }} settings={() => { settingsOpen.value = true; }} />
      <div class="banners"><Banners review={review} wanted={wanted} shown={shown} waits={waits} />{comparison && <Strip comparison={comparison} />}</div>
      <Side review={shown} controls={controls} />
      <main class="content">
        {ready ? <Body key={`${shown.scope} ${shown.from}`} review={shown} spot={review === wanted && !waits ? spot : null} controls={controls}
          none={comparison ? <NothingCompared comparison={comparison} /> : <NoChanges review={review} choose={(to) => chooseScope(review, to)} />} />
          : shown.status.value.kind === "failed" ? <Failed failure={shown.status.value.failure} retry={() => void shown.load()} />
          : <Loading what="the changes" />}
      </main>
      <ReviewParts review={shown} controls={controls} say={say} />
      <footer class="footer"><Footer review={review} /></footer>
      {outlineOpen.value && ready && <Outline review={shown} controls={controls} close={() => { outlineOpen.value = false; }} />}
      {rendered.value && <Rendered sheet={rendered.value} review={shown} close={() => { rendered.value = null; }} />}
      {settingsOpen.value && <Settings close={() => { settingsOpen.value = false; }} />}
      {helpOpen.value && <Help close={() => { helpOpen.value = false; }} />}
      <p class="sr-only" role="status" aria-live="polite">{spoken}</p>
      {toast.value && <p class="toast" role="status">{toast}</p>}
    </div>
  );
}

interface Shown {
  readonly shown: Reading;
  /** The same, where it is a comparison. */
  readonly comparison: Comparison | null;
  /** Whether it is only there until what is asked for is here. */
  readonly waits: boolean;
  readonly ready: boolean;
}

/** What is read: the review, or what lies between it and an earlier iteration, once that is here. */
function useShown(review: Review, from: string | undefined): Shown {
  const [found, setFound] = useState<Comparison | null>(null);
  useEffect(() => {
    if (!from) return;
    let [left, timer] = [false, 0];
    // A server that is lost, as the page says then, may be back.
    const fetch = (): void => void comparing().then(
      (part) => { if (!left) setFound(part.comparisonOf(review, from, colours)); },
      () => { if (!left) timer = setTimeout(fetch, AGAIN_MS); },
    );
    fetch();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [review, from]);
  const last = useRef<Pick<Shown, "shown" | "comparison"> | null>(null);
  const comparison = from && found?.review === review && found.from === from ? found : null;
  const asked = from ? comparison : review;
  if (asked && [asked, review].every(({ status }) => status.value.kind !== "loading")) last.current = { shown: asked, comparison };
  // Until the first of them is here there is nothing to read, not even the review that is there already.
  if (!last.current) return { shown: asked ?? review, comparison, waits: true, ready: false };
  return { ...last.current, waits: last.current.shown !== asked, ready: last.current.shown.status.value.kind === "ready" };
}

function Body({ review, spot, controls, none }: { review: Reading; spot: Spot | null; controls: Controls; none: VNode }) {
  const empty = useComputed(() => review.files.value.length === 0);
  const hidden = useComputed(() => !empty.value && review.sheets.value.length === 0);
  if (empty.value) return none;
  return (
    <>
      <Diff review={review} spot={spot} controls={controls} say={say} />
      {hidden.value && (
        <div class="over"><State title="No file matches the filter">
          <p class="actions"><button type="button" class="button" onClick={() => { review.filter.value = ""; }}>Show all files</button></p>
        </State></div>
      )}
      {findOpen.value && <FindBar review={review} controls={controls} close={closeFind} />}
    </>
  );
}

function Side({ review, controls }: { review: Reading; controls: Controls }) {
  const total = review.files.value.length;
  const { treeWidth } = prefs.value;
  useLayoutEffect(() => { document.documentElement.style.setProperty("--tree", `${treeWidth}px`); }, [treeWidth]);
  const shown = review.sheets.value.length;
  const open = (id: string): void => {
    const at = review.sheets.peek().findIndex((sheet) => sheet.file.id === id);
    controls.view?.goToFile(at);
    drawerOpen.value = false;
  };
  return (
    <>
      <div class="shade" onClick={() => { drawerOpen.value = false; }} />
      <nav class="side" aria-label="Files">
        <label class="search"><Icon name="search" />
          <input type="search" id="filter" aria-label="Filter files" placeholder="Filter files" value={review.filter}
            onInput={(event) => { review.filter.value = event.currentTarget.value; }}
            onKeyDown={(event) => leaveFilter(event, review)} />
          {review.filter.value && <span class="note">{shown} of {total}</span>}
        </label>
        <Tree key={`${review.scope} ${review.from}`} review={review} open={open} mark={(node) => withReviewing(say, (part) => part.toggleNode({ review, controls, say }, node))} />
      </nav>
    </>
  );
}

function useTitle(review: Review, from: string | undefined): void {
  const manifest = review.manifest.value;
  useEffect(() => {
    const parts = [from && "Comparison", manifest?.branch, manifest?.name, "diffx"].filter(Boolean);
    document.title = parts.join(" · ");
  }, [manifest, from]);
}

function chooseScope(review: Review, scope: Scope): void {
  if (!review.context.peek()?.capabilities.scopes.includes(scope)) return say("This review does not have that scope.");
  const now = route.peek();
  if (now.page === "review") navigate({ ...now, scope, spot: null });
}

function toggleTree(): void {
  if (innerWidth < NARROW) drawerOpen.value = !drawerOpen.peek();
  else prefer({ tree: !prefs.peek().tree });
}

let clearing = 0;

function say(words: string): void {
  spoken.value = words;
  if (/^(Line|Hunk) /.test(words)) return;
  expectNone();
  toast.value = words;
  clearTimeout(clearing);
  clearing = setTimeout(() => { toast.value = ""; }, TOAST_MS);
}

function act(action: Action, review: Review, shown: Reading, controls: Controls): void {
  const { view } = controls;
  const acts: Readonly<Partial<Record<Action, () => void>>> = {
    "fold": () => view?.toggleFold(),
    "outline": () => { outlineOpen.value = true; },
    "rendered": () => showRendered(controls.view?.here, say),
    "settings": () => { settingsOpen.value = true; },
    "find": openFind,
    "filter": focusFilter,
    "tree": toggleTree,
    "scope-all": () => chooseScope(review, "all"),
    "scope-staged": () => chooseScope(review, "staged"),
    "scope-unstaged": () => chooseScope(review, "unstaged"),
    "picker": () => navigate(pickerRoute()),
    "help": () => { helpOpen.value = !helpOpen.peek(); },
    "escape": () => { if (!view?.picking?.none()) leave(); },
  };
  const run = acts[action] ?? (() => withReviewing(say, (part) => part.act(action, { review: shown, controls, say })));
  run();
}

function focusFilter(): void {
  if (innerWidth < NARROW) drawerOpen.value = true;
  else prefer({ tree: true });
  const input = document.querySelector<HTMLInputElement>("#filter");
  // At once where it can be: the next key is already on its way. A hidden field takes a moment.
  input?.select();
  if (document.activeElement !== input) requestAnimationFrame(() => input?.select());
}

function openFind(): void {
  findOpen.value = true;
  document.querySelector<HTMLInputElement>("#find")?.select();
}

function closeFind(): void {
  findOpen.value = false;
  leave();
}

/** Enter keeps the filter and goes to the files; Escape drops it. */
function leaveFilter(event: KeyboardEvent, review: Reading): void {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") review.filter.value = "";
  leave();
}

function leave(): void {
  drawerOpen.value = false;
  document.querySelector<HTMLElement>(".diff")?.focus({ preventScroll: true });
}

