/** What stands around a review: the banners above it, and the footer. */
import "./shared.ts";
import { useEffect, useState } from "preact/hooks";
import type { Scope } from "../api/types.gen.ts";
import { connection } from "../live.ts";
import { baselineWords } from "../state/baseline.ts";
import type { Reading } from "../state/reading.ts";
import type { Review } from "../state/review.ts";
import { navigate } from "../state/route.ts";
import banner from "../styles/banner.css?sheet";
import css from "../styles/frame.css?sheet";
import { relative } from "../text/format.ts";
import { wear } from "./Later.tsx";

wear(css);
wear(banner);

const SCOPE_WORDS: Readonly<Record<Scope, string>> = { all: "All changes", staged: "Staged changes", unstaged: "Unstaged changes" };

interface BannersProps {
  readonly review: Review;
  /** What was asked for; it is another one than `review` until it is here. */
  readonly wanted: Review;
  /** What is read: the review, or a comparison of it. */
  readonly shown: Reading;
  /** Whether another comparison, or the review itself, is on its way. */
  readonly waits: boolean;
}

export function Banners({ review, wanted, shown, waits }: BannersProps) {
  const newer = review.newer.value;
  const limited = review.manifest.value?.renamesLimited;
  return (
    <>
      <Trouble review={review} wanted={wanted} shown={shown} waits={waits} />
      {newer && (
        <p class="banner" role="status">A newer observation came {relative(newer.storedAt, Date.now())}.
          <button type="button" class="button" onClick={() => navigate({ page: "review", context: newer.contextId, scope: review.scope, spot: null })}>Open it</button>
          <button type="button" class="button" onClick={() => navigate({ page: "review", context: newer.contextId, scope: review.scope, spot: null, from: review.contextId })}>Compare</button>
          <button type="button" class="quiet" onClick={() => { review.newer.value = null; }}>Not now</button>
        </p>
      )}
      {limited && <p class="banner">There were too many candidates to find every rename; some may appear as a deletion and an addition.</p>}
    </>
  );
}

/** What could not be had, in one line, and how to have it. A lost server is not said twice. */
function Trouble({ review, wanted, shown, waits }: BannersProps) {
  const status = wanted.status.value;
  const other = wanted === review ? null : SCOPE_WORDS[wanted.scope];
  const failure = shown.patchFailure.value;
  const retry = <button type="button" class="button" onClick={() => { void wanted.retry(); shown.retryPatches(); }}>Try again</button>;
  const lost = connection.value === "lost" || [failure, status.kind === "failed" && status.failure].some((one) => one && one.code === "offline");
  if (lost) {
    return (
      <p class="banner warn" role="status">The server does not answer. {other && `${other} cannot be shown now. `}{failure && "Some lines could not be loaded. "}What is here stays readable; diffx reconnects by itself.
        {(other || failure) && retry}
      </p>
    );
  }
  if (review.unknown.value) return <p class="banner warn" role="status">The server that answers here now does not have this review: its database is another one. What is here stays readable; nothing new can be kept.</p>;
  if (other && status.kind === "failed") return <p class="banner bad" role="alert">{other} could not be loaded: {status.failure.detail} {retry}</p>;
  if (other || waits) return <Slow what={other ?? "The changes between the two"} />;
  return failure && <p class="banner bad" role="alert">Some lines could not be loaded: {failure.detail} <code>{failure.request}</code> {retry}</p>;
}

/** Nothing at first: most answers are here before anybody wonders. */
function Slow({ what }: { what: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return late ? <p class="banner" role="status">{what} are on their way…</p> : null;
}

const CONNECTED = { live: "live", connecting: "connecting", lost: "not connected" } as const;

export function Footer({ review }: { review: Review }) {
  const context = review.context.value;
  return (
    <>
      {context && <span class="footer-base">{baselineWords(review.scope, context.observation)}</span>}
      <span class="grow" />
      {context && <span class="kept">Kept until {new Date(context.expiresAt).toLocaleDateString()}</span>}
      <span class={`live is-${connection.value}`}>{CONNECTED[connection.value]}</span>
    </>
  );
}
