/** The account's settings: the server's win over this browser's, and changes go there. */
import { effect } from "@preact/signals";
import { call } from "../api/client.ts";
import { checked, prefer, prefs, type Prefs } from "./prefs.ts";

const WAIT_MS = 400;
/** What belongs to this window and screen, not to the reader. */
const LOCAL: readonly string[] = ["tree", "treeWidth"] satisfies ReadonlyArray<keyof Prefs>;

/**
 * Take over what the server has, then send it what changes. What the reader changed before the
 * answer came is kept; settings of other programs are sent back as they were.
 */
export async function keepSettings(): Promise<void> {
  const start = prefs.peek();
  const answer = await call("getPreferences");
  if (!answer.ok) return;
  let stored: Readonly<Record<string, unknown>> = answer.value.preferences;
  if (Object.keys(stored).length) take(stored, start);
  let timer = 0;
  let sent = JSON.stringify(shared(checked(stored)));
  effect(() => {
    const now = shared(prefs.value);
    const text = JSON.stringify(now);
    clearTimeout(timer);
    if (text === sent) return;
    timer = setTimeout(async () => {
      const kept = await call("putPreferences", { body: { preferences: { ...stored, ...now } } });
      // What could not be kept is tried again with the next change; this browser has it.
      if (!kept.ok) return;
      sent = text;
      stored = kept.value.preferences;
    }, WAIT_MS);
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
