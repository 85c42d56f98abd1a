/** What stands around a review: the banners above it, and the footer. */
import "./shared.ts";
import { connection } from "../live.ts";
import { baselineWords } from "../state/baseline.ts";
import type { Review } from "../state/review.ts";
import { navigate } from "../state/route.ts";
import css from "../styles/frame.css?sheet";
import { relative } from "../text/format.ts";
import { wear } from "./Later.tsx";

wear(css);

export function Banners({ review }: { review: Review }) {
  const newer = review.newer.value;
  const failure = review.patchFailure.value;
  const limited = review.manifest.value?.renamesLimited;
  return (
    <>
      {connection.value === "lost" && <p class="banner warn" role="status">The server does not answer. What is here stays readable; diffx reconnects by itself.</p>}
      {newer && (
        <p class="banner" role="status">A newer observation came {relative(newer.storedAt, Date.now())}.
          <button type="button" class="button" onClick={() => navigate({ page: "review", context: newer.contextId, scope: review.scope, spot: null })}>Open it</button>
          <button type="button" class="quiet" onClick={() => { review.newer.value = null; }}>Not now</button>
        </p>
      )}
      {failure && (
        <p class="banner bad" role="alert">Some lines could not be loaded: {failure.detail} <code>{failure.request}</code>
          <button type="button" class="button" onClick={() => review.retryPatches()}>Try again</button>
        </p>
      )}
      {limited && <p class="banner">There were too many candidates to find every rename; some may appear as a deletion and an addition.</p>}
    </>
  );
}

const CONNECTED = { live: "live", connecting: "connecting", lost: "not connected" } as const;

export function Footer({ review }: { review: Review }) {
  const context = review.context.value;
  return (
    <>
      {context && <span class="footer-base">{baselineWords(review.scope, context.observation)}</span>}
      <span class="grow" />
      {context && <span>Kept until {new Date(context.expiresAt).toLocaleDateString()}</span>}
      <span class={`live is-${connection.value}`}>{CONNECTED[connection.value]}</span>
    </>
  );
}
