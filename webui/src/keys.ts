/** The keys of every action, once; `keywords.ts` has what the help sheet says of them. */

export const KEYS = {
  "next-line": ["j"],
  "previous-line": ["k"],
  "next-change": ["n"],
  "previous-change": ["p"],
  "next-file": ["]"],
  "previous-file": ["["],
  "side": ["s"],
  "fold": ["z"],
  "open-gap": ["x"],
  "open-all": ["X"],
  "layout": ["m"],
  "wrap": ["w"],
  "space": ["i"],
  "rendered": ["d"],
  "theme": ["T"],
  "reviewed": ["v"],
  "reviewed-hunk": ["V"],
  "reviewed-next": ["M"],
  "comment": ["c"],
  "pick-down": ["Shift+ArrowDown"],
  "pick-up": ["Shift+ArrowUp"],
  "comment-file": ["C"],
  "next-comment": ["N"],
  "previous-comment": ["P"],
  "reply": ["r"],
  "edit": ["e"],
  "hide-comments": ["h"],
  "comments": ["l"],
  "finish": ["F"],
  "undo-mark": ["U"],
  "iterations": ["g"],
  "upstream": ["G"],
  "find": ["Ctrl+F"],
  "filter": ["t", "/"],
  "tree": ["b"],
  "scope-all": ["1"],
  "scope-staged": ["2"],
  "scope-unstaged": ["3"],
  "copy-link": ["y"],
  "editor": ["E"],
  "picker": ["u"],
  "outline": ["o"],
  "settings": [","],
  "help": ["?"],
  "escape": ["Escape"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Action = keyof typeof KEYS;

const ACTIONS = Object.keys(KEYS) as readonly Action[];

/** Keys that the reader chose, by action. */
export type Bindings = Readonly<Record<string, string>>;

/** The keys of an action: the reader's, else its own as far as no other action was given them. */
export function keysOf(action: Action, bound: Bindings): readonly string[] {
  if (bound[action]) return [bound[action]];
  const taken = Object.values(bound);
  return taken.length ? KEYS[action].filter((key) => !taken.includes(key)) : KEYS[action];
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
  return ACTIONS.find((action) => keysOf(action, bound).includes(name)) ?? null;
}
