"""Calls that wait for a review to change, without a thread for each of them.

One thread serves all: a change of an owner's reviews makes it look again for that owner's calls,
and each call has a moment at which it is answered anyway.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from diffx.mcpapi.messages import Push, Stream
from diffx.review.model import OwnerId
from diffx.services.changes import Change, Changes

Settle = Callable[[bool], bytes | None]
"""Return the answer if there is one; at the end (True) there always is. Never raises."""

_END: Final = b""


@dataclass(slots=True)
class _Wait:
    owner: OwnerId
    settle: Settle
    push: Push
    due: float
    woken: bool = True  # what changed before it was entered must not be missed


class Waits:
    """Everyone who waits. Its owner starts and stops it; before and after, nobody is answered."""

    def __init__(self, changes: Changes) -> None:
        self._turn = threading.Condition()
        self._waits: dict[int, _Wait] = {}
        self._next = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="mcp-waits")
        self._unsubscribe = changes.subscribe(self._changed)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread; those who still wait are left to the end of their connections."""
        self._unsubscribe()
        with self._turn:
            self._stopping = True
            self._turn.notify()
        self._thread.join()

    def stream(self, owner: OwnerId, settle: Settle, timeout_s: float) -> Stream:
        """Return the answer that comes later: its bytes, then its end."""

        def begin(push: Push) -> Callable[[], None]:
            return self._enter(_Wait(owner, settle, push, time.monotonic() + timeout_s))

        return begin

    def _enter(self, wait: _Wait) -> Callable[[], None]:
        with self._turn:
            key = self._next
            self._next += 1
            self._waits[key] = wait
            self._turn.notify()

        def leave() -> None:
            with self._turn:
                self._waits.pop(key, None)

        return leave

    def _changed(self, change: Change) -> None:
        with self._turn:
            for wait in self._waits.values():
                if wait.owner == change.owner:
                    wait.woken = True
            self._turn.notify()

    def _run(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(self._anything_to_do, self._patience())
                if self._stopping:
                    return
                ready = self._take()
            for key, wait, is_due in ready:
                self._look(key, wait, is_due=is_due)

    def _anything_to_do(self) -> bool:
        now = time.monotonic()
        return self._stopping or any(w.woken or w.due <= now for w in self._waits.values())

    def _patience(self) -> float | None:
        if not self._waits:
            return None
        return max(0.0, min(wait.due for wait in self._waits.values()) - time.monotonic())

    def _take(self) -> list[tuple[int, _Wait, bool]]:
        now = time.monotonic()
        ready = [
            (key, wait, wait.due <= now)
            for key, wait in self._waits.items()
            if wait.woken or wait.due <= now
        ]
        for _, wait, _ in ready:
            wait.woken = False
        return ready

    def _look(self, key: int, wait: _Wait, *, is_due: bool) -> None:
        answer = wait.settle(is_due)
        if answer is None:
            return
        with self._turn:
            entered = self._waits.pop(key, None)
        if entered is not None:
            wait.push(answer)
            wait.push(_END)
