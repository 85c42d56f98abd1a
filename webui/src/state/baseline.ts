/** In words: what the changes are changes from, and how that was chosen. */
import type { Comparison, Observation, Scope } from "../api/types.gen.ts";

const FALLBACKS: Readonly<Record<NonNullable<Comparison["fallback"]>, string>> = {
  "shallow": "this is a shallow clone in which no common commit with the default branch was found",
  "unrelated": "the default branch shares no history with HEAD",
  "no-default-branch": "no default branch was found",
  "unborn": "there is no commit yet",
};

export function baselineWords(scope: Scope, { comparison, head }: Pick<Observation, "comparison" | "head">): string {
  if (comparison.kind === "patch") return "The changes are those of the patch itself.";
  const at = head ? ` (${short(head)})` : "";
  if (scope === "staged") return head ? `From HEAD${at} to the index.` : "From nothing (no commit yet) to the index.";
  if (scope === "unstaged") return "From the index to the working tree, untracked files included.";
  return allWords(comparison, at);
}

/** The same in few words, to tell two observations of one branch apart. */
export function baselineMark({ comparison }: Pick<Observation, "comparison">): string {
  const { kind, policy, baseRef, baseCommit } = comparison;
  if (kind === "patch") return "";
  const from = kind === "working-tree" ? "HEAD" : named(baseRef) ?? (baseCommit ? short(baseCommit) : "its base");
  return `since ${from}${policy === "auto" ? "" : " (--base)"}`;
}

function allWords({ kind, policy, baseRef, baseCommit, mergeBase, fallback }: Comparison, at: string): string {
  const asked = policy === "auto" ? "" : " (asked for with --base)";
  if (kind === "branch") {
    const base = mergeBase ?? baseCommit;
    const ref = named(baseRef);
    const left = ref ? `, where this branch left ${ref}` : base !== baseCommit && baseCommit ? `, where this branch left ${short(baseCommit)}` : "";
    return `From ${base ? short(base) : "the base"}${left}${asked}${left ? "," : ""} to the working tree.${asked ? "" : " Chosen automatically."}`;
  }
  const start = fallback === "unborn" ? "From nothing" : `From HEAD${at}`;
  return `${start}${asked} to the working tree.` + (fallback ? ` No branch point: ${FALLBACKS[fallback] ?? fallback}.` : "");
}

/** A ref that says more than a commit; a commit's own hash does not. */
function named(ref: string | null): string | null {
  return ref && !/^[0-9a-f]{7,64}$/i.test(ref) ? ref : null;
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
