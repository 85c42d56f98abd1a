"""Hints that something changed, for live views in this process (10.6). Never a queue."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from diffx.review.model import ContextId, OwnerId

log = logging.getLogger(__name__)

ChangeKind = Literal["catalog", "review"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One hint: what to reload. `context` is None where the whole catalog may differ."""

    kind: ChangeKind
    owner: OwnerId
    context: ContextId | None = None


Listener = Callable[[Change], None]


class Changes:
    """Tell every listener about a change, at once, on the publisher's thread.

    A listener must not block; one that raises is logged and does not stop the others.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; the returned function removes it."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def announce(self, change: Change) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            try:
                listener(change)
            except Exception:
                log.exception("change listener failed kind=%s", change.kind)
