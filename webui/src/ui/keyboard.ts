/** From key presses to actions. */
import { type Action, actionOf } from "../keys.ts";
import { prefs } from "../state/prefs.ts";

/** What ends in a field to type in. */
const OPENS_FIELD: ReadonlySet<Action> = new Set(["find", "filter", "comment", "comment-file", "reply", "edit"]);

const FIELD = "input:not([type=checkbox]), textarea, select, [contenteditable]";

export function isField(element: Element | null): boolean {
  return !!element?.matches(FIELD);
}

/** Keeps what is typed while a field is on its way: see `ahead.ts`, which comes after the first paint. */
let ahead: { expectField(): void; expectNone(): void } | null = null;

export function typeAhead(part: typeof ahead): void {
  ahead = part;
}

/** No field comes: the page said why. */
export function expectNone(): void {
  ahead?.expectNone();
}

/** Call back for every key that means something here. */
export function onAction(run: (action: Action) => void): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target as Element;
    const action = actionOf(event, isField(target), prefs.peek().keys, prefs.peek().bindings);
    // The second press in a row is the browser's own.
    if (action === "find" && target.matches("#find")) return;
    // A dialog keeps its keys, but the one that opened it closes it.
    if (!action || (document.querySelector("dialog[open]") && action !== "help")) return;
    if (action !== "escape") event.preventDefault();
    run(action);
    if (OPENS_FIELD.has(action)) ahead?.expectField();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
