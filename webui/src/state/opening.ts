/** Follow the collection that this server was started for, until its review is there. */
import { type Signal, signal } from "@preact/signals";
import { call } from "../api/client.ts";

export type Progress =
  | { readonly kind: "collecting"; readonly message: string }
  | { readonly kind: "ready"; readonly contextId: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "gone" };

const ASK_AGAIN_MS = 250;
/** A server that does not answer is asked less often; it may come back at the same address. */
const GONE_MS = 2_000;

export class OpeningWatch {
  readonly progress: Signal<Progress> = signal({ kind: "collecting", message: "" });
  private timer = 0;
  private stopped = false;

  start(): void {
    void this.ask();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async ask(): Promise<void> {
    const answer = await call("getOpening");
    if (this.stopped) return;
    const now: Progress = answer.ok ? progressOf(answer.value) : { kind: "gone" };
    this.progress.value = now;
    // After a failure the server ends: what it said is kept, and nobody is asked again.
    if (now.kind === "ready" || now.kind === "failed") return;
    this.timer = setTimeout(() => void this.ask(), now.kind === "gone" ? GONE_MS : ASK_AGAIN_MS);
  }
}

function progressOf({ state, message, contextId }: { state: string; message: string; contextId: string | null }): Progress {
  if (contextId !== null) return { kind: "ready", contextId };
  return state === "failed" ? { kind: "failed", message } : { kind: "collecting", message };
}
