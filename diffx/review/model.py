"""The nouns of diffx: paths, files, scopes, observations and the identities that name them.

Everything here is a frozen value. `docs/semantics.md` defines the words (1), what a changed
file carries (2.5), and what identity means (3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NewType, get_args

OwnerId = NewType("OwnerId", str)
ContextId = NewType("ContextId", str)
DiffId = NewType("DiffId", str)
FileId = NewType("FileId", str)
SubmissionId = NewType("SubmissionId", str)
SourceId = NewType("SourceId", str)
RepositoryKey = NewType("RepositoryKey", str)
CheckoutKey = NewType("CheckoutKey", str)
BranchId = NewType("BranchId", str)
CommitId = NewType("CommitId", str)
"""A full object name in lower-case hex: 40 digits (SHA-1) or 64 (SHA-256)."""
BlobId = NewType("BlobId", str)
"""SHA-256 of a stored text's bytes, lower-case hex."""
Digest = NewType("Digest", str)
"""SHA-256 of something that need not be stored, lower-case hex."""
Millis = NewType("Millis", int)
"""Milliseconds since the epoch, UTC."""

GitPath = NewType("GitPath", bytes)
"""A path as Git has it: bytes, '/' between names, relative to the top of the checkout."""

Scope = Literal["all", "staged", "unstaged"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

Status = Literal["A", "M", "D", "R", "T", "U"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

WithheldReason = Literal[
    "binary",
    "too-large",
    "budget",
    "submodule",
    "special-file",
    "unreadable",
    "conflict",
    "encoding",
    "filtered",
    "unsettled",
    "not-fetched",
    "secret",
    "not-captured",  # the source never had it: a piped patch carries no full contents
]
WITHHELD_REASONS: Final[tuple[WithheldReason, ...]] = get_args(WithheldReason)

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "other"]
ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
IMAGE_TYPES: Final[tuple[ImageType, ...]] = get_args(ImageType)
NoiseClass = Literal["generated", "lock", "vendored", "minified", "snapshot"]
SourceKind = Literal["checkout", "branch", "patch"]
ComparisonKind = Literal["branch", "working-tree", "patch"]
FallbackReason = Literal["shallow", "unrelated", "no-default-branch", "unborn"]
Engine = Literal["git", "libgit2", "patch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A side that is an image, known by its first bytes and never by its name.

    `blob` names its own bytes; exactly one of `blob` and `reason` is None. Width and height are
    what the header says, None where it does not.
    """

    media_type: ImageType
    width: int | None = None
    height: int | None = None
    blob: BlobId | None = None
    reason: WithheldReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LfsObject:
    """What a Git LFS pointer stands for: the object's SHA-256 and its size (2.9)."""

    oid: Digest
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The full content of one side of a changed file, stored as text or withheld with a reason.

    `digest` covers the raw bytes whatever is stored (3.5); None means they could not be read in
    full. `blob` names the readable UTF-8 text; exactly one of `blob` and `reason` is None.
    An `image` is no text: its reason is `binary`, and its bytes are the image's own matter.
    `lfs` is there where the text is a Git LFS pointer.
    A side that does not exist (the old side of an added file) is no Side at all.
    """

    size: int | None
    digest: Digest | None
    blob: BlobId | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    image: Image | None = None
    lfs: LfsObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How tall and wide a patch is on screen, so that heights are known before it arrives.

    `unified` counts one row per hunk header and one per hunk line. `split` counts one per header,
    one per context line, and the larger of removed and added for each run of changed lines. The
    marker of a missing final newline is no row. `max_columns` is the longest line's number of
    characters without its first column, a tab counting as 4.
    """

    hunks: int
    unified: int
    split: int
    max_columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """The unified patch of one file; exactly one of `blob` and `reason` is None.

    The blob holds the patch's own bytes, so that `git apply` takes them (2.7); `encoding` says
    how to read them as text. `size` is their number even where they are withheld, 0 when no
    patch was made.
    """

    size: int = 0
    blob: BlobId | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Why a file is probably not worth a reviewer's first look (2.11). Never a reason to drop."""

    noise_class: NoiseClass
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A submodule pointer and what its checkout holds beyond it."""

    old_commit: CommitId | None
    new_commit: CommitId | None
    modified_content: bool = False
    untracked_content: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One changed path of one scope.

    `id` is unique inside its scope and the same for the same path in every scope and
    observation, so a link outlives an agent's turn. Modes are six octal digits as Git prints
    them, None where that side does not exist. `additions` and `deletions` are None where lines
    cannot be counted (binary). `conflict` is git's two-letter kind (UU, AA, DU …).
    `index_status` and `worktree_status` are the two letters of `git status`, '?' for untracked,
    None where unchanged. `commit` labels the commit of a piped series that the file belongs to.
    `damage` says in one sentence what is wrong with a piped patch of this file.
    """

    id: FileId
    path: GitPath
    status: Status
    old_path: GitPath | None = None
    index_status: str | None = None
    worktree_status: str | None = None
    old_mode: str | None = None
    new_mode: str | None = None
    additions: int | None = 0
    deletions: int | None = 0
    binary: bool = False
    size: int | None = None
    fingerprint: Digest | None = None
    conflict: str | None = None
    submodule: Submodule | None = None
    repository: bool = False
    """An untracked repository inside the checkout, listed as one entry (2.8)."""
    noise: Noise | None = None
    rows: Rows | None = None
    patch: FilePatch = field(default_factory=FilePatch)
    before: Side | None = None
    after: Side | None = None
    commit: str | None = None
    damage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One scope: its changed files in bytewise path order (or stream order for a patch).

    `renames_limited` says that the rename search was cut and pairs may be missing (2.7).
    """

    scope: Scope
    files: tuple[ChangedFile, ...]
    renames_limited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What scope `all` was compared with, and how that was chosen (2.3).

    `policy` is what was asked: `auto`, `HEAD`, or the ref's name; it is part of the stream.
    """

    policy: str
    kind: ComparisonKind
    base_ref: str | None = None
    base_commit: CommitId | None = None
    merge_base: CommitId | None = None
    fallback: FallbackReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An agent session that observed a collection; never its author (1)."""

    harness: str
    session_id: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Labels that the producer reports; searchable, and proof of nothing (3.7)."""

    repository_name: str | None = None
    remote_url: str | None = None
    root: str | None = None
    worktree_name: str | None = None
    branch: str | None = None
    hostname: str | None = None
    run_id: str | None = None
    trigger: str | None = None
    trigger_directory: str | None = None
    session: Session | None = None
    engine: Engine = "git"
    collector_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """An immutable snapshot of one checkout, branch or patch: the unit that is stored.

    `texts` holds every blob that the snapshots name, once: sides as UTF-8, patches and images as
    their own bytes. `content_hash` covers full content before any budget (3.5) and is None where something could not be read.
    """

    source_id: SourceId
    source_kind: SourceKind
    collected_at: Millis
    comparison: Comparison
    provenance: Provenance
    snapshots: tuple[Snapshot, ...]
    texts: Mapping[BlobId, bytes]
    content_hash: Digest | None
    repository_key: RepositoryKey | None = None
    checkout_key: CheckoutKey | None = None
    branch_id: BranchId | None = None
    head: CommitId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One collection's delivery: the same id on every retry of it (3.4)."""

    id: SubmissionId
    observation: Observation
