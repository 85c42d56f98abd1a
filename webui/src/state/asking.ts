/** Keeps what the server said and what is written to it from crossing each other. No DOM. */
import type { Result } from "../api/client.ts";

export class Asking<T> {
  private asked = 0;
  /** Counts the beginnings and the ends of writes: an answer that saw another count is too old. */
  private writes = 0;
  private readonly pending = new Set<Promise<unknown>>();

  constructor(private readonly ask: () => Promise<Result<T>>, private readonly take: (value: T) => void) {}

  /** Ask the server, once at a time and after what is being written; an answer older than a write is asked anew. */
  async again(): Promise<void> {
    if (++this.asked > 1) return;
    do {
      this.asked = 1;
      await Promise.allSettled(this.pending);
      const before = this.writes;
      const result = await this.ask();
      if (result.ok && this.writes !== before) this.asked++;
      else if (result.ok) this.take(result.value);
    } while (--this.asked > 0);
  }

  /** Take note of a write for as long as it lasts. */
  async writing<W>(write: Promise<W>): Promise<W> {
    this.writes++;
    this.pending.add(write);
    try {
      return await write;
    } finally {
      this.pending.delete(write);
      this.writes++;
    }
  }
}
