"""Is there a patch on standard input? Decided by what stdin is, never by waiting in silence (11.5).

A PATH on the command line means that stdin is nobody's business. Without one, a pipe, a socket or
a file is read as a patch; a terminal, /dev/null, any other device or a closed stdin means that
there is none. `-` asks for stdin whatever it is.
"""

import fcntl
import os
import select
import stat
from typing import Final

from diffx.cli.world import World
from diffx.errors import FailedError, InvalidError

FROM_STDIN: Final = "-"
_PATIENCE_MS: Final = 1000
_CHUNK: Final = 1 << 20


def read_patch(path: str | None, world: World) -> bytes | None:
    """Return the patch on stdin, None if a checkout is to be reviewed instead.

    Reads to the end, at most 16 MiB. While a writer keeps quiet, one line on stderr says what is
    awaited, so that an inherited pipe that nobody writes to does not look like a hang.
    """
    if path is not None and path != FROM_STDIN:
        return None
    stdin = _wanted(world, forced=path == FROM_STDIN)
    if stdin is None:
        return None
    data = _read(stdin, world)
    if not data.strip():
        raise InvalidError(
            "the patch on stdin is empty; to review the changes in this directory use: diffx ."
        )
    return data


def _wanted(world: World, *, forced: bool) -> int | None:
    """Return the descriptor to read a patch from, None where there is none."""
    if world.stdin is None:
        if forced:
            raise InvalidError("stdin is closed, so there is no patch to read; pipe one in")
        return None
    mode = os.fstat(world.stdin).st_mode
    if stat.S_ISDIR(mode):
        raise InvalidError("stdin is a directory; name it instead: diffx PATH")
    if forced and not _is_readable(world.stdin):
        raise InvalidError("stdin is open for writing only, so there is no patch to read")
    if forced and os.isatty(world.stdin):
        world.say("diffx: reading a patch from the terminal; end it with Ctrl-D")
    if forced:
        return world.stdin
    holds_data = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)
    return world.stdin if holds_data and _is_readable(world.stdin) else None


def _is_readable(stdin: int) -> bool:
    """Say if it was opened for reading; nothing ever comes from the writing end of a pipe."""
    return fcntl.fcntl(stdin, fcntl.F_GETFL) & os.O_ACCMODE != os.O_WRONLY


def _read(stdin: int, world: World) -> bytes:
    from diffx.collector.piped import MAX_BYTES, too_large  # the parser: most calls have no patch

    quiet = _Quiet(stdin, world)
    pieces: list[bytes] = []
    size = 0
    while size <= MAX_BYTES:
        quiet.wait(size)
        try:
            piece = os.read(stdin, _CHUNK)
        except BlockingIOError:  # the other end may have set O_NONBLOCK on what it shares with us
            continue
        except OSError as error:
            raise FailedError(f"cannot read the patch on stdin: {error.strerror}") from error
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    raise too_large()


class _Quiet:
    """Waits for input, and says so once before the first byte and once after it."""

    def __init__(self, stdin: int, world: World) -> None:
        self._world = world
        self._said: set[bool] = set()
        self._poll = select.poll()
        self._poll.register(stdin, select.POLLIN | select.POLLHUP)

    def wait(self, size: int) -> None:
        """Return when there is something to read, or the end."""
        began = size > 0
        while not self._poll.poll(None if began in self._said else _PATIENCE_MS):
            self._said.add(began)
            self._world.say(
                f"diffx: {size} bytes of a patch have come; waiting for its end on stdin"
                if began
                else "diffx: waiting for a patch on stdin; to review the changes in this "
                "directory instead use: diffx ."
            )
