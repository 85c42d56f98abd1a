/** The picker's list: contexts as the server filters them, grouped by repository. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { call, type Failure } from "../api/client.ts";
import type { CatalogGroups, ContextSummary } from "../api/types.gen.ts";
import type { Filters } from "./route.ts";

export interface Group {
  readonly key: string;
  readonly name: string;
  readonly contexts: readonly ContextSummary[];
}

const PAGE = 100;

export class Catalog {
  readonly contexts: Signal<readonly ContextSummary[]> = signal([]);
  readonly more: Signal<string | null> = signal(null);
  readonly loading = signal(true);
  readonly failure: Signal<Failure | null> = signal(null);
  /** The values that can be filtered by; null until known. */
  readonly choices: Signal<CatalogGroups | null> = signal(null);
  /** Whether anything at all is stored; null until that is known. */
  readonly nothingStored: Signal<boolean | null> = signal(null);
  readonly groups: ReadonlySignal<readonly Group[]> = computed(() => grouped(this.contexts.value));
  private turn = 0;

  async load(filters: Filters): Promise<void> {
    const turn = ++this.turn;
    this.loading.value = true;
    const [page, choices] = await Promise.all([
      call("listContexts", { query: { ...queryOf(filters), limit: PAGE } }),
      call("listGroups"),
    ]);
    if (turn !== this.turn) return;
    this.loading.value = false;
    this.failure.value = page.ok ? null : page.failure;
    if (choices.ok) {
      this.choices.value = choices.value;
      this.nothingStored.value = choices.value.repositories.length === 0;
    }
    if (!page.ok) return;
    this.contexts.value = page.value.contexts;
    this.more.value = page.value.nextCursor;
  }

  async loadMore(filters: Filters): Promise<void> {
    const cursor = this.more.peek();
    if (!cursor) return;
    const turn = this.turn;
    const page = await call("listContexts", { query: { ...queryOf(filters), limit: PAGE, cursor } });
    if (turn !== this.turn) return;
    if (!page.ok) return void (this.failure.value = page.failure);
    this.contexts.value = [...this.contexts.peek(), ...page.value.contexts];
    this.more.value = page.value.nextCursor;
  }
}

/** The query of the contract. "Latest" and "earlier" are observations that hold changes. */
export function queryOf({ q, shown, hosts, branches, worktrees }: Filters) {
  const state = shown === "all" ? {} : { state: shown, changed: true };
  return { q: q.trim().slice(0, 200), hostname: hosts, branch: branches, worktree: worktrees, ...state };
}

/** Groups in the order of their most recent context. */
export function grouped(contexts: readonly ContextSummary[]): Group[] {
  const groups = new Map<string, { key: string; name: string; contexts: ContextSummary[] }>();
  for (const context of contexts) {
    const { repositoryKey, provenance, sourceKind } = context.observation;
    const key = repositoryKey ?? (sourceKind === "patch" ? "patches" : `no repository ${provenance.root ?? ""}`);
    const name = sourceKind === "patch" ? "Patches" : provenance.repositoryName ?? provenance.root ?? "No repository";
    const group = groups.get(key) ?? { key, name, contexts: [] };
    group.contexts.push(context);
    groups.set(key, group);
  }
  return [...groups.values()];
}
