/** A file of a comparison in the words of a changed file, so that one surface shows both. No DOM. */
import type { ChangedFile, ComparedFile, ContextComparison, Side, WithheldReason } from "../api/types.gen.ts";
import type { Notice, Tag } from "../diff/sheet.ts";
import { plural } from "../text/format.ts";
import { noticesOf } from "./notices.ts";

/** A file as both observations list it; undefined where one does not. */
export interface Versions {
  readonly earlier: ChangedFile | undefined;
  readonly later: ChangedFile | undefined;
}

/** What is on a side of the comparison. */
interface End {
  readonly side: Side | null;
  readonly mode: string | null;
  readonly commit: string | null;
}

/** Lines of context around a change, both sides together, for a height that is not known yet. */
const AROUND = 6;

/**
 * The file to show. `reason` says why its lines are not there, where that is so; `widest` answers
 * how long the longest of them is, once they are here.
 */
export function asChanged(
  one: ComparedFile, versions: Versions, reason: WithheldReason | null = one.reason, widest: () => number = () => 0,
): ChangedFile {
  const { earlier, later } = versions;
  const [from, to] = endsOf(one, versions);
  const listed = later ?? earlier;
  const kept = !one.modeChanged && from.mode !== null && to.mode !== null;
  const submodule = later?.submodule && earlier?.submodule
    ? { submodule: { ...later.submodule, oldCommit: from.commit, newCommit: to.commit } } : {};
  return {
    id: one.fileId, path: one.path, oldPath: one.renamed ? one.fromPath : null,
    status: statusOf(one, from, to), indexStatus: null, worktreeStatus: null,
    oldMode: kept ? to.mode : from.mode, newMode: to.mode,
    additions: one.additions, deletions: one.deletions,
    binary: reason === "binary", size: to.side?.size ?? null,
    fingerprint: later?.fingerprint ?? null,
    ...(listed?.noise ? { noise: listed.noise } : {}), ...submodule,
    rows: reason ? null : rowsOf(one, widest),
    patch: reason ? { available: false, bytes: 0, reason } : { available: true, bytes: 60 * linesIn(one) },
    before: from.side, after: to.side,
    reviewed: false, commentCount: 0,
  };
}

/**
 * What is compared: the two versions. A file that only one observation lists is compared with what
 * it changed itself, since the other has it as its base does.
 */
function endsOf(one: ComparedFile, { earlier, later }: Versions): [End, End] {
  const before = (file: ChangedFile | undefined): End =>
    ({ side: file?.before ?? null, mode: file?.oldMode ?? null, commit: file?.submodule?.oldCommit ?? null });
  const after = (file: ChangedFile | undefined): End =>
    ({ side: file?.after ?? null, mode: file?.newMode ?? null, commit: file?.submodule?.newCommit ?? null });
  if (one.state === "gone") return [after(earlier), before(earlier)];
  return [one.fromFileId === null ? before(later) : after(earlier), after(later)];
}

function statusOf(one: ComparedFile, from: End, to: End): ChangedFile["status"] {
  if (!from.mode && to.mode) return "A";
  if (from.mode && !to.mode) return "D";
  if (one.renamed) return "R";
  return one.modeChanged && from.mode?.slice(0, 3) !== to.mode?.slice(0, 3) ? "T" : "M";
}

function linesIn(one: ComparedFile): number {
  return one.additions + one.deletions + one.upstreamAdditions + one.upstreamDeletions;
}

/** About as tall as it will be: how the lines lie is known when they are here. */
function rowsOf(one: ComparedFile, widest: () => number): ChangedFile["rows"] {
  if (!linesIn(one)) return null;
  const { additions, deletions } = one;
  const around = 1 + AROUND;
  return {
    hunks: 1, unified: around + additions + deletions, split: around + Math.max(additions, deletions),
    get maxColumns() { return widest(); },
  };
}

export function upstreamLines({ upstreamAdditions, upstreamDeletions }: ComparedFile): number {
  return upstreamAdditions + upstreamDeletions;
}

/** What there is to say about a compared file besides its lines. */
export function remarksOn(one: ComparedFile, file: ChangedFile): Notice[] {
  const said: Notice[] = [];
  const say = (tone: Notice["tone"], text: string): void => void said.push({ tone, text });
  if (one.state === "gone" && one.own) {
    say("warn", "No longer among the changes: taken back by the author, or taken over by the base. What is stored does not tell which.");
    return said;
  }
  const withheld = !file.patch.available;
  if (one.state === "unknown") say("warn", "Whether the author or the base changed this file, what is stored does not tell.");
  else if (!one.separated && !withheld) say("plain", "What the base changed here could not be told apart: all lines are shown as the author's.");
  if (one.state === "new" && one.own) say("plain", "Not among the changes of the earlier iteration; what it changes itself is shown.");
  if (one.coarse) say("plain", "Compared roughly, because of its size: more may be shown as changed than is.");
  if (one.undone) say("plain", `The author left out ${plural(one.undone, "line")} that the base had added.`);
  if (file.patch.reason === "not-captured") say("warn", "The lines are not shown: the contents of this file were not captured.");
  else said.push(...noticesOf(file));
  return said;
}

export function tagsOf(one: ComparedFile): Tag[] {
  const lines = upstreamLines(one);
  const tags: Tag[] = [];
  if (one.state === "new") tags.push({ text: "new since", title: "Not among the changes of the earlier iteration" });
  if (one.state === "gone") tags.push({ text: "no longer changed", title: "Among the changes of the earlier iteration alone" });
  if (one.state === "upstream") tags.push({ text: "only upstream changed", title: "The author's change is the same as before" });
  else if (lines) tags.push({ text: `${lines.toLocaleString("en")} upstream`, title: `${plural(lines, "line")} that only the base changed (G shows or hides them)` });
  return tags;
}

/** What became of the changes, in one sentence. */
export function comparisonWords({ counts, pureRebase, sameBase, authorChange }: ContextComparison): string {
  const { changed = 0, new: fresh = 0, gone = 0, unknown = 0 } = counts;
  if (pureRebase) return "Rebased; nothing of the author's changed.";
  const parts: string[] = [];
  if (changed) parts.push(`${plural(changed, "file")} changed`);
  if (fresh) parts.push(`${fresh} new`);
  if (gone) parts.push(`${gone} no longer changed`);
  if (unknown) parts.push(`${unknown} unclear`);
  if (!parts.length) return "Nothing changed between these two.";
  const open = authorChange === null ? " Whether the author changed anything, what is stored does not tell." : "";
  return `${parts.join(", ")}.${sameBase ? "" : " Rebased in between."}${open}`;
}

/** How much of the base's doing there is: "3 files, 120 lines"; empty where there is none. */
export function upstreamWords({ files }: ContextComparison): string {
  const whole = files.filter(({ state }) => state === "upstream").length;
  const lines = files.reduce((sum, file) => sum + upstreamLines(file), 0);
  return [whole && plural(whole, "file"), lines && plural(lines, "line")].filter(Boolean).join(", ");
}
