/** Marking files and hunks as reviewed, from keys, heads, bars and the tree alike. */
import type { ChangedFile } from "../api/types.gen.ts";
import type { Sheet } from "../diff/sheet.ts";
import { setHunk, setMarks, undoMarks } from "../state/marking.ts";
import type { Reading } from "../state/reading.ts";
import { filesInOrder, type Folder, type Leaf } from "../state/tree.ts";
import { plural } from "../text/format.ts";
import type { Controls } from "./Diff.tsx";

export interface Marking {
  readonly review: Reading;
  readonly controls: Controls;
  readonly say: (words: string) => void;
}

/** Mark one file, or take its mark back; what is reviewed is folded away, what is not unfolds. */
export async function toggleFile({ review, controls, say }: Marking, sheet: Sheet | undefined): Promise<void> {
  if (!sheet) return;
  if (!review.markable(sheet.file)) return say("There is nothing to mark: this file is no longer among the changes");
  const reviewed = !review.marks.isReviewed(sheet.file);
  controls.view?.fold(sheet, reviewed);
  await set({ review, controls, say }, [sheet.file], reviewed);
}

/** Mark one hunk, or take its mark back. The last one marks the file, which then folds. */
export async function toggleHunk({ review, controls, say }: Marking, sheet: Sheet, hunk: number): Promise<void> {
  const { marks } = review;
  const { file } = sheet;
  const reviewed = !marks.isHunkReviewed(file, hunk);
  const sent = setHunk(marks, file, hunk, reviewed);
  const whole = marks.isReviewed(file);
  if (whole) controls.view?.fold(sheet, true);
  const problem = await sent;
  if (problem && whole) controls.view?.fold(sheet, false);
  const { done, all } = review.progress.peek();
  say(problem ?? (whole ? `${names([file])} reviewed, ${done} of ${all}` : hunkWords(file, hunk, reviewed)));
}

/** Mark the hunk that is read. */
export function toggleHunkHere(marking: Marking): void {
  const { view } = marking.controls;
  const place = view?.reader.place ?? view?.reader.firstVisible();
  const sheet = place && view?.sheetOf(place);
  const hunk = place && sheet && !sheet.folded ? sheet.hunkOf(Math.max(0, place.row)) : -1;
  if (marking.review.from) return marking.say("Hunks are marked in the whole review; v marks the file");
  if (!sheet || hunk < 0) return marking.say("There is no hunk here; v marks the file");
  void toggleHunk(marking, sheet, hunk);
}

function hunkWords(file: ChangedFile, hunk: number, reviewed: boolean): string {
  // Not "Hunk …": that is how lines are said, to screen readers alone.
  return `${names([file])}, hunk ${hunk + 1} of ${file.rows?.hunks} ${reviewed ? "reviewed" : "no longer reviewed"}`;
}

/** Mark a folder's files; where all are marked, take all marks back. */
export async function toggleNode(marking: Marking, node: Folder | Leaf): Promise<void> {
  const reviewed = marking.review.marks.tickOf(node) !== "all";
  const files = (node.kind === "file" ? [node.file] : filesInOrder(node.children)).filter((file) => marking.review.markable(file));
  foldAll(marking, files, reviewed);
  await set(marking, files, reviewed);
}

/** Mark the file that is read and go to the next one that is not reviewed. */
export function reviewedAndOn(marking: Marking): void {
  const { review, controls, say } = marking;
  const here = controls.view?.here;
  if (!here) return;
  const sheets = review.sheets.peek();
  const at = sheets.indexOf(here);
  const open = ({ file }: Sheet): boolean => review.markable(file) && !review.marks.isReviewed(file);
  if (open(here)) void toggleFile(marking, here);
  const next = [...sheets.slice(at + 1), ...sheets.slice(0, at)].find(open);
  if (next) controls.view?.goToFile(sheets.indexOf(next));
  else say("Every file is reviewed");
}

export async function undoMark(marking: Marking): Promise<void> {
  const undone = await undoMarks(marking.review.marks);
  if (!undone) return marking.say("There is no mark to undo");
  const { files, reviewed, hunk, problem } = undone;
  foldAll(marking, files, marking.review.marks.isReviewed(files[0]));
  if (hunk !== null) return marking.say(problem ?? hunkWords(files[0], hunk, reviewed));
  marking.say(problem ?? `${names(files)} ${reviewed ? "reviewed again" : "no longer reviewed"}`);
}

async function set(marking: Marking, files: readonly ChangedFile[], reviewed: boolean): Promise<void> {
  const { review, say } = marking;
  const problem = await setMarks(review.marks, files, reviewed);
  if (problem) {
    foldAll(marking, files.filter((file) => review.marks.isReviewed(file) !== reviewed), !reviewed);
    return say(problem);
  }
  const { done, all } = review.progress.peek();
  const happened = `${names(files)} ${reviewed ? "reviewed" : "no longer reviewed"}`;
  say(files.length > 1 ? `${happened}. U undoes it.` : `${happened}, ${done} of ${all}`);
}

function foldAll({ review, controls }: Marking, files: readonly ChangedFile[], folded: boolean): void {
  const ids = new Set(files.map(({ id }) => id));
  for (const sheet of review.sheets.peek()) if (ids.has(sheet.file.id)) controls.view?.fold(sheet, folded);
}

function names(files: readonly ChangedFile[]): string {
  const [{ path }] = files;
  return files.length === 1 ? path.slice(path.lastIndexOf("/", path.length - 2) + 1) : plural(files.length, "file");
}
