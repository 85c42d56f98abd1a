/** The page's end of the highlighting worker. Any failure means plain text, never no text. */
import type { Tokens } from "../diff/sheet.ts";
import type { Done, Job } from "./worker.ts";

declare const WORKER_URL: string;

/** More than this per side stays plain. */
const MOST_CHARACTERS = 4_000_000;

type Answer = { readonly old: Tokens; readonly new: Tokens } | null;

export class Highlighter {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private next = 1;

  /** Start before there is something to do, while the page waits for the server. */
  warm(): void {
    this.worker ??= this.start();
  }

  /** The tokens of both sides of a file; null where they stay plain. */
  tokens(path: string, sides: { old: string; new: string }): Promise<Answer> {
    if (Math.max(sides.old.length, sides.new.length) > MOST_CHARACTERS) return Promise.resolve(null);
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      worker.postMessage({ id, path, ...sides } satisfies Job);
    });
  }

  private start(): Worker {
    const worker = new Worker(workerAddress() as string, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Done>) => {
      this.waiting.get(data.id)?.(data.tokens);
      this.waiting.delete(data.id);
    };
    worker.onerror = (event) => {
      console.warn(`Syntax colours are off: ${event.message || "the highlighter did not start"}`);
      for (const resolve of this.waiting.values()) resolve(null);
      this.waiting.clear();
    };
    return worker;
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): {
    createScriptURL(url: string): unknown;
  };
}

/** The one policy of the page lets one address through: that of the worker. */
function workerAddress(): unknown {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!types) return WORKER_URL;
  const policy = types.createPolicy("diffx", {
    createScriptURL(url) {
      if (url !== WORKER_URL) throw new TypeError(`${url} is no script of diffx`);
      return url;
    },
  });
  return policy.createScriptURL(WORKER_URL);
}
