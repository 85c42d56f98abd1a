/** Where git has a change, in a word. */

interface Placed {
  readonly indexStatus: string | null;
  readonly worktreeStatus: string | null;
  readonly conflict?: string;
}

export type Staging = "staged" | "partly staged" | "unstaged" | "untracked";

/**
 * In the index, in the working tree, in both, or nowhere yet; null for what is committed, or was
 * never said of a status of git's, and for a conflict, which is a matter of its own.
 */
export function stagingOf({ indexStatus, worktreeStatus, conflict }: Placed): Staging | null {
  if (conflict) return null;
  if (worktreeStatus === "?" || indexStatus === "?") return "untracked";
  if (indexStatus) return worktreeStatus ? "partly staged" : "staged";
  return worktreeStatus ? "unstaged" : null;
}
