"""An index file that names what we choose, for a git that compares those files with the disk.

Its layout is gitformat-index(5), version 2. Every time stamp is zero, so git looks at each file.
"""

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from diffx.collector.gitexe.process import GitFailedError
from diffx.collector.repository import ObjectFormat
from diffx.review.model import GitPath

_HEADER: Final = struct.Struct(">4sLL")
_VERSION: Final = 2
_ENTRY: Final = struct.Struct(">24xL12x")
"""Two times, device and inode, which are unknown; the mode; owner, group and size, unknown too."""
_MAX_NAME: Final = 0xFFF
"""What stands for the length of a longer name; git then looks for its end."""


class Indexed(NamedTuple):
    """One entry: a path with the mode and the blob that git is to compare the file with."""

    path: GitPath
    mode: str
    oid: str


@contextmanager
def made_index(entries: Iterable[Indexed], object_format: ObjectFormat) -> Iterator[Path]:
    """Hold an index of these entries in a file; yield a path that leads to it.

    The file has no name where the system lets git open it by its number, so that nothing is
    left behind whatever becomes of this process (2.2).
    """
    content = index_bytes(entries, object_format)
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("diffx-index", 0), "w+b") as file:  # git inherits it
            file.write(content)
            file.flush()
            by_number = Path(f"/dev/fd/{file.fileno()}")
            if _leads_to(by_number, file.fileno()):
                yield by_number
                return
    import tempfile  # heavy, and hardly a collection comes here

    try:
        named = tempfile.NamedTemporaryFile(prefix="diffx-")  # noqa: SIM115 - entered below
    except OSError as error:
        raise GitFailedError(f"cannot make a temporary file: {error}; set TMPDIR") from error
    with named:
        named.write(content)
        named.flush()
        yield Path(named.name)


def _leads_to(path: Path, descriptor: int) -> bool:
    """Say whether a path is an open file; /dev/fd needs a /proc that is mounted."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def index_bytes(entries: Iterable[Indexed], object_format: ObjectFormat) -> bytes:
    """Return the file's content; a path may be there once."""
    records = [_record(entry) for entry in sorted(entries)]
    content = _HEADER.pack(b"DIRC", _VERSION, len(records)) + b"".join(records)
    digest = hashlib.sha256 if object_format == "sha256" else hashlib.sha1
    return content + digest(content, usedforsecurity=False).digest()


def _record(entry: Indexed) -> bytes:
    length = min(len(entry.path), _MAX_NAME)
    begin = _ENTRY.pack(int(entry.mode, 8)) + bytes.fromhex(entry.oid)
    named = begin + length.to_bytes(2) + entry.path
    return named + bytes(8 - len(named) % 8)  # at least one NUL ends the name
