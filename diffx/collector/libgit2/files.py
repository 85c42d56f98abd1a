"""What the working tree has where the index has an entry, and the contents of both (2.5, 2.9)."""

import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol

from diffx.collector.contents.text import is_binary
from diffx.collector.contents.worktree import Stamp, Worktree
from diffx.collector.libgit2.checkoutscan import is_repository
from diffx.collector.libgit2.conversion import LineEnds, to_git
from diffx.collector.libgit2.indexfile import IndexEntry
from diffx.collector.libgit2.patchtext import BIG_FILE_BYTES, PatchSide, submodule_line
from diffx.collector.libgit2.trees import Node
from diffx.collector.rules.attributes import AttributeRules
from diffx.review.model import GitPath

GITLINK: Final = "160000"
LINK: Final = "120000"
_SECOND_NS: Final = 1_000_000_000
_CACHE_BYTES: Final = 32 << 20

Trouble = Literal["special-file", "unreadable", "not-fetched"]


class Objects(Protocol):
    """What is asked of a repository's object database, and of repositories below it."""

    def read(self, oid: str) -> bytes | None:
        """Return an object's content; None where it is not there."""
        ...

    def hunks(self, old: bytes, new: bytes) -> tuple[bytes, int, int]:
        """Compare two texts: the printed hunks, lines added, lines removed."""
        ...

    def head_of(self, folder: Path) -> str | None:
        """Return the commit that a repository below the checkout has checked out."""
        ...


@dataclass(frozen=True, slots=True)
class WorkSide:
    """A path in the working tree; `oid` is None where `trouble` says why, or it keeps moving."""

    mode: str
    oid: str | None
    trouble: Trouble | None = None


Side = Node | WorkSide


@dataclass(frozen=True, slots=True)
class FileSettings:
    """The configuration that decides what a file counts as."""

    filemode: bool = True
    symlinks: bool = True
    ignore_case: bool = False
    sparse: bool = False
    """A file outside the sparse patterns that is there after all counts."""
    cone: bool = False
    line_ends: LineEnds = field(default_factory=LineEnds)


