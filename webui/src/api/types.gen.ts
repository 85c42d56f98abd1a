// Made by webui/tools/gen_types.py from docs/protocol/openapi.yaml; do not edit.

export type McpMessage = {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
};

export type McpAnswer = {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly [key: string]: unknown };
  };
};

export type Id = string;

/** Milliseconds since the epoch, UTC. */
export type Millis = number;

export type Scope = "all" | "staged" | "unstaged";

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: "invalid" | "unsupported_protocol" | "unsupported_media_type" | "method_not_allowed" | "not_found" | "deleted" | "expired" | "conflict" | "state_changed" | "too_large" | "busy" | "unauthorized" | "forbidden" | "misdirected" | "timeout" | "internal" | "failed";
  readonly detail: string;
  /** Path of the offending input. */
  readonly field?: string;
};

export type Health = {
  readonly protocolVersion: 4;
  /** Identity of the database behind this server. */
  readonly stateId: string;
  readonly version: string;
  readonly ingestionEnabled: boolean;
  readonly queuedIngestion: boolean;
};

export type Opening = {
  readonly state: "collecting" | "ready" | "failed";
  /** What is being done, or why it failed. */
  readonly message: string;
  /** The review */
  readonly contextId: Id | null;
};

export type Metrics = {
  readonly rssBytes: number;
  readonly cpuSeconds: number;
  readonly uptimeSeconds: number;
  readonly threads: number;
  readonly connections: number;
  readonly contexts: number;
  readonly databaseBytes: number;
};

export type Session = {
  readonly harness: string;
  readonly sessionId: string;
  readonly name: string | null;
};

/** Labels that the producer reported; proof of nothing. */
export type Provenance = {
  readonly repositoryName: string | null;
  readonly remoteUrl: string | null;
  readonly root: string | null;
  readonly worktreeName: string | null;
  readonly branch: string | null;
  readonly hostname: string | null;
  readonly runId: string | null;
  readonly trigger: string | null;
  readonly triggerDirectory: string | null;
  readonly engine: "git" | "libgit2" | "patch";
  readonly collectorVersion: string;
};

/** What scope `all` was compared with, and how that was chosen. */
export type Comparison = {
  readonly policy: string;
  readonly kind: "branch" | "working-tree" | "patch";
  readonly baseRef: string | null;
  readonly baseCommit: string | null;
  readonly mergeBase: string | null;
  readonly fallback: "shallow" | "unrelated" | "no-default-branch" | "unborn" | null;
};

export type Observation = {
  readonly sourceId: string;
  readonly sourceKind: "checkout" | "branch" | "patch";
  readonly repositoryKey: string | null;
  readonly checkoutKey: string | null;
  readonly branchId: string | null;
  readonly head: string | null;
  readonly comparison: Comparison;
  readonly provenance: Provenance;
  readonly collectedAt: Millis;
};

export type Totals = {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
  readonly binary: number;
};

export type ScopeSummary = {
  readonly scope: Scope;
  readonly diffId: Id;
  readonly revision: string;
  readonly totals: Totals;
  /** The rename search was cut; pairs may be missing. */
  readonly renamesLimited: boolean;
};

export type ContextSummary = {
  readonly contextId: Id;
  readonly observation: Observation;
  /** The most recently collected of its stream. */
  readonly latest: boolean;
  readonly storedAt: Millis;
  readonly expiresAt: Millis;
  readonly scopes: ReadonlyArray<ScopeSummary>;
};

export type ContextPage = {
  readonly contexts: ReadonlyArray<ContextSummary>;
  readonly nextCursor: string | null;
};

export type Facet = {
  readonly value: string;
  readonly contexts: number;
};

export type CatalogGroups = {
  readonly repositories: ReadonlyArray<{
    /** null is everything outside a repository. */
    readonly key: string | null;
    readonly name: string | null;
    readonly contexts: number;
    readonly latest: number;
    readonly changed: number;
    readonly storedAt: Millis;
  }>;
  readonly hostnames: ReadonlyArray<Facet>;
  readonly branches: ReadonlyArray<Facet>;
  readonly worktrees: ReadonlyArray<Facet>;
};

/** What can be done with this observation. */
export type Capabilities = {
  readonly scopes: ReadonlyArray<Scope>;
  /** Full contents were captured for at least one source kind that has them. */
  readonly contents: boolean;
  readonly comments: boolean;
  readonly reviewMarks: boolean;
};

