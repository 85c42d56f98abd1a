"""What crosses the line between services and storage: values, and the errors both sides name."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Self

from diffx.errors import ConflictError, GoneError, MissingError, TooLargeError
from diffx.review.comments import Thread, Verdict
from diffx.review.compare import Contents, ListedFile, Pair
from diffx.review.hunkmarks import HunkMark
from diffx.review.marks import ChangedSince, Mark
from diffx.review.model import (
    BlobId,
    Comparison,
    ContextId,
    DiffId,
    Encoding,
    FileId,
    ImageType,
    Millis,
    OwnerId,
    Provenance,
    Scope,
    Session,
    SourceId,
    SourceKind,
    SubmissionId,
    WithheldReason,
)

# How stored bytes read as text. What has no known encoding is shown as UTF-8 with every
# unreadable byte visible as one replacement character; its bytes travel beside it.
_CODECS: Final[dict[Encoding, str]] = {
    "utf-8": "utf-8",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "utf-32-le": "utf-32-le",
    "utf-32-be": "utf-32-be",
    "latin-1": "latin-1",
    "other": "utf-8",
}


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


class ImageMissingError(MissingError):
    """This side of the file is no image, or its bytes were not stored."""


class DraftsFullError(TooLargeError):
    """As many drafts as are kept for one context are there already."""


class ThreadMissingError(MissingError):
    """The context shows no such thread."""


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
    fresh submission. `sessions` have their current names; `submissions` come oldest first and
    only where one context was asked for, not in lists.
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
    review: int = 0
    """Differs whenever marks or threads that this context shows have changed."""
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
    changed: bool | None = None
    """True: only observations with changed files; False: only clean ones."""
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPage:
    """One page of the catalog, newest stored first; `next_cursor` is None at the end."""

    contexts: tuple[ContextRecord, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryGroup:
    """One repository of the catalog; `key` is None for everything outside a repository.

    `name` is what its newest observation calls it. Counts are of contexts that match the query.
    """

    key: str | None
    name: str | None
    contexts: int
    latest: int
    changed: int
    stored_at: Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetValue:
    """One value to filter by, and how many contexts that match the query have it."""

    value: str
    contexts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogGroups:
    """What a picker shows before any context is chosen; filters come before counts (7.1)."""

    repositories: tuple[RepositoryGroup, ...]
    hostnames: tuple[FacetValue, ...]
    branches: tuple[FacetValue, ...]
    worktrees: tuple[FacetValue, ...]


_ADLER_PRIME: Final = 65521


@dataclass(frozen=True, slots=True, kw_only=True)
class Deflated:
    """A text as a piece of a zlib stream, which joins with others without being inflated.

    `data` is raw deflate that ends on a byte with no final block; `size` and `adler` are the
    length and the Adler-32 of the inflated text. What is stored once can thus be sent as
    `Content-Encoding: deflate` (RFC 9110 8.4.1.2) as a part of many answers.
    """

    data: bytes
    size: int
    adler: int

    @classmethod
    def of(cls, text: bytes, level: int = 6) -> Self:
        packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        # A full flush: later pieces must not refer back into whatever comes before them here.
        data = packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)
        return cls(data=data, size=len(text), adler=zlib.adler32(text))

    @classmethod
    def join(cls, *parts: "Deflated") -> "Deflated":
        adler, size = 1, 0
        for part in parts:
            adler = _joined_adler(adler, part.adler, part.size)
            size += part.size
        return Deflated(data=b"".join(part.data for part in parts), size=size, adler=adler)

    def stream(self) -> bytes:
        """Return a complete zlib stream (RFC 1950) of the text."""
        return b"\x78\x9c" + self.data + b"\x03\x00" + self.adler.to_bytes(4, "big")

    def text(self) -> bytes:
        return zlib.decompress(self.stream(), bufsize=self.size or 1)


def _joined_adler(first: int, second: int, second_size: int) -> int:
    """Return the Adler-32 of two texts in a row, from those of each (RFC 1950 8.2)."""
    low = (first & 0xFFFF) + (second & 0xFFFF) - 1
    high = (first >> 16) + (second >> 16) + second_size * ((first & 0xFFFF) - 1)
    return (high % _ADLER_PRIME) << 16 | low % _ADLER_PRIME


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedManifest:
    """The files of one scope like ManifestRecord's `files_json`, still deflated."""

    context: ContextId
    scope: ScopeRecord
    files: Deflated


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

    def shown(self) -> str | None:
        """Return the patch as it is shown."""
        return None if self.text is None else self.text.decode(_CODECS[self.encoding], "replace")


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
class StoredImage:
    """The own bytes of a side that is an image, and what its first bytes say that it is."""

    media_type: ImageType
    data: bytes
    blob: BlobId


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


class FilePlace(NamedTuple):
    """Where a file stands in its scope's manifest."""

    block: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedFile:
    """What there is to look through of one file: paths as they are shown, and texts."""

    place: FilePlace
    file: FileId
    path: str
    old_path: str | None
    patch: StoredText
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedPage:
    """Files in manifest order, bounded in bytes; `following` is None at the end."""

    files: tuple[SearchedFile, ...]
    following: FilePlace | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What one pruning forgot, and whose it was."""

    contexts: int
    owners: tuple[OwnerId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFigures:
    """What a database holds, for metrics."""

    contexts: int
    database_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCounts:
    """Threads of a context: its own, and the open ones of earlier iterations that it shows."""

    open: int
    resolved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsRecord:
    """What a reader of one context and scope needs to show threads.

    `own` were written on this context, on any scope; `earlier` on earlier iterations of its
    stream, and they are open. `files` lists the scope, where any thread is on a file. `revision`
    is the scope's. `review` is the context's, `cursor` the owner's last change.
    """

    own: tuple[Thread, ...]
    earlier: tuple[Thread, ...]
    files: tuple[ListedFile, ...]
    revision: str
    review: int
    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadTexts:
    """The side that a thread was written on and the side it is looked for on, as far as stored."""

    origin: bytes | None
    target: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTexts:
    """All that is stored of one file of a scope."""

    listed: ListedFile
    contents: Contents
    patch: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadChanges:
    """Threads that changed behind a cursor, oldest change first, and the cursor behind them."""

    threads: tuple[Thread, ...]
    cursor: int
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksRecord:
    """The marks of one scope, and the files that changed since they were reviewed."""

    marks: tuple[Mark, ...]
    changed: tuple[ChangedSince, ...]
    review: int
    hunks: tuple[HunkMark, ...] = ()
    """Reviewed hunks of files that have no mark of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRecord:
    """What is being written about a context; the key says about what, in the writer's words."""

    key: str
    body: str
    retry: str
    """The same on every try to send it, so that a lost answer makes no second comment."""
    written_at: Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRecord:
    """A finished review of one context."""

    verdict: Verdict
    summary: str | None
    finished_at: Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationRecord:
    """One context of a stream. `collected_at` is of the last collection that found it."""

    context: ContextId
    collected_at: Millis
    stored_at: Millis
    head: str | None
    latest: bool
    scopes: tuple[ScopeRecord, ...]
    sessions: tuple[Session, ...]
    verdicts: tuple[VerdictRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonInput:
    """Two scopes ready to be compared; contents only of files that differ.

    `key` names both contents and whether their bases are the same: equal keys, equal results.
    """

    key: str
    same_base: bool
    pairs: tuple[Pair, ...]
    old: Mapping[FileId, Contents]
    new: Mapping[FileId, Contents]
