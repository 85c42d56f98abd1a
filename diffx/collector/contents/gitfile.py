"""Read a whole file of a Git folder, which may have come with somebody else's repository (2.10)."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_git_file(file: Path, *, most: int) -> bytes:
    """Return the content of a regular file of at most so many bytes; raises OSError.

    A pipe is not waited for, and a link to a device without an end is not read.
    """
    descriptor = os.open(file, _OPEN)
    with os.fdopen(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB", str(file))
        return stream.read(most)
