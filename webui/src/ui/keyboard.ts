/** From key presses to actions. */
import { type Action, actionOf } from "../keys.ts";
import { prefs } from "../state/prefs.ts";

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** Call back for every key that means something here. */
export function onAction(run: (action: Action) => void): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target as Element;
    const action = actionOf(event, target.matches(TYPING), prefs.peek().keys, prefs.peek().bindings);
    // The second press in a row is the browser's own.
    if (action === "find" && target.matches("#find")) return;
    // A dialog keeps its keys, but the one that opened it closes it.
    if (!action || (document.querySelector("dialog[open]") && action !== "help")) return;
    if (action !== "escape") event.preventDefault();
    run(action);
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
