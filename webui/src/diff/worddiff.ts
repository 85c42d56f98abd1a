/** Which removed line became which added one, and which words of the two differ. */

/** Changed columns as `[start, end, start, end, …]`, ascending and apart. */
export type Ranges = readonly number[];

export const NOTHING: Ranges = [];

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
const LONGEST_LINE = 4_000;
const MOST_CELLS = 4_096;
const MOST_PAIRS = 2_500;
/** Below this share of common words two lines are two lines, not one that changed. */
const LIKE = 0.5;
/** A line that replaces one other line has nothing else to be like. */
const LIKE_ALONE = 0.25;

/**
 * For each removed line the index of the added line that it became, or -1; partners keep their
 * order. Chosen by likeness, not by position. A run too large to compare is paired by position
 * where both sides have the same number of lines.
 */
export function pairLines(removed: readonly string[], added: readonly string[]): Int32Array {
  const pairs = new Int32Array(removed.length).fill(-1);
  if (!removed.length || !added.length) return pairs;
  if (removed.length * added.length > MOST_PAIRS) {
    return removed.length === added.length ? pairs.map((_, at) => at) : pairs;
  }
  const bags = added.map(bagOf);
  const scores = removed.map((line) => {
    const bag = bagOf(line);
    return bags.map((other) => likeness(bag, other));
  });
  const alone = removed.length === 1 && added.length === 1;
  return bestPairs(scores, pairs, added.length, alone ? LIKE_ALONE : LIKE);
}

/** Maximise the sum of likenesses over all order-keeping pairings. */
function bestPairs(scores: number[][], pairs: Int32Array, width: number, least: number): Int32Array {
  const best = Array.from({ length: pairs.length + 1 }, () => new Float64Array(width + 1));
  for (let i = pairs.length - 1; i >= 0; i--) {
    for (let j = width - 1; j >= 0; j--) {
      const score = scores[i][j];
      const paired = score >= least ? score + best[i + 1][j + 1] : 0;
      best[i][j] = Math.max(paired, best[i + 1][j], best[i][j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < pairs.length && j < width) {
    const here = best[i][j];
    const score = scores[i][j];
    if (score >= least && here === score + best[i + 1][j + 1]) pairs[i++] = j++;
    else if (here === best[i + 1][j]) i++;
    else j++;
  }
  return pairs;
}

interface Bag {
  readonly words: ReadonlyMap<string, number>;
  readonly weight: number;
  readonly text: string;
}

function bagOf(line: string): Bag {
  const text = line.trim();
  const words = new Map<string, number>();
  let weight = 0;
  if (text.length <= LONGEST_LINE) {
    for (const word of text.match(WORD) ?? []) {
      if (word.trim() === "") continue;
      words.set(word, (words.get(word) ?? 0) + 1);
      weight += word.length;
    }
  }
  return { words, weight, text };
}

/** The share of characters that lie in words both lines have: 0 to 1. */
function likeness(a: Bag, b: Bag): number {
  if (a.text === b.text) return 1;
  if (!a.weight || !b.weight) return 0;
  let common = 0;
  for (const [word, times] of a.words) {
    common += word.length * Math.min(times, b.words.get(word) ?? 0);
  }
  return (2 * common) / (a.weight + b.weight);
}

/** The columns of `before` and `after` that are not in the other; nothing if little is common. */
export function diffWords(before: string, after: string): readonly [Ranges, Ranges] {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return [NOTHING, NOTHING];
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const keptA = new Uint8Array(a.length).fill(1, 0, head).fill(1, a.length - tail);
  const keptB = new Uint8Array(b.length).fill(1, 0, head).fill(1, b.length - tail);
  const rows = a.length - head - tail;
  const columns = b.length - head - tail;
  if (rows * columns <= MOST_CELLS) keepCommon(a, b, head, rows, columns, keptA, keptB);
  return [withoutIndent(before, changedColumns(a, keptA)), withoutIndent(after, changedColumns(b, keptB))];
}

/** Another indentation is worth marking only where nothing else is marked. */
function withoutIndent(text: string, ranges: Ranges): Ranges {
  const indent = text.length - text.trimStart().length;
  if (!indent || ranges.length <= 2 || ranges[0] > 0) return ranges;
  return ranges[1] <= indent ? ranges.slice(2) : [indent, ...ranges.slice(1)];
}

/** Mark the longest common subsequence of the middles as kept. */
function keepCommon(
  a: readonly string[], b: readonly string[], head: number, rows: number, columns: number,
  keptA: Uint8Array, keptB: Uint8Array,
): void {
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * width + j] = a[head + i] === b[head + j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[head + i] === b[head + j]) keptA[head + i++] = keptB[head + j++] = 1;
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
}

function changedColumns(words: readonly string[], kept: Uint8Array): Ranges {
  const ranges: number[] = [];
  let column = 0;
  for (let at = 0; at < words.length; at++) {
    const end = column + words[at].length;
    if (!kept[at] || isIsland(words, kept, at)) {
      if (ranges.at(-1) === column) ranges[ranges.length - 1] = end;
      else ranges.push(column, end);
    }
    column = end;
  }
  return ranges;
}

/** A lone blank between two changed words reads better as part of the change. */
function isIsland(words: readonly string[], kept: Uint8Array, at: number): boolean {
  return at > 0 && at < words.length - 1 && words[at] === " " && !kept[at - 1] && !kept[at + 1];
}
