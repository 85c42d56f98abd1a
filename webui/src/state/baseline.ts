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
  return `${allWords(comparison, at)}${policyWords(comparison)}`;
}

function allWords(comparison: Comparison, at: string): string {
  const { kind, baseRef, mergeBase, fallback } = comparison;
  if (kind === "branch") {
    const base = mergeBase ?? comparison.baseCommit;
    return `From ${base ? short(base) : "the base"}, where this branch left ${baseRef ?? "its base"}, to the working tree.`;
  }
  const start = fallback === "unborn" ? "From nothing" : `From HEAD${at}`;
  return `${start} to the working tree.` + (fallback ? ` No branch point: ${FALLBACKS[fallback] ?? fallback}.` : "");
}

function policyWords({ policy, kind }: Comparison): string {
  if (policy === "auto") return kind === "branch" ? " Chosen automatically." : "";
  return ` Asked for with --base ${policy}.`;
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
