/**
 * What is typed while a field is on its way. A key may ask for a field whose code or place is not
 * here yet; what follows is meant for the field, and must not be taken for keys of the page.
 */
const FIELD = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const LONGEST_MS = 8_000;
/** Stands for Ctrl+Enter among what is typed. */
const SEND = "\0";

let typed: string[] | null = null;
let timer = 0;

export function isField(element: Element | null): boolean {
  return !!element?.matches(FIELD);
}

/** From now on typing is for the field that comes; unless it is here already. */
export function expectField(): void {
  if (isField(document.activeElement)) return;
  typed ??= [];
  clearTimeout(timer);
  timer = setTimeout(expectNone, LONGEST_MS);
}

/** No field comes: the page said why, or the reader thought better of it. */
export function expectNone(): void {
  typed = null;
}

addEventListener("keydown", (event) => {
  const chord = event.ctrlKey || event.metaKey;
  const sends = chord && event.key === "Enter";
  if (!typed || (chord && !sends) || event.altKey || isField(event.target as Element)) return;
  if (event.key === "Escape") return expectNone();
  if (sends) typed.push(SEND);
  else if (event.key === "Backspace") typed.pop();
  else if (event.key === "Enter") typed.push("\n");
  else if ([...event.key].length === 1) typed.push(event.key);
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);

// After the focus: whoever gives it may still select what is in the field.
addEventListener("focusin", ({ target }) => {
  if (typed && isField(target as Element)) queueMicrotask(() => give(target as Element));
});

function give(field: Element): void {
  const [text, sent] = (typed?.join("") ?? "").split(SEND);
  expectNone();
  if (!text || !(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  const one = field instanceof HTMLInputElement;
  field.setRangeText(one ? text.replaceAll("\n", "") : text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  // Once what was typed is known where it is sent from.
  if (sent !== undefined) setTimeout(() => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true })));
  if (one && text.includes("\n")) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}
