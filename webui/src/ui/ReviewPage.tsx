/** One review: bar, tree, diff, footer, and whatever stands in for them. */
import { signal, useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Scope } from "../api/types.gen.ts";
import { Highlighter } from "../highlight/highlight.ts";
import type { Action } from "../keys.ts";
import { onHint } from "../live.ts";
import { prefer, prefs, type Theme } from "../state/prefs.ts";
import { Review } from "../state/review.ts";
import { navigate, pickerRoute, type Spot } from "../state/route.ts";
import { expectNone } from "./ahead.ts";
import { copy } from "./copy.ts";
import { type Controls, Diff, NARROW } from "./Diff.tsx";
import { onAction } from "./keyboard.ts";
import { later, once } from "./Later.tsx";
import { Icon } from "./parts.tsx";
import { ReviewParts, ReviewTools, withReviewing } from "./notes.ts";
import { Failed, lasts, Loading, State } from "./States.tsx";
import { rendered, showRendered } from "./rendering.ts";
import { nextSpace, SPACE_WORDS } from "./space.ts";
import { Toolbar } from "./Toolbar.tsx";

const Banners = later(async () => (await import("./Frame.tsx")).Banners);
const Footer = later(async () => (await import("./Frame.tsx")).Footer);
/** Asked for beside the changes: there is no tree to draw before they are here, and few need words about files. */
const loadTree = once(() => import("./Tree.tsx"));
const loadRemarks = once(() => import("./remarks.ts"));
for (const load of [loadTree, loadRemarks]) load().catch(() => undefined); // told by what needs them
const remarks = async () => (await loadRemarks()).remarksOf;
const Tree = later(async () => (await loadTree()).Tree);
const NoChanges = later(async () => (await import("./NoChanges.tsx")).NoChanges);
const Outline = later(async () => (await import("./Outline.tsx")).Outline);
const Rendered = later(async () => (await import("./Rendered.tsx")).Rendered);
const Settings = later(async () => (await import("./Settings.tsx")).Settings);
const FindBar = later(async () => (await import("./FindBar.tsx")).FindBar);
const Help = later(async () => (await import("./Help.tsx")).Help);

const highlighter = new Highlighter();
/** What the page says: to a screen reader at once, and to everyone for a moment if it matters. */
const spoken = signal("");
const toast = signal("");
const helpOpen = signal(false);
const settingsOpen = signal(false);
const outlineOpen = signal(false);
const findOpen = signal(false);
const drawerOpen = signal(false);

const TOAST_MS = 2_500;
const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function ReviewPage({ context, scope, spot }: { context: string; scope: Scope; spot: Spot | null }) {
  const reviews = useMemo(() => new Map<Scope, Review>(), [context]);
  const wanted = useMemo(() => {
    let known = reviews.get(scope);
    if (!known) {
      known = new Review(context, scope, highlighter, remarks);
      reviews.set(scope, known);
      void known.load();
      highlighter.warm();
    }
    return known;
  }, [context, scope]);
  const status = wanted.status.value;
  // What is read stays until what was asked for is here: a slow or lost server takes nothing away.
  const last = useRef<Review | null>(null);
  if (status.kind === "ready") last.current = wanted;
  const review = last.current ?? wanted;
  const controls = useRef<Controls>({ view: null }).current;
  useEffect(() => onHint((hint) => {
    if (hint === "connected" && wanted.status.peek().kind === "failed") return void wanted.load();
    if (hint === "connected") review.retryPatches();
    if (hint !== "review") void review.checkFreshness();
    if (hint !== "catalog") void review.reloadReview();
  }), [review, wanted]);
  useEffect(() => { void review.reloadReview(); }, [review]);
  useEffect(() => onAction((action) => act(action, review, controls)), [review]);
  useTitle(review);

  const failed = status.kind === "failed" ? status.failure : null;
  if (failed && (review === wanted || lasts(failed))) return <main class="alone"><Failed failure={failed} retry={() => void wanted.load()} /></main>;
  return (
    <div class={`review${prefs.value.tree ? "" : " no-tree"}${drawerOpen.value ? " drawer-open" : ""}`}>
      <button type="button" class="skip" onClick={() => { outlineOpen.value = true; }}>All changes as a list</button>
      <Toolbar context={review.context.value} manifest={review.manifest.value} scope={failed ? review.scope : scope} progress={review.progress.value} tools={<ReviewTools review={review} />}
        chooseScope={(to) => chooseScope(review, to)} toggleTree={toggleTree} help={() => { helpOpen.value = true; }} settings={() => { settingsOpen.value = true; }} />
      <div class="banners"><Banners review={review} wanted={wanted} /></div>
      <Side review={review} controls={controls} />
      <main class="content">
        {review.status.value.kind === "ready" ? <Body key={review.scope} review={review} spot={review === wanted ? spot : null} controls={controls} /> : <Loading what="the changes" />}
      </main>
      <ReviewParts review={review} controls={controls} say={say} />
      <footer class="footer"><Footer review={review} /></footer>
      {outlineOpen.value && review.status.value.kind === "ready" && <Outline review={review} controls={controls} close={() => { outlineOpen.value = false; }} />}
      {rendered.value && <Rendered sheet={rendered.value} review={review} close={() => { rendered.value = null; }} />}
      {settingsOpen.value && <Settings close={() => { settingsOpen.value = false; }} />}
      {helpOpen.value && <Help close={() => { helpOpen.value = false; }} />}
      <p class="sr-only" role="status" aria-live="polite">{spoken}</p>
      {toast.value && <p class="toast" role="status">{toast}</p>}
    </div>
  );
}

