/** Values of the contract's types: say the point, the rest has a default. */
import type { ChangedFile, ContextSummary, Observation } from "../src/api/types.gen.ts";

export function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return {
    id: `id-${path}`, path, oldPath: null, status: "M", indexStatus: null, worktreeStatus: "M",
    oldMode: "100644", newMode: "100644", additions: 1, deletions: 1, binary: false, size: 10, fingerprint: "f",
    rows: { hunks: 1, unified: 3, split: 2, maxColumns: 10 },
    patch: { available: true, bytes: 40 },
    before: { available: true, size: 9, encoding: "utf-8" },
    after: { available: true, size: 10, encoding: "utf-8" },
    reviewed: false, commentCount: 0, ...more,
  };
}

export function observation(more: Partial<Observation> = {}): Observation {
  return {
    sourceId: "source", sourceKind: "checkout", repositoryKey: "shop", checkoutKey: "c", branchId: "b",
    head: "d".repeat(40), collectedAt: 1_800_000_000_000,
    comparison: {
      policy: "auto", kind: "branch", baseRef: "origin/main", baseCommit: "b".repeat(40),
      mergeBase: "c".repeat(40), fallback: null,
    },
    provenance: {
      repositoryName: "shop", remoteUrl: null, root: "/home/me/shop", worktreeName: "shop", branch: "feature",
      hostname: "laptop", runId: null, trigger: null, triggerDirectory: null, engine: "git", collectorVersion: "0",
    },
    ...more,
  };
}

export function summary(contextId: string, more: Partial<Observation> = {}): ContextSummary {
  return {
    contextId, observation: observation(more), latest: true, storedAt: 1_800_000_000_000,
    expiresAt: 1_800_600_000_000, scopes: [],
  };
}
