/** From rows to elements. Text becomes text nodes; there is no markup to get wrong. */
import { ADDED, CONTEXT, hunkHeading, type Patch, REMOVED, rowText } from "../diff/patch.ts";
import { BAR, FILL, lineAt, type Rows, type Side } from "../diff/rows.ts";
import { LONGEST_PAINTED, type Sheet, STEP } from "../diff/sheet.ts";
import { NOTHING, type Ranges } from "../diff/worddiff.ts";
import { oddIn } from "../text/visible.ts";
import { icon, make } from "./dom.ts";
import { ICONS } from "./icons.ts";

const LOOK = ["same", "add", "del"];
const SAID = ["", "added", "removed"];

/** The element of one row. The row's run must be settled. */
export function paintRow(sheet: Sheet, row: number): HTMLElement {
  const { rows, patch } = sheet;
  if (!rows || !patch) return make("div");
  const element = rows.kind[row] === BAR ? paintBar(sheet, patch, row)
    : rows.mode === "split" ? paintPair(sheet, rows, patch, row)
    : paintLine(sheet, rows, patch, row);
  element.setAttribute("role", "row");
  element.setAttribute("aria-rowindex", String(row + 1));
  return element;
}

function paintLine(sheet: Sheet, rows: Rows, patch: Patch, row: number): HTMLElement {
  const kind = rows.kind[row] === FILL ? CONTEXT : patch.kind[rows.right[row]];
  const side: Side = kind === REMOVED ? "old" : "new";
  const upstream = kind && sheet.isForeign(rows.right[row]) ? " upstream" : "";
  return make("div", { class: `row ${LOOK[kind]}${upstream}` },
    number(lineAt(rows, patch, row, "old"), "old"),
    number(lineAt(rows, patch, row, "new"), "new"),
    code(sheet, row, side, kind));
}

function paintPair(sheet: Sheet, rows: Rows, patch: Patch, row: number): HTMLElement {
  const half = (side: Side): Node[] => {
    const ref = side === "old" ? rows.left[row] : rows.right[row];
    const kind = rows.kind[row] === FILL ? CONTEXT : ref < 0 ? -1 : patch.kind[ref];
    const look = kind < 0 ? "none" : LOOK[kind];
    const cells = kind < 0
      ? [number(0, side), make("div", { class: "code", role: "gridcell" })]
      : [number(lineAt(rows, patch, row, side), side), code(sheet, row, side, kind)];
    for (const cell of cells) cell.classList.add(look, side, ...(kind > 0 && sheet.isForeign(ref) ? ["upstream"] : []));
    return cells;
  };
  const element = make("div", { class: "row pair" });
  element.append(...half("old"), ...half("new"));
  return element;
}

function number(line: number, side: Side): HTMLElement {
  return make("div", { class: `num ${side}`, role: "gridcell" }, line ? String(line) : "");
}

function code(sheet: Sheet, row: number, side: Side, kind: number): HTMLElement {
  const ref = side === "old" ? sheet.rows!.left[row] : sheet.rows!.right[row];
  const line = make("span", { class: "text" });
  const text = sheet.text(row, side);
  const whole = sheet.uncapped.has(sheet.keyOf(row));
  const shown = whole ? text : text.slice(0, LONGEST_PAINTED);
  const words = kind === CONTEXT ? NOTHING : sheet.changedWords(ref);
  fillText(line, shown, words, tokensOf(sheet, row, side), kind !== CONTEXT && showsReturns(sheet));
  const cell = make("div", { class: "code", role: "gridcell" }, line);
  if (kind !== CONTEXT) cell.setAttribute("aria-roledescription", `${saidOf(sheet, ref, kind)} line`);
  if (text.length > shown.length) line.append(restButton(text.length - shown.length));
  if (sheet.rows!.kind[row] !== FILL && sheet.patch!.unended.has(ref)) {
    line.append(make("span", { class: "unended", title: "No newline at the end of the file" }, "no newline at end"));
  }
  return cell;
}

function saidOf(sheet: Sheet, ref: number, kind: number): string {
  return kind !== CONTEXT && sheet.isForeign(ref) ? `upstream-${SAID[kind]}` : SAID[kind];
}

function restButton(more: number): HTMLElement {
  const label = `show the other ${more.toLocaleString("en")} characters`;
  return make("button", { type: "button", class: "rest", "data-act": "rest" }, label);
}

interface TokenRun {
  readonly records: Uint32Array;
  readonly from: number;
  readonly to: number;
}

function tokensOf(sheet: Sheet, row: number, side: Side): TokenRun | null {
  const from = sheet.shownSide(row, side);
  const line = sheet.tokenLine(row, from);
  const tokens = sheet.tokens?.[from];
  if (!tokens || line < 0 || line + 1 >= tokens.starts.length) return null;
  return { records: tokens.records, from: tokens.starts[line], to: tokens.starts[line + 1] };
}

