"""What crosses the line between services and storage: values, and the errors both sides name."""

from dataclasses import dataclass
from typing import Literal

from diffx.errors import ConflictError, GoneError, MissingError
from diffx.review.model import (
    BlobId,
    Comparison,
    ContextId,
    DiffId,
    Encoding,
    Millis,
    Provenance,
    Scope,
    Session,
    SourceId,
    SourceKind,
    SubmissionId,
    WithheldReason,
)


class ContextMissingError(MissingError):
    """No context of this id belongs to this owner."""


class ContextDeletedError(GoneError):
    """The context, or the submission that made it, was deleted."""

    code = "deleted"


class ContextExpiredError(GoneError):
    """The context outlived its retention."""

    code = "expired"


class FileMissingError(MissingError):
    """The context has no such scope, diff or file."""


class SubmissionReusedError(ConflictError):
    """One submission id arrived twice with different content (4.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Where a submission ended up.

    `replayed` says that this exact submission had been stored before; `reused` that its content
    joined an existing context (6.2).
    """

    context: ContextId
    replayed: bool = False
    reused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over one scope; lines of binary files are not counted."""

    files: int
    additions: int
    deletions: int
    binary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRecord:
    """One stored scope of a context. `revision` changes when its content does, and only then."""

    scope: Scope
    diff: DiffId
    revision: str
    totals: Totals
    renames_limited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRecord:
    """One submission that a context answers for."""

    id: SubmissionId
    collected_at: Millis
    stored_at: Millis
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRecord:
    """A stored observation as the catalog knows it, without its files.

    `latest` is freshness within the stream (6.3); `stored_at` is the server's time of the last
    fresh submission; `iteration` counts from 1 within the stream, oldest first.
    """

    context: ContextId
    source_id: SourceId
    source_kind: SourceKind
    repository_key: str | None
    checkout_key: str | None
    branch_id: str | None
    head: str | None
    comparison: Comparison
    provenance: Provenance
    collected_at: Millis
    stored_at: Millis
    expires_at: Millis
    latest: bool
    scopes: tuple[ScopeRecord, ...]
    sessions: tuple[Session, ...] = ()
    submissions: tuple[SubmissionRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextQuery:
    """Catalog filters (7.1): repeated values are alternatives, different filters all apply."""

    text: str | None = None
    repository: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    worktree: tuple[str, ...] = ()
    hostname: tuple[str, ...] = ()
    source_id: tuple[str, ...] = ()
    run_id: tuple[str, ...] = ()
    harness: tuple[str, ...] = ()
    session_id: tuple[str, ...] = ()
    session_name: tuple[str, ...] = ()
    state: Literal["latest", "stale"] | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPage:
    """One page of the catalog, newest stored first; `next_cursor` is None at the end."""

    contexts: tuple[ContextRecord, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRecord:
    """The files of one scope as ready-made JSON.

    `files_json` is the UTF-8 text of a JSON array of ChangedFile shapes (ingestion.wire) in
    manifest order, moved to the client without being parsed.
    """

    context: ContextId
    scope: ScopeRecord
    files_json: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """A stored patch, or why there is none; exactly one of `text` and `reason` is None.

    `text` is the patch's own bytes; `encoding` says how they read as text.
    """

    text: bytes | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    blob: BlobId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSide:
    """One side of a file's full content; `text` is UTF-8, or None with its reason."""

    size: int | None
    encoding: Encoding
    text: bytes | None = None
    reason: WithheldReason | None = None
    blob: BlobId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContents:
    """Both full sides of a file; None is a side that does not exist."""

    before: StoredSide | None
    after: StoredSide | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchEntry:
    """One file's patch inside a page of patches."""

    file: str
    patch: StoredText


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPage:
    """Patches in manifest order, bounded in bytes; `next_cursor` is None at the end."""

    patches: tuple[PatchEntry, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFigures:
    """What a database holds, for metrics."""

    contexts: int
    database_bytes: int
