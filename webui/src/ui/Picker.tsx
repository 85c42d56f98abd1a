/** All reviews: repository, then observation. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ContextSummary } from "../api/types.gen.ts";
import { onHint } from "../live.ts";
import { Catalog } from "../state/catalog.ts";
import { formatRoute, navigate, type Route, type Shown } from "../state/route.ts";
import { moment, plural, relative } from "../text/format.ts";
import { Counts, Icon, Segments, Text } from "./parts.tsx";
import { Failed, Loading, State } from "./States.tsx";

const SHOWN = [
  { value: "latest", label: "Latest", title: "The most recent observation of each checkout and branch" },
  { value: "stale", label: "Earlier", title: "Observations that a newer one has followed" },
  { value: "all", label: "All" },
] as const;

export function Picker({ q, shown }: { q: string; shown: Shown }) {
  const catalog = useMemo(() => new Catalog(), []);
  const now = useNow();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => void catalog.load({ q, shown }), catalog.contexts.peek().length ? 150 : 0);
    return () => clearTimeout(timer);
  }, [q, shown]);
  useEffect(() => onHint((hint) => {
    if (hint !== "review") void catalog.load({ q, shown });
  }), [q, shown]);
  useEffect(() => { document.title = "Reviews · diffx"; }, []);

  const change = (to: Partial<{ q: string; shown: Shown }>): void =>
    navigate({ page: "picker", q, shown, ...to }, "replace");
  if (catalog.nothingStored.value) return <NothingStored />;
  return (
    <main class="picker" ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
      <header class="picker-head">
        <h1 class="brand">diffx</h1>
        <label class="search"><Icon name="search" />
          <input type="search" value={q} aria-label="Search reviews" autoFocus
            placeholder="Repository, branch, worktree, host, session"
            onInput={(event) => change({ q: event.currentTarget.value })} />
        </label>
        <Segments label="Which observations" value={shown} choices={SHOWN} choose={(value) => change({ shown: value })} />
      </header>
      <PickerBody catalog={catalog} q={q} shown={shown} now={now} />
    </main>
  );
}

function PickerBody({ catalog, q, shown, now }: { catalog: Catalog; q: string; shown: Shown; now: number }) {
  const failure = catalog.failure.value;
  const groups = catalog.groups.value;
  if (failure && !groups.length) return <Failed failure={failure} retry={() => void catalog.load({ q, shown })} />;
  if (!groups.length && catalog.loading.value) return <Loading what="reviews" />;
  if (!groups.length) {
    return (
      <State title="Nothing matches">
        <p>{q ? <>No review has “<Text text={q} />” in its repository, branch, worktree, host or session.</> : "No review is of this kind."}</p>
        {(q || shown !== "all") && (
          <p class="actions"><a class="button" href="/?show=all" data-link>Show all reviews</a></p>
        )}
      </State>
    );
  }
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
        <p class="actions"><button type="button" class="button" onClick={() => void catalog.loadMore({ q, shown })}>Show more</button></p>
      )}
    </>
  );
}

function Entry({ context, now }: { context: ContextSummary; now: number }) {
  const { observation, latest, storedAt, scopes } = context;
  const { provenance, sourceKind, collectedAt } = observation;
  const all = scopes.find(({ scope }) => scope === "all") ?? scopes[0];
  const route: Route = { page: "review", context: context.contextId, scope: all?.scope ?? "all", spot: null };
  const name = provenance.branch ?? (sourceKind === "patch" ? "Patch" : "Detached HEAD");
  const empty = scopes.every(({ totals }) => totals.files === 0);
  return (
    <li>
      <a class="entry" href={formatRoute(route)} data-link data-entry>
        <span class="entry-name"><Icon name="branch" /><Text text={name} />
          {latest ? <span class="tag ok">latest</span> : <span class="tag faint">earlier</span>}
          {empty && <span class="tag faint">no changes</span>}
        </span>
        <span class="entry-place">
          {provenance.worktreeName && <span><Text text={provenance.worktreeName} /></span>}
          {provenance.hostname && <span><Text text={provenance.hostname} /></span>}
          {provenance.runId && <span>run <Text text={provenance.runId} /></span>}
        </span>
        <span class="entry-size">
          {all && !empty && <>{plural(all.totals.files, "file")} <Counts {...all.totals} /></>}
        </span>
        <time class="entry-time" dateTime={new Date(storedAt).toISOString()} title={`Collected ${moment(collectedAt)}`}>
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

/** The time, renewed every half minute, so that "5 minutes ago" stays true. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
