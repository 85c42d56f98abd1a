/**
 * What the reader is writing. Kept with every keystroke in this browser, and with every pause on
 * the server: neither leaving the page, nor a lost server, nor one that comes back under another
 * port, which to a browser is another place, loses a word. No DOM.
 */
import { type Signal, signal } from "@preact/signals";
import type { Scope } from "../api/types.gen.ts";
import type { Note } from "../diff/notes.ts";
import type { Side } from "../diff/rows.ts";
import { serverOf } from "./keptdrafts.ts";

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

/** Where drafts are kept beside this browser: see `keptdrafts.ts`. */
export interface Server {
  /** Everything that is kept; null where that cannot be learned now. */
  list(): Promise<ReadonlyArray<{ readonly key: string; readonly body: string; readonly idempotencyKey: string }> | null>;
  keep(draft: Draft): Promise<Told>;
  drop(key: string): Promise<Told>;
}

/** What became of telling the server: it knows, it will not take it, or it could not be reached. */
export type Told = "known" | "refused" | "lost";

/** What this browser keeps of a draft: whether the server has it too, or has yet to forget it. */
type Entry = Draft & { readonly known?: boolean };

const PAUSE_MS = 500;

export class Drafts {
  readonly open: Signal<ReadonlyMap<string, Draft>>;
  /** Whether only this page has them: neither the browser nor the server keeps them. */
  readonly fleeting = signal(false);
  /** The draft that wants to be typed in. */
  readonly wanted: Signal<string | null> = signal(null);
  private readonly prefix: string;
  /** What the server has yet to be told, in the order in which it was written. */
  private readonly untold = new Set<string>();
  /** How often each was written, or told to the server: what was asked before that is older. */
  private readonly turns = new Map<string, number>();
  private telling: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(contextId: string, private readonly kept: Kept | null, private readonly server: Server | null = null) {
    this.prefix = `diffx.draft.${contextId}.`;
    this.open = signal(new Map());
    this.open.value = this.read();
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
    const written: Draft = { ...draft, text };
    this.open.value = new Map(this.open.peek()).set(key, written);
    this.fleeting.value = !this.save(key, written);
    this.tell(key, PAUSE_MS);
  }

  /** What is written here is another comment than the one that was sent under its key. */
  renew(key: string): void {
    const draft = this.open.peek().get(key);
    if (!draft) return;
    this.open.value = new Map(this.open.peek()).set(key, { ...draft, id: randomId() });
    this.write(key, draft.text);
  }

  /** The words were sent, or thrown away on purpose. */
  close(key: string): void {
    const drafts = new Map(this.open.peek());
    const draft = drafts.get(key);
    if (!draft) return;
    drafts.delete(key);
    this.open.value = drafts;
    this.save(key, { ...draft, text: "" });
    this.tell(key, 0);
  }

  /** Join what this browser and the server have: what the server was not told yet wins, else it is right. */
  async join(): Promise<void> {
    const before = new Map(this.turns);
    const listed = await this.server?.list();
    if (!listed) return;
    const newerHere = (key: string): boolean => this.untold.has(key) || this.turns.get(key) !== before.get(key);
    const drafts = new Map(this.open.peek());
    for (const { key, body, idempotencyKey } of listed) {
      const target = targetOf(key);
      if (!target || newerHere(key)) continue;
      const draft: Draft = { key, target: drafts.get(key)?.target ?? target, text: body, id: idempotencyKey };
      drafts.set(key, draft);
      this.save(key, { ...draft, known: true });
    }
    const there = new Set(listed.map(({ key }) => key));
    for (const [key, { text }] of drafts) {
      // It was sent or thrown away elsewhere.
      if (text.trim() && !there.has(key) && !newerHere(key)) {
        drafts.delete(key);
        this.save(key, null);
      }
    }
    this.open.value = drafts;
    await this.flush();
  }

  /** Tell the server now what it does not know yet. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.telling ??= this.tellAll().finally(() => { this.telling = null; });
    return this.telling;
  }

  private tell(key: string, wait: number): void {
    if (!this.server) return;
    this.turn(key);
    this.untold.delete(key);
    this.untold.add(key);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), wait);
  }

  private turn(key: string): void {
    this.turns.set(key, (this.turns.get(key) ?? 0) + 1);
  }

  private async tellAll(): Promise<void> {
    if (!this.server) return;
    // What is written meanwhile moves to the end, and is met there.
    for (const key of this.untold) {
      const draft = this.open.peek().get(key);
      const words = draft?.text.trim() ? draft : null;
      const told = await (words ? this.server.keep(words) : this.server.drop(key));
      if (told === "lost") return;
      if (told === "refused" || this.open.peek().get(key)?.text !== draft?.text) continue;
      this.turn(key);
      this.untold.delete(key);
      if (words) this.fleeting.value = false;
      this.save(key, words && { ...words, known: true });
    }
  }

  /** Keep it in this browser, or forget it; tells whether that is how it is now. */
  private save(key: string, entry: Entry | null): boolean {
    try {
      if (entry && (this.server || entry.text.trim())) this.kept?.setItem(this.prefix + key, JSON.stringify(entry));
      else this.kept?.removeItem(this.prefix + key);
      return !!this.kept;
    } catch {
      // Storage is full or forbidden: said beside the text instead of losing it in silence.
      return false;
    }
  }

  private read(): ReadonlyMap<string, Draft> {
    const found = new Map<string, Draft>();
    for (let at = 0; at < (this.kept?.length ?? 0); at++) {
      const name = this.kept?.key(at);
      if (!name?.startsWith(this.prefix)) continue;
      const entry = checked(this.kept?.getItem(name) ?? "");
      if (!entry) continue;
      const { known, ...draft } = entry;
      if (!known && this.server) this.untold.add(draft.key);
      if (draft.text.trim()) found.set(draft.key, draft);
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
  const drafts = ofContext.get(contextId) ?? new Drafts(contextId, browserStorage(), serverOf(contextId));
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

/** What a key is about, or null where it is no key of ours. */
export function targetOf(key: string): Target | null {
  const [kind, ...parts] = key.split(".");
  const [scope, file, side, lines] = parts;
  const [start, end] = (lines ?? "").split("-").map(Number);
  const target = kind === "lines" ? { kind, scope, file, side, start, end }
    : kind === "file" ? { kind, scope, file }
    : kind === "reply" || kind === "edit" ? { kind, thread: parts[0] }
    : kind === "review" ? { kind, scope: "all" } : { kind };
  return keyOf(target as Target) === key ? (target as Target) : null;
}

function checked(text: string): Entry | null {
  try {
    const draft = JSON.parse(text) as Partial<Entry>;
    if (!draft.target || typeof draft.text !== "string" || typeof draft.id !== "string") return null;
    return draft.key === keyOf(draft.target) ? (draft as Entry) : null;
  } catch {
    // Not written by this program, or cut off.
    return null;
  }
}

function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