/** Cut a line where a token, a change of words or an odd character starts or ends. */
function fillText(
  into: HTMLElement, text: string, words: Ranges, tokens: TokenRun | null, showReturn: boolean,
): void {
  const odds = oddIn(text).filter(({ to, label }) => showReturn || to < text.length || label !== "CR");
  const shown = !showReturn && text.endsWith("\r") ? text.length - 1 : text.length;
  let [at, word, odd, token] = [0, 0, 0, tokens?.from ?? 0];
  while (at < shown) {
    while (word < words.length && words[word + 1] <= at) word += 2;
    while (tokens && token < tokens.to && (tokens.records[token] & 0xffffff) <= at) token++;
    while (odd < odds.length && odds[odd].to <= at) odd++;
    const inWord = word < words.length && words[word] <= at;
    const inOdd = odd < odds.length && odds[odd].from <= at;
    const hasToken = !!tokens && token < tokens.to;
    const end = Math.min(
      shown,
      word < words.length ? words[inWord ? word + 1 : word] : shown,
      odd < odds.length ? (inOdd ? odds[odd].to : odds[odd].from) : shown,
      hasToken ? tokens.records[token] & 0xffffff : shown,
    );
    const kind = hasToken ? tokens.records[token] >>> 24 : 0;
    const look = (kind ? `t${kind}` : "") + (inWord ? " word" : "");
    const piece = text.slice(at, end);
    if (inOdd) into.append(oddMark(odds[odd].label, odds[odd].title, piece));
    else if (look) into.append(make("span", { class: look.trim() }, piece));
    else into.append(piece);
    at = end;
  }
}

/** A mark for characters that cannot be seen; `data-raw` is what copying takes. */
export function oddMark(label: string, title: string, raw: string): HTMLElement {
  return make("span", { class: "odd", title, "data-raw": raw }, label);
}

/** Carriage returns matter only where some lines of the file have them and some have not. */
const mixedReturns = new WeakMap<Patch, boolean>();

function showsReturns({ patch }: Sheet): boolean {
  if (!patch) return false;
  const known = mixedReturns.get(patch);
  if (known !== undefined) return known;
  let [returns, lines] = [0, 0];
  for (let row = 0; row < patch.count; row++) {
    if (patch.kind[row] > REMOVED) continue;
    lines++;
    if (patch.text.charCodeAt(patch.to[row] - 1) === 13) returns++;
  }
  const mixed = returns > 0 && returns < lines;
  mixedReturns.set(patch, mixed);
  return mixed;
}

function paintBar(sheet: Sheet, patch: Patch, row: number): HTMLElement {
  const hunk = sheet.rows!.left[row];
  const cell = make("div", { class: "bar-cell", role: "gridcell" });
  cell.append(...gapButtons(sheet, sheet.gapOf(row), false));
  const range = rowText(patch, hunk).split("@@")[1]?.trim() ?? "";
  const heading = make("span", { class: "heading" });
  fillText(heading, hunkHeading(patch, hunk).slice(0, 300), NOTHING, null, true);
  cell.append(make("span", { class: "range" }, range), heading, ...hunkButton(sheet, row));
  return make("div", { class: "row bar" }, cell);
}

/** The button that marks a hunk; a lone one is its file, which has a button already. */
function hunkButton(sheet: Sheet, row: number): HTMLElement[] {
  const [hunk, count] = [sheet.hunkOf(row), sheet.full?.hunks.length ?? 0];
  if (count < 2 || hunk < 0) return [];
  const label = `Reviewed hunk ${hunk + 1} of ${count}`;
  return [make("button", { type: "button", class: "reviewed", "data-act": "hunk", "data-hunk": hunk, "aria-label": label, title: "Reviewed (V)" },
    make("span", { class: "box" }, icon(ICONS.tick)))];
}

/** The buttons that show what a gap hides. None where nothing is hidden or nothing was stored. */
export function gapButtons(sheet: Sheet, gap: number, last: boolean): HTMLElement[] {
  const hidden = sheet.hidden(gap);
  if (gap < 0 || !hidden || !sheet.expandable) return [];
  const button = (act: string, drawing: string, label: string, text: string): HTMLElement =>
    make("button", { type: "button", class: "open", "data-act": act, "data-gap": gap, title: label, "aria-label": label },
      icon(drawing), text);
  if (hidden <= STEP) {
    const label = `Show ${hidden === 1 ? "the hidden line" : `the ${hidden} hidden lines`}`;
    return [button("all", ICONS.both, label, String(hidden))];
  }
  const down = button("down", ICONS.down, `Show ${STEP} more lines below`, "");
  if (last && hidden === Infinity) return [down, button("all", ICONS.both, "Show the rest of the file", "rest")];
  if (last) return [down, button("all", ICONS.both, `Show the rest of the file: ${hidden} lines`, String(hidden))];
  const all = button("all", ICONS.both, `Show all ${hidden} hidden lines`, String(hidden));
  return [...(gap > 0 ? [down] : []), button("up", ICONS.up, `Show ${STEP} more lines above`, ""), all];
}

/** What a row says when the cursor comes to it. */
export function sayRow(sheet: Sheet, row: number, side: Side): string {
  const { rows, patch } = sheet;
  if (!rows || !patch) return "";
  if (rows.kind[row] === BAR) return `Hunk ${rowText(patch, rows.left[row])}${sheet.isHunkSeen(sheet.hunkOf(row)) ? ", reviewed" : ""}`;
  const ref = side === "old" ? rows.left[row] : rows.right[row];
  const kind = rows.kind[row] === FILL || ref < 0 ? CONTEXT : patch.kind[ref];
  const line = lineAt(rows, patch, row, kind === REMOVED ? "old" : kind === ADDED ? "new" : side);
  return `Line ${line} ${saidOf(sheet, ref, kind)}: ${sheet.text(row, kind === REMOVED ? "old" : "new") || "empty"}`;
}
