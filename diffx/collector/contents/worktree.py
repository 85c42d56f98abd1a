"""Read the files of a working tree that may be hostile or moving, in bounded pieces (2.5, 2.12).

Nothing is followed and nothing blocks: a path is walked name by name beneath an open root, a
file is opened only after it was seen to be a regular one, and a link's content is its target.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, NamedTuple, Self

from diffx.errors import FailedError
from diffx.review.model import Digest, GitPath

Kind = Literal["regular", "symlink", "directory", "special", "missing", "unreadable"]

PIECE: Final = 1 << 20
_REST_NS: Final = 50_000_000
"""How long a file must have been at rest: longer than a step of any kernel's file clock (Linux: 1
to 10 ms), and than one write takes, which shows in the stamp when it begins and not when it ends."""
_RESTS: Final = 3

# O_PATH opens a directory that may be searched but not listed, as git's own lookups can.
_ENTER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
FILE_CLOCK: Final = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)
_HIDDEN: Final = (b"", b".", b"..")


class RootError(FailedError):
    """The top of the checkout cannot be opened."""


class Stamp(NamedTuple):
    """What changes when a file does. Equal stamps of two looks mean an untouched file."""

    mtime_ns: int
    ctime_ns: int
    size: int
    ino: int
    mode: int


class Look(NamedTuple):
    """One path as it was in one moment.

    `digest` is the SHA-256 of the whole content of a regular file or link, whatever its size;
    `data` is that content where it is no larger than was asked for. An `unsettled` file changed
    while it was read: it has neither, because no moment had what was read. `mode` is git's
    spelling, with the execute bit of the owner; None for what git cannot hold.
    """

    kind: Kind
    mode: str | None = None
    size: int | None = None
    digest: Digest | None = None
    data: bytes | None = None
    stamp: Stamp | None = None
    unsettled: bool = False


class Entry(NamedTuple):
    """One name in a folder; `stamp` only where it was asked for."""

    name: bytes
    kind: Literal["regular", "symlink", "directory", "special"]
    stamp: Stamp | None


_MISSING: Final = Look(kind="missing")
_UNREADABLE: Final = Look(kind="unreadable")


def open_root(path: Path) -> int:
    """Open the top of a checkout; every look goes beneath this descriptor. The caller closes it."""
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RootError(f"cannot open the checkout {path}: {error.strerror}") from error


def look(
    root_fd: int, path: GitPath, *, keep: int, checkpoint: Callable[[], None] | None = None
) -> Look:
    """Look at one path beneath the root; `Worktree` is the same, faster, for many paths."""
    with Worktree(root_fd) as worktree:
        return worktree.look(path, keep=keep, checkpoint=checkpoint)


class Worktree:
    """Looks at many paths beneath one root, keeping the folders of the latest one open.

    Paths in sorted order cost one lookup each. The open folders are a view of the moment they
    were entered: whoever looks again later, to see whether something moved, takes a new Worktree.
    """

    def __init__(self, root_fd: int) -> None:
        self._root = root_fd
        self._entered: list[tuple[bytes, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the folders; the root stays open, it is the caller's."""
        self._leave(0)

    def look(
        self, path: GitPath, *, keep: int, checkpoint: Callable[[], None] | None = None
    ) -> Look:
        """Look at one path without following, blocking or failing.

        `keep` is the largest content to hold on to. `checkpoint` is called between pieces of a
        large file and may raise a DiffxError, which ends the look: so a deadline reaches in here.
        """
        names = path.split(b"/")
        if any(name in _HIDDEN or b"\0" in name for name in names):
            return _MISSING  # a made-up index entry; nothing beneath the root has such a name
        try:
            folder = self._enter(names[:-1])
            return _look_at(folder, names[-1], keep, checkpoint)
        except OSError as error:
            return _absence(error)

    def stamp(self, path: GitPath) -> Stamp | None:
        """Return the path's stamp without opening it; None where nothing can be seen."""
        names = path.split(b"/")
        if any(name in _HIDDEN or b"\0" in name for name in names):
            return None
        try:
            return _stamp(os.lstat(names[-1], dir_fd=self._enter(names[:-1])))
        except OSError:
            return None

    def entries(self, folder: GitPath, stamped: Container[bytes]) -> Iterator[Entry]:
        """List a folder (b"" is the top); the `stamped` names come with their stamps.

        A folder that is gone, is a link, or may not be listed raises the OSError it is.
        """
        names = folder.rstrip(b"/").split(b"/") if folder else []
        listed = os.open(b".", _LIST, dir_fd=self._enter(names))
        try:
            with os.scandir(listed) as found:
                for entry in found:
                    name = os.fsencode(entry.name)
                    stamp = _stamp(entry.stat(follow_symlinks=False)) if name in stamped else None
                    yield Entry(name, _kind_of(entry), stamp)
        finally:
            os.close(listed)

    def _enter(self, names: list[bytes]) -> int:
        entered = self._entered
        same = 0
        while same < len(names) and same < len(entered) and entered[same][0] == names[same]:
            same += 1
        self._leave(same)
        for name in names[same:]:
            folder = entered[-1][1] if entered else self._root
            # A link here answers ENOTDIR or ELOOP, so nothing below a linked folder is seen.
            entered.append((name, os.open(name, _ENTER, dir_fd=folder)))
        return entered[-1][1] if entered else self._root

    def _leave(self, depth: int) -> None:
        while len(self._entered) > depth:
            os.close(self._entered.pop()[1])