class Files:
    """Compares files with index entries and hands out contents, each read at most a few times."""

    def __init__(
        self,
        top: Path,
        worktree: Worktree,
        objects: Objects,
        *,
        rules: AttributeRules,
        settings: FileSettings,
        stored: Callable[[GitPath], bytes | None],
    ) -> None:
        self._top = top
        self._worktree = worktree
        self._objects = objects
        self._rules = rules
        self._settings = settings
        self._stored = stored
        self._cache: OrderedDict[tuple[GitPath | None, str], bytes] = OrderedDict()
        self._cached = 0
        self._before: dict[GitPath, str] = {}

    def side(self, entry: IndexEntry, found: Stamp | None) -> WorkSide | None:
        """Return the working tree's side of an entry; None where there is no such file."""
        if found is None:
            return None
        path, mode = entry.path, found.mode
        if stat.S_ISDIR(mode):
            return self._folder(entry)
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            return WorkSide(_executable(mode), None, "special-file")
        return self.read(path, self._mode(entry, mode))

    def read(self, path: GitPath, mode: str) -> WorkSide | None:
        """Read a file and name its content as git would; None where it is gone."""
        data, trouble = self._look(path, mode)
        if data is None:
            return None if trouble == "missing" else WorkSide(mode, None, _trouble(trouble))
        oid = blob_name(data)
        self._keep((path, oid), data)
        return WorkSide(mode, oid)

    def returned_side(self, path: GitPath, before: Node) -> WorkSide | None:
        """Return the side of a path that the base has and the index no longer.

        It is read as if the index still had what the base has.
        """
        self._before[path] = before.oid
        found = self._worktree.stamp(path)
        if found is None or stat.S_ISDIR(found.mode):
            return None
        mode = LINK if stat.S_ISLNK(found.mode) else _executable(found.mode)
        if not self._settings.filemode and before.mode.startswith("100") and mode != LINK:
            mode = before.mode
        return self.read(path, mode)

    def is_untouched(self, entry: IndexEntry, found: Stamp, index_ns: int) -> bool:
        """Say whether lstat alone proves that the file is what the index has (racy-git.txt).

        Where git looks at whole seconds, so does this: under attributes that changed since, a
        file that is read may differ from the index, and one that is not read never does.
        """
        return (
            found.size & 0xFFFFFFFF == entry.size
            and found.ino & 0xFFFFFFFF == entry.ino
            and _is_same_mtime(entry.mtime_ns, found.mtime_ns)
            and entry.ctime_ns // _SECOND_NS == found.ctime_ns // _SECOND_NS
            and entry.mtime_ns // _SECOND_NS < index_ns // _SECOND_NS
            and self._has_mode(entry, found.mode)
        )

    def _has_mode(self, entry: IndexEntry, found: int) -> bool:
        if stat.S_ISREG(found) and self._settings.filemode:  # nearly always
            return entry.mode == (0o100755 if found & stat.S_IXUSR else 0o100644)
        return entry.mode == int(self._mode(entry, found), 8)

    def patch_side(self, path: GitPath, side: Side) -> PatchSide | None:
        """Return a side with its content, for a patch; None where the content cannot be had."""
        oid = side.oid
        if oid is None:
            return None
        if side.mode == GITLINK:
            return PatchSide(path=path, mode=side.mode, oid=oid, data=submodule_line(oid))
        data = self.content(path, side)
        if data is None:
            return None
        if isinstance(side, WorkSide):
            oid = blob_name(data)  # it may have been written to since it was first read
        binary = None if side.mode == LINK else self._said_binary(path)
        return PatchSide(path=path, mode=side.mode, oid=oid, data=data, binary=binary)

    def content(self, path: GitPath, side: Side) -> bytes | None:
        """Return a file's content as git stores it."""
        if side.oid is None:
            return None
        key = (path if isinstance(side, WorkSide) else None, side.oid)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        if isinstance(side, WorkSide):
            data, _ = self._look(path, side.mode)
        else:
            data = self._objects.read(side.oid)
        if data is not None:
            self._keep(key, data)
        return data

    def _folder(self, entry: IndexEntry) -> WorkSide | None:
        """A folder where an entry is: a submodule's checkout, a repository, or not that entry."""
        head = self._head(entry.path)
        if head is not None:
            return WorkSide(GITLINK, head)
        # A submodule that is not checked out is as the index has it.
        return WorkSide(GITLINK, entry.oid) if f"{entry.mode:06o}" == GITLINK else None

    def _head(self, path: GitPath) -> str | None:
        folder = self._top / os.fsdecode(path)
        return self._objects.head_of(folder) if is_repository(folder) else None

    def _mode(self, entry: IndexEntry, found: int) -> str:
        recorded = f"{entry.mode:06o}"
        if stat.S_ISLNK(found):
            return LINK
        if stat.S_ISREG(found):
            if not self._settings.symlinks and recorded == LINK:
                return LINK
            if not self._settings.filemode:
                return recorded if recorded.startswith("100") else "100644"
        return _executable(found)

    def _look(self, path: GitPath, mode: str) -> tuple[bytes | None, str]:
        look = self._worktree.look(path, keep=BIG_FILE_BYTES)
        if look.unsettled:  # once more; what keeps moving is somebody else's decision
            look = self._worktree.look(path, keep=BIG_FILE_BYTES)
        if look.data is None:
            return None, look.kind
        if mode == LINK or look.kind != "regular":
            return look.data, look.kind
        data = to_git(
            look.data, self._rules.of(path), self._settings.line_ends, lambda: self._known(path)
        )
        return data, look.kind

    def _known(self, path: GitPath) -> bytes | None:
        """Return what the index has for a path: its line ends decide about those on disk."""
        before = self._before.get(path)
        return self._stored(path) if before is None else self._objects.read(before)

    def is_text(self, path: GitPath, data: bytes) -> bool:
        """Say whether git makes lines of a content."""
        said = self._said_binary(path)
        return not is_binary(data) if said is None else not said

    def _said_binary(self, path: GitPath) -> bool | None:
        return {"unset": True, "set": False}.get(self._rules.of(path).get("diff", ""))

    def _keep(self, key: tuple[GitPath | None, str], data: bytes) -> None:
        if key in self._cache or len(data) > _CACHE_BYTES:
            return
        self._cache[key] = data
        self._cached += len(data)
        while self._cached > _CACHE_BYTES:
            _, dropped = self._cache.popitem(last=False)
            self._cached -= len(dropped)


def blob_name(data: bytes) -> str:
    """Return the object name that git would give the content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _executable(mode: int) -> str:
    return "100755" if mode & stat.S_IXUSR else "100644"


def _trouble(kind: str) -> Trouble | None:
    if kind == "unreadable":
        return "unreadable"
    return None if kind in ("regular", "symlink") else "special-file"


def _is_same_mtime(recorded: int, found: int) -> bool:
    """Compare times; some writers of the index record whole seconds only."""
    if recorded % _SECOND_NS:
        return recorded == found
    return recorded // _SECOND_NS == found // _SECOND_NS
