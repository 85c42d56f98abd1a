/** All iterations of the review: open any, or compare any two. */
import "./shared.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Scope } from "../api/types.gen.ts";
import { formatRoute, navigate } from "../state/route.ts";
import { comparisonRoute, type Iteration, nameOf, sessionWords, type Stream, streamOf, VERDICT_WORDS } from "../state/stream.ts";
import dialogs from "../styles/dialogs.css?sheet";
import css from "../styles/iterations.css?sheet";
import { moment, plural, relative } from "../text/format.ts";
import { useNow } from "./clock.ts";
import { wear } from "./Later.tsx";
import { Counts, Icon, Text } from "./parts.tsx";

wear(dialogs);
wear(css);

export interface IterationsProps {
  readonly contextId: string;
  readonly scope: Scope;
  /** What is compared with now, if anything is. */
  readonly from: string | undefined;
  readonly close: () => void;
}

export function Iterations({ contextId, scope, from, close }: IterationsProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const stream = streamOf(contextId);
  const [chosen, setOlder] = useState(from);
  const older = chosen ?? stream.before?.contextId;
  const [newer, setNewer] = useState(contextId);
  useEffect(() => {
    dialog.current?.showModal();
    void stream.load();
  }, []);
  const listed = stream.list.value !== null;
  useEffect(() => dialog.current?.querySelector<HTMLElement>(".since, [name=From]:checked")?.focus(), [listed]);
  const all = [...(stream.list.value?.iterations ?? [])].reverse();
  const compare = (event: Event): void => {
    event.preventDefault();
    if (!older || older === newer) return;
    close();
    navigate(comparisonRoute(older, newer, scope));
  };
  return (
    <dialog ref={dialog} class="help iterations" aria-labelledby="iterations-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current || (event.target as Element).closest("a[data-link]")) close(); }}>
      <form onSubmit={compare}>
        <header><h2 id="iterations-title">Iterations</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button></header>
        <Since stream={stream} scope={scope} />
        {stream.failure.value && <p class="failed" role="alert">The iterations could not be loaded: {stream.failure.value.detail} <button type="button" onClick={() => void stream.load()}>Try again</button></p>}
        <div class="iteration-grid">
          <Ends name="From" all={all} here={contextId} chosen={older} choose={setOlder} />
          <Ends name="To" all={all} here={contextId} chosen={newer} choose={setNewer} />
          <ul>
            <li class="iteration-head" aria-hidden="true">Iteration</li>
            {all.map((one) => <Entry key={one.contextId} one={one} scope={scope} here={one.contextId === contextId} />)}
          </ul>
        </div>
        <p class="finish-bar">
          <span class="quiet-text">{older === newer ? "Choose two different iterations" : older ? `From ${nameOf(stream.find(older))} to ${nameOf(stream.find(newer))}` : ""}</span>
          <button type="submit" class="primary" disabled={!older || older === newer}>Compare</button>
        </p>
      </form>
    </dialog>
  );
}

/** What most readers come for: what happened since they last finished. */
function Since({ stream, scope }: { stream: Stream; scope: Scope }) {
  const now = useNow();
  const chosen = stream.list.value?.default;
  const [from, to] = [stream.find(chosen?.from), stream.find(chosen?.to)];
  const last = from?.verdicts.at(-1);
  if (!from || !to || !last) return null;
  return (
    <a class="since" href={formatRoute(comparisonRoute(from.contextId, to.contextId, scope))} data-link>
      <b>Since your last review</b>
      <span class="quiet-text">{nameOf(from)} → {to.number}. You finished {relative(last.finishedAt, now)}: {VERDICT_WORDS[last.verdict]}.</span>
    </a>
  );
}

/** One end of the comparison: a column of choices. */
function Ends({ name, all, here, chosen, choose }: {
  name: string; all: readonly Iteration[]; here: string; chosen: string | undefined; choose: (contextId: string) => void;
}) {
  return (
    <fieldset class={`end ${name.toLowerCase()}`}>
      <legend class="sr-only">{name}</legend>
      <span class="iteration-head" aria-hidden="true">{name}</span>
      {all.map(({ contextId, number }) => (
        <label class={contextId === here ? "pick here" : "pick"} key={contextId}>
          <input type="radio" name={name} value={contextId} checked={contextId === chosen} onChange={() => choose(contextId)} aria-label={`${name} iteration ${number}`} />
        </label>
      ))}
    </fieldset>
  );
}

function Entry({ one, scope, here }: { one: Iteration; scope: Scope; here: boolean }) {
  const now = useNow();
  const { number, contextId, collectedAt, head, latest, sessions, verdicts } = one;
  const totals = one.scopes.find((each) => each.scope === scope)?.totals;
  return (
    <li class={here ? "iteration here" : "iteration"} aria-current={here ? "true" : undefined}>
      <p class="iteration-line"><b>Iteration {number}</b>
        <time class="quiet-text" dateTime={new Date(collectedAt).toISOString()} title={`Collected ${moment(collectedAt)}`}>{relative(collectedAt, now)}</time>
        {head && <code class="quiet-text">{head.slice(0, 10)}</code>}
        {latest && <span class="tag ok">latest</span>}{here && <span class="tag">shown here</span>}
        <span class="grow" />
        {totals && <span>{plural(totals.files, "file")} <Counts {...totals} /></span>}
        <a class="button" href={formatRoute({ page: "review", context: contextId, scope, spot: null })} data-link>Open<span class="sr-only"> iteration {number}</span></a>
      </p>
      {sessions.length > 0 && <p class="iteration-line quiet-text"><span>Observed by <Text text={sessions.map(sessionWords).join(", ")} /></span></p>}
      {verdicts.map(({ verdict, summary, finishedAt }) => (
        <p class="iteration-line" key={finishedAt}><span class={verdict === "approve" ? "tag ok" : "tag"}>{VERDICT_WORDS[verdict]}</span>
          <time class="quiet-text" dateTime={new Date(finishedAt).toISOString()} title={moment(finishedAt)}>{relative(finishedAt, now)}</time>
          {summary && <span class="snippet"><Text text={summary.slice(0, 300)} /></span>}</p>
      ))}
    </li>
  );
}
