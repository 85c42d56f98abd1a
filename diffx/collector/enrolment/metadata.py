"""The small files that diffx keeps inside Git's folders: the one thing that collection writes (2.2).

They may come with somebody else's repository, so reading checks them like any other input.
"""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from diffx.errors import FailedError
from diffx.files import create_once, write_private

FOLDER: Final = "diffx"
_VERSION: Final = 1
_MAX_BYTES: Final = 1 << 20
_FILE_MODE: Final = 0o644  # nothing in them is secret, and a shared repository has several readers
INSTEAD: Final = (
    "give the checkout its identity with --repository-key and --checkout-key "
    "(or DIFFX_REPOSITORY_KEY and DIFFX_CHECKOUT_KEY)"
)


class EnrolmentError(FailedError):
    """The identity files cannot be written, or are damaged."""

    code = "enrolment"


def load(file: Path) -> Mapping[str, object] | None:
    """Read one identity file; None if there is none yet."""
    try:
        if stat.S_ISLNK(file.parent.lstat().st_mode):
            raise EnrolmentError(f"{file.parent} is a link; remove it so that diffx can enrol")
        raw = read_bounded(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise EnrolmentError(f"cannot read {file}: {error.strerror}; {INSTEAD}") from error
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise damaged(file) from None
    if not isinstance(found, dict) or found.get("version") != _VERSION:
        raise damaged(file)
    return found


def create(file: Path, record: Mapping[str, object]) -> Mapping[str, object]:
    """Write the file unless another process was first, and return what it holds now."""
    try:
        make_folder(file.parent)
        create_once(file, _encode(record), mode=_FILE_MODE)
    except OSError as error:
        raise EnrolmentError(f"cannot write {file.parent}: {error.strerror}; {INSTEAD}") from error
    found = load(file)
    if found is None:
        raise EnrolmentError(f"{file} vanished while it was written; try again")
    return found


def replace(file: Path, record: Mapping[str, object]) -> None:
    """Write the file anew; an OSError is the caller's to judge."""
    write_private(file, _encode(record), mode=_FILE_MODE)


def make_folder(folder: Path) -> None:
    """Make the folder with its parent's permissions and owner, as git does in a shared one."""
    if folder.is_dir():
        return
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        above = folder.parent.stat()
        with contextlib.suppress(OSError):
            folder.chmod(stat.S_IMODE(above.st_mode) | stat.S_IRWXU)
            os.chown(folder, above.st_uid, above.st_gid)  # root in a container leaves it usable


def read_bounded(file: Path) -> bytes:
    """Read a small regular file; neither a link nor a pipe is opened."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        return stream.read(_MAX_BYTES)


def damaged(file: Path) -> EnrolmentError:
    """Return the error for a file that is not what diffx writes."""
    return EnrolmentError(
        f"{file} is damaged; restore it, delete it to start with a new identity, or {INSTEAD}"
    )


def _encode(record: Mapping[str, object]) -> bytes:
    return json.dumps({"version": _VERSION, **record}, indent=1).encode("ascii") + b"\n"
