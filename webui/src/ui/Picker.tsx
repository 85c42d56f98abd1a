/** All reviews: repository, then observation. */
import "./shared.ts";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ContextSummary, Facet } from "../api/types.gen.ts";
import { connection, onHint } from "../live.ts";
import { baselineMark } from "../state/baseline.ts";
import { Catalog } from "../state/catalog.ts";
import { type Filters, formatRoute, navigate, type Route } from "../state/route.ts";
import command from "../styles/command.css?sheet";
import banner from "../styles/banner.css?sheet";
import sheet from "../styles/picker.css?sheet";
import { ageWords, plural, relative } from "../text/format.ts";
import { useNow } from "./clock.ts";
import { wear } from "./Later.tsx";
import { Counts, Icon, Segments, Text } from "./parts.tsx";
import { Failed, Loading, State } from "./States.tsx";

wear(sheet);
wear(banner);
wear(command);

const SHOWN = [
  { value: "latest", label: "Latest", title: "The most recent observation of each checkout and branch, where it has changes" },
  { value: "stale", label: "Earlier", title: "Observations that a newer one has followed" },
  { value: "all", label: "All", title: "Clean checkouts included" },
] as const;

export function Picker({ filters }: { filters: Filters }) {
  const catalog = useMemo(() => new Catalog(), []);
  const now = useNow();
  const list = useRef<HTMLElement>(null);
  const asked = formatRoute({ page: "picker", filters });
  useEffect(() => {
    const timer = setTimeout(() => void catalog.load(filters), catalog.contexts.peek().length ? 150 : 0);
    return () => clearTimeout(timer);
  }, [asked]);
  useEffect(() => onHint((hint) => {
    if (hint !== "review") void catalog.load(filters);
  }), [asked]);
  useEffect(() => { document.title = "Reviews · diffx"; }, []);

  const change = (to: Partial<Filters>): void => navigate({ page: "picker", filters: { ...filters, ...to } }, "replace");
  if (catalog.nothingStored.value) return <NothingStored />;
  return (
    <main class="picker" ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
      <header class="picker-head">
        <h1 class="brand">diffx</h1>
        <label class="search"><Icon name="search" />
          <input type="search" value={filters.q} aria-label="Search reviews" autoFocus
            placeholder="Repository, branch, worktree, host, session"
            onInput={(event) => change({ q: event.currentTarget.value })} />
        </label>
        <Choices catalog={catalog} filters={filters} change={change} />
        <Segments label="Which observations" value={filters.shown} choices={SHOWN} choose={(shown) => change({ shown })} />
      </header>
      <Lost catalog={catalog} filters={filters} />
      <PickerBody catalog={catalog} filters={filters} now={now} />
    </main>
  );
}

/** A menu for each label that tells observations apart. */
function Choices({ catalog, filters, change }: {
  catalog: Catalog; filters: Filters; change: (to: Partial<Filters>) => void;
}) {
  const choices = catalog.choices.value;
  return (
    <>
      <Menu name="Host" values={choices?.hostnames ?? []} chosen={filters.hosts} choose={(hosts) => change({ hosts })} />
      <Menu name="Branch" values={choices?.branches ?? []} chosen={filters.branches} choose={(branches) => change({ branches })} />
      <Menu name="Worktree" values={choices?.worktrees ?? []} chosen={filters.worktrees} choose={(worktrees) => change({ worktrees })} />
    </>
  );
}

const MENU_WIDTH = 260;

