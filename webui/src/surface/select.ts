/** Selecting and copying code: one side at a time, and the file's own characters. */

/** Take care of selections inside `root` until the signal ends it. */
export function letSelect(root: HTMLElement, signal: AbortSignal): void {
  root.addEventListener("mousedown", (event) => {
    // Read by the style sheet, which keeps a selection on the side where it began.
    root.dataset["selecting"] = (event.target as Element).closest(".code.old") ? "old" : "new";
  }, { signal });
  root.addEventListener("copy", (event) => {
    const text = selectedText(root.dataset["selecting"] ?? "new");
    if (text === null) return;
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  }, { signal });
}

/** The selected code without numbers, signs and marks; null where nothing is selected. */
function selectedText(side: string): string | null {
  const selection = document.getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const fragment = selection.getRangeAt(0).cloneContents();
  for (const mark of fragment.querySelectorAll<HTMLElement>(".odd")) mark.replaceWith(mark.dataset["raw"] ?? "");
  for (const extra of fragment.querySelectorAll(".rest, .unended")) extra.remove();
  const rows = [...fragment.querySelectorAll(".row")];
  if (!rows.length) return fragment.textContent;
  return rows.flatMap((row) => {
    const cell = row.querySelector(`.code.${side}`) ?? row.querySelector(":scope > .code:not(.old, .new)");
    return cell && !cell.classList.contains("none") ? [cell.textContent ?? ""] : [];
  }).join("\n");
}
