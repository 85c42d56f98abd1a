/** The way to the iterations: a button that says which one this is. */
import "./shared.ts";
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { onHint } from "../live.ts";
import type { Reading } from "../state/reading.ts";
import { formatRoute } from "../state/route.ts";
import { comparisonRoute, nameOf, streamOf } from "../state/stream.ts";

export const iterationsOpen: Signal<boolean> = signal(false);

export function IterationsTool({ review: { contextId, scope, from } }: { review: Reading }) {
  const stream = streamOf(contextId);
  useEffect(() => {
    void stream.load();
    return onHint(() => void stream.load());
  }, [contextId]);
  const all = stream.list.value?.iterations ?? [];
  const here = stream.find(contextId);
  if (all.length < 2 || !here) return null;
  const since = stream.list.value?.default;
  return (
    <>
    {since?.to === contextId && since.from !== from && (
      <a class="button since-tool" href={formatRoute(comparisonRoute(since.from, contextId, scope))} data-link
        title={`What changed since you finished ${nameOf(stream.find(since.from))}`}>Since your last review</a>
    )}
    <button type="button" class="quiet tool" title={`Iteration ${here.number} of ${all.length} (g)`} onClick={() => { iterationsOpen.value = true; }}>
      <svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M8 2.5L14 5.5 8 8.5 2 5.5zM2 8.5l6 3 6-3M2 11l6 3 6-3" /></svg>
      <span class="sr-only">Iteration </span>{here.number}<span class="sr-only"> of </span><span class="note tool-word"><span aria-hidden="true">/ </span>{all.length}</span>
    </button>
    </>
  );
}
