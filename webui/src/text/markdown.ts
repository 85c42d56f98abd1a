/**
 * Markdown as a tree of plain values: the everyday part of CommonMark, tables and struck text.
 * HTML in it stays text, and so does whatever is not understood. Lines count from 1.
 */
export type Inline =
  | string
  | { readonly kind: "code" | "strong" | "em" | "del"; readonly parts: readonly Inline[] }
  | { readonly kind: "link" | "image"; readonly parts: readonly Inline[]; readonly to: string };

export interface Block {
  readonly kind: "heading" | "paragraph" | "code" | "quote" | "list" | "item" | "table" | "rule";
  readonly from: number;
  readonly to: number;
  /** A heading's level, or 1 for an ordered list. */
  readonly level?: number;
  readonly text?: string;
  readonly blocks?: readonly Block[];
  readonly rows?: ReadonlyArray<readonly string[]>;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 8;
/** Longer paragraphs are shown as they are: looking for signs in them would take too long. */
const LONGEST_INLINE = 4_000;

export function parseMarkdown(lines: readonly string[], first = 1, depth = 0): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = blockAt(lines, at, first, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, first: number, depth: number): [Block | null, number] {
  const line = lines[at];
  const made = (end: number, rest: Omit<Block, "from" | "to">): [Block, number] => [{ ...rest, from: first + at, to: first + end - 1 }, end];
  if (!line.trim()) return [null, at + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence) {
    let end = at + 1;
    while (end < lines.length && !(lines[end].trimStart().startsWith(fence) && !lines[end].trim().slice(fence.length).replaceAll(fence[0], ""))) end++;
    return made(Math.min(end + 1, lines.length), { kind: "code", text: lines.slice(at + 1, end).join("\n") });
  }
  const heading = HEADING.exec(line);
  if (heading) return made(at + 1, { kind: "heading", level: heading[1].length, text: heading[2] ?? "" });
  if (RULE.test(line)) return made(at + 1, { kind: "rule" });
  if (depth < DEEPEST && QUOTE.test(line)) {
    const end = until(lines, at, (one) => !QUOTE.test(one));
    return made(end, { kind: "quote", blocks: parseMarkdown(lines.slice(at, end).map((one) => one.replace(QUOTE, "")), first + at, depth + 1) });
  }
  if (depth < DEEPEST && ITEM.test(line)) return listAt(lines, at, first, depth);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) {
    const end = until(lines, at, (one) => !one.includes("|"));
    return made(end, { kind: "table", rows: [line, ...lines.slice(at + 2, end)].map(cells) });
  }
  const end = until(lines, at + 1, (one) => !one.trim() || FENCE.test(one) || HEADING.test(one) || RULE.test(one) || QUOTE.test(one) || ITEM.test(one));
  return made(end, { kind: "paragraph", text: lines.slice(at, end).map(flowing).join("\n").trimEnd() });
}

function listAt(lines: readonly string[], at: number, first: number, depth: number): [Block, number] {
  const items: Block[] = [];
  const ordered = /\d/.test(ITEM.exec(lines[at])![2]);
  let next = at;
  while (next < lines.length) {
    const sign = ITEM.exec(lines[next]);
    if (!sign || /\d/.test(sign[2]) !== ordered) break;
    const indent = sign[0].length;
    const end = until(lines, next + 1, (one, place) => (ITEM.test(one) && one.search(/\S/) < indent) || (!!one.trim() && one.search(/\S/) < 2 && !lines[place - 1].trim()));
    const body = lines.slice(next, end).map((one, place) => (place ? one.replace(new RegExp(`^\\s{0,${indent}}`), "") : one.slice(indent)));
    items.push({ kind: "item", from: first + next, to: first + end - 1, blocks: parseMarkdown(body, first + next, depth + 1) });
    next = end;
  }
  return [{ kind: "list", level: ordered ? 1 : 0, blocks: items, from: first + at, to: first + next - 1 }, next];
}

function until(lines: readonly string[], at: number, stop: (line: string, place: number) => boolean): number {
  let end = at;
  while (end < lines.length && !stop(lines[end], end)) end++;
  return end;
}

/** A line of a paragraph; two blanks at its end, which ask for a line break, stay. */
function flowing(line: string): string {
  return line.trim() + (/ {2,}\r?$/.test(line) ? "  " : "");
}

/** The cells of a row; a bar after a backslash is part of its cell, in code too. */
function cells(line: string): string[] {
  return line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** The lines of a text that flows: only a line break that was asked for is one. */
export function brokenLines(text: string): string[] {
  return text.split(/(?: {2,}|\\)\n/).map((line) => line.replaceAll("\n", " "));
}

const INLINE = /`([^`]+)`|\*\*((?:[^*]|\*[^*]+\*)+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\b_([^_\s][^_]*)_\b|~~([^~]+)~~|(!?)\[([^\]]*)\]\(([^()\s]*)[^()]*\)|<(https?:[^<>\s]+)>/g;

export function parseInline(text: string, depth = 0): Inline[] {
  if (text.length > LONGEST_INLINE || depth > 4) return [text];
  const parts: Inline[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, code, strong, strong2, em, em2, gone, bang, label, to, plain] = found;
    parts.push(text.slice(at, found.index));
    at = found.index + all.length;
    const inner = (kind: "strong" | "em" | "del", body: string): Inline => ({ kind, parts: parseInline(body, depth + 1) });
    if (code !== undefined) parts.push({ kind: "code", parts: [code] });
    else if (strong ?? strong2) parts.push(inner("strong", strong ?? strong2));
    else if (em ?? em2) parts.push(inner("em", em ?? em2));
    else if (gone) parts.push(inner("del", gone));
    else if (plain) parts.push({ kind: "link", parts: [plain], to: plain });
    else parts.push({ kind: bang ? "image" : "link", parts: parseInline(label, depth + 1), to });
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== "");
}
