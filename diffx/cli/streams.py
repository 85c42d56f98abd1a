"""Standard streams: closed or full ones are no traceback, and what goes to a terminal is harmless."""

import errno
import os
import sys
from contextlib import suppress
from typing import Final, TextIO

from diffx.errors import FailedError

FAILED: Final = 1


class OutputError(FailedError):
    """Standard output took nothing; `closed` says that it was closed from the start."""

    code = "output"

    def __init__(self, error: OSError) -> None:
        self.closed = error.errno == errno.EBADF
        reason = "it is closed" if self.closed else error.strerror or str(error)
        super().__init__(f"cannot write to standard output: {reason}")


def reopen() -> None:
    """Put something in the place of streams that the caller closed.

    Otherwise the database or a connection would get their numbers, and whatever is written to
    "standard error" would end there. A write to a closed standard output fails still, as it
    should (`EBADF`); what is said to a closed standard error is lost.
    """
    for number, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, flags)
        if opened != number:  # the number is in use, though Python made no stream of it
            os.close(opened)
        elif number:
            stream = open(number, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115 - it stays
            setattr(sys, name, stream)


def printable(text: str) -> str:
    """Escape control characters: names in messages come from repositories (2.6)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def silence(stream: TextIO) -> None:
    """Send what a stream still holds nowhere: Python would try again at exit, and fail (120)."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def unwritten(error: OSError | None) -> int:
    """Say why standard output took nothing; return the exit code.

    A reader who has read enough (`diffx --help | head -1`) needs no words.
    """
    if sys.stdout is not None:
        silence(sys.stdout)
    if not isinstance(error, BrokenPipeError) and sys.stderr is not None:
        reason = OutputError(error or OSError(errno.EBADF, ""))
        with suppress(OSError):
            sys.stderr.write(f"diffx: {reason}\n")
    return FAILED
