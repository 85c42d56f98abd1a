/** Line drawings in a 16 by 16 square, drawn with a stroke. */

export const ICONS = {
  chevron: "M6 4l4 4-4 4",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  up: "M8 12.5v-9M4.5 7L8 3.5 11.5 7",
  down: "M8 3.5v9M4.5 9L8 12.5 11.5 9",
  both: "M8 2v4.2M6 4.4L8 2.2l2 2.2M8 14V9.8M6 11.6l2 2.2 2-2.2M2.5 8h11",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3L14 14",
  files: "M2.5 4h4M2.5 8h11M2.5 12h8",
  help: "M5.7 6a2.3 2.3 0 1 1 3.4 2.1c-.8.4-1.1.9-1.1 1.7M8 12.3v.1",
  gear: "M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 3v3M5.5 10v3",
  tick: "M3 8.5l3.2 3.2L13 5",
  dash: "M4 8h8",
  edit: "M3 13l.7-3L11 2.7 13.3 5 6 12.3z",
  comment: "M2.5 3.5h11v7.5H8L5 13.5V11H2.5z",
  check: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM5.4 8.2l1.9 1.9 3.4-3.8",
  close: "M4 4l8 8M12 4l-8 8",
  branch: "M5 4.5v7M5 8.5c5 0 6-.5 6-3.5M5 2.5a1.2 1.2 0 1 0 0 2 1.2 1.2 0 0 0 0-2zM11 3a1.2 1.2 0 1 0 0 2 1.2 1.2 0 0 0 0-2zM5 11.5a1.2 1.2 0 1 0 0 2 1.2 1.2 0 0 0 0-2z",
} as const;

/** What the letter of a changed file stands for. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  A: "added", M: "modified", D: "deleted", R: "renamed", T: "type changed", U: "in conflict",
};

export type IconName = keyof typeof ICONS;