export type Submission = {
  readonly submissionId: string;
  readonly collectedAt: Millis;
  readonly storedAt: Millis;
  readonly provenance: Provenance;
};

export type Context = {
  readonly contextId: Id;
  readonly observation: Observation;
  readonly capabilities: Capabilities;
  readonly scopes: ReadonlyArray<ScopeSummary>;
  readonly latest: boolean;
  readonly storedAt: Millis;
  readonly expiresAt: Millis;
  readonly sessions: ReadonlyArray<Session>;
  readonly submissions: ReadonlyArray<Submission>;
  readonly comments: {
    readonly open: number;
    readonly resolved: number;
  };
};

/** One side's full content, stored or withheld with a reason. */
export type Side = {
  readonly available: boolean;
  readonly size: number | null;
  readonly encoding: Encoding;
  readonly reason?: WithheldReason;
};

export type Encoding = "utf-8" | "utf-16-le" | "utf-16-be" | "utf-32-le" | "utf-32-be" | "latin-1" | "other";

export type WithheldReason = "binary" | "too-large" | "budget" | "submodule" | "special-file" | "unreadable" | "conflict" | "encoding" | "filtered" | "unsettled" | "not-fetched" | "secret" | "not-captured";

export type ChangedFile = {
  readonly id: Id;
  /** Display form; bytes that are not UTF-8 appear as \xNN. */
  readonly path: string;
  /** Present only where the path is not UTF-8. */
  readonly pathBytes?: string;
  readonly oldPath: string | null;
  readonly oldPathBytes?: string;
  readonly status: "A" | "M" | "D" | "R" | "T" | "U";
  readonly indexStatus: string | null;
  /** As `git status` has it; ? is untracked. */
  readonly worktreeStatus: string | null;
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly binary: boolean;
  readonly size: number | null;
  /** Equal fingerprints mean the same change. */
  readonly fingerprint: string | null;
  readonly conflict?: "DD" | "AU" | "UD" | "UA" | "DU" | "AA" | "UU";
  readonly submodule?: {
    readonly oldCommit: string | null;
    readonly newCommit: string | null;
    readonly modifiedContent: boolean;
    readonly untrackedContent: boolean;
  };
  /** An untracked repository inside the checkout. */
  readonly repository?: true;
  readonly noise?: {
    readonly class: "generated" | "lock" | "vendored" | "minified" | "snapshot";
    readonly reason: string;
  };
  /** The patch's size on screen; null where there is no text patch. */
  readonly rows: {
    readonly hunks: number;
    readonly unified: number;
    readonly split: number;
    readonly maxColumns: number;
  } | null;
  readonly patch: {
    readonly available: boolean;
    readonly bytes: number;
    readonly reason?: WithheldReason;
  };
  readonly before: Side | null;
  readonly after: Side | null;
  /** The commit of a piped series that the file belongs to. */
  readonly commit?: string;
  /** What is wrong with this part of a piped patch. */
  readonly damage?: string;
  readonly reviewed: boolean;
  readonly commentCount: number;
};

export type Manifest = {
  readonly contextId: Id;
  readonly diffId: Id;
  readonly scope: Scope;
  readonly revision: string;
  readonly source: "checkout" | "branch" | "patch";
  readonly root: string | null;
  readonly name: string | null;
  readonly branch: string | null;
  readonly head: string | null;
  readonly files: ReadonlyArray<ChangedFile>;
  readonly totals: Totals;
  readonly renamesLimited: boolean;
};

export type Patch = {
  /** Unified text read with `encoding`. */
  readonly patch: string | null;
  readonly reason: WithheldReason | null;
  readonly encoding: Encoding;
  /** The patch's own bytes, present only where they are not UTF-8; what `git apply` takes. */
  readonly patchBytes?: string;
};

export type PatchPage = {
  readonly patches: ReadonlyArray<{
    readonly fileId: Id;
    readonly patch: string | null;
    readonly reason: WithheldReason | null;
    readonly encoding: Encoding;
    readonly patchBytes?: string;
  }>;
  readonly nextCursor: string | null;
};

export type ContentSide = {
  readonly text: string | null;
  readonly size: number | null;
  readonly encoding: Encoding;
  readonly reason: WithheldReason | null;
};

export type Contents = {
  readonly before: ContentSide | null;
  readonly after: ContentSide | null;
};

export type View = {
  readonly context: Context;
  readonly manifest: Manifest;
  readonly patches: PatchPage;
};

