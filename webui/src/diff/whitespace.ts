/** A patch without the changes that are white space alone: their lines become context. */
import { CONTEXT, type Patch, REMOVED, type Run, rowText, sidesOf } from "./patch.ts";
import { assemble, type Row, trimmed } from "./quiet.ts";
import type { Quiet } from "./sheet.ts";

const MOST_CELLS = 1_000_000;
const NOTHING_LEFT = "Only white space differs here; press i to see it";
const INDENTED = /(?:^|\/)(?:GNU)?makefile$|\.(?:py[iwx]?|ya?ml|mk|hs|nim|pug|jade|sass|styl|coffee|fsx?|elm|haml|slim|rst|md|markdown|gd)$/i;

/** Whether indentation means something in a file; there it is never hidden. */
export function indentMatters(path: string): boolean {
  return INDENTED.test(path);
}

/** Hide where the amount of white space differs, or where anything of it does. */
export function hideSpace(source: Patch, space: "amount" | "all", indented: boolean): Quiet {
  const alike = new Map<number, number>();
  for (const run of source.runs) pairAlike(source, run, reducer(space, indented), alike);
  if (!alike.size) return { patch: source, origin: null };
  const rows: Row[] = [];
  source.hunks.forEach((hunk, at) => rows.push(...quietHunk(source, hunk, source.hunks[at + 1] ?? source.count, alike)));
  return assemble(source, rows, NOTHING_LEFT);
}

function reducer(space: "amount" | "all", indented: boolean): (line: string) => string {
  const squeeze = (text: string): string => (space === "all" ? text.replace(/\s+/g, "") : text.trimEnd().replace(/\s+/g, " "));
  if (!indented) return squeeze;
  return (line) => {
    const indent = line.length - line.trimStart().length;
    return indent === line.length ? "" : line.slice(0, indent) + squeeze(line.slice(indent));
  };
}

/** Note in `alike` which added row each removed row equals; their order is kept. */
function pairAlike(patch: Patch, run: Run, reduce: (line: string) => string, alike: Map<number, number>): void {
  const { removed, added } = sidesOf(patch, run);
  const [a, b] = [removed, added].map((rows) => rows.map((row) => reduce(rowText(patch, row))));
  let [head, endA, endB] = [0, a.length, b.length];
  while (head < endA && head < endB && a[head] === b[head]) alike.set(removed[head], added[head++]);
  while (endA > head && endB > head && a[endA - 1] === b[endB - 1]) alike.set(removed[--endA], added[--endB]);
  const [height, width] = [endA - head, endB - head + 1];
  if (height * width > MOST_CELLS || height < 1) return;
  const lengths = new Uint16Array((height + 1) * width);
  for (let i = height - 1; i >= 0; i--) {
    for (let j = width - 2; j >= 0; j--) {
      lengths[i * width + j] = a[head + i] === b[head + j] ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < height && j < width - 1;) {
    if (a[head + i] === b[head + j]) alike.set(removed[head + i++], added[head + j++]);
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
}

/** The rows of one hunk behind new headers, what is far from any change left out. */
function quietHunk(source: Patch, hunk: number, end: number, alike: ReadonlyMap<number, number>): Row[] {
  const rows: Row[] = [];
  const take = (row: number, kind = source.kind[row], oldLine = source.oldLine[row]): void =>
    void rows.push([row, kind, oldLine, source.newLine[row]]);
  let merged = false;
  for (let row = hunk + 1; row < end;) {
    if (source.kind[row] === CONTEXT) { take(row++); continue; }
    const [removed, added]: [number[], number[]] = [[], []];
    for (; row < end && source.kind[row] !== CONTEXT; row++) (source.kind[row] === REMOVED ? removed : added).push(row);
    let next = 0;
    for (const old of removed) {
      const partner = alike.get(old);
      if (partner === undefined) { take(old); continue; }
      for (; added[next] < partner; next++) take(added[next]);
      take(added[next++], CONTEXT, source.oldLine[old]);
      merged = true;
    }
    for (; next < added.length; next++) take(added[next]);
  }
  return trimmed(hunk, rows, merged);
}
