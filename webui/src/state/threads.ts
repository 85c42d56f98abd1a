/** What was said about a review, and where it stands. No DOM. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { call, type Failure, type Result } from "../api/client.ts";
import type { ChangedFile, Scope, Thread } from "../api/types.gen.ts";
import type { Note } from "../diff/notes.ts";
import { Asking } from "./asking.ts";

export const THREAD = "thread.";
const GUESSES = { thread: 110, reply: 60, resolved: 38 };

export class Threads {
  readonly list: Signal<readonly Thread[]> = signal([]);
  /** Whether threads between the lines are hidden; what is being written never is. */
  readonly hidden = signal(false);
  /** Resolved threads that are shown in full. */
  readonly opened: Signal<ReadonlySet<string>> = signal(new Set());
  /** The thread that the reader went to. */
  readonly wanted: Signal<string | null> = signal(null);
  readonly openCounts: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => countOpen(this.list.value));
  private readonly asking = new Asking(
    () => call("listComments", { path: { contextId: this.contextId }, query: { scope: this.scope, includePorted: true } }),
    ({ threads }) => { this.list.value = threads; },
  );

  constructor(readonly contextId: string, readonly scope: Scope) {}

  reload(): Promise<void> {
    return this.asking.again();
  }

  toggleOpened(id: string): void {
    const opened = new Set(this.opened.peek());
    if (!opened.delete(id)) opened.add(id);
    this.opened.value = opened;
  }

  /** Write something; what the server made of it is shown when it answers. */
  async writing(request: Promise<Result<Thread>>): Promise<Result<Thread>> {
    const result = await this.asking.writing(request);
    if (result.ok) this.put(result.value);
    return result;
  }

  /** Delete a thread; one that is gone already is as good. */
  async deleting(id: string, request: Promise<Result<unknown>>): Promise<Failure | null> {
    const result = await this.asking.writing(request);
    if (!result.ok && result.failure.status !== 404) return result.failure;
    this.list.value = this.list.peek().filter((one) => one.id !== id);
    return null;
  }

  private put(thread: Thread): void {
    const list = this.list.peek();
    const known = list.some(({ id }) => id === thread.id);
    this.list.value = known ? list.map((one) => (one.id === thread.id ? thread : one)) : [...list, thread];
  }
}

/** Threads in the order of the files, the whole review's first, then by line and age. */
export function inOrder(threads: readonly Thread[], files: readonly ChangedFile[]): Thread[] {
  const places = new Map(files.map(({ id }, at) => [id, at]));
  const placeOf = ({ place }: Thread): number => (place.fileId === null ? -1 : places.get(place.fileId) ?? files.length);
  const lineOf = ({ place }: Thread): number => place.lines?.endLine ?? 0;
  return [...threads].sort((a, b) => placeOf(a) - placeOf(b) || lineOf(a) - lineOf(b) || a.createdAt - b.createdAt);
}

/** The threads between the lines, by file, unless they are hidden. */
export function threadNotes({ list, hidden, opened }: Threads): Map<string, Note[]> {
  const notes = new Map<string, Note[]>();
  for (const thread of hidden.value ? [] : list.value) {
    const { fileId, lines } = thread.place;
    if (fileId === null) continue;
    const small = thread.status === "resolved" && !opened.value.has(thread.id);
    const guess = small ? GUESSES.resolved : GUESSES.thread + GUESSES.reply * thread.replies.length;
    const note = { key: THREAD + thread.id, side: lines?.side ?? "new", line: lines?.endLine ?? 0, guess } as const;
    notes.set(fileId, [...(notes.get(fileId) ?? []), note]);
  }
  return notes;
}

export function sameNotes(a: readonly Note[] = [], b: readonly Note[] = []): boolean {
  return a.length === b.length && a.every(({ key, line, side }, at) => key === b[at].key && line === b[at].line && side === b[at].side);
}

function countOpen(threads: readonly Thread[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, place } of threads) {
    const file = place.fileId ?? "";
    if (status === "open") counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}