export interface Operations {
  /** Which server and which database this is. */
  readonly getHealth: {
    readonly path: object;
    readonly query: object;
    readonly body: undefined;
    readonly answer: Health;
  };
  /** What the process and its store use, as JSON or Prometheus text. */
  readonly getMetrics: {
    readonly path: object;
    readonly query: object;
    readonly body: undefined;
    readonly answer: Metrics;
  };
  /** Hints that stored state changed, as server-sent events. */
  readonly getEvents: {
    readonly path: object;
    readonly query: object;
    readonly body: undefined;
    readonly answer: string;
  };
  /** How far the collection is that this local server was started for. */
  readonly getOpening: {
    readonly path: object;
    readonly query: object;
    readonly body: undefined;
    readonly answer: Opening;
  };
  /** Unexpired contexts, newest stored first. */
  readonly listContexts: {
    readonly path: object;
    readonly query: { readonly q?: string; readonly repository?: ReadonlyArray<string>; readonly branch?: ReadonlyArray<string>; readonly worktree?: ReadonlyArray<string>; readonly hostname?: ReadonlyArray<string>; readonly sourceId?: ReadonlyArray<string>; readonly runId?: ReadonlyArray<string>; readonly harness?: ReadonlyArray<string>; readonly sessionId?: ReadonlyArray<string>; readonly sessionName?: ReadonlyArray<string>; readonly state?: "latest" | "stale"; readonly changed?: boolean; readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly answer: ContextPage;
  };
  /** What a picker starts from, repositories and the values to filter by. */
  readonly listGroups: {
    readonly path: object;
    readonly query: { readonly q?: string; readonly repository?: ReadonlyArray<string>; readonly branch?: ReadonlyArray<string>; readonly worktree?: ReadonlyArray<string>; readonly hostname?: ReadonlyArray<string>; readonly sourceId?: ReadonlyArray<string>; readonly runId?: ReadonlyArray<string>; readonly harness?: ReadonlyArray<string>; readonly sessionId?: ReadonlyArray<string>; readonly sessionName?: ReadonlyArray<string>; readonly state?: "latest" | "stale"; readonly changed?: boolean };
    readonly body: undefined;
    readonly answer: CatalogGroups;
  };
  /** One context. */
  readonly getContext: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: undefined;
    readonly answer: Context;
  };
  /** Delete a context with its review. */
  readonly deleteContext: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: undefined;
    readonly answer: null;
  };
  /** All that a first screen needs, in one answer. */
  readonly getView: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly patches?: number };
    readonly body: undefined;
    readonly answer: View;
  };
  /** The changed files of one scope. */
  readonly getManifest: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: Manifest;
  };
  /** The unified patch of one file, or why there is none. */
  readonly getPatch: {
    readonly path: { readonly contextId: Id; readonly diffId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: Patch;
  };
  /** The full text of both sides of one file, or why there is none. */
  readonly getContents: {
    readonly path: { readonly contextId: Id; readonly diffId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: Contents;
  };
  /** Many patches in one answer, at most 2 MiB of them. */
  readonly listPatches: {
    readonly path: { readonly contextId: Id; readonly diffId: Id };
    readonly query: { readonly scope?: Scope; readonly ids?: string; readonly cursor?: string; readonly limit?: number };
    readonly body: undefined;
    readonly answer: PatchPage;
  };
}

export const ROUTES = {
  getHealth: ["GET", "/api/v2/health"],
  getMetrics: ["GET", "/api/v2/metrics"],
  getEvents: ["GET", "/api/v2/events"],
  getOpening: ["GET", "/api/v2/opening"],
  listContexts: ["GET", "/api/v2/contexts"],
  listGroups: ["GET", "/api/v2/catalog"],
  getContext: ["GET", "/api/v2/contexts/{contextId}"],
  deleteContext: ["DELETE", "/api/v2/contexts/{contextId}"],
  getView: ["GET", "/api/v2/contexts/{contextId}/view"],
  getManifest: ["GET", "/api/v2/contexts/{contextId}/diffs/current"],
  getPatch: ["GET", "/api/v2/contexts/{contextId}/diffs/{diffId}/files/{fileId}/patch"],
  getContents: ["GET", "/api/v2/contexts/{contextId}/diffs/{diffId}/files/{fileId}/contents"],
  listPatches: ["GET", "/api/v2/contexts/{contextId}/diffs/{diffId}/patches"],
} as const;
