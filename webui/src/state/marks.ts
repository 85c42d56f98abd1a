/** Which files and hunks this reader has reviewed, as they were seen. No DOM. */
import { type ReadonlySignal, type Signal, computed, signal } from "@preact/signals";
import { call } from "../api/client.ts";
import type { ChangedFile, Marks as Stored, Scope } from "../api/types.gen.ts";
import { Asking } from "./asking.ts";
import type { Folder, Leaf } from "./tree.ts";

/** How a file stands: `carried` was reviewed as the very same change elsewhere; `changed` was reviewed as something else. */
export type Mark = "none" | "reviewed" | "carried" | "changed";

export type Tick = "none" | "some" | "all";

export type Seen = Stored["marks"][number];
export type Changed = Stored["changedSince"][number];

/** Hunks by their numbers in the stored patch. */
export type Hunks = ReadonlySet<number>;

export const NO_HUNKS: Hunks = new Set();

export class Marks {
  readonly seen: Signal<ReadonlyMap<string, Seen>> = signal(new Map());
  readonly changed: Signal<ReadonlyMap<string, Changed>> = signal(new Map());
  /** The reviewed hunks of files that are not reviewed as a whole. */
  readonly hunks: Signal<ReadonlyMap<string, Hunks>> = signal(new Map());
  private readonly asking = new Asking(
    () => call("listMarks", { path: { contextId: this.contextId }, query: { scope: this.scope } }),
    (stored) => this.take(stored),
  );
  private turn: Promise<void> = Promise.resolve();

  constructor(readonly contextId: string, readonly scope: Scope) {}

  /** Learn what was reviewed meanwhile, here or elsewhere. */
  reload(): Promise<void> {
    return this.asking.again();
  }

  /** Write after what is being written already: a mark and its undoing reach the server in this order. */
  inTurn(write: () => Promise<void>): Promise<void> {
    this.turn = this.asking.writing(this.turn.then(write));
    return this.turn;
  }

  take({ marks, hunks, changedSince }: Stored): void {
    const found = new Map<string, Set<number>>();
    for (const { fileId, hunk } of hunks) found.set(fileId, (found.get(fileId) ?? new Set()).add(hunk));
    this.hunks.value = found;
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

  hunksOf({ id }: ChangedFile): Hunks {
    return this.hunks.value.get(id) ?? NO_HUNKS;
  }

  isHunkReviewed(file: ChangedFile, hunk: number): boolean {
    return this.isReviewed(file) || this.hunksOf(file).has(hunk);
  }

  /** The context in which a file that changed since was reviewed. */
  reviewedIn(file: ChangedFile): string | null {
    return this.changed.value.get(file.id)?.contextId ?? null;
  }

  tickOf(node: Folder | Leaf): Tick {
    if (node.kind === "file") return this.isReviewed(node.file) ? "all" : this.hunksOf(node.file).size ? "some" : "none";
    // A file without a fixed state cannot be marked, and does not keep its folder from being done.
    const counted = node.children.filter((child) => child.kind === "folder" || child.file.fingerprint);
    const ticks = new Set(counted.map((child) => this.tickOf(child)));
    return ticks.size === 1 ? [...ticks][0] : ticks.size ? "some" : "none";
  }
}

export interface Progress {
  readonly done: number;
  readonly all: number;
}

/** Which files do not count, by their class: "1 lock, 2 generated"; empty where all do. */
export function noiseWords(files: readonly ChangedFile[], counted: number): string {
  if (files.length === counted) return "";
  const counts = new Map<string, number>();
  for (const { noise } of files) if (noise) counts.set(noise.class, (counts.get(noise.class) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count.toLocaleString("en")} ${name}`).join(", ");
}

/** How far the review is. Noise does not count, unless there is nothing else. */
export function progressOf(files: () => readonly ChangedFile[], marks: Marks): ReadonlySignal<Progress> {
  return computed(() => {
    const real = files().filter((file) => !file.noise);
    const counted = real.length ? real : files();
    return { done: counted.filter((file) => marks.isReviewed(file)).length, all: counted.length };
  });
}
