/** What stands in for content: loading, empty, failed, gone. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api/client.ts";

/** Says that something loads, but only when it takes long enough to wonder. */
export function Loading({ what }: { what: string }) {
  const [waited, setWaited] = useState(0);
  useEffect(() => {
    const timers = [300, 5_000].map((ms, at) => setTimeout(() => setWaited(at + 1), ms));
    return () => timers.forEach(clearTimeout);
  }, []);
  return (
    <div class="state" role="status" aria-busy="true">
      {waited > 0 && <p class="quiet-text">Loading {what}…</p>}
      {waited > 1 && <p class="quiet-text">This takes longer than usual; the server has not answered yet.</p>}
    </div>
  );
}

export function State({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="state"><h1>{title}</h1>{children}</div>;
}

const TITLES: Partial<Record<Failure["code"], string>> = {
  offline: "The server does not answer",
  not_found: "There is no such review",
  deleted: "This review was deleted",
  expired: "This review has expired",
  unauthorized: "This server wants to know who you are",
};

const HINTS: Partial<Record<Failure["code"], string>> = {
  offline: "If diffx was stopped, start it again; what was stored is still there. This page goes on by itself as soon as the server answers.",
  not_found: "The link may belong to another server, or to a database that was kept in memory only.",
  deleted: "A deleted review does not come back. Collect the checkout again to review it anew.",
  expired: "Reviews are kept for a number of days after they were last collected. Collect the checkout again.",
};

/** Whether asking again would give the same answer. */
export function lasts({ code }: Failure): boolean {
  return code === "deleted" || code === "expired" || code === "not_found";
}

/** A failed request: what failed, what to do, and where something else than silence came back, the detail to report. */
export function Failed({ failure, retry }: { failure: Failure; retry?: () => void }) {
  const { code, detail, request, status } = failure;
  return (
    <State title={TITLES[code] ?? "That did not work"}>
      <p>{HINTS[code] ?? detail}</p>
      <p class="actions">
        {retry && !lasts(failure) && <button type="button" class="primary" onClick={retry}>Try again</button>}
        <a class="button" href="/" data-link>All reviews</a>
      </p>
      {status > 0 && <p class="detail"><code>{request}</code> answered {status} ({code}): {detail}</p>}
    </State>
  );
}