function Menu({ name, values, chosen, choose }: {
  name: string; values: readonly Facet[]; chosen: readonly string[]; choose: (values: string[]) => void;
}) {
  const id = `menu-${name}`;
  const button = useRef<HTMLButtonElement>(null);
  if (values.length < 2 && !chosen.length) return null;
  const toggle = (value: string): void =>
    choose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  const place = (event: { readonly currentTarget: HTMLElement }): void => {
    const at = button.current?.getBoundingClientRect();
    if (!at) return;
    const { style } = event.currentTarget;
    style.top = `${at.bottom + 4}px`;
    style.left = `${Math.max(10, Math.min(at.left, innerWidth - MENU_WIDTH - 10))}px`;
  };
  return (
    <>
      <button type="button" ref={button} popovertarget={id} class={chosen.length ? "chosen" : ""}>
        {name}{chosen.length > 0 && <span class="note">{chosen.length}</span>}<span class="caret" aria-hidden="true">▾</span>
      </button>
      <fieldset id={id} popover="auto" class="popover menu" onBeforeToggle={place}>
        <legend class="sr-only">{name}</legend>
        {values.map(({ value, contexts }) => (
          <label class="check" key={value}>
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            <span class="grow"><Text text={value} /></span><span class="note">{contexts}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}

function PickerBody({ catalog, filters, now }: { catalog: Catalog; filters: Filters; now: number }) {
  const failure = catalog.failure.value;
  const groups = catalog.groups.value;
  if (failure && !groups.length) return <Failed failure={failure} retry={() => void catalog.load(filters)} />;
  if (!groups.length && catalog.loading.value) return <Loading what="reviews" />;
  if (!groups.length) return <NothingMatches filters={filters} />;
  return (
    <>
      <p class="sr-only" role="status">{plural(catalog.contexts.value.length, "review")} in {plural(groups.length, "repository", "repositories")}</p>
      {groups.map(({ key, name, contexts }) => (
        <section class="group" key={key} aria-label={name}>
          <h2><Text text={name} /> <span class="note">{contexts.length}</span></h2>
          <ul>{contexts.map((context) => <Entry key={context.contextId} context={context} now={now} />)}</ul>
        </section>
      ))}
      {catalog.more.value && (
        <p class="actions"><button type="button" class="button" onClick={() => void catalog.loadMore(filters)}>Show more</button></p>
      )}
    </>
  );
}

/** The list may be an old one; it is never taken away. */
function Lost({ catalog, filters }: { catalog: Catalog; filters: Filters }) {
  const failure = catalog.failure.value;
  if (!catalog.contexts.value.length || (!failure && connection.value !== "lost")) return null;
  const lost = !failure || failure.code === "offline";
  return (
    <p class="banner warn" role="status">
      {lost ? "The server does not answer. This list is the last one it gave; it is renewed by itself." : `This list could not be renewed: ${failure.detail}`}
      <button type="button" class="button" onClick={() => void catalog.load(filters)}>Try again</button>
    </p>
  );
}

function NothingMatches({ filters }: { filters: Filters }) {
  const { q, hosts, branches, worktrees } = filters;
  const narrowed = q || hosts.length + branches.length + worktrees.length > 0;
  return (
    <State title={narrowed ? "Nothing matches" : "Nothing to review"}>
      <p>{q ? <>No review with these filters has “<Text text={q} />” in its repository, branch, worktree, host or session.</>
        : narrowed ? "No review passes these filters."
        : filters.shown === "latest" ? "The latest observation of every checkout is clean." : "There is no earlier observation."}</p>
      <p class="actions"><a class="button" href="/?show=all" data-link>Show all reviews</a></p>
    </State>
  );
}

function Entry({ context, now }: { context: ContextSummary; now: number }) {
  const { observation, latest, storedAt, scopes } = context;
  const { provenance, sourceKind, collectedAt } = observation;
  const all = scopes.find(({ scope }) => scope === "all") ?? scopes[0];
  const route: Route = { page: "review", context: context.contextId, scope: all?.scope ?? "all", spot: null };
  const name = provenance.branch ?? (sourceKind === "patch" ? provenance.repositoryName ?? "Patch" : "Detached HEAD");
  const empty = scopes.every(({ totals }) => totals.files === 0);
  return (
    <li>
      <a class="entry" href={formatRoute(route)} data-link data-entry>
        <span class="entry-name"><Icon name="branch" /><Text text={name} />
          {latest ? <span class="tag ok">latest</span> : <span class="tag faint">earlier</span>}
          {empty && <span class="tag faint">no changes</span>}
        </span>
        <span class="entry-place">
          {baselineMark(observation) && <span><Text text={baselineMark(observation)} /></span>}
          {sourceKind === "patch" && provenance.triggerDirectory && <span>from <Text text={provenance.triggerDirectory} /></span>}
          {provenance.worktreeName && <span><Text text={provenance.worktreeName} /></span>}
          {provenance.hostname && <span><Text text={provenance.hostname} /></span>}
          {provenance.runId && <span>run <Text text={provenance.runId} /></span>}
        </span>
        <span class="entry-size">
          {all && !empty && <>{plural(all.totals.files, "file")} <Counts {...all.totals} /></>}
        </span>
        <time class="entry-time" dateTime={new Date(storedAt).toISOString()} title={ageWords(storedAt, collectedAt)}>
          {relative(storedAt, now)}
        </time>
      </a>
    </li>
  );
}

function NothingStored() {
  return (
    <main class="picker">
      <State title="No reviews yet">
        <p>Record the changes of a checkout, and they appear here:</p>
        <pre class="command"><code>cd your/checkout{"\n"}diffx</code></pre>
        <p>Or review any patch:</p>
        <pre class="command"><code>git diff | diffx</code></pre>
      </State>
    </main>
  );
}

/** Arrow keys, j and k go through the entries from wherever the focus is. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const typing = event.target instanceof HTMLInputElement;
  const ways: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, ...(typing ? {} : { j: 1, k: -1 }) };
  const way = ways[event.key];
  if (!way || !list || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as Element).closest(".segments")) return;
  event.preventDefault();
  const entries = [...list.querySelectorAll<HTMLElement>("[data-entry]")];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  if (at < 0) entries[way > 0 ? 0 : entries.length - 1]?.focus();
  else if (at + way < 0) list.querySelector<HTMLElement>("input")?.focus();
  else entries[at + way]?.focus();
}
