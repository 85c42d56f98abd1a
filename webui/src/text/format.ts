/** Figures and times for people. */

export function bytes(count: number): string {
  if (count < 1_000) return count === 1 ? "1 byte" : `${count} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = count / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1_000; unit++; }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Whether a file is text that can be shown as what it describes: a document, or a drawing. */
export function isDocument(path: string): boolean {
  return /\.(?:md|markdown|mkd|mdown|svg)$/i.test(path);
}

export function isDrawing(path: string): boolean {
  return /\.svg$/i.test(path);
}

/** What a file's head says of its commit: the id, or the first words of a mail that has none. */
export function commitTag(commit: string): string {
  const id = /^[0-9a-f]{7,10}(?= |$)/.exec(commit)?.[0];
  const letters = [...commit];
  return id ?? (letters.length > 20 ? `${letters.slice(0, 16).join("").trimEnd()}…` : commit);
}

export function plural(count: number, one: string, many = one + "s"): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

const SPANS: ReadonlyArray<readonly [number, string]> = [
  [60_000, "minute"],
  [3_600_000, "hour"],
  [86_400_000, "day"],
  [7 * 86_400_000, "week"],
];

/** How long ago, or until, as a person says it: "just now", "5 minutes ago", "in 3 days". */
export function relative(time: number, now: number): string {
  const away = Math.abs(now - time);
  if (away < 45_000) return "just now";
  let [span, unit] = SPANS[0];
  for (const [length, name] of SPANS) {
    if (away >= length * 0.95) [span, unit] = [length, name];
  }
  const amount = plural(Math.max(1, Math.round(away / span)), unit);
  return time <= now ? `${amount} ago` : `in ${amount}`;
}

/** When changes were collected first, and last where they were found the same again. */
export function ageWords(storedAt: number, collectedAt: number): string {
  const again = storedAt - collectedAt > 60_000 ? `, stored or found unchanged last ${moment(storedAt)}` : "";
  return `Collected ${moment(collectedAt)}${again}`;
}

export function moment(time: number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
