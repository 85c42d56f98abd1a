/** The room in which two iterations are compared: what stands above the lines, and in their place where there are none. */
import "./shared.ts";
import { Comparison } from "../state/comparison.ts";
import { comparisonWords, upstreamWords } from "../state/compared.ts";
import type { Colours, Reading } from "../state/reading.ts";
import type { Review } from "../state/review.ts";
import { formatRoute } from "../state/route.ts";
import { nameOf, streamOf } from "../state/stream.ts";
import css from "../styles/iterations.css?sheet";
import { iterationsOpen } from "./iterating.tsx";
import { wear } from "./Later.tsx";
import { Icon } from "./parts.tsx";
import { State } from "./States.tsx";

export { Iterations } from "./Iterations.tsx";

wear(css);

const known = new WeakMap<Review, Map<string, Comparison>>();

/** The comparison of a review with an earlier iteration; the same one whenever it is asked for. */
export function comparisonOf(review: Review, from: string, colours: Colours): Comparison {
  const mine = known.get(review) ?? new Map<string, Comparison>();
  known.set(review, mine);
  let comparison = mine.get(from);
  if (!comparison) {
    mine.set(from, (comparison = new Comparison(review, from, colours)));
    void comparison.load();
  }
  return comparison;
}

export function Strip({ comparison }: { comparison: Comparison }) {
  const { contextId, scope, from } = comparison;
  const stream = streamOf(contextId);
  const [older, newer] = [stream.find(from), stream.find(contextId)];
  const result = comparison.result.value;
  const theirs = result && upstreamWords(result);
  return (
    <section class="strip" aria-label="Comparison">
      <button type="button" title="Choose two iterations (g)" onClick={() => { iterationsOpen.value = true; }}>
        <span class="sr-only">Comparing </span><b>{capital(nameOf(older))}</b> → <b>{newer?.number ?? "this one"}</b>{newer?.latest && <span class="tag ok">latest</span>}<span aria-hidden="true">▾</span>
      </button>
      {result && <span role="status">{comparisonWords(result)}</span>}
      <span class="grow" />
      {theirs && (
        <button type="button" class={comparison.upstream.value ? "chosen" : ""} aria-pressed={comparison.upstream.value} title="What only the base changed (G)"
          onClick={() => toggleUpstream(comparison)}>Upstream changes: {theirs} <span class="note">{comparison.upstream.value ? "shown" : "hidden"}</span></button>
      )}
      <a class="button" href={formatRoute({ page: "review", context: contextId, scope, spot: null })} data-link><Icon name="close" />Whole review</a>
    </section>
  );
}

/** Show or hide what only the base changed; tells what to say. */
export function upstreamOf(reading: Reading): string {
  return reading instanceof Comparison ? toggleUpstream(reading) : "No two iterations are compared here (g does)";
}

function toggleUpstream(comparison: Comparison): string {
  const result = comparison.result.peek();
  const theirs = result && upstreamWords(result);
  if (!theirs) return "Nothing here was changed by upstream alone";
  const shown = (comparison.upstream.value = !comparison.upstream.peek());
  return `Upstream changes ${shown ? "shown" : "hidden"}: ${theirs}`;
}

/** In place of the lines, where there are none to show. */
export function NothingCompared({ comparison }: { comparison: Comparison }) {
  const { contextId, scope } = comparison;
  const result = comparison.result.value;
  if (!result) return null;
  const { unchanged = 0 } = result.counts;
  return (
    <State title={comparisonWords(result)}>
      {result.pureRebase ? <p>The base moved, and every change is the same as before on top of it.</p>
        : unchanged > 0 && <p>{unchanged === 1 ? "The one changed file is the very same in both." : `All ${unchanged} changed files are the very same in both.`}</p>}
      <p class="actions">
        {upstreamWords(result) && <button type="button" class="button" onClick={() => toggleUpstream(comparison)}>Show what upstream changed ({upstreamWords(result)})</button>}
        <a class="button" href={formatRoute({ page: "review", context: contextId, scope, spot: null })} data-link>Whole review</a>
      </p>
    </State>
  );
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
