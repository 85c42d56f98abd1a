/** Where the reader is, and where the keys lead. No DOM. */
import { CONTEXT } from "./patch.ts";
import { BAR, FILL, type Side } from "./rows.ts";
import type { Sheet } from "./sheet.ts";

/** A row of a file; -1 is the file's head, where a file without rows is met. */
export interface Place {
  readonly file: number;
  readonly row: number;
  readonly side: Side;
}

export type Direction = 1 | -1;

/** The next line, over bars and through files; the same place where there is none. */
export function nextLine(sheets: readonly Sheet[], from: Place, way: Direction): Place {
  const row = scan(sheets[from.file], from.row + way, way, isLine);
  if (row !== null) return { ...from, row };
  return enter(sheets, from, way, isLine);
}

/** The first row of the next run of changed lines. */
export function nextChange(sheets: readonly Sheet[], from: Place, way: Direction): Place {
  const row = scan(sheets[from.file], from.row + way, way, startsChange);
  if (row !== null) return { ...from, row };
  return enter(sheets, from, way, startsChange);
}

export function nextFile(sheets: readonly Sheet[], from: Place, way: Direction): Place {
  const file = Math.max(0, Math.min(sheets.length - 1, from.file + way));
  return { ...from, file, row: -1 };
}

/** The first changed row of a file, or its head. */
export function firstChange(sheets: readonly Sheet[], file: number, side: Side): Place {
  return { file, side, row: scan(sheets[file], 0, 1, startsChange) ?? -1 };
}

type Test = (sheet: Sheet, row: number) => boolean;

function scan(sheet: Sheet | undefined, start: number, way: Direction, test: Test): number | null {
  if (!sheet?.rows || sheet.folded) return null;
  for (let row = start; row >= 0 && row < sheet.rows.count; row += way) {
    if (test(sheet, row)) return row;
  }
  return null;
}

function enter(sheets: readonly Sheet[], from: Place, way: Direction, test: Test): Place {
  const file = from.file + way;
  const sheet = sheets[file];
  if (!sheet) return from;
  const start = way > 0 ? 0 : (sheet.rows?.count ?? 0) - 1;
  return { ...from, file, row: scan(sheet, start, way, test) ?? -1 };
}

function isLine(sheet: Sheet, row: number): boolean {
  return sheet.rows!.kind[row] !== BAR;
}

function isChanged(sheet: Sheet, row: number): boolean {
  const { rows, patch } = sheet;
  if (!rows || !patch || row < 0 || rows.kind[row] === BAR || rows.kind[row] === FILL) return false;
  return [rows.left[row], rows.right[row]].some((ref) => ref >= 0 && patch.kind[ref] !== CONTEXT);
}

function startsChange(sheet: Sheet, row: number): boolean {
  return isChanged(sheet, row) && !isChanged(sheet, row - 1);
}
