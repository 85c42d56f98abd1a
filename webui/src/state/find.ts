/** Find over everything that is stored of a scope, and where the reader is among the hits. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { call, type Failure, type Result } from "../api/client.ts";
import type { Hit, HitPage, Scope } from "../api/types.gen.ts";
import type { Side } from "../diff/rows.ts";
import type { Ranges } from "../diff/worddiff.ts";

export interface Asked {
  readonly text: string;
  readonly case: boolean;
  readonly word: boolean;
  readonly regex: boolean;
}

export type Found = Hit & { readonly file: number };

/** More than this nobody goes through; the page says that there are more. */
export const MOST_HITS = 5_000;
const TYPING_MS = 120;

export class Find {
  readonly asked: Signal<Asked>;
  readonly hits: Signal<readonly Hit[]> = signal([]);
  readonly running = signal(false);
  readonly more = signal(false);
  readonly failure: Signal<Failure | null> = signal(null);
  /** The hit that is shown, as a place in `found`; -1 before any is. */
  readonly at = signal(-1);
  /** Hits in the order of the files on the page; those of filtered files are left out. */
  readonly found: ReadonlySignal<readonly Found[]>;
  private readonly byLine: ReadonlySignal<ReadonlyMap<string, number[]>>;
  private turn = 0;
  private timer = 0;
  private eager = false;
  /** Whether what is in `hits` still answers the question before. */
  private waiting = false;
  private stop = new AbortController();

  /** `order` lists the ids of the files as the page shows them; `reading` is the reader's one. */
  constructor(
    private readonly search: (asked: Asked, cursor: string | null, signal: AbortSignal) => Promise<Result<HitPage>>,
    private readonly order: ReadonlySignal<readonly string[]>, private readonly reading: () => string | null,
    asked: Asked, private readonly show: (hit: Found) => void,
  ) {
    this.asked = signal(asked);
    this.found = computed(() => inOrder(this.hits.value, this.order.value));
    this.byLine = computed(() => linesOf(this.hits.value));
    if (asked.text) this.change({});
  }

  change(to: Partial<Asked>): void {
    this.asked.value = { ...this.asked.peek(), ...to };
    const turn = ++this.turn;
    this.eager = false;
    this.stop.abort();
    this.stop = new AbortController();
    clearTimeout(this.timer);
    this.failure.value = null;
    if (!this.asked.peek().text) {
      this.take([], false);
      this.running.value = false;
      return;
    }
    this.running.value = this.waiting = true;
    this.timer = setTimeout(() => void this.run(turn, this.stop.signal), "text" in to ? TYPING_MS : 0);
  }

  /** Show the hit that follows; the first time, the first one from where the reader is. */
  step(way: 1 | -1): void {
    const found = this.found.peek();
    const at = this.at.peek();
    // Asked before anything is here: the first that comes is shown.
    this.eager = this.waiting;
    if (this.waiting || !found.length) return;
    this.at.value = at < 0 ? this.nearest(found) : (at + way + found.length) % found.length;
    this.show(found[this.at.peek()]);
  }

  /** The columns of all hits in a line. */
  inLine(file: string, side: Side, line: number): Ranges {
    return this.byLine.peek().get(`${file} ${side} ${line}`) ?? [];
  }

  close(): void {
    this.turn++;
    this.stop.abort();
    clearTimeout(this.timer);
  }

  private nearest(found: readonly Found[]): number {
    const file = this.order.peek().indexOf(this.reading() ?? "");
    return Math.max(0, found.findIndex((hit) => hit.file >= file));
  }

  private take(hits: readonly Hit[], more: boolean): void {
    this.waiting = false;
    this.at.value = -1;
    this.hits.value = hits;
    this.more.value = more;
  }

  private async run(turn: number, stop: AbortSignal): Promise<void> {
    const asked = this.asked.peek();
    let hits: readonly Hit[] = [];
    let cursor: string | null = null;
    try {
      do {
        const page: Result<HitPage> = await this.search(asked, cursor, stop);
        if (turn !== this.turn) return;
        if (!page.ok) {
          this.failure.value = page.failure;
          this.take([], false);
          break;
        }
        cursor = page.value.nextCursor;
        if (!hits.length) this.take(page.value.hits, cursor !== null);
        hits = [...hits, ...page.value.hits];
        this.hits.value = hits;
        this.more.value = cursor !== null;
        if (this.eager && hits.length) this.step(1);
      } while (cursor !== null && hits.length < MOST_HITS);
    } catch (error) {
      if (!stop.aborted) throw error;
      return;
    }
    this.running.value = false;
  }
}

/** Find in all that is stored of a context's scope. */
export function searchStored(
  { contextId, scope }: { readonly contextId: string; readonly scope: Scope }, { text, ...how }: Asked, cursor: string | null, signal: AbortSignal,
): Promise<Result<HitPage>> {
  const query = { scope, q: text, ...how, limit: 1_000, ...(cursor ? { cursor } : {}) };
  return call("searchContext", { path: { contextId }, query, signal });
}

function inOrder(hits: readonly Hit[], order: readonly string[]): Found[] {
  const places = new Map(order.map((id, at) => [id, at]));
  const found: Found[] = [];
  for (const hit of hits) {
    const file = places.get(hit.fileId);
    if (file !== undefined) found.push({ ...hit, file });
  }
  // Hits of one file come in reading order, and sorting keeps that.
  return found.sort((a, b) => a.file - b.file);
}

function linesOf(hits: readonly Hit[]): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  for (const { fileId, side, line, start, end } of hits) {
    if (line === null) continue;
    const key = `${fileId} ${side} ${line}`;
    const ranges = lines.get(key);
    if (ranges) ranges.push(start, end);
    else lines.set(key, [start, end]);
  }
  return lines;
}
