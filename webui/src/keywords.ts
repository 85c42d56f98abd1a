/** Every action in words, for the help sheet and the settings: see `keys.ts`. */
import type { Action } from "./keys.ts";

export type Group = "Move" | "Review" | "Look" | "Go";

export const GROUPS: readonly Group[] = ["Move", "Review", "Look", "Go"];

/** In the order in which they are listed. */
export const KEY_WORDS: Readonly<Record<Action, readonly [Group, string]>> = {
  "next-line": ["Move", "Next line"],
  "previous-line": ["Move", "Previous line"],
  "next-change": ["Move", "Next change"],
  "previous-change": ["Move", "Previous change"],
  "next-file": ["Move", "Next file"],
  "previous-file": ["Move", "Previous file"],
  "side": ["Move", "Other side of the line"],
  "fold": ["Look", "Fold or unfold the file"],
  "open-gap": ["Look", "Show the lines hidden above"],
  "open-all": ["Look", "Show the whole file"],
  "layout": ["Look", "Split or unified"],
  "wrap": ["Look", "Wrap long lines"],
  "upstream": ["Look", "In a comparison, show or hide what only the base changed"],
  "space": ["Look", "Show or hide what is white space alone"],
  "rendered": ["Look", "Show a document or an SVG rendered, an image in another way"],
  "theme": ["Look", "Light, dark or system colours"],
  "reviewed": ["Review", "The file is reviewed, or not"],
  "reviewed-hunk": ["Review", "The hunk is reviewed, or not"],
  "reviewed-next": ["Review", "Reviewed, and on to the next unreviewed file"],
  "comment": ["Review", "Comment on the line, or on the lines picked"],
  "pick-down": ["Review", "Pick one line more below"],
  "pick-up": ["Review", "Pick one line more above"],
  "comment-file": ["Review", "Comment on the file"],
  "next-comment": ["Review", "Next comment"],
  "previous-comment": ["Review", "Previous comment"],
  "reply": ["Review", "Reply to the comment"],
  "edit": ["Review", "Edit the comment"],
  "hide-comments": ["Review", "Hide or show comments between lines"],
  "comments": ["Review", "List of comments"],
  "finish": ["Review", "Finish the review"],
  "undo-mark": ["Review", "Undo the last reviewed mark"],
  "find": ["Go", "Find in every line and path; again for the browser's own"],
  "filter": ["Go", "Filter the files"],
  "tree": ["Go", "Show or hide the file tree"],
  "scope-all": ["Go", "All changes"],
  "scope-staged": ["Go", "Staged changes"],
  "scope-unstaged": ["Go", "Unstaged changes"],
  "iterations": ["Go", "Iterations: open one, or compare two"],
  "copy-link": ["Go", "Copy a link to this line"],
  "editor": ["Go", "Open the line in your editor"],
  "picker": ["Go", "All reviews"],
  "outline": ["Go", "All changes as a list, for screen readers"],
  "settings": ["Go", "Settings"],
  "help": ["Go", "This help"],
  "escape": ["Go", "Close, or leave a field"],
};

/** Actions, group by group. */
export function actionsIn(group: Group): Action[] {
  return (Object.keys(KEY_WORDS) as Action[]).filter((action) => KEY_WORDS[action][0] === group);
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  Escape: "Esc",
  "Shift+ArrowDown": "Shift ↓",
  "Shift+ArrowUp": "Shift ↑",
};

/** A key as it is written on a keyboard. */
export function keyName(key: string): string {
  return KEY_NAMES[key] ?? key;
}
