/** Which document is shown rendered, if one is. */
import { type Signal, signal } from "@preact/signals";
import type { Sheet } from "../diff/sheet.ts";
import { isDocument } from "../text/format.ts";

export const rendered: Signal<Sheet | null> = signal(null);

export function showRendered(sheet: Sheet | undefined, say: (words: string) => void): void {
  if (sheet?.file.before?.image && sheet.file.after?.image) return void import("./Pictures.tsx").then((part) => part.nextComparing(say), () => undefined);
  if (!sheet || !isDocument(sheet.file.path)) return say("Only Markdown documents and SVG images are rendered.");
  if (!sheet.expandable && !sheet.file.before?.available) return say("The contents of this file are not stored.");
  rendered.value = sheet;
}
