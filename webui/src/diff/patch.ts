/**
 * One file's unified patch as rows: typed arrays over the patch text, no object per line.
 *
 * Any text is accepted. What follows the counts of a hunk, or stands before the first one, is not
 * a row; a hunk that ends early keeps the lines it has. Lines end at "\n" only, as Git has it.
 */

export const CONTEXT = 0;
export const ADDED = 1;
export const REMOVED = 2;
export const HUNK = 3;

/** A maximal run of changed rows: `[first, end)`, of which so many are removed and added. */
export interface Run {
  readonly first: number;
  readonly end: number;
  readonly removed: number;
  readonly added: number;
}

export interface Patch {
  readonly text: string;
  readonly count: number;
  readonly kind: Uint8Array;
  /** Where the row's text lies in `text`, its first column (" ", "+", "-") left out. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Line numbers, 0 where that side has none; a hunk row has those of its first lines. */
  readonly oldLine: Uint32Array;
  readonly newLine: Uint32Array;
  readonly runs: readonly Run[];
  /** Row numbers of the hunk headers, ascending. */
  readonly hunks: readonly number[];
  /** Rows whose line has no newline at its end. */
  readonly unended: ReadonlySet<number>;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const PLUS = 43;
const MINUS = 45;
const AT = 64;
const BACKSLASH = 92;
const SPACE = 32;
const NEWLINE = 10;
const RETURN = 13;

export function parsePatch(text: string): Patch {
  return new Parser(text).parse();
}

export function rowText(patch: Patch, row: number): string {
  return patch.text.slice(patch.from[row], patch.to[row]);
}

/** The words after the second "@@": usually the function that the hunk is in. */
export function hunkHeading(patch: Patch, row: number): string {
  return rowText(patch, row).replace(HEADER, "").trim();
}

/** The run that holds a row, or undefined for context and headers. */
export function runAt(patch: Patch, row: number): Run | undefined {
  let low = 0;
  let high = patch.runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = patch.runs[middle];
    if (row < run.first) high = middle - 1;
    else if (row >= run.end) low = middle + 1;
    else return run;
  }
  return undefined;
}

/** The row numbers of a run's removed and added lines. */
export function sidesOf(patch: Patch, run: Run): { removed: number[]; added: number[] } {
  const removed: number[] = [];
  const added: number[] = [];
  for (let row = run.first; row < run.end; row++) {
    (patch.kind[row] === REMOVED ? removed : added).push(row);
  }
  return { removed, added };
}

class Parser {
  private readonly kind: Uint8Array;
  private readonly from: Uint32Array;
  private readonly to: Uint32Array;
  private readonly oldLine: Uint32Array;
  private readonly newLine: Uint32Array;
  private readonly runs: Run[] = [];
  private readonly hunks: number[] = [];
  private readonly unended = new Set<number>();
  private count = 0;
  private at = 0;
  private runFirst = -1;
  private removed = 0;
  private added = 0;

  constructor(private readonly text: string) {
    const most = lineCount(text);
    this.kind = new Uint8Array(most);
    this.from = new Uint32Array(most);
    this.to = new Uint32Array(most);
    this.oldLine = new Uint32Array(most);
    this.newLine = new Uint32Array(most);
  }

  parse(): Patch {
    while (this.at < this.text.length) {
      const end = this.lineEnd();
      const header = this.text.charCodeAt(this.at) === AT ? this.headerAt(end) : null;
      if (header) this.hunk(header, end);
      else this.at = end + 1;
    }
    const { text, count, runs, hunks, unended } = this;
    return {
      text, count, runs, hunks, unended,
      kind: this.kind.slice(0, count),
      from: this.from.slice(0, count),
      to: this.to.slice(0, count),
      oldLine: this.oldLine.slice(0, count),
      newLine: this.newLine.slice(0, count),
    };
  }

  private lineEnd(): number {
    const end = this.text.indexOf("\n", this.at);
    return end < 0 ? this.text.length : end;
  }

  private headerAt(end: number): RegExpExecArray | null {
    return HEADER.exec(this.text.slice(this.at, Math.min(end, this.at + 100)));
  }

  private hunk(header: RegExpExecArray, end: number): void {
    let oldLeft = Number(header[2] ?? 1);
    let newLeft = Number(header[4] ?? 1);
    // An empty side is numbered by the line before it (git's "-0,0" and "-5,0").
    let oldLine = Number(header[1]) + (oldLeft === 0 ? 1 : 0);
    let newLine = Number(header[3]) + (newLeft === 0 ? 1 : 0);
    this.hunks.push(this.count);
    this.push(HUNK, this.at, end, oldLine, newLine);
    this.at = end + 1;
    while (this.at < this.text.length && (oldLeft > 0 || newLeft > 0)) {
      const kind = this.lineKind();
      if (kind < 0) break;
      const lineEnd = this.lineEnd();
      const from = Math.min(this.at + 1, lineEnd);
      if (kind === HUNK) this.markUnended();
      else {
        this.push(kind, from, lineEnd, kind === ADDED ? 0 : oldLine, kind === REMOVED ? 0 : newLine);
        if (kind !== ADDED) { oldLine++; oldLeft--; }
        if (kind !== REMOVED) { newLine++; newLeft--; }
      }
      this.at = lineEnd + 1;
    }
    if (this.text.charCodeAt(this.at) === BACKSLASH) {
      this.markUnended();
      this.at = this.lineEnd() + 1;
    }
    this.closeRun();
  }

  /** The kind of the line at hand; HUNK stands for the marker of a missing newline, -1 for none. */
  private lineKind(): number {
    switch (this.text.charCodeAt(this.at)) {
      case PLUS: return ADDED;
      case MINUS: return REMOVED;
      case BACKSLASH: return HUNK;
      // Mailers and editors strip the lone blank of an empty context line.
      case SPACE: case NEWLINE: case RETURN: return CONTEXT;
      default: return -1;
    }
  }

  private push(kind: number, from: number, to: number, oldLine: number, newLine: number): void {
    const row = this.count++;
    this.kind[row] = kind;
    this.from[row] = from;
    this.to[row] = to;
    this.oldLine[row] = oldLine;
    this.newLine[row] = newLine;
    if (kind === CONTEXT || kind === HUNK) return this.closeRun();
    if (this.runFirst < 0) this.runFirst = row;
    if (kind === ADDED) this.added++;
    else this.removed++;
  }

  private closeRun(): void {
    if (this.runFirst < 0) return;
    const { removed, added } = this;
    this.runs.push({ first: this.runFirst, end: this.runFirst + removed + added, removed, added });
    this.runFirst = -1;
    this.removed = this.added = 0;
  }

  private markUnended(): void {
    if (this.count > 0 && this.kind[this.count - 1] !== HUNK) this.unended.add(this.count - 1);
  }
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
