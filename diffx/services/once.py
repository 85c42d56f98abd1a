"""Make an answer once, however many ask for it at the same time."""

import threading
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from diffx.errors import BusyError

WAITING: Final = 3
"""With `worker.PLACES` fewer than the threads that a server has for handlers."""

Result = TypeVar("Result")


class TooManyWaitingError(BusyError):
    """Enough threads wait for answers under way; this one is needed for others."""


class Once(Generic[Result]):
    """Answers under way, by what they are of. A failure is raised to all who waited for it.

    Only a few may wait at once: those who wait do nothing else, and a server has few threads.
    """

    def __init__(self, waiting: int = WAITING) -> None:
        self._lock = threading.Lock()
        self._places = threading.Semaphore(waiting)
        self._under_way: dict[Hashable, _Making[Result]] = {}

    def make(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return what `work` makes, or what another thread is making of the same key already."""
        with self._lock:
            found = self._under_way.get(key)
            making = found or self._under_way.setdefault(key, _Making())
        if found is not None:
            return self._wait(found)
        try:
            making.result = work()
        except BaseException as error:
            making.error = error
            raise
        finally:
            with self._lock:
                del self._under_way[key]
            making.done.set()
        return making.result

    def _wait(self, making: "_Making[Result]") -> Result:
        if not self._places.acquire(blocking=False):
            raise TooManyWaitingError("this is being worked out; try again in a moment")
        try:
            making.done.wait()
        finally:
            self._places.release()
        if making.error is not None:
            raise making.error
        assert making.result is not None
        return making.result


class _Making(Generic[Result]):
    """One answer, until it is there."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: Result | None = None
        self.error: BaseException | None = None
