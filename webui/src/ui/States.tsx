/** What stands in for content: loading, empty, failed, gone. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api/client.ts";
import { later } from "./Later.tsx";

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

/** Whether asking again would give the same answer. */
export function lasts({ code }: Failure): boolean {
  return code === "deleted" || code === "expired" || code === "not_found";
}

/** What a server said that refused is told by a part that it serves; only its silence is told here. */
const Refused = later(async () => (await import("./dialogs.ts")).Refused);

export interface FailedProps {
  readonly failure: Failure;
  readonly retry: () => void;
}

/** A failed request: what failed, and what to do. */
export function Failed({ failure, retry }: FailedProps) {
  if (failure.code !== "offline") return <Refused failure={failure} retry={retry} />;
  return (
    <State title="The server does not answer">
      <p>If diffx was stopped, start it again; what was stored is still there. This page goes on by itself as soon as the server answers.</p>
      <p class="actions">
        <button type="button" class="primary" onClick={retry}>Try again</button>
        <a class="button" href="/" data-link>All reviews</a>
      </p>
    </State>
  );
}
