/** Hints from the server that stored state changed; `connecting.ts`, which comes after the first paint, brings them. */
import { signal } from "@preact/signals";

export type Hint = "catalog" | "review" | "connected";
export type Connection = "connecting" | "live" | "lost";

/** What one tab tells the others. */
export type Message = { readonly hint?: Hint; readonly connection?: Connection; readonly ask?: true };

export const connection = signal<Connection>("connecting");

type Listener = (hint: Hint) => void;

const listeners = new Set<Listener>();

export function onHint(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function take({ hint, connection: state }: Message): void {
  if (state) connection.value = state;
  if (hint) for (const listener of listeners) listener(hint);
}
