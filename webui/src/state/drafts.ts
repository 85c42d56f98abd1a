/**
 * What the reader is writing. Kept with every keystroke in this browser, so that neither leaving
 * the page, nor loading it anew, nor a lost server loses a word. No DOM.
 */
import { type Signal, signal } from "@preact/signals";
import type { Scope } from "../api/types.gen.ts";
import type { Note } from "../diff/notes.ts";
import type { Side } from "../diff/rows.ts";

export type Target =
  | { readonly kind: "lines"; readonly scope: Scope; readonly file: string; readonly side: Side; readonly start: number; readonly end: number }
  | { readonly kind: "file"; readonly scope: Scope; readonly file: string }
  | { readonly kind: "review"; readonly scope: Scope }
  | { readonly kind: "reply"; readonly thread: string }
  | { readonly kind: "edit"; readonly thread: string }
  | { readonly kind: "summary" };

export interface Draft {
  readonly key: string;
  readonly target: Target;
  readonly text: string;
  /** The same on every try to save it, so that a lost answer makes no second comment. */
  readonly id: string;
}

/** The part of a browser's storage that is used. */
export interface Kept {
  readonly length: number;
  key(at: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

export class Drafts {
  readonly open: Signal<ReadonlyMap<string, Draft>>;
  /** Whether the browser refused to keep them: then they last only as long as the page. */
  readonly fleeting = signal(false);
  /** The draft that wants to be typed in. */
  readonly wanted: Signal<string | null> = signal(null);
  private readonly prefix: string;

  constructor(contextId: string, private readonly kept: Kept | null) {
    this.prefix = `diffx.draft.${contextId}.`;
    this.open = signal(this.read());
  }

  /** Begin to write, or go on where it was begun. Other drafts without a word close. */
  start(target: Target, text = ""): Draft {
    const key = keyOf(target);
    const drafts = new Map([...this.open.peek()].filter(([other, { text: words }]) => other === key || words.trim()));
    const draft = drafts.get(key) ?? { key, target, text, id: randomId() };
    drafts.set(key, draft);
    this.open.value = drafts;
    this.wanted.value = key;
    return draft;
  }

  of(target: Target): Draft | undefined {
    return this.open.value.get(keyOf(target));
  }

  write(key: string, text: string): void {
    const draft = this.open.peek().get(key);
    if (!draft) return;
    const written = { ...draft, text };
    this.open.value = new Map(this.open.peek()).set(key, written);
    try {
      if (text.trim()) this.kept?.setItem(this.prefix + key, JSON.stringify(written));
      else this.kept?.removeItem(this.prefix + key);
      this.fleeting.value = !this.kept;
    } catch {
      // Storage is full or forbidden: say so beside the text instead of losing it in silence.
      this.fleeting.value = true;
    }
  }

  /** The words were sent, or thrown away on purpose. */
  close(key: string): void {
    const drafts = new Map(this.open.peek());
    drafts.delete(key);
    this.open.value = drafts;
    try {
      this.kept?.removeItem(this.prefix + key);
    } catch {
      // What cannot be written was not kept either.
    }
  }

  private read(): ReadonlyMap<string, Draft> {
    const found = new Map<string, Draft>();
    for (let at = 0; at < (this.kept?.length ?? 0); at++) {
      const name = this.kept?.key(at);
      if (!name?.startsWith(this.prefix)) continue;
      const draft = checked(this.kept?.getItem(name) ?? "");
      if (draft) found.set(draft.key, draft);
    }
    return found;
  }
}

const GUESS = 150;

/** The drafts between the lines of a scope, by file. */
export function draftNotes({ open }: Drafts, scope: Scope): ReadonlyMap<string, readonly Note[]> {
  const notes = new Map<string, Note[]>();
  for (const { key, target } of open.value.values()) {
    if ((target.kind !== "lines" && target.kind !== "file") || target.scope !== scope) continue;
    const [side, line] = target.kind === "lines" ? [target.side, target.end] as const : ["new", 0] as const;
    notes.set(target.file, [...(notes.get(target.file) ?? []), { key, side, line, guess: GUESS }]);
  }
  return notes;
}

const ofContext = new Map<string, Drafts>();

/** What is being written about a context, whichever of its scopes is read. */
export function draftsOf(contextId: string): Drafts {
  const drafts = ofContext.get(contextId) ?? new Drafts(contextId, browserStorage());
  ofContext.set(contextId, drafts);
  return drafts;
}

/** The browser's own storage; null where it is switched off. */
function browserStorage(): Kept | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

export function keyOf(target: Target): string {
  switch (target.kind) {
    case "lines": return `lines.${target.scope}.${target.file}.${target.side}.${target.start}-${target.end}`;
    case "file": return `file.${target.scope}.${target.file}`;
    case "review": return "review";
    case "summary": return "summary";
    default: return `${target.kind}.${target.thread}`;
  }
}

function checked(text: string): Draft | null {
  try {
    const draft = JSON.parse(text) as Partial<Draft>;
    if (!draft.target || typeof draft.text !== "string" || typeof draft.id !== "string") return null;
    return draft.key === keyOf(draft.target) ? (draft as Draft) : null;
  } catch {
    // Not written by this program, or cut off.
    return null;
  }
}

function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
