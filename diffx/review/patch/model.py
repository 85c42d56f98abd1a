"""What a patch is made of: a series of files, their hunks and their lines."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from diffx.errors import InvalidError, TooLargeError
from diffx.review.model import GitPath, Rows

MAX_PATCH_BYTES: Final = 16 << 20
"""The largest patch that is read from stdin (11.5)."""
MAX_FILE_PATCH_BYTES: Final = 2 << 20
"""The largest patch of one file that is kept for showing (11.5)."""
MAX_FILES: Final = 50_000
"""The most files that one patch may have: 16 MiB hold a million of the shortest, and none of them
has anything to review (11.5)."""

LineKind = Literal[" ", "-", "+"]
ChangeKind = Literal["A", "M", "D", "R", "C", "T", "U"]


class PatchError(InvalidError):
    """The bytes are no patch; the message names the line that shows it."""


class PatchTooLargeError(TooLargeError):
    """The patch has more bytes or files than are read (11.5); the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a patch adds up to: changed lines, its height on screen, and what is wrong with it.

    Rows count hunk headers and hunk lines only. A line's width is in characters where the patch
    is UTF-8 and in bytes where it is not; hunk headers have no width.
    """

    additions: int
    deletions: int
    rows: Rows
    damage: str | None = None


class Line(NamedTuple):
    """One line of a hunk; `old` and `new` are its line numbers, None on the side without it.

    `text` has neither the marker column nor the line feed, and keeps every other byte.
    """

    kind: LineKind
    old: int | None
    new: int | None
    text: bytes
    no_newline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One hunk. The four numbers are its header's; `damage` says if the lines differ from them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    lines: tuple[Line, ...]
    damage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The commit, or the mail, that a part of a stream belongs to."""

    id: str | None
    subject: str

    @property
    def label(self) -> str:
        """The short id and the subject, as far as they are known."""
        return f"{(self.id or '')[:10]} {self.subject}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmoduleMove:
    """A submodule's commits as the patch names them (maybe abbreviated), and marks beside them."""

    old: str | None
    new: str | None
    modified_content: bool = False
    untracked_content: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """One file of a series.

    `patch` is its own standard patch, as `git apply` takes it: `a/` and `b/` prefixes, a combined
    diff reduced to its first parent, a type change as two sections. It is empty where the stream
    names a file and shows nothing of it. `parents` is more than 1 for a combined diff. `index`
    and `similarity` are those header lines as they were. `damage` says in one sentence what is
    wrong or was left out.
    """

    path: GitPath
    old_path: GitPath | None = None
    status: ChangeKind = "M"
    old_mode: str | None = None
    new_mode: str | None = None
    binary: bool = False
    submodule: SubmoduleMove | None = None
    parents: int = 1
    commit: Commit | None = None
    damage: str | None = None
    patch: bytes = b""
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Everything that one stream holds, in its own order.

    A path that several commits change is there once for each of them. `notes` say how the stream
    was changed before it could be read (colour, line ends, encoding).
    """

    files: tuple[ParsedFile, ...]
    notes: tuple[str, ...] = ()
