/** Threads for people: in words, in lists, and one after the other. No DOM. */
import type { Author, ChangedFile, Thread } from "../api/types.gen.ts";
import { linesWords } from "../text/lines.ts";

/** What the list of comments shows. */
export type Which = "open" | "resolved" | "all";

export function chosen(threads: readonly Thread[], which: Which): readonly Thread[] {
  return which === "all" ? threads : threads.filter(({ status }) => status === which);
}

/** Where the reader is, for finding the next thread: on one, or on a line of a file. */
export type Here = { readonly thread: string } | { readonly file: number; readonly line: number };

/** The thread that comes next, round and round; only those that stand on a file of the diff. */
export function nextThread(
  threads: readonly Thread[], files: readonly ChangedFile[], here: Here, way: 1 | -1,
): Thread | undefined {
  const places = new Map(files.map(({ id }, at) => [id, at]));
  const shown = threads.filter(({ place }) => place.fileId !== null && places.has(place.fileId));
  if ("thread" in here) {
    const at = shown.findIndex(({ id }) => id === here.thread);
    return at < 0 ? shown[0] : shown[(at + way + shown.length) % shown.length];
  }
  const after = ({ place }: Thread): boolean => {
    const file = places.get(place.fileId ?? "") ?? 0;
    return file !== here.file ? file > here.file : (place.lines?.endLine ?? 0) >= here.line;
  };
  return way > 0 ? shown.find(after) ?? shown[0] : shown.findLast((thread) => !after(thread)) ?? shown.at(-1);
}

export function authorWords({ kind, name, harness, sessionName }: Author): string {
  if (kind === "agent") return [name ?? sessionName, harness].filter(Boolean).join(" · ") || "an agent";
  return name ?? (kind === "import" ? "imported" : "you");
}

/** Where a thread stands, in words that need no picture. */
export function placeWords({ place, anchor }: Thread): string {
  if (place.lines) return linesWords(place.lines.side, place.lines.startLine, place.lines.endLine);
  if (place.fileId !== null) return anchor.lines ? "the file; its lines are gone" : "the file";
  return anchor.path === null ? "the review" : `${anchor.path}, which is not among these changes`;
}
