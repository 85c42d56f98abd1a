/** The iterations of a stream (9), and how people call them. No DOM. */
import { type Signal, signal } from "@preact/signals";
import { call, type Failure } from "../api/client.ts";
import type { Iterations, Scope, Session } from "../api/types.gen.ts";
import type { Route, Spot } from "./route.ts";

export type Iteration = Iterations["iterations"][number];
type Verdict = Iteration["verdicts"][number]["verdict"];

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  "approve": "approved", "request-changes": "changes requested", "comment": "commented",
};

export class Stream {
  readonly list: Signal<Iterations | null> = signal(null);
  readonly failure: Signal<Failure | null> = signal(null);
  private asked = 0;

  constructor(readonly contextId: string) {}

  async load(): Promise<void> {
    const turn = ++this.asked;
    const result = await call("listIterations", { path: { contextId: this.contextId } });
    if (turn !== this.asked) return;
    this.failure.value = result.ok ? null : result.failure;
    if (result.ok) this.list.value = result.value;
  }

  find(contextId: string | undefined): Iteration | undefined {
    return this.list.value?.iterations.find((one) => one.contextId === contextId);
  }

  /** What to compare with unless asked otherwise: where the last review ended, else the one before. */
  get before(): Iteration | undefined {
    const list = this.list.value;
    const since = this.find(list?.default?.from);
    const here = this.find(this.contextId);
    if (since && here && since.number < here.number) return since;
    return list?.iterations.find(({ number }) => number === (here?.number ?? 0) - 1);
  }
}

const streams = new Map<string, Stream>();

export function streamOf(contextId: string): Stream {
  const stream = streams.get(contextId) ?? new Stream(contextId);
  streams.set(contextId, stream);
  return stream;
}

/** "iteration 3", or what else can be said of one that is not of this stream. */
export function nameOf(one: Iteration | undefined): string {
  return one ? `iteration ${one.number}` : "another observation";
}

export function sessionWords({ harness, sessionId, name }: Session): string {
  return `${harness} · ${name ?? sessionId}`;
}

export function comparisonRoute(from: string, contextId: string, scope: Scope, spot: Spot | null = null): Route {
  return { page: "review", context: contextId, scope, spot, from };
}
