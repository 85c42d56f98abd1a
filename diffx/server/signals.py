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

    def wake_on_signals(self) -> int:
        """Let any thread's signal end `wait`; return what `signal.set_wakeup_fd` had before.

        Of two signals at once the kernel may give both to a thread that is not the main one, and
        then nothing interrupts the main thread's read: Python's handlers would never run.
        """
        return signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

    def wait(self) -> None:
        """Return once `trigger` was called or a signal came, before or after."""
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
    woken = stop.wake_on_signals()
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
