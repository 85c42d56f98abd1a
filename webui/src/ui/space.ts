/** Hiding what is white space alone; the code for it comes when it is first wanted. */
import { type Signal, signal } from "@preact/signals";
import type { Frame } from "../diff/sheet.ts";
import { prefs, type Space } from "../state/prefs.ts";

export const SPACE_WORDS: Readonly<Record<Space, string>> = {
  show: "shown",
  amount: "hidden where only its amount changed",
  all: "hidden",
};

/** What the surface hides now; null while it shows everything. */
export const quiet: Signal<Frame["quiet"]> = signal(null);

let wanted = 0;
let made: Space = "show";

/** Follow the preference; call this inside an effect. */
export function followSpace(): void {
  const { space } = prefs.value;
  const turn = ++wanted;
  // Another function is another choice to the surface, which then lays everything out anew.
  if (space === made) return;
  if (space === "show") {
    [made, quiet.value] = [space, null];
    return;
  }
  void import("./hiding.ts").then(({ hideSpace, indentMatters }) => {
    if (turn !== wanted) return;
    [made, quiet.value] = [space, (patch, { file }) => hideSpace(patch, space, indentMatters(file.path))];
  });
}

export function nextSpace(space: Space): Space {
  return space === "show" ? "amount" : space === "amount" ? "all" : "show";
}
