/** From key presses to actions. */
import { type Action, actionOf } from "../keys.ts";
import { prefs } from "../state/prefs.ts";
import { expectField, isField } from "./ahead.ts";

/** What ends in a field to type in. */
const OPENS_FIELD: ReadonlySet<Action> = new Set(["find", "filter", "comment", "comment-file", "reply", "edit"]);

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
    if (OPENS_FIELD.has(action)) expectField();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
