/** Line numbers in words. */

/** "line 3", "lines 3 to 5", with the side where it is the old one. */
export function linesWords(side: "old" | "new", start: number, end: number): string {
  const where = start === end ? `line ${start}` : `lines ${start} to ${end}`;
  return side === "old" ? `old ${where}` : where;
}
