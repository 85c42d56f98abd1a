/** Keys that change how the page looks. */
import { NARROW, prefer, prefs, type Theme } from "../state/prefs.ts";
import { nextSpace, SPACE_WORDS } from "./space.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

type Say = (words: string) => void;

export function changeLayout(split: boolean, say: Say): void {
  if (innerWidth < NARROW) return say("This window is too narrow for two columns; they come back with more room.");
  prefer({ layout: split ? "unified" : "split" });
}

export function changeSpace(say: Say): void {
  const space = nextSpace(prefs.peek().space);
  prefer({ space });
  say(`White space: ${SPACE_WORDS[space]}`);
}

export function nextTheme(say: Say): void {
  const theme = THEMES[(THEMES.indexOf(prefs.peek().theme) + 1) % THEMES.length];
  prefer({ theme });
  say(`Colours: ${theme}`);
}
