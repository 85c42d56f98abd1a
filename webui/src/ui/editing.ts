/** Opening what is read in the reader's own editor, where the checkout is on this machine. */
import { call } from "../api/client.ts";
import { firstChange } from "../diff/cursor.ts";
import { lineAt } from "../diff/rows.ts";
import type { Sheet } from "../diff/sheet.ts";
import { editorLink, templateTrouble } from "../state/editors.ts";
import { prefs } from "../state/prefs.ts";
import type { Reading } from "../state/reading.ts";
import { make } from "../surface/dom.ts";
import type { DiffView } from "../surface/view.ts";
import type { Marking } from "./marking.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|.*\.localhost)$/;

const roots = new Map<string, Promise<string | null>>();

/** Where the checkout of a review lies on this machine; null where it does not, or nobody knows. Asked once. */
export function localRoot(contextId: string): Promise<string | null> {
  const known = roots.get(contextId) ?? askRoot(contextId);
  roots.set(contextId, known);
  return known;
}

async function askRoot(contextId: string): Promise<string | null> {
  if (!LOOPBACK.test(location.hostname)) return null;
  const [server, context] = await Promise.all([call("getHealth"), call("getContext", { path: { contextId } })]);
  if (!server.ok || !context.ok) {
    roots.delete(contextId);
    return null;
  }
  const { sourceKind, provenance: { root, hostname } } = context.value.observation;
  return sourceKind === "checkout" && hostname && hostname === server.value.hostname ? root : null;
}

/** Open a file where it is read, else at its first change. */
export async function openInEditor({ review, controls: { view }, say }: Marking, sheet = view?.here): Promise<void> {
  const { editor } = prefs.peek();
  if (!sheet || !view) return;
  if (!editor) return say("Choose your editor in the settings first (,)");
  if (!sheet.file.newMode) return say("This file is deleted: there is nothing to open");
  const root = await localRoot(review.contextId);
  if (root === null) return say("Its checkout is not on this machine, so it cannot be opened from here");
  const line = lineToOpen(view, sheet);
  const link = editorLink(editor, root, sheet.file, line);
  if (!link) return say(`The editor's address is not right: ${templateTrouble(editor)}`);
  follow(link);
  say(`Opening ${sheet.file.path.split("/").at(-1)} at line ${line}`);
}

/** Show the buttons that open files where there is an editor and a checkout to open. */
export async function offerEditor({ contextId }: Reading, root: HTMLElement): Promise<void> {
  const offered = !!prefs.peek().editor && (await localRoot(contextId)) !== null;
  root.toggleAttribute("data-editor", offered && !!prefs.peek().editor);
}

/** The browser asks which program this is for, or has it started; the page stays. */
function follow(link: string): void {
  const anchor = make("a", { href: link, hidden: "" });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}

/** The line as the file has it now: the one below where the cursor's was removed. */
function lineToOpen({ reader }: DiffView, sheet: Sheet): number {
  const { rows, patch } = sheet;
  if (!rows || !patch) return 1;
  const place = reader.place;
  const here = place && place.row >= 0 && reader.sheets[place.file] === sheet ? place.row : firstChange([sheet], 0, "new").row;
  for (let row = Math.max(0, here); row < rows.count; row++) {
    const line = lineAt(rows, patch, row, "new");
    if (line) return line;
  }
  for (let row = here; row >= 0; row--) {
    const line = lineAt(rows, patch, row, "new");
    if (line) return line;
  }
  return 1;
}
