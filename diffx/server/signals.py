"""Turn signals and requests to stop into something the main thread can wait for."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPPING: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class Stop:
    """Wait until somebody asks to stop; safe to trigger from threads and signal handlers.

    Until it is armed, a signal interrupts the main thread's work instead (KeyboardInterrupt).
    A pipe, because a lock that a handler shares with the thread it interrupts can deadlock.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._armed = False

    def arm(self) -> None:
        """From here on signals are for `wait`; also for a second one while stopping."""
        self._armed = True

    def on_signal(self) -> None:
        """Do what a signal means now; called by the handler."""
        if not self._armed:
            raise KeyboardInterrupt
        self.trigger()

    def trigger(self) -> None:
        try:
            os.write(self._write, b".")
        except BlockingIOError:
            return  # the pipe is full of earlier requests to stop

    def wait(self) -> None:
        """Return once `trigger` was called, before or after."""
        os.read(self._read, 1)

    def close(self) -> None:
        os.close(self._read)
        os.close(self._write)


@contextmanager
def stop_on_signals(stop: Stop) -> Iterator[None]:
    """Hand SIGINT, SIGTERM and SIGHUP to `stop`, as process 1 too; restored on exit."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        stop.on_signal()

    numbers = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
