"""Read Git's index file (gitformat-index): entries with every flag, and the trees it remembers.

libgit2's own view of the index hides the flags that matter (skip-worktree, intent-to-add).
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from diffx.errors import FailedError
from diffx.review.model import GitPath

_FIXED: Final = struct.Struct(">10I20sH")
_EXTENDED: Final = 0x4000
_REFUSED: Final = {
    b"link": "a split index",
    b"sdir": "a sparse index",
}


class IndexRefusedError(FailedError):
    """The index has a form that only git reads, or is damaged."""


@dataclass(slots=True)
class IndexEntry:
    """One entry; `mtime_ns` to `ino` are what lstat said when it was recorded."""

    path: GitPath
    oid: str
    mode: int
    stage: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    size: int
    assume_valid: bool
    intent_to_add: bool
    skip_worktree: bool


@dataclass(frozen=True, slots=True)
class Index:
    """The entries in index order, and the tree object of each folder that has not changed."""

    entries: tuple[IndexEntry, ...] = ()
    trees: Mapping[bytes, str] = field(default_factory=dict)


def parse_index(data: bytes, name: str) -> Index:
    """Read an index file's bytes; `name` is what an error calls it."""
    if not data:
        return Index()
    try:
        signature, version, count = struct.unpack_from(">4sII", data)
        if signature != b"DIRC" or version not in (2, 3, 4):
            raise IndexRefusedError(
                f"{name} has version {version}, which diffx cannot read without git; install git"
            )
        entries, at = _entries(data, version, count)
        return Index(tuple(entries), _extensions(data, at, name))
    except (struct.error, IndexError, ValueError) as error:
        raise IndexRefusedError(f"{name} is damaged; `git fsck` can tell more") from error


def _entries(data: bytes, version: int, count: int) -> tuple[list[IndexEntry], int]:
    entries: list[IndexEntry] = []
    at, path = 12, b""
    for _ in range(count):
        start = at
        (ctime, ctime_ns, mtime, mtime_ns, _dev, ino, mode, _uid, _gid, size, oid, flags) = (
            _FIXED.unpack_from(data, at)
        )
        at += _FIXED.size
        more = 0
        if flags & _EXTENDED:
            (more,) = struct.unpack_from(">H", data, at)
            at += 2
        if version == 4:
            strip, at = _offset(data, at)
            end = data.index(b"\0", at)
            path = path[: len(path) - strip] + data[at:end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            path = data[at:end]
            at = start + ((end - start) // 8 + 1) * 8
        entries.append(
            IndexEntry(
                GitPath(path),
                oid.hex(),
                mode,
                flags >> 12 & 3,
                mtime * 1_000_000_000 + mtime_ns,
                ctime * 1_000_000_000 + ctime_ns,
                ino,
                size,
                bool(flags & 0x8000),
                bool(more & 0x2000),
                bool(more & 0x4000),
            )
        )
    return entries, at


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """Read the variable-width number of version 4 (varint.c)."""
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    return value, at + 1


def _extensions(data: bytes, at: int, name: str) -> dict[bytes, str]:
    trees: dict[bytes, str] = {}
    end = len(data) - 20  # the checksum
    while at + 8 <= end:
        kind, size = struct.unpack_from(">4sI", data, at)
        at += 8
        if kind in _REFUSED:
            raise IndexRefusedError(
                f"{name} is {_REFUSED[kind]}, which diffx cannot read without git; install git"
            )
        if kind == b"TREE":
            _trees(data[at : at + size], trees)
        elif not kind[:1].isupper():  # a lower-case extension must be understood
            raise IndexRefusedError(
                f"{name} has the extension {kind!r}, which diffx cannot read without git;"
                " install git"
            )
        at += size
    return trees


def _trees(data: bytes, trees: dict[bytes, str]) -> None:
    """Read the cache-tree extension: a folder's tree is there as long as nothing below changed."""
    at = 0
    folders: list[tuple[bytes, int]] = []  # a folder, and how many subtrees are still to come
    while at < len(data):
        name_end = data.index(b"\0", at)
        line_end = data.index(b"\n", name_end)
        count, _, subtrees = data[name_end + 1 : line_end].partition(b" ")
        while folders and folders[-1][1] == 0:
            folders.pop()
        above = folders[-1][0] if folders else b""
        if folders:
            folders[-1] = (above, folders[-1][1] - 1)
        folder = above + data[at:name_end] + b"/" if name_end > at else b""
        at = line_end + 1
        if int(count) >= 0:
            trees[folder] = data[at : at + 20].hex()
            at += 20
        folders.append((folder, int(subtrees)))
