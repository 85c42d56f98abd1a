/** Every key, once: what it does, where, and what the help sheet says. */

export type Action =
  | "next-line" | "previous-line" | "next-change" | "previous-change" | "next-file" | "previous-file"
  | "find" | "space" | "settings" | "outline" | "rendered" | "side" | "fold" | "open-gap" | "open-all" | "filter" | "tree" | "layout" | "wrap"
  | "scope-all" | "scope-staged" | "scope-unstaged" | "theme" | "picker" | "copy-link" | "help" | "escape"
  | "reviewed" | "reviewed-next" | "undo-mark"
  | "comment" | "comment-file" | "pick-down" | "pick-up" | "next-comment" | "previous-comment" | "reply" | "edit"
  | "hide-comments" | "comments" | "finish";

export interface Key {
  readonly action: Action;
  readonly keys: readonly string[];
  readonly words: string;
  readonly group: "Move" | "Look" | "Go" | "Review";
}

export const KEYS: readonly Key[] = [
  { action: "next-line", keys: ["j"], words: "Next line", group: "Move" },
  { action: "previous-line", keys: ["k"], words: "Previous line", group: "Move" },
  { action: "next-change", keys: ["n"], words: "Next change", group: "Move" },
  { action: "previous-change", keys: ["p"], words: "Previous change", group: "Move" },
  { action: "next-file", keys: ["]"], words: "Next file", group: "Move" },
  { action: "previous-file", keys: ["["], words: "Previous file", group: "Move" },
  { action: "side", keys: ["s"], words: "Other side of the line", group: "Move" },
  { action: "fold", keys: ["z"], words: "Fold or unfold the file", group: "Look" },
  { action: "open-gap", keys: ["x"], words: "Show the lines hidden above", group: "Look" },
  { action: "open-all", keys: ["X"], words: "Show the whole file", group: "Look" },
  { action: "layout", keys: ["m"], words: "Split or unified", group: "Look" },
  { action: "wrap", keys: ["w"], words: "Wrap long lines", group: "Look" },
  { action: "space", keys: ["i"], words: "Show or hide what is white space alone", group: "Look" },
  { action: "rendered", keys: ["d"], words: "Show a Markdown document rendered", group: "Look" },
  { action: "theme", keys: ["T"], words: "Light, dark or system colours", group: "Look" },
  { action: "reviewed", keys: ["v"], words: "Reviewed, or not", group: "Review" },
  { action: "reviewed-next", keys: ["M"], words: "Reviewed, and on to the next unreviewed file", group: "Review" },
  { action: "comment", keys: ["c"], words: "Comment on the line, or on the lines picked", group: "Review" },
  { action: "pick-down", keys: ["Shift+ArrowDown"], words: "Pick one line more below", group: "Review" },
  { action: "pick-up", keys: ["Shift+ArrowUp"], words: "Pick one line more above", group: "Review" },
  { action: "comment-file", keys: ["C"], words: "Comment on the file", group: "Review" },
  { action: "next-comment", keys: ["N"], words: "Next comment", group: "Review" },
  { action: "previous-comment", keys: ["P"], words: "Previous comment", group: "Review" },
  { action: "reply", keys: ["r"], words: "Reply to the comment", group: "Review" },
  { action: "edit", keys: ["e"], words: "Edit the comment", group: "Review" },
  { action: "hide-comments", keys: ["h"], words: "Hide or show comments between lines", group: "Review" },
  { action: "comments", keys: ["l"], words: "List of comments", group: "Review" },
  { action: "finish", keys: ["F"], words: "Finish the review", group: "Review" },
  { action: "undo-mark", keys: ["U"], words: "Undo the last reviewed mark", group: "Review" },
  { action: "find", keys: ["Ctrl+F"], words: "Find in every line and path; again for the browser's own", group: "Go" },
  { action: "filter", keys: ["t", "/"], words: "Filter the files", group: "Go" },
  { action: "tree", keys: ["b"], words: "Show or hide the file tree", group: "Go" },
  { action: "scope-all", keys: ["1"], words: "All changes", group: "Go" },
  { action: "scope-staged", keys: ["2"], words: "Staged changes", group: "Go" },
  { action: "scope-unstaged", keys: ["3"], words: "Unstaged changes", group: "Go" },
  { action: "copy-link", keys: ["y"], words: "Copy a link to this line", group: "Go" },
  { action: "picker", keys: ["u"], words: "All reviews", group: "Go" },
  { action: "outline", keys: ["o"], words: "All changes as a list, for screen readers", group: "Go" },
  { action: "settings", keys: [","], words: "Settings", group: "Go" },
  { action: "help", keys: ["?"], words: "This help", group: "Go" },
  { action: "escape", keys: ["Escape"], words: "Close, or leave a field", group: "Go" },
];

export const KEY_NAMES: Readonly<Record<string, string>> = {
  Escape: "Esc",
  "Shift+ArrowDown": "Shift ↓",
  "Shift+ArrowUp": "Shift ↑",
};

/** Keys that the reader chose, by action. */
export type Bindings = Readonly<Record<string, string>>;

/** The keys of an action: the reader's, else its own as far as no other action was given them. */
export function keysOf({ action, keys }: Key, bound: Bindings): readonly string[] {
  if (bound[action]) return [bound[action]];
  const taken = Object.values(bound);
  return taken.length ? keys.filter((key) => !taken.includes(key)) : keys;
}

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey?: boolean;
}

/**
 * What a key press means, or null. Nothing with a modifier but find, and while typing only Escape;
 * `single` switches the single-letter keys off (WCAG 2.1.4).
 */
export function actionOf(pressed: Pressed, typing: boolean, single: boolean, bound: Bindings = {}): Action | null {
  if ((pressed.ctrlKey || pressed.metaKey) && !pressed.altKey && pressed.key.toLowerCase() === "f") return "find";
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return null;
  if (pressed.key !== "Escape" && (typing || !single)) return null;
  const name = pressed.shiftKey && pressed.key.startsWith("Arrow") ? `Shift+${pressed.key}` : pressed.key;
  return KEYS.find((key) => keysOf(key, bound).includes(name))?.action ?? null;
}
