/** Patches on demand: what is on screen first, in few requests, and never two for one file. */
import type { Result } from "../api/client.ts";
import type { PatchPage } from "../api/types.gen.ts";

export interface Wanted {
  readonly id: string;
  readonly bytes: number;
}

type Arrived = PatchPage["patches"][number];

/** One request stays below these, so that the first lines are not kept waiting by the last. */
const BATCH_FILES = 24;
const BATCH_BYTES = 400_000;
const AT_ONCE = 3;

export class PatchLoader {
  private readonly underway = new Set<string>();
  private queue: readonly Wanted[] = [];
  private requests = 0;
  private failed = false;

  constructor(
    private readonly fetch: (ids: readonly string[]) => Promise<Result<PatchPage>>,
    private readonly arrived: (patches: readonly Arrived[]) => void,
    private readonly broke: (result: Extract<Result<PatchPage>, { ok: false }>) => void,
  ) {}

  /** Say what is needed now, most urgent first; it replaces what was said before. */
  want(files: readonly Wanted[]): void {
    this.queue = files;
    this.next();
  }

  /** Ask again after a failure. */
  retry(): void {
    this.failed = false;
    this.next();
  }

  private next(): void {
    while (!this.failed && this.requests < AT_ONCE) {
      const batch = this.batch();
      if (!batch.length) return;
      void this.load(batch);
    }
  }

  private batch(): string[] {
    const ids: string[] = [];
    let size = 0;
    for (const { id, bytes } of this.queue) {
      if (this.underway.has(id)) continue;
      if (ids.length && (ids.length >= BATCH_FILES || size + bytes > BATCH_BYTES)) break;
      ids.push(id);
      size += bytes;
    }
    return ids;
  }

  private async load(ids: readonly string[]): Promise<void> {
    this.requests++;
    for (const id of ids) this.underway.add(id);
    const result = await this.fetch(ids);
    this.requests--;
    for (const id of ids) this.underway.delete(id);
    const here = new Set(result.ok ? result.value.patches.map(({ fileId }) => fileId) : []);
    this.queue = this.queue.filter(({ id }) => !here.has(id));
    if (result.ok && here.size) this.arrived(result.value.patches);
    else {
      this.failed = true;
      if (!result.ok) this.broke(result);
    }
    this.next();
  }
}
