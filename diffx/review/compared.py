"""A comparison as readers get it: what became of each file, counted, and its patch packed small.

The rows of an interdiff take some forty times the room of the texts they come from, so they are
dropped file by file where they are made, and only this crosses from one process to another and
is kept (9.1).
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from diffx.review.compare import FileComparison, State, author_change
from diffx.review.interdiff import Interdiff, Row, unified
from diffx.review.model import FileId, GitPath, WithheldReason

MAX_PATCH_BYTES: Final = 2 << 20
_KIND_AND_ORIGIN: Final = itemgetter(0, 1)

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The changed lines of an interdiff, by whose they are."""

    additions: int = 0
    deletions: int = 0
    upstream_additions: int = 0
    upstream_deletions: int = 0
    undone: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedDiff:
    """A unified patch and which of its lines are upstream's; `size` is the patch's number of bytes.

    Beyond MAX_PATCH_BYTES nothing but the size is kept.
    """

    size: int
    deflated: bytes | None = None
    upstream: tuple[bytes, bytes] = (b"", b"")

    @property
    def patch(self) -> bytes | None:
        return None if self.deflated is None else zlib.decompress(self.deflated)

    @property
    def upstream_old(self) -> Ranges:
        return _unpacked(self.upstream[0])

    @property
    def upstream_new(self) -> Ranges:
        return _unpacked(self.upstream[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFile:
    """What became of one file; the fields mean what they mean in `FileComparison`."""

    id: FileId
    path: GitPath
    old_id: FileId | None
    old_path: GitPath | None
    state: State
    renamed: bool
    mode_changed: bool
    separated: bool
    own: bool
    coarse: bool
    reason: WithheldReason | None
    counts: Counts
    diff: PackedDiff | None

    @property
    def room(self) -> int:
        """About how many bytes this takes in memory."""
        held = 0 if self.diff is None else len(self.diff.deflated or b"") + 64
        return held + sum(map(len, self.diff.upstream if self.diff else ())) + 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Every file of two snapshots. `author_change` None means that it cannot be known."""

    same_base: bool
    author_change: bool | None
    files: tuple[ComparedFile, ...]

    @property
    def pure_rebase(self) -> bool:
        """The base moved, and nothing else."""
        return not self.same_base and self.author_change is False

    @property
    def coarse(self) -> bool:
        return any(file.coarse for file in self.files)

    @property
    def room(self) -> int:
        return sum(file.room for file in self.files)


def collect(files: Iterable[FileComparison], *, same_base: bool) -> Compared:
    """Pack a comparison one file at a time, so that no two files' rows are there at once."""
    packed: list[ComparedFile] = []
    said: set[bool | None] = set()
    for file in files:
        said.add(author_change(file))
        packed.append(_packed(file))
    changed = True if True in said else None if None in said else False
    return Compared(same_base=same_base, author_change=changed, files=tuple(packed))


def _packed(file: FileComparison) -> ComparedFile:
    old, diff = file.pair.old, file.diff
    return ComparedFile(
        id=file.pair.id,
        path=file.pair.listed.path,
        old_id=None if old is None else old.id,
        old_path=None if old is None else old.path,
        state=file.state,
        renamed=file.pair.renamed,
        mode_changed=file.mode_changed,
        separated=file.separated,
        own=file.own,
        coarse=diff is not None and diff.coarse,
        reason=file.reason,
        counts=Counts() if diff is None else _counts(diff),
        diff=None if diff is None else _packed_diff(diff.rows),
    )


def _counts(diff: Interdiff) -> Counts:
    lines = Counter(map(_KIND_AND_ORIGIN, diff.rows))
    return Counts(
        additions=lines["+", "author"],
        deletions=lines["-", "author"],
        upstream_additions=lines["+", "upstream"],
        upstream_deletions=lines["-", "upstream"],
        undone=diff.undone,
    )


def _packed_diff(rows: Sequence[Row]) -> PackedDiff:
    patch = unified(rows)
    if len(patch) > MAX_PATCH_BYTES:
        return PackedDiff(size=len(patch))
    return PackedDiff(
        size=len(patch),
        deflated=zlib.compress(patch, 1),
        upstream=(_ranges(rows, old=True), _ranges(rows, old=False)),
    )


def _ranges(rows: Sequence[Row], *, old: bool) -> bytes:
    """Return upstream's lines on one side as pairs of numbers, both ends in them."""
    found = array("I")
    for row in rows:
        number = row.old if old else row.new
        if row.origin != "upstream" or number is None:
            continue
        if found and found[-1] == number - 1:
            found[-1] = number
        else:
            found.extend((number, number))
    return found.tobytes()


def _unpacked(data: bytes) -> Ranges:
    numbers = array("I", data)
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
