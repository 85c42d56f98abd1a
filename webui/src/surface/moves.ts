/** Where the keys lead on the surface: to lines, changes and files, and into what is hidden. */
import { type Direction, firstChange, nextChange, nextFile, nextLine } from "../diff/cursor.ts";
import type { DiffView } from "./view.ts";

export function stepLine(view: DiffView, way: Direction): void {
  const { reader } = view;
  view.moveTo(reader.place ? nextLine(reader.sheets, reader.place, way) : reader.firstVisible());
}

export function stepChange(view: DiffView, way: Direction): void {
  const { reader } = view;
  const { sheets } = reader;
  const top = reader.firstVisible();
  const from = reader.place ?? { ...top, row: top.row - way };
  const next = nextChange(sheets, from, way);
  const sheet = sheets[next.file];
  view.moveTo(next, next.file === from.file ? "near" : "top");
  if (next.row < 0 && sheet && !sheet.folded && way > 0) {
    view.whenLoaded(sheet, () => view.moveTo(firstChange(sheets, next.file, next.side)));
  }
}

export function stepFile(view: DiffView, way: Direction): void {
  const { reader } = view;
  const from = { ...reader.cursor, file: reader.file, row: -1 };
  const within = reader.top > reader.topOf(from.file) + 1;
  view.moveTo(way < 0 && within ? from : nextFile(reader.sheets, from, way), "top");
}

export function switchSide(view: DiffView): void {
  const { reader } = view;
  const place = reader.place ?? reader.firstVisible();
  view.moveTo({ ...place, side: place.side === "old" ? "new" : "old" });
}

/** Show what the nearest gap hides (the one above the cursor), or everything in the file. */
export function openContext(view: DiffView, all: boolean): void {
  const { here: sheet, reader } = view;
  if (!sheet?.rows) return;
  let row = Math.max(0, reader.place?.row ?? 0);
  while (row > 0 && sheet.gapOf(row) < 0) row--;
  const gap = Math.max(0, sheet.gapOf(row));
  void view.expand(sheet, () => (all ? sheet.openAll() : sheet.open(gap, "all")));
}

/** Bring a note into view, opening what hides it. */
export function goToNote(view: DiffView, file: number, key: string): void {
  const sheet = view.reader.sheets[file];
  const placed = sheet?.notes.placed.find(({ note }) => note.key === key);
  if (!sheet || !placed) return;
  view.fold(sheet, false);
  if (placed.note.line) view.goToLine(file, placed.note.side, placed.note.line);
  else view.goToFile(file);
}
