/**
 * How the reader likes it. The server keeps it for the account (`settings.ts`); this browser's
 * copy is there so that the first paint is right.
 */
import { signal, type Signal } from "@preact/signals";
import type { Mode } from "../diff/rows.ts";

export type Theme = "system" | "light" | "dark";
/** Colours of added and removed: green and red, or for those who tell these two, or blue and yellow, apart badly. */
export type Palette = "usual" | "blue-orange" | "teal-red";
export type CodeTheme = "diffx" | "github" | "solarized" | "contrast" | "plain";

/** Show every change; hide where only the amount of white space differs; hide where anything of it does. */
export type Space = "show" | "amount" | "all";

/** How the two sides of an image are shown. */
export type Comparing = "two-up" | "swipe" | "onion" | "difference";

export interface Prefs {
  readonly theme: Theme;
  readonly palette: Palette;
  readonly code: CodeTheme;
  /** null: by the room there is. */
  readonly layout: Mode | null;
  readonly wrap: boolean;
  readonly tab: number;
  readonly space: Space;
  readonly comparing: Comparing;
  /** Where a file opens: an address with {path} and {line} in it; empty for nowhere. */
  readonly editor: string;
  readonly keys: boolean;
  /** Keys that the reader chose, by action. */
  readonly bindings: Readonly<Record<string, string>>;
  readonly tree: boolean;
  readonly treeWidth: number;
}

/** A narrower window shows one column, and the files in a drawer. */
export const NARROW = 900;

export const TAB_WIDTHS = [2, 3, 4, 8] as const;

export const TREE_WIDTHS = { least: 180, most: 800 } as const;

const DEFAULTS: Prefs = {
  theme: "system", palette: "usual", code: "diffx", bindings: {}, layout: null, wrap: false, tab: 4, space: "show", comparing: "two-up", editor: "", keys: true, tree: true, treeWidth: 300,
};

export const PALETTES: readonly Palette[] = ["usual", "blue-orange", "teal-red"];
export const CODE_THEMES: readonly CodeTheme[] = ["diffx", "github", "solarized", "contrast", "plain"];

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

/** What is well-formed of kept bindings: one character for an action. */
function boundOf(kept: unknown): Readonly<Record<string, string>> {
  if (typeof kept !== "object" || !kept) return {};
  const pairs = Object.entries(kept).filter(([, key]) => typeof key === "string" && [...key].length === 1 && key !== " ");
  return Object.fromEntries(pairs.slice(0, 100)) as Record<string, string>;
}

/** Defaults, overlaid with what is well-formed in what was kept. */
export function checked(kept: unknown): Prefs {
  const given = (typeof kept === "object" && kept ? kept : {}) as Readonly<Record<string, unknown>>;
  const oneOf = <T>(name: keyof Prefs, allowed: readonly T[], otherwise: T): T =>
    allowed.includes(given[name] as T) ? (given[name] as T) : otherwise;
  const width = Number(given["treeWidth"]);
  return {
    theme: oneOf<Theme>("theme", ["system", "light", "dark"], DEFAULTS.theme),
    palette: oneOf<Palette>("palette", PALETTES, DEFAULTS.palette),
    code: oneOf<CodeTheme>("code", CODE_THEMES, DEFAULTS.code),
    bindings: boundOf(given["bindings"]),
    layout: oneOf<Mode | null>("layout", ["split", "unified", null], DEFAULTS.layout),
    wrap: oneOf("wrap", [true, false], DEFAULTS.wrap),
    tab: oneOf<number>("tab", TAB_WIDTHS, DEFAULTS.tab),
    space: oneOf<Space>("space", ["show", "amount", "all"], DEFAULTS.space),
    comparing: oneOf<Comparing>("comparing", ["two-up", "swipe", "onion", "difference"], DEFAULTS.comparing),
    editor: typeof given["editor"] === "string" ? given["editor"].slice(0, 400) : DEFAULTS.editor,
    keys: oneOf("keys", [true, false], DEFAULTS.keys),
    tree: oneOf("tree", [true, false], DEFAULTS.tree),
    treeWidth: width >= TREE_WIDTHS.least && width <= TREE_WIDTHS.most ? width : DEFAULTS.treeWidth,
  };
}
