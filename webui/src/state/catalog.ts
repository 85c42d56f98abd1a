/** The picker's list: contexts as the server filters them, grouped by repository. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { call, type Failure } from "../api/client.ts";
import type { ContextSummary } from "../api/types.gen.ts";
import type { Shown } from "./route.ts";

export interface Group {
  readonly key: string;
  readonly name: string;
  readonly contexts: readonly ContextSummary[];
}

export interface Asked {
  readonly q: string;
  readonly shown: Shown;
}

const PAGE = 100;

export class Catalog {
  readonly contexts: Signal<readonly ContextSummary[]> = signal([]);
  readonly more: Signal<string | null> = signal(null);
  readonly loading = signal(true);
  readonly failure: Signal<Failure | null> = signal(null);
  /** Whether anything at all is stored; null until that is known. */
  readonly nothingStored: Signal<boolean | null> = signal(null);
  readonly groups: ReadonlySignal<readonly Group[]> = computed(() => grouped(this.contexts.value));
  private turn = 0;

  async load(asked: Asked): Promise<void> {
    const turn = ++this.turn;
    this.loading.value = true;
    const result = await call("listContexts", { query: queryOf(asked) });
    if (turn !== this.turn) return;
    this.loading.value = false;
    this.failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    this.contexts.value = result.value.contexts;
    this.more.value = result.value.nextCursor;
    if (result.value.contexts.length) this.nothingStored.value = false;
    else await this.lookForAny(asked);
  }

  async loadMore(asked: Asked): Promise<void> {
    const cursor = this.more.peek();
    if (!cursor) return;
    const turn = this.turn;
    const result = await call("listContexts", { query: { ...queryOf(asked), cursor } });
    if (turn !== this.turn) return;
    if (!result.ok) return void (this.failure.value = result.failure);
    this.contexts.value = [...this.contexts.peek(), ...result.value.contexts];
    this.more.value = result.value.nextCursor;
  }

  private async lookForAny({ q, shown }: Asked): Promise<void> {
    if (!q && shown === "all") return void (this.nothingStored.value = true);
    const any = await call("listContexts", { query: { limit: 1 } });
    if (any.ok) this.nothingStored.value = any.value.contexts.length === 0;
  }
}

function queryOf({ q, shown }: Asked): { q: string; limit: number; state?: "latest" | "stale" } {
  return { q: q.trim().slice(0, 200), limit: PAGE, ...(shown === "all" ? {} : { state: shown }) };
}

/** Groups in the order of their most recent context. */
export function grouped(contexts: readonly ContextSummary[]): Group[] {
  const groups = new Map<string, { key: string; name: string; contexts: ContextSummary[] }>();
  for (const context of contexts) {
    const { repositoryKey, provenance, sourceKind } = context.observation;
    const key = repositoryKey ?? (sourceKind === "patch" ? "patches" : `no repository ${provenance.root ?? ""}`);
    const name = provenance.repositoryName ?? (sourceKind === "patch" ? "Patches" : provenance.root ?? "No repository");
    const group = groups.get(key) ?? { key, name, contexts: [] };
    group.contexts.push(context);
    groups.set(key, group);
  }
  return [...groups.values()];
}
