/** Which files this reader has reviewed, as they were seen. No DOM. */
import { type ReadonlySignal, type Signal, computed, signal } from "@preact/signals";
import { call, type Failure } from "../api/client.ts";
import type { ChangedFile, Marks as Stored, Scope } from "../api/types.gen.ts";
import type { Folder, Leaf } from "./tree.ts";

/** How a file stands: `carried` was reviewed as the very same change elsewhere; `changed` was reviewed as something else. */
export type Mark = "none" | "reviewed" | "carried" | "changed";

export type Tick = "none" | "some" | "all";

type Seen = Stored["marks"][number];
type Changed = Stored["changedSince"][number];

/** As many as a browser asks of one server at once, less one for what else is wanted. */
const AT_ONCE = 5;

const NO_STATE = "it was still changing when it was collected, so there is no fixed state to mark";

export class Marks {
  private readonly seen: Signal<ReadonlyMap<string, Seen>> = signal(new Map());
  private readonly changed: Signal<ReadonlyMap<string, Changed>> = signal(new Map());
  private last: { readonly files: readonly ChangedFile[]; readonly reviewed: boolean } | null = null;
  private writing = 0;

  constructor(private readonly contextId: string, private readonly scope: Scope) {}

  /** Believe what the server says, unless something is being written that it cannot know yet. */
  take({ marks, changedSince }: Stored): void {
    if (this.writing) return;
    this.seen.value = new Map(marks.map((mark) => [mark.fileId, mark]));
    this.changed.value = new Map(changedSince.map((one) => [one.fileId, one]));
  }

  of(file: ChangedFile): Mark {
    const [mark, changed] = [this.seen.value.get(file.id), this.changed.value];
    if (mark && mark.fingerprint === file.fingerprint) return mark.carried ? "carried" : "reviewed";
    return changed.has(file.id) ? "changed" : "none";
  }

  isReviewed(file: ChangedFile): boolean {
    const mark = this.of(file);
    return mark === "reviewed" || mark === "carried";
  }

  /** The context in which a file that changed since was reviewed. */
  reviewedIn(file: ChangedFile): string | null {
    return this.changed.value.get(file.id)?.contextId ?? null;
  }

  tickOf(node: Folder | Leaf): Tick {
    const counts = this.count(node);
    return counts.done === 0 ? "none" : counts.done === counts.all ? "all" : "some";
  }

  private count(node: Folder | Leaf): { done: number; all: number } {
    if (node.kind === "file") return { done: this.isReviewed(node.file) ? 1 : 0, all: 1 };
    return node.children.map((child) => this.count(child))
      .reduce((sum, one) => ({ done: sum.done + one.done, all: sum.all + one.all }), { done: 0, all: 0 });
  }

  /**
   * Mark files, or take their marks back. What happened shows at once and is undone where the
   * server refuses (8.3). Answers what to say of failures, or null.
   */
  async set(files: readonly ChangedFile[], reviewed: boolean): Promise<string | null> {
    const wanted = files.filter((file) => this.isReviewed(file) !== reviewed);
    const able = wanted.filter((file) => file.fingerprint || !reviewed);
    const problems = wanted.length > able.length ? [`Not marked: ${NO_STATE}.`] : [];
    this.last = { files: able, reviewed: !reviewed };
    const before = [this.seen.peek(), this.changed.peek()] as const;
    this.show(able, reviewed);
    this.writing++;
    const queue = [...able];
    const work = async (): Promise<void> => {
      for (let file = queue.shift(); file; file = queue.shift()) {
        const failure = await this.send(file, reviewed);
        if (!failure) continue;
        problems.push(refusalWords(file, reviewed, failure));
        this.restore(file, ...before);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.writing--;
    return problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : problems[0] ?? null;
  }

  /** Undo the last change of marks; tells which files it was about. */
  async undo(): Promise<{ files: readonly ChangedFile[]; reviewed: boolean; problem: string | null } | null> {
    const { last } = this;
    if (!last?.files.length) return null;
    const problem = await this.set(last.files, last.reviewed);
    return { ...last, problem };
  }

  private async send(file: ChangedFile, reviewed: boolean): Promise<Failure | null> {
    const path = { contextId: this.contextId, fileId: file.id };
    const query = { scope: this.scope };
    const result = reviewed
      ? await call("putMark", { path, query, body: { fingerprint: file.fingerprint ?? "" } })
      : await call("deleteMark", { path, query });
    return result.ok ? null : result.failure;
  }

  private show(files: readonly ChangedFile[], reviewed: boolean): void {
    const seen = new Map(this.seen.peek());
    for (const { id, fingerprint } of files) {
      if (reviewed) seen.set(id, { fileId: id, fingerprint: fingerprint ?? "", markedAt: Date.now(), carried: false });
      else seen.delete(id);
    }
    this.seen.value = seen;
  }

  private restore({ id }: ChangedFile, before: ReadonlyMap<string, Seen>, changed: ReadonlyMap<string, Changed>): void {
    const seen = new Map(this.seen.peek());
    const mark = before.get(id);
    if (mark) seen.set(id, mark);
    else seen.delete(id);
    this.seen.value = seen;
    this.changed.value = changed;
  }
}

function refusalWords({ path }: ChangedFile, reviewed: boolean, { detail }: Failure): string {
  return `${path} was not ${reviewed ? "marked" : "unmarked"}: ${detail}`;
}

export interface Progress {
  readonly done: number;
  readonly all: number;
}

/** How far the review is. Noise does not count, unless there is nothing else. */
export function progressOf(files: () => readonly ChangedFile[], marks: Marks): ReadonlySignal<Progress> {
  return computed(() => {
    const real = files().filter((file) => !file.noise);
    const counted = real.length ? real : files();
    return { done: counted.filter((file) => marks.isReviewed(file)).length, all: counted.length };
  });
}
