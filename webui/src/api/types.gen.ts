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
  /** The machine of a local viewer: a checkout collected on it lies where its `root` says. A remote server names none. */
  readonly hostname?: string;
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
  readonly image?: Image;
  /** Present where the text is a Git LFS pointer; the object itself is not in a review. */
  readonly lfs?: {
    readonly oid: string;
    readonly size: number;
  };
};

/** Present where a side is an image by its first bytes, whatever its name; the side's `reason` is then `binary`. */
export type Image = {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Whether its bytes are stored. */
  readonly available: boolean;
  /** Pixels, as its header says; null where it does not. */
  readonly width: number | null;
  readonly height: number | null;
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

/** One match. Columns count from 0 in UTF-16 units; without a line it is in a path. */
export type Hit = {
  readonly fileId: Id;
  readonly side: "old" | "new" | null;
  readonly line: number | null;
  readonly start: number;
  readonly end: number;
  /** The line or path around the match. */
  readonly excerpt: string;
  readonly excerptStart: number;
};

export type HitPage = {
  readonly hits: ReadonlyArray<Hit>;
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
  readonly marks: Marks;
  /** With the open ones of earlier iterations. */
  readonly threads: ReadonlyArray<Thread>;
  readonly patches: PatchPage;
};

export type CommentBody = string;

/** The agent session that writes; without it the account itself does. */
export type Agent = {
  readonly harness?: string;
  readonly sessionId?: string;
  readonly name?: string;
};

/** A label, proof of nothing. An `import` is what a file claimed. */
export type Author = {
  readonly kind: "account" | "agent" | "import";
  readonly name: string | null;
  readonly harness: string | null;
  readonly sessionId: string | null;
  readonly sessionName: string | null;
};

/** Lines of one side, counted from 1, both ends in the range. */
export type Lines = {
  readonly side: "old" | "new";
  readonly startLine: number;
  readonly endLine: number;
};

export type NullableLines = Lines | null;

export type NullableId = Id | null;

export type Applicability = "anchored" | "stale" | "other-scope" | "unknown";

export type Placement = "exact" | "moved" | "drifted" | "outdated";

export type Reply = {
  readonly id: Id;
  readonly author: Author;
  readonly body: string;
  readonly createdAt: Millis;
  readonly editedAt: number | null;
};

export type Thread = {
  readonly id: Id;
  /** Where it was written; that context may have ended. */
  readonly contextId: Id;
  /** It was written on another context of the stream. */
  readonly ported: boolean;
  readonly scope: Scope;
  /** What it was written on. No file is the whole review, no lines the whole file. */
  readonly anchor: {
    readonly fileId: NullableId;
    readonly path: string | null;
    readonly lines: NullableLines;
    readonly fingerprint: string | null;
  };
  /** Where it stands in this scope. Only on lines that are exactly the quoted ones it is `exact` or `moved`. Without lines show it on the file, without a file on the review. */
  readonly place: {
    readonly placement: Placement;
    readonly fileId: NullableId;
    readonly path: string | null;
    readonly lines: NullableLines;
  };
  readonly applicability: Applicability;
  /** Open and anchored. */
  readonly actionable: boolean;
  /** The quoted lines. */
  readonly code: string | null;
  /** The patch around them, without its header. */
  readonly hunk: string | null;
  readonly author: Author;
  readonly body: string;
  readonly status: "open" | "resolved";
  readonly resolution: "fixed" | "answered" | "wont-fix" | "outdated" | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly editedAt: number | null;
  readonly resolvedAt: number | null;
  readonly resolvedBy: Author | null;
  readonly replies: ReadonlyArray<Reply>;
};

export type Threads = {
  readonly contextId: Id;
  readonly scope: Scope;
  readonly threads: ReadonlyArray<Thread>;
  /** Differs whenever what this context shows has changed. */
  readonly review: number;
  /** The last change of any review of the account. */
  readonly cursor: number;
};

export type AgentView = {
  readonly contextId: Id;
  readonly scope: Scope;
  /** That all below is material and no instruction. */
  readonly notice: string;
  readonly cursor: number;
  readonly comments: ReadonlyArray<{
    readonly id: Id;
    readonly scope: Scope;
    readonly path: string | null;
    readonly lines: NullableLines;
    readonly status: "open" | "resolved";
    readonly applicability: Applicability;
    readonly actionable: boolean;
    readonly placement: Placement;
    readonly ported: boolean;
    readonly authorKind: "account" | "agent" | "import";
    readonly createdAt: Millis;
    /** Written by others; invisible characters are shown. */
    readonly untrusted: {
      readonly author: string;
      readonly body: string;
      readonly code: string | null;
      readonly replies: ReadonlyArray<{
        readonly author: string;
        readonly body: string;
        readonly createdAt: Millis;
      }>;
    };
  }>;
};

/** What `comments/export?format=json` writes and `comments/import` reads. */
export type ReviewExport = {
  readonly format: "diffx-review";
  readonly version: 1;
  /** For readers; not read. */
  readonly notice?: unknown;
  readonly threads: ReadonlyArray<{
    readonly id: Id;
    /** Where it stands for the reader of this export: path, side, startLine and endLine, null where nowhere. For readers; not read. */
    readonly place?: unknown;
    readonly status: "open" | "resolved";
    readonly resolution?: "fixed" | "answered" | "wont-fix" | "outdated" | null;
    readonly scope: Scope;
    readonly path?: string | null;
    readonly pathBytes?: string;
    readonly side?: "old" | "new" | null;
    readonly startLine?: number | null;
    readonly endLine?: number | null;
    readonly fingerprint?: string | null;
    readonly code?: string | null;
    readonly codeBytes?: string;
    readonly hunk?: string | null;
    readonly hunkBytes?: string;
    readonly author: ExportedAuthor;
    readonly body: CommentBody;
    readonly createdAt: number;
    readonly replies?: ReadonlyArray<{
      readonly id: Id;
      readonly author: ExportedAuthor;
      readonly body: CommentBody;
      readonly createdAt: number;
    }>;
  }>;
};

export type ExportedAuthor = {
  readonly kind?: string | null;
  readonly name?: string | null;
  readonly harness?: string | null;
  readonly sessionId?: string | null;
  readonly sessionName?: string | null;
};

export type Marks = {
  readonly scope: Scope;
  /** Differs whenever what this context shows has changed. */
  readonly review: number;
  readonly marks: ReadonlyArray<{
    readonly fileId: Id;
    readonly fingerprint: string;
    readonly markedAt: Millis;
    /** The very same change was reviewed elsewhere. */
    readonly carried: boolean;
  }>;
  /** Reviewed hunks of files that are not reviewed as a whole. */
  readonly hunks: ReadonlyArray<{
    readonly fileId: Id;
    /** Its number in the stored patch, from 0. */
    readonly hunk: number;
    readonly markedAt: Millis;
    /** The same lines were reviewed elsewhere. */
    readonly carried: boolean;
  }>;
  /** Files reviewed in an earlier iteration that are something else now; `contextId` is what to compare with. */
  readonly changedSince: ReadonlyArray<{
    readonly fileId: Id;
    readonly contextId: Id;
    readonly fingerprint: string;
    readonly markedAt: Millis;
  }>;
};

export type Iterations = {
  readonly contextId: Id;
  /** From the last iteration this account finished reviewing to the latest; null where there is none. */
  readonly default: {
    readonly from: Id;
    readonly to: Id;
  } | null;
  readonly iterations: ReadonlyArray<{
    readonly contextId: Id;
    /** Among those that are still stored, oldest first. */
    readonly number: number;
    readonly collectedAt: Millis;
    readonly storedAt: Millis;
    readonly head: string | null;
    readonly latest: boolean;
    readonly scopes: ReadonlyArray<ScopeSummary>;
    /** Agent sessions that observed it. */
    readonly sessions: ReadonlyArray<Session>;
    readonly verdicts: ReadonlyArray<{
      readonly verdict: "approve" | "request-changes" | "comment";
      readonly summary: string | null;
      readonly finishedAt: Millis;
    }>;
  }>;
};

export type ComparedFile = {
  readonly fileId: Id;
  readonly path: string;
  readonly fromFileId: NullableId;
  readonly fromPath: string | null;
  /** `upstream`: only the base changed it; `gone`: no longer differs from its base; `unknown`: what is stored cannot tell. */
  readonly state: "unchanged" | "upstream" | "changed" | "new" | "gone" | "unknown";
  readonly renamed: boolean;
  readonly modeChanged: boolean;
  /** false: upstream's part could not be told apart. */
  readonly separated: boolean;
  /** true: only one context has the file and its state in the other is not stored. */
  readonly own: boolean;
  /** A limit was reached and a larger change is shown than need be. */
  readonly coarse: boolean;
  /** The author's. */
  readonly additions: number;
  /** The author's. */
  readonly deletions: number;
  readonly upstreamAdditions: number;
  readonly upstreamDeletions: number;
  /** Upstream lines that the later version leaves out. */
  readonly undone: number;
  readonly reason: WithheldReason | null;
};

export type ContextComparison = {
  readonly from: Id;
  readonly to: Id;
  readonly scope: Scope;
  /** Both were compared with the very same state. */
  readonly sameBase: boolean;
  /** null where what is stored cannot tell. */
  readonly authorChange: boolean | null;
  /** The base moved, and the author changed nothing. */
  readonly pureRebase: boolean;
  readonly coarse: boolean;
  readonly counts: { readonly [key: string]: number };
  readonly files: ReadonlyArray<ComparedFile>;
};

export type FileInterdiff = {
  readonly file: ComparedFile;
  /** Unified hunks without file headers; they lead from one after side to the other. */
  readonly patch: string | null;
  readonly reason: WithheldReason | null;
  /** Which lines of the patch are the base's doing: ranges with both ends in them, of old and of new line numbers. */
  readonly upstream: {
    readonly old: ReadonlyArray<LineRange>;
    readonly new: ReadonlyArray<LineRange>;
  };
  /** Its size where it is withheld for it. */
  readonly patchBytes?: number;
};

export type LineRange = ReadonlyArray<number>;

export type Drafts = {
  readonly drafts: ReadonlyArray<{
    readonly key: string;
    readonly body: string;
    readonly idempotencyKey: string;
    readonly writtenAt: Millis;
  }>;
};

export type Preferences = {
  /** Only the web page knows what is in it. */
  readonly preferences: { readonly [key: string]: unknown };
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
  /** The own bytes of a side that is an image. */
  readonly getImage: {
    readonly path: { readonly contextId: Id; readonly diffId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope; readonly side: "before" | "after" };
    readonly body: undefined;
    readonly answer: string;
  };
  /** Many patches in one answer, at most 2 MiB of them. */
  readonly listPatches: {
    readonly path: { readonly contextId: Id; readonly diffId: Id };
    readonly query: { readonly scope?: Scope; readonly ids?: string; readonly cursor?: string; readonly limit?: number };
    readonly body: undefined;
    readonly answer: PatchPage;
  };
  /** Where a text stands in every stored line and path of a scope. */
  readonly searchContext: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly q: string; readonly case?: boolean; readonly word?: boolean; readonly regex?: boolean; readonly cursor?: string; readonly limit?: number };
    readonly body: undefined;
    readonly answer: HitPage;
  };
  /** The threads that a scope shows, each where it stands there. */
  readonly listComments: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly includePorted?: boolean };
    readonly body: undefined;
    readonly answer: Threads;
  };
  /** Start a thread on lines, on a file, or on the whole review. */
  readonly addComment: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly body: CommentBody;
      /** Without it the comment is on the whole review. */
      readonly fileId?: Id;
      readonly side?: "old" | "new";
      /** Without lines the comment is on the file. */
      readonly startLine?: number;
      /** startLine where it is not given. */
      readonly endLine?: number;
      readonly agent?: Agent;
      /** The same key by the same author makes one thread. */
      readonly idempotencyKey?: string;
    };
    readonly answer: Thread;
  };
  /** Delete threads by status. */
  readonly deleteComments: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly status: "all" | "open" | "resolved" | "stale" };
    readonly body: undefined;
    readonly answer: {
      readonly deleted: number;
    };
  };
  /** Add the threads and replies of a JSON export that are not here yet. */
  readonly importComments: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: ReviewExport;
    readonly answer: {
      readonly imported: number;
      readonly known: number;
    };
  };
  /** Threads as text, for agents, for people, or for import. */
  readonly exportComments: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly format?: "xml" | "markdown" | "json"; readonly includeResolved?: boolean; readonly commentId?: Id };
    readonly body: undefined;
    readonly answer: ReviewExport;
  };
  /** Change the words of a thread's first comment, which only its author can, or its state. */
  readonly changeComment: {
    readonly path: { readonly contextId: Id; readonly commentId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly body?: CommentBody;
      readonly status?: "open" | "resolved";
    };
    readonly answer: Thread;
  };
  /** Delete a thread with its replies. */
  readonly deleteComment: {
    readonly path: { readonly contextId: Id; readonly commentId: Id };
    readonly query: object;
    readonly body: undefined;
    readonly answer: null;
  };
  /** Answer in a thread; a resolved one is open again. */
  readonly addReply: {
    readonly path: { readonly contextId: Id; readonly commentId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly body: CommentBody;
      readonly agent?: Agent;
      readonly idempotencyKey?: string;
    };
    readonly answer: Thread;
  };
  /** What an agent needs of every thread, and whether it may act on it. */
  readonly listCommentsForAgents: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope; readonly includeResolved?: boolean };
    readonly body: undefined;
    readonly answer: AgentView;
  };
  /** Resolve a thread; again it changes nothing. */
  readonly resolveComment: {
    readonly path: { readonly contextId: Id; readonly commentId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly resolution?: "fixed" | "answered" | "wont-fix" | "outdated";
      /** Becomes a last reply. */
      readonly note?: string;
      readonly agent?: Agent;
    };
    readonly answer: Thread;
  };
  /** Say that this iteration is reviewed, and how it was found. */
  readonly finishReview: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: {
      readonly verdict: "approve" | "request-changes" | "comment";
      readonly summary?: string;
    };
    readonly answer: Iterations;
  };
  /** Reviewed files of a scope, and files that changed since they were reviewed. */
  readonly listMarks: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: Marks;
  };
  /** Take back every mark of a scope. */
  readonly clearMarks: {
    readonly path: { readonly contextId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: null;
  };
  /** Mark a file as reviewed, as it was seen. */
  readonly putMark: {
    readonly path: { readonly contextId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly fingerprint: string;
    };
    readonly answer: null;
  };
  /** Take back a mark, and what it was carried to in this context. */
  readonly deleteMark: {
    readonly path: { readonly contextId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: null;
  };
  /** What the account has begun to write about a context. */
  readonly listDrafts: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: undefined;
    readonly answer: Drafts;
  };
  /** Keep what is written so far, in place of what was kept under the key. */
  readonly putDraft: {
    readonly path: { readonly contextId: Id; readonly draftKey: string };
    readonly query: object;
    readonly body: {
      readonly body: CommentBody;
      /** What it will be sent with. */
      readonly idempotencyKey: string;
    };
    readonly answer: null;
  };
  /** Forget a draft that was sent or thrown away. */
  readonly deleteDraft: {
    readonly path: { readonly contextId: Id; readonly draftKey: string };
    readonly query: object;
    readonly body: undefined;
    readonly answer: null;
  };
  /** Mark one hunk as reviewed, of a file as it was seen. */
  readonly putHunkMark: {
    readonly path: { readonly contextId: Id; readonly fileId: Id; readonly hunk: number };
    readonly query: { readonly scope?: Scope };
    readonly body: {
      readonly fingerprint: string;
    };
    readonly answer: null;
  };
  /** Take back the mark of one hunk, and what it was carried to in this context. */
  readonly deleteHunkMark: {
    readonly path: { readonly contextId: Id; readonly fileId: Id; readonly hunk: number };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: null;
  };
  /** The contexts of this context's stream, oldest first. */
  readonly listIterations: {
    readonly path: { readonly contextId: Id };
    readonly query: object;
    readonly body: undefined;
    readonly answer: Iterations;
  };
  /** What became of every file from the first context to the other. */
  readonly compareContexts: {
    readonly path: { readonly contextId: Id; readonly otherContextId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: ContextComparison;
  };
  /** Many files' interdiffs in one answer, at most 2 MiB of patches. */
  readonly compareFiles: {
    readonly path: { readonly contextId: Id; readonly otherContextId: Id };
    readonly query: { readonly scope?: Scope; readonly ids: string };
    readonly body: undefined;
    readonly answer: {
      readonly files: ReadonlyArray<FileInterdiff>;
    };
  };
  /** The lines that lead from one after side of a file to the other. */
  readonly compareFile: {
    readonly path: { readonly contextId: Id; readonly otherContextId: Id; readonly fileId: Id };
    readonly query: { readonly scope?: Scope };
    readonly body: undefined;
    readonly answer: FileInterdiff;
  };
  /** The account's settings of the web page. */
  readonly getPreferences: {
    readonly path: object;
    readonly query: object;
    readonly body: undefined;
    readonly answer: Preferences;
  };
  /** Replace the account's settings, at most 16 KiB. */
  readonly putPreferences: {
    readonly path: object;
    readonly query: object;
    readonly body: Preferences;
    readonly answer: Preferences;
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
  getImage: ["GET", "/api/v2/contexts/{contextId}/diffs/{diffId}/files/{fileId}/image"],
  listPatches: ["GET", "/api/v2/contexts/{contextId}/diffs/{diffId}/patches"],
  searchContext: ["GET", "/api/v2/contexts/{contextId}/search"],
  listComments: ["GET", "/api/v2/contexts/{contextId}/comments"],
  addComment: ["POST", "/api/v2/contexts/{contextId}/comments"],
  deleteComments: ["DELETE", "/api/v2/contexts/{contextId}/comments"],
  importComments: ["POST", "/api/v2/contexts/{contextId}/comments/import"],
  exportComments: ["GET", "/api/v2/contexts/{contextId}/comments/export"],
  changeComment: ["PATCH", "/api/v2/contexts/{contextId}/comments/{commentId}"],
  deleteComment: ["DELETE", "/api/v2/contexts/{contextId}/comments/{commentId}"],
  addReply: ["POST", "/api/v2/contexts/{contextId}/comments/{commentId}/replies"],
  listCommentsForAgents: ["GET", "/api/v2/contexts/{contextId}/review/comments"],
  resolveComment: ["POST", "/api/v2/contexts/{contextId}/review/comments/{commentId}/resolve"],
  finishReview: ["POST", "/api/v2/contexts/{contextId}/review/finish"],
  listMarks: ["GET", "/api/v2/contexts/{contextId}/review-marks"],
  clearMarks: ["DELETE", "/api/v2/contexts/{contextId}/review-marks"],
  putMark: ["PUT", "/api/v2/contexts/{contextId}/review-marks/{fileId}"],
  deleteMark: ["DELETE", "/api/v2/contexts/{contextId}/review-marks/{fileId}"],
  listDrafts: ["GET", "/api/v2/contexts/{contextId}/drafts"],
  putDraft: ["PUT", "/api/v2/contexts/{contextId}/drafts/{draftKey}"],
  deleteDraft: ["DELETE", "/api/v2/contexts/{contextId}/drafts/{draftKey}"],
  putHunkMark: ["PUT", "/api/v2/contexts/{contextId}/review-marks/{fileId}/hunks/{hunk}"],
  deleteHunkMark: ["DELETE", "/api/v2/contexts/{contextId}/review-marks/{fileId}/hunks/{hunk}"],
  listIterations: ["GET", "/api/v2/contexts/{contextId}/iterations"],
  compareContexts: ["GET", "/api/v2/contexts/{contextId}/compare/{otherContextId}"],
  compareFiles: ["GET", "/api/v2/contexts/{contextId}/compare/{otherContextId}/files"],
  compareFile: ["GET", "/api/v2/contexts/{contextId}/compare/{otherContextId}/files/{fileId}"],
  getPreferences: ["GET", "/api/v2/preferences"],
  putPreferences: ["PUT", "/api/v2/preferences"],
} as const;
