/** How the reader likes it, remembered in this browser. */
import { signal, type Signal } from "@preact/signals";
import type { Mode } from "../diff/rows.ts";

export type Theme = "system" | "light" | "dark";

export interface Prefs {
  readonly theme: Theme;
  /** null: by the room there is. */
  readonly layout: Mode | null;
  readonly wrap: boolean;
  readonly tab: number;
  readonly keys: boolean;
  readonly tree: boolean;
  readonly treeWidth: number;
}

export const TAB_WIDTHS = [2, 3, 4, 8] as const;

export const TREE_WIDTHS = { least: 180, most: 800 } as const;

const DEFAULTS: Prefs = {
  theme: "system", layout: null, wrap: false, tab: 4, keys: true, tree: true, treeWidth: 300,
};

const NAME = "diffx.prefs";

export const prefs: Signal<Prefs> = signal(read());

export function prefer(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  try {
    localStorage.setItem(NAME, JSON.stringify(prefs.value));
  } catch {
    // A browser told to keep nothing: the choice holds until the page is left.
  }
}

function read(): Prefs {
  try {
    return checked(JSON.parse(localStorage.getItem(NAME) ?? "{}"));
  } catch {
    // Nothing kept, or nothing readable: start from the defaults.
    return DEFAULTS;
  }
}

/** Defaults, overlaid with what is well-formed in what was kept. */
export function checked(kept: unknown): Prefs {
  const given = (typeof kept === "object" && kept ? kept : {}) as Readonly<Record<string, unknown>>;
  const oneOf = <T>(name: keyof Prefs, allowed: readonly T[], otherwise: T): T =>
    allowed.includes(given[name] as T) ? (given[name] as T) : otherwise;
  const width = Number(given["treeWidth"]);
  return {
    theme: oneOf<Theme>("theme", ["system", "light", "dark"], DEFAULTS.theme),
    layout: oneOf<Mode | null>("layout", ["split", "unified", null], DEFAULTS.layout),
    wrap: oneOf("wrap", [true, false], DEFAULTS.wrap),
    tab: oneOf<number>("tab", TAB_WIDTHS, DEFAULTS.tab),
    keys: oneOf("keys", [true, false], DEFAULTS.keys),
    tree: oneOf("tree", [true, false], DEFAULTS.tree),
    treeWidth: width >= TREE_WIDTHS.least && width <= TREE_WIDTHS.most ? width : DEFAULTS.treeWidth,
  };
}
