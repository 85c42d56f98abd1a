"""What collection needs of a repository, in whole steps, and the values those steps hand on.

Two engines satisfy it: `gitexe` (the git executable, the reference) and `libgit2` (for machines
without one). Both tell what they see; `scopes` and `collect` turn it into an Observation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, Never, Protocol, Self

from diffx.errors import FailedError
from diffx.review.model import CommitId, Digest, Engine, GitPath, Scope, Status

ObjectFormat = Literal["sha1", "sha256"]
_NOTHING: Final[Mapping[GitPath, Never]] = MappingProxyType({})
Attributes = Mapping[str, str]
"""Gitattributes of one path: 'set', 'unset' or the value; unspecified names are absent."""

ATTRIBUTES = (
    "linguist-generated",
    "linguist-vendored",
    "diff",
    "filter",
    "working-tree-encoding",
)
"""The attributes that collection asks for: noise (2.11), filters and encodings (2.9)."""


class Layout(NamedTuple):
    """Where a checkout keeps what; every path absolute.

    `git_dir` belongs to this checkout (a linked worktree has its own), `common_dir` is shared.
    """

    top: Path
    git_dir: Path
    common_dir: Path
    object_format: ObjectFormat
    shallow: bool


class Refs(NamedTuple):
    """What HEAD is, and which branch counts as the default one (2.3).

    `branch` is HEAD's branch without `refs/heads/`, also while it is unborn; None when HEAD is
    detached. `default` is the default branch's short name; `default_local` its local tip and
    `default_remote` the tip of its `origin/` counterpart, None where there is none.
    """

    head: CommitId | None
    branch: str | None
    default: str | None = None
    default_local: CommitId | None = None
    default_remote: CommitId | None = None


class PatchText(NamedTuple):
    """One file's patch as the engine made it.

    `text` is None where the patch is over the engine's limit; `additions` and `deletions` are
    then counted by the engine, which is the only one who saw it. `binary` patches have no hunks.
    """

    size: int
    text: bytes | None
    binary: bool = False
    additions: int | None = None
    deletions: int | None = None


class Change(NamedTuple):
    """One changed path of one scope, as the engine sees it.

    `old_oid` names the before blob (or submodule commit). `new_oid` names the after content: the
    blob in the index or tree, or for a working tree what the engine hashed while it made the
    patch (after conversion); None where it did not say. Modes are None where a side is absent.
    `patch` is None where none can be made (`trouble` says why), or where there is nothing to
    show, as in a conflict without a stage to compare with.
    """

    path: GitPath
    status: Status
    old_path: GitPath | None = None
    old_mode: str | None = None
    new_mode: str | None = None
    old_oid: str | None = None
    new_oid: str | None = None
    patch: PatchText | None = None
    trouble: Literal["special-file", "unreadable", "not-fetched", "unsettled"] | None = None


class SubmoduleState(NamedTuple):
    """What a submodule's checkout holds beyond `commit`, which the index records."""

    commit: CommitId
    modified_content: bool = False
    untracked_content: bool = False


class Survey(NamedTuple):
    """Everything that one walk found: tracked changes per scope, and what is untracked.

    `conflicts` maps an unmerged path to git's two letters. `untracked` names files and links;
    `returned` is the part of it that the base has: `all` compares those with the base, in
    `changes`, instead of adding them. `pinned` names those of `all` whose index entry counts as
    what is on disk, whatever is there: skip-worktree and assume-unchanged (2.8). `nested` names the untracked
    repositories, without a trailing slash. `submodules` has an entry for each one that is dirty
    and may be reported (`submodule.<name>.ignore`). `filters` names the configured content
    filters whose programs were not run (2.9); `modes_count` is core.fileMode.
    """

    changes: Mapping[Scope, tuple[Change, ...]]
    untracked: tuple[GitPath, ...] = ()
    returned: frozenset[GitPath] = frozenset()
    pinned: frozenset[GitPath] = frozenset()
    nested: tuple[GitPath, ...] = ()
    conflicts: Mapping[GitPath, str] = _NOTHING
    submodules: Mapping[GitPath, SubmoduleState] = _NOTHING
    filters: frozenset[str] = frozenset()
    modes_count: bool = True
    renames_limited: frozenset[Scope] = frozenset()


class Blob(NamedTuple):
    """One object's content. `data` is None when it is over the limit that was asked for.

    `binary` is git's guess by its beginning, known whatever the size.

    `digest` is the SHA-256 of the whole content; it and `size` are None where the object is not
    there (a partial clone, 2.5 `not-fetched`).
    """

    oid: str
    size: int | None
    digest: Digest | None
    data: bytes | None
    binary: bool = False


class MovingError(FailedError):
    """HEAD, the index or a file moved meanwhile; the same request may succeed at once (2.12).

    `attempts` bounds how often it is worth asking again; None leaves it to the deadline.
    """

    attempts: ClassVar[int | None] = None


class Walk(Protocol):
    """A walk under way; it may run beside whatever the caller does next.

    `against` is called once, and then `finish`.
    """

    def against(self, base: CommitId | None) -> Self:
        """Say what `all` compares the files with, as soon as that is known; None: the empty tree."""
        ...

    def finish(self) -> Survey:
        """Return all three scopes.

        MovingError where HEAD or the index is no longer what it was at the start (2.12).
        """
        ...


class Repository(Protocol):
    """One checkout, read only. Every failure is a DiffxError of one line."""

    @property
    def engine(self) -> Engine: ...

    @property
    def layout(self) -> Layout: ...

    def about(self) -> str:
        """Name the program that reads the checkout, with its version; for people."""
        ...

    @property
    def remote_url(self) -> str | None:
        """The configured URL of `origin`, else of the only remote; not sanitised."""
        ...

    def refs(self) -> Refs:
        """Return HEAD and the default branch as they are now."""
        ...

    def resolve(self, name: str) -> CommitId | None:
        """Return the commit that a local branch, remote-tracking branch, tag or id names."""
        ...

    def nearest_base(
        self, head: CommitId, tips: Sequence[CommitId]
    ) -> tuple[CommitId, CommitId] | None:
        """Return the merge base with the fewest commits up to HEAD, after the tip it belongs to.

        The first tip wins a tie; None where no tip shares history with HEAD (2.3).
        """
        ...

    def walk(self, head: CommitId | None) -> Walk:
        """Begin to look at index and working tree, against `head` (None: the empty tree)."""
        ...

    def between(self, base: CommitId | None, tip: CommitId) -> Survey:
        """Compare two commits without the working tree: scope `all` alone (2.4, `--branch`)."""
        ...

    def blobs(self, oids: Iterable[str], *, keep: int) -> Iterator[Blob]:
        """Read objects in any order, each once; contents over `keep` bytes are only hashed."""
        ...

    def attributes(self, paths: Sequence[GitPath]) -> Mapping[GitPath, Attributes]:
        """Return the ATTRIBUTES of each path that has any."""
        ...

    def close(self) -> None:
        """End every process and release every file; safe to call twice."""
        ...