def _kind_of(entry: os.DirEntry[str]) -> Literal["regular", "symlink", "directory", "special"]:
    if entry.is_file(follow_symlinks=False):
        return "regular"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    return "symlink" if entry.is_symlink() else "special"


def _absence(error: OSError) -> Look:
    import errno

    gone = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EILSEQ)
    return _MISSING if error.errno in gone else _UNREADABLE


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)


def _look_at(folder: int, name: bytes, keep: int, checkpoint: Callable[[], None] | None) -> Look:
    found = os.lstat(name, dir_fd=folder)
    mode = found.st_mode
    if stat.S_ISREG(mode):
        return _read_file(folder, name, found, keep, checkpoint)
    if stat.S_ISLNK(mode):
        return _read_link(folder, name, found, keep)
    if stat.S_ISDIR(mode):
        return Look(kind="directory", mode="040000", stamp=_stamp(found))
    return Look(kind="special", stamp=_stamp(found))


def _at_rest(descriptor: int) -> os.stat_result | None:
    """Return the file's state once it is at rest; None for one that is written all the time.

    Two writes inside one step of the file clock leave equal stamps, and a write under way leaves
    none. After a rest any further write shows, so equal stamps before and after prove that
    nothing was written between them (2.12).
    """
    for _ in range(_RESTS):
        found = os.fstat(descriptor)
        age = time.clock_gettime_ns(FILE_CLOCK) - found.st_ctime_ns
        if age > _REST_NS or age < -_REST_NS:  # far in the future is another machine's clock
            return found
        time.sleep((_REST_NS - max(0, age)) / 1e9 + 0.001)
    return None


def _read_link(folder: int, name: bytes, found: os.stat_result, keep: int) -> Look:
    target = os.readlink(name, dir_fd=folder)
    stamp = _stamp(found)
    if _stamp(os.lstat(name, dir_fd=folder)) != stamp:
        return Look(kind="symlink", mode="120000", stamp=stamp, unsettled=True)
    return Look(
        kind="symlink",
        mode="120000",
        size=len(target),
        digest=Digest(hashlib.sha256(target).hexdigest()),
        data=target if len(target) <= keep else None,
        stamp=stamp,
    )


def _read_file(
    folder: int,
    name: bytes,
    found: os.stat_result,
    keep: int,
    checkpoint: Callable[[], None] | None,
) -> Look:
    stamp = _stamp(found)
    moved = Look(
        kind="regular", mode=_git_mode(stamp), size=stamp.size, stamp=stamp, unsettled=True
    )
    unreadable = Look(kind="unreadable", mode=_git_mode(stamp), size=stamp.size, stamp=stamp)
    try:
        descriptor = os.open(name, _OPEN, dir_fd=folder)
    except PermissionError:
        return unreadable
    except OSError:
        return moved  # it was there a moment ago
    try:
        resting = _at_rest(descriptor)
        if resting is None or not stat.S_ISREG(resting.st_mode):
            return moved
        stamp = _stamp(resting)
        content = _read_pieces(descriptor, stamp.size, keep, checkpoint)
        if content is None or _stamp(os.fstat(descriptor)) != stamp:
            return moved
        # The name may have been given to another file while this one was read.
        if _stamp(os.lstat(name, dir_fd=folder)) != stamp:
            return moved
    except FileNotFoundError:
        return moved  # it was removed meanwhile
    except OSError:
        return unreadable
    finally:
        os.close(descriptor)
    mode, (digest, data) = _git_mode(stamp), content
    return Look(kind="regular", mode=mode, size=stamp.size, digest=digest, data=data, stamp=stamp)


def _git_mode(stamp: Stamp) -> str:
    return "100755" if stamp.mode & stat.S_IXUSR else "100644"


def _read_pieces(
    descriptor: int, size: int, keep: int, checkpoint: Callable[[], None] | None
) -> tuple[Digest, bytes | None] | None:
    """Hash exactly `size` bytes; None when the file turns out shorter or longer."""
    digest = hashlib.sha256()
    pieces: list[bytes] = []
    left = size
    while True:
        piece = os.read(descriptor, min(PIECE, left + 1))
        if not piece:
            break
        left -= len(piece)
        if left < 0:
            return None
        digest.update(piece)
        if size <= keep:
            pieces.append(piece)
        if checkpoint is not None and size > PIECE:
            checkpoint()
    if left:
        return None
    return Digest(digest.hexdigest()), b"".join(pieces) if size <= keep else None
