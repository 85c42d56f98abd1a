"""Open the server beside a collection that takes long enough for a page to be missed (11.1)."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")

PATIENCE_S: Final = 0.7
"""Until then nobody misses a page, and a wrong PATH has failed without a trace."""


class Early(Generic[T]):
    """Enters a context on a thread of its own after a while, or at once when it is asked for.

    The thread begins with `first`, whatever comes of the rest. Leaving the block leaves the
    context too, if it was entered.
    """

    def __init__(
        self,
        context: AbstractContextManager[T],
        *,
        first: Callable[[], None] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._context = context
        self._first = first
        self._patience_s = patience_s
        self._hurry = threading.Event()
        self._cancelled = False
        self._stack = ExitStack()
        self._value: T | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="diffx-early")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._cancelled = True
        self._hurry.set()
        self._thread.join()
        self._stack.close()

    @property
    def entered(self) -> T | None:
        """What the context gave, None while it has not been entered."""
        return self._value

    def get(self) -> T:
        """Enter the context if that has not happened; raises what entering it raised."""
        self._hurry.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._value is not None
        return self._value

    def _run(self) -> None:
        try:
            if self._first is not None:
                self._first()
            self._hurry.wait(self._patience_s)
            if not self._cancelled:
                self._value = self._stack.enter_context(self._context)
        except BaseException as error:  # noqa: BLE001 - carried to the thread that asks
            self._error = error
