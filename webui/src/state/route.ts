/** The address bar: which page, and which place on it. A link opens exactly what it was copied from. */
import { signal } from "@preact/signals";
import type { Scope } from "../api/types.gen.ts";
import type { Side } from "../diff/rows.ts";

export type Shown = "latest" | "stale" | "all";

/** What the picker is asked for; each list is alternatives, and all of them must hold. */
export interface Filters {
  readonly q: string;
  readonly shown: Shown;
  readonly hosts: readonly string[];
  readonly branches: readonly string[];
  readonly worktrees: readonly string[];
}

export const NO_FILTERS: Filters = { q: "", shown: "latest", hosts: [], branches: [], worktrees: [] };

export type Route =
  | { readonly page: "picker"; readonly filters: Filters }
  | { readonly page: "review"; readonly context: string; readonly scope: Scope; readonly spot: Spot | null;
      /** The context that this one is compared with, if it is. */
      readonly from?: string }
  | { readonly page: "opening" }
  | { readonly page: "unknown"; readonly path: string };

/** A file, and maybe a line of it. */
export interface Spot {
  readonly file: string;
  readonly line: { readonly side: Side; readonly number: number } | null;
}

const SCOPES: readonly string[] = ["all", "staged", "unstaged"] satisfies readonly Scope[];

export function parseRoute(path: string, search: string): Route {
  const query = new URLSearchParams(search);
  if (path === "/") {
    const shown = query.get("show");
    return {
      page: "picker",
      filters: {
        q: query.get("q") ?? "",
        shown: shown === "stale" || shown === "all" ? shown : "latest",
        hosts: query.getAll("host"),
        branches: query.getAll("branch"),
        worktrees: query.getAll("worktree"),
      },
    };
  }
  if (path === "/opening") return { page: "opening" };
  const context = /^\/contexts\/([\w-]{1,80})\/?$/.exec(path)?.[1];
  if (!context) return { page: "unknown", path };
  const scope = query.get("scope") ?? "";
  const file = query.get("file");
  const from = query.get("from");
  return {
    page: "review", context, ...(from && /^[\w-]{1,80}$/.test(from) ? { from } : {}),
    scope: SCOPES.includes(scope) ? (scope as Scope) : "all",
    spot: file ? { file, line: parseLine(query.get("line")) } : null,
  };
}

/** "12" and "R12" are lines of the new side, "L12" of the old. */
function parseLine(text: string | null): Spot["line"] {
  const found = /^([LR]?)(\d{1,9})$/.exec(text ?? "");
  return found ? { side: found[1] === "L" ? "old" : "new", number: Number(found[2]) } : null;
}

export function formatRoute(route: Route): string {
  if (route.page === "unknown") return route.path;
  if (route.page === "opening") return "/opening";
  const query = new URLSearchParams();
  if (route.page === "picker") {
    const { q, shown, hosts, branches, worktrees } = route.filters;
    if (q) query.set("q", q);
    if (shown !== "latest") query.set("show", shown);
    for (const host of hosts) query.append("host", host);
    for (const branch of branches) query.append("branch", branch);
    for (const worktree of worktrees) query.append("worktree", worktree);
  } else {
    if (route.scope !== "all") query.set("scope", route.scope);
    if (route.from) query.set("from", route.from);
    if (route.spot) query.set("file", route.spot.file);
    const line = route.spot?.line;
    if (line) query.set("line", (line.side === "old" ? "L" : "R") + line.number);
  }
  const path = route.page === "picker" ? "/" : `/contexts/${route.context}`;
  const asked = query.toString();
  return asked ? `${path}?${asked}` : path;
}

export const route = signal<Route>({ page: "picker", filters: NO_FILTERS });

/** Follow the address bar from now on. */
export function followAddress(): void {
  const read = (): void => { route.value = parseRoute(location.pathname, location.search); };
  addEventListener("popstate", read);
  read();
}

/** The picker as it was left, so that coming back to it loses no filter. */
let lastFilters: Filters = NO_FILTERS;

export function pickerRoute(): Route {
  return { page: "picker", filters: lastFilters };
}

/** Go to another page; "replace" keeps one step of history for many small moves. */
export function navigate(to: Route, how: "push" | "replace" = "push"): void {
  const address = formatRoute(to);
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  if (to.page === "picker") lastFilters = to.filters;
  route.value = to;
}

/** Note where the reader is, without moving there. */
export function noteSpot(spot: Spot | null): void {
  const now = route.peek();
  if (now.page !== "review") return;
  history.replaceState(null, "", formatRoute({ ...now, spot }));
}
