"""Files that only their owner reads, written whole or not at all, and locks that die with us."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from diffx.errors import BusyError

_NO_HARD_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_RETRY_S: Final = 0.02


class LockHeldError(BusyError):
    """Another process holds the lock."""


@contextlib.contextmanager
def exclusive(path: Path, *, timeout_s: float | None = None) -> Iterator[None]:
    """Hold the lock on `path`, a file of its own or an existing folder, for the block.

    Waits as long as it takes, or `timeout_s` (0: not at all) and then raises LockHeldError.
    The lock ends with the process that holds it, however that ends, and its children do not
    inherit it. The file stays: removing it would let two processes lock two files of one name.
    """
    descriptor = _open_lock(path)
    try:
        _acquire(descriptor, path, timeout_s)
        yield
    finally:
        os.close(descriptor)  # the lock goes with its last descriptor


def write_private(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file's content atomically and durably; a reader sees the old or the new, whole.

    The folder must exist. A link of that name is replaced, never written through.
    """
    temporary = _write_beside(path, data, mode)
    try:
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def create_once(path: Path, data: bytes, *, mode: int = 0o600) -> bool:
    """Create the file with this content unless it exists; say whether it was this call.

    Of any number of processes one wins, and no reader ever sees a part of the content.
    """
    temporary = _write_beside(path, data, mode)
    try:
        return _put_once(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
        _sync_folder(path.parent)


def private_directory(path: Path) -> Path:
    """Make the folder and its missing parents for the owner alone, and return it.

    A folder that exists keeps its permissions: they are its owner's choice.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        # Not `mkdir(parents=True)`: that gives parents the default permissions.
        folder.mkdir(mode=0o700, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    return path


def _open_lock(path: Path) -> int:
    flags = os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o600)
    except IsADirectoryError:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | flags)


def _acquire(descriptor: int, path: Path, timeout_s: float | None) -> None:
    if timeout_s is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    until = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                message = f"{path} is locked by another process; try again when it has ended"
                raise LockHeldError(message) from None
            time.sleep(_RETRY_S)
        else:
            return


def _write_beside(path: Path, data: bytes, mode: int) -> Path:
    """Write the content to a new file in the same folder, down to the disk."""
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, mode)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _put_once(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _rename_once(temporary, path)
    return True


def _rename_once(temporary: Path, path: Path) -> bool:
    """Do the same on file systems without hard links: look and rename under the folder's lock."""
    with exclusive(path.parent):
        if os.path.lexists(path):
            return False
        temporary.rename(path)
        return True


def _sync_folder(folder: Path) -> None:
    """Make a rename in the folder durable, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some network file systems refuse it (EINVAL)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
