"""Where a database may live: a local folder of its owner, and a file that is ours or not yet there.

Everything here happens before SQLite opens the file, so a refused one stays as it is (12.5).
"""

import contextlib
import errno
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from diffx.clock import NewId
from diffx.files import LockHeldError, exclusive, private_directory, write_private
from diffx.store import schema
from diffx.store.failures import (
    StoreDamagedError,
    StoreFullError,
    StoreInUseError,
    StorePlaceError,
    StoreReadOnlyError,
)

log = logging.getLogger(__name__)

_MOUNTS: Final = Path("/proc/self/mountinfo")
# Write-ahead logging needs shared memory and locks that all of these lack or only pretend to have.
_NETWORK_TYPES: Final = (
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afs", "ncpfs", "coda", "ceph", "lustre",
    "beegfs", "9p", "drvfs", "davfs", "fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.ceph",
    "fuse.davfs2", "fuse.s3fs",
)  # fmt: skip


@contextlib.contextmanager
def owned(path: Path) -> Iterator[None]:
    """Own the database for the block; another process that owns it raises StoreInUseError."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        with exclusive(lock, timeout_s=0):
            yield
    except LockHeldError as error:
        raise StoreInUseError(
            f"{path} is in use by another diffx; stop that one or choose another with --state"
        ) from error
    except PermissionError as error:
        if error.filename != str(lock):
            raise
        raise StoreReadOnlyError(
            f"{lock} cannot be written; make {path.parent} yours or choose another with --state"
        ) from error


def resolved(path: Path) -> Path:
    """Return the path with every link followed; refuse links that lead to themselves."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: how Python before 3.13 tells a loop
        raise StorePlaceError(
            f"{path} is a link that leads to itself; choose another with --state"
        ) from error


def check_place(path: Path) -> None:
    """Make the folder if need be; refuse what is no place for a database."""
    try:
        is_folder = path.is_dir()
        if not is_folder:
            private_directory(path.parent)
    except OSError as error:
        raise StorePlaceError(
            f"{path.parent} cannot be made or entered: {error.strerror};"
            " choose another place with --state"
        ) from error
    if is_folder:
        raise StorePlaceError(f"{path} is a folder; name a file in it with --state")
    kind = network_type(path.parent.resolve(), _mounts())
    if kind is not None:
        raise StorePlaceError(
            f"{path} is on a network file system ({kind}), where SQLite is not safe;"
            " choose a local folder with --state"
        )


def is_ours(path: Path) -> bool:
    """Say whether our own database is there; a foreign, older, newer or cut file is refused."""
    with _explained(path):
        header = _header(path)
        if not header:
            return False
        schema.check_header(header, str(path))
        _check_writable(path)
        _check_whole(path, header)
        return True


def make(path: Path, new_id: NewId) -> None:
    """Make the database where there is none, whole or not at all. The caller owns the place."""
    with _explained(path):
        _refuse_leftovers(path)
        write_private(path, schema.new_database(new_id()))


def network_type(folder: Path, mounts: str) -> str | None:
    """Return the file system's type if it is a network one, by the longest mount above folder."""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        point = _unescape(fields.split(" ")[4])
        # Later mounts hide earlier ones at the same point.
        if len(point) >= len(best) and folder.is_relative_to(point):
            best, kind = point, rest.split(" ")[0]
    return kind if kind in _NETWORK_TYPES else None


def _mounts() -> str:
    try:
        return _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:  # not Linux: nobody can be asked without a library
        return ""


def _unescape(point: str) -> str:
    """Undo mountinfo's octal escapes (proc(5))."""
    for code, char in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        point = point.replace(code, char)
    return point


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise StoreReadOnlyError(f"{path}: permission denied; is it yours?") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(f"{path}: the disk is full; free some space") from error
        raise StorePlaceError(f"{path} cannot be opened: {error.strerror}") from error


def _header(path: Path) -> bytes:
    """Return the first bytes, none where there is no file. Waits for no pipe."""
    if not path.exists():
        return b""
    if not path.is_file():
        raise StorePlaceError(f"{path} is not a regular file; choose another with --state")
    with path.open("rb") as file:
        return file.read(schema.HEADER_BYTES)


def _check_writable(path: Path) -> None:
    for each in (path, path.parent):
        if not os.access(each, os.W_OK):
            raise StoreReadOnlyError(
                f"{each} cannot be written; make it writable or choose another with --state"
            )
    if path.stat().st_mode & 0o077:
        log.warning("database readable by others path=%s", path)


def _check_whole(path: Path, header: bytes) -> None:
    expected = schema.expected_bytes(header)
    log_file = path.with_name(path.name + "-wal")
    # With changes still in the log the file may be shorter than the database.
    in_log = log_file.exists() and log_file.stat().st_size > 0
    if path.stat().st_size < expected and not in_log:
        raise StoreDamagedError(
            f"{path} is damaged: {path.stat().st_size} bytes of {expected} are left;"
            " move it away, or restore a copy of it"
        )


def _refuse_leftovers(path: Path) -> None:
    """Refuse to start afresh beside the log of a lost database: SQLite would replay it."""
    for suffix in ("-wal", "-journal"):
        leftover = path.with_name(path.name + suffix)
        if leftover.exists() and leftover.stat().st_size:
            raise StorePlaceError(
                f"{path} is missing, but {leftover.name} beside it holds unwritten changes;"
                " restore the database or move that file away"
            )
