"""Show long work on stderr: one updating line on a terminal, plain lines elsewhere."""

import time
from typing import Final, TextIO

_QUIET_S: Final = 1.0
_EVERY_S: Final = 0.1
_PLAIN_EVERY_S: Final = 2.0


class Progress:
    """Say what is going on, once it takes long enough for a person to wonder."""

    def __init__(self, stream: TextIO, *, enabled: bool = True) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._enabled = enabled
        self._next = time.monotonic() + _QUIET_S
        self._drawn = False

    def __call__(self, message: str) -> None:
        now = time.monotonic()
        if not self._enabled or now < self._next:
            return
        self._next = now + (_EVERY_S if self._terminal else _PLAIN_EVERY_S)
        if self._terminal:
            import shutil  # a quarter of the standard library, for work that takes longer

            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r\x1b[2K{message[:width]}")
        else:
            self._write(f"diffx: {message}\n")
        self._drawn = self._terminal

    def done(self) -> None:
        """Clear the updating line, so that what follows starts on a clean one."""
        if self._drawn:
            self._write("\r\x1b[2K")
            self._drawn = False

    def _write(self, text: str) -> None:
        """Write what is nice to know: where it cannot go, the work goes on."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._enabled = False
