/** The account's settings: the server's win over this browser's, and changes go there. */
import { effect } from "@preact/signals";
import { call } from "../api/client.ts";
import { checked, prefer, prefs, type Prefs } from "./prefs.ts";

const WAIT_MS = 400;
/** What belongs to this window and screen, not to the reader. */
const LOCAL: readonly string[] = ["tree", "treeWidth"] satisfies ReadonlyArray<keyof Prefs>;

/**
 * Take over what the server has, then send it what changes. What the reader changed before the
 * answer came is kept; what other windows changed, and settings of other programs, stay.
 */
export async function keepSettings(): Promise<void> {
  const start = prefs.peek();
  const answer = await call("getPreferences");
  if (!answer.ok) return;
  const stored = answer.value.preferences;
  if (Object.keys(stored).length) take(stored, start);
  let sent: Record<string, unknown> = shared(checked(stored));
  let turn = Promise.resolve();
  let timer = 0;
  // What could not be kept is tried again with the next change; this browser has it.
  const send = async (): Promise<void> => {
    const now = shared(prefs.peek());
    const mine = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(sent[name]));
    const there = mine.length ? await call("getPreferences") : null;
    if (!there?.ok) return;
    const preferences = { ...there.value.preferences, ...Object.fromEntries(mine) };
    if ((await call("putPreferences", { body: { preferences } })).ok) sent = now;
  };
  effect(() => {
    void prefs.value;
    clearTimeout(timer);
    timer = setTimeout(() => { turn = turn.then(send); }, WAIT_MS);
  });
}

function take(stored: Readonly<Record<string, unknown>>, start: Prefs): void {
  const now = prefs.peek();
  const changed = Object.entries(now).filter(([name, value]) => value !== start[name as keyof Prefs]);
  const local = Object.entries(now).filter(([name]) => LOCAL.includes(name));
  prefer({ ...checked(stored), ...Object.fromEntries(local), ...Object.fromEntries(changed) });
}

function shared(all: Prefs): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !LOCAL.includes(name)));
}
