/** Characters that change how text reads without being seen, and how to show them. */

/** A stretch of a text that is shown as `label`, with `title` to explain it. */
export interface Odd {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly title: string;
}

const NONE: readonly Odd[] = [];

/*
 * Controls but the tab, marks of direction, blanks of no width, separators that some programs
 * take for line ends, and halves of surrogate pairs.
 */
const ODD =
  /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|[\u{E0000}-\u{E007F}]/gu;
const PLAIN = /^[\t\x20-\x7E]*$/;
const PICTURE_BEFORE = /\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?$/u;
const JOINER = "\u200D";

const NAMES: Readonly<Record<string, string>> = {
  "00AD": "soft hyphen",
  "061C": "Arabic letter mark",
  "200B": "zero width space",
  "200C": "zero width non-joiner",
  "200D": "zero width joiner",
  "200E": "left-to-right mark",
  "200F": "right-to-left mark",
  "2028": "line separator",
  "2029": "paragraph separator",
  "202A": "left-to-right embedding",
  "202B": "right-to-left embedding",
  "202C": "end of embedding",
  "202D": "left-to-right override",
  "202E": "right-to-left override",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "first strong isolate",
  "2069": "end of isolate",
  "FEFF": "byte order mark",
};

/** The short names that ASCII gives its controls. */
const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

/** The odd stretches of a text, ascending. Plain ASCII costs one look. */
export function oddIn(text: string): readonly Odd[] {
  if (PLAIN.test(text)) return NONE;
  const found: Odd[] = [];
  for (const match of text.matchAll(ODD)) {
    const from = match.index;
    // A joiner inside an emoji such as a family is how that emoji is written.
    if (match[0] === JOINER && PICTURE_BEFORE.test(text.slice(Math.max(0, from - 8), from))) continue;
    found.push({ from, to: from + match[0].length, ...describe(match[0]) });
  }
  return found;
}

function describe(character: string): { label: string; title: string } {
  const point = character.codePointAt(0) ?? 0;
  const code = point.toString(16).toUpperCase().padStart(4, "0");
  const name = NAMES[code] ?? (point < 0xa0 ? "control character" : "invisible character");
  const title = `${name}, U+${code}`;
  if (point < 0x20) return { label: CONTROLS[point], title };
  if (point === 0x7f) return { label: "DEL", title };
  return { label: `U+${code}`, title };
}

/** The text with its odd characters spelled out, for places that hold text only. */
export function spellOut(text: string): string {
  let spelled = "";
  let at = 0;
  for (const { from, to, label } of oddIn(text)) {
    spelled += text.slice(at, from) + label;
    at = to;
  }
  return spelled + text.slice(at);
}
