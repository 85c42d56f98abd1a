/** Find in lines that are here already. No DOM. */
import type { ChangedFile, Hit } from "../api/types.gen.ts";
import { ADDED, CONTEXT, HUNK, parsePatch, type Patch, REMOVED, rowText } from "../diff/patch.ts";
import type { Asked } from "./find.ts";

/** As the server has it: beyond this column a line is not searched. */
const LONGEST = 20_000;
const MOST_SPANS = 200;
const EXCERPT = 120;

type Spans = ReadonlyArray<readonly [number, number]>;

/** The removed lines of a patch; all its lines and the path where the file is `whole` here alone. */
export function findIn(file: ChangedFile, text: string, asked: Asked, whole: boolean, shown: (patch: Patch, row: number) => boolean): Hit[] {
  const spansOf = finder(asked);
  if (!spansOf) return [];
  const hits: Hit[] = [];
  const put = (line: string, side: Hit["side"], number: number | null): void => {
    for (const [start, end] of spansOf(line.slice(0, LONGEST))) {
      const excerptStart = Math.max(0, start - EXCERPT / 2);
      hits.push({ fileId: file.id, side, line: number, start, end, excerptStart, excerpt: line.slice(excerptStart, excerptStart + EXCERPT) });
    }
  };
  if (whole) put(file.path, null, null);
  const patch = parsePatch(text);
  for (let row = 0; row < patch.count; row++) {
    const kind = patch.kind[row];
    if (kind === HUNK || !(kind === REMOVED || (whole && (kind === ADDED || kind === CONTEXT))) || !shown(patch, row)) continue;
    const side = kind === REMOVED ? "old" : "new";
    put(rowText(patch, row), side, (side === "old" ? patch.oldLine : patch.newLine)[row]);
  }
  return hits;
}

/** Where a question stands in a line; null for an expression that cannot be used. */
function finder({ text, case: exact, word, regex }: Asked): ((line: string) => Spans) | null {
  let pattern: RegExp;
  try {
    pattern = new RegExp(regex ? text : text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"), exact ? "gu" : "giu");
  } catch {
    return null; // The server has said what is wrong with it.
  }
  const inWord = (character: string | undefined): boolean => !!character && /[\p{L}\p{N}_]/u.test(character);
  return (line) => {
    const spans: Array<readonly [number, number]> = [];
    for (const found of line.matchAll(pattern)) {
      const [start, end] = [found.index, found.index + found[0].length];
      if (start === end || (word && (inWord(line[start - 1]) || inWord(line[end])))) continue;
      if (spans.push([start, end]) >= MOST_SPANS) break;
    }
    return spans;
  };
}