function Body({ review, spot, controls }: { review: Review; spot: Spot | null; controls: Controls }) {
  const none = useComputed(() => review.manifest.value?.files.length === 0);
  const hidden = useComputed(() => !none.value && review.sheets.value.length === 0);
  if (none.value) return <NoChanges review={review} choose={(scope) => chooseScope(review, scope)} />;
  return (
    <>
      <Diff key={review.scope} review={review} spot={spot} controls={controls} say={say} />
      {hidden.value && (
        <div class="over"><State title="No file matches the filter">
          <p class="actions"><button type="button" class="button" onClick={() => { review.filter.value = ""; }}>Show all files</button></p>
        </State></div>
      )}
      {findOpen.value && <FindBar key={`find ${review.scope}`} review={review} controls={controls} close={closeFind} />}
    </>
  );
}

function Side({ review, controls }: { review: Review; controls: Controls }) {
  const total = review.manifest.value?.files.length ?? 0;
  const { treeWidth } = prefs.value;
  useEffect(() => { document.documentElement.style.setProperty("--tree", `${treeWidth}px`); }, [treeWidth]);
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
        <Tree key={review.scope} review={review} open={open} mark={(node) => withReviewing(say, (part) => part.toggleNode({ review, controls, say }, node))} />
      </nav>
    </>
  );
}

function useTitle(review: Review): void {
  const manifest = review.manifest.value;
  useEffect(() => {
    const parts = [manifest?.branch, manifest?.name, "diffx"].filter(Boolean);
    document.title = parts.join(" · ");
  }, [manifest]);
}

function chooseScope(review: Review, scope: Scope): void {
  if (!review.context.peek()?.capabilities.scopes.includes(scope)) return say("This review does not have that scope.");
  navigate({ page: "review", context: review.contextId, scope, spot: null });
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

function act(action: Action, review: Review, controls: Controls): void {
  const { view } = controls;
  const acts: Readonly<Partial<Record<Action, () => void>>> = {
    "fold": () => view?.toggleFold(),
    "layout": () => changeLayout(view?.mode === "split"),
    "wrap": () => prefer({ wrap: !prefs.peek().wrap }),
    "space": changeSpace,
    "outline": () => { outlineOpen.value = true; },
    "rendered": () => showRendered(controls.view?.here, say),
    "settings": () => { settingsOpen.value = true; },
    "theme": nextTheme,
    "find": openFind,
    "filter": focusFilter,
    "tree": toggleTree,
    "scope-all": () => chooseScope(review, "all"),
    "scope-staged": () => chooseScope(review, "staged"),
    "scope-unstaged": () => chooseScope(review, "unstaged"),
    "picker": () => navigate(pickerRoute()),
    "copy-link": () => void copy(location.href, "Link", say),
    "help": () => { helpOpen.value = !helpOpen.peek(); },
    "escape": () => { if (!view?.picking?.none()) leave(); },
  };
  const run = acts[action] ?? (() => withReviewing(say, (part) => part.act(action, { review, controls, say })));
  run();
}

function changeLayout(split: boolean): void {
  if (innerWidth < NARROW) return say("This window is too narrow for two columns; they come back with more room.");
  prefer({ layout: split ? "unified" : "split" });
}

function changeSpace(): void {
  const space = nextSpace(prefs.peek().space);
  prefer({ space });
  say(`White space: ${SPACE_WORDS[space]}`);
}

function nextTheme(): void {
  const theme = THEMES[(THEMES.indexOf(prefs.peek().theme) + 1) % THEMES.length];
  prefer({ theme });
  say(`Colours: ${theme}`);
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
function leaveFilter(event: KeyboardEvent, review: Review): void {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") review.filter.value = "";
  leave();
}

function leave(): void {
  drawerOpen.value = false;
  document.querySelector<HTMLElement>(".diff")?.focus({ preventScroll: true });
}

