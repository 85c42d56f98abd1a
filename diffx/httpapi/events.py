"""Live hints as server-sent events (10.6): one hub for all streams, no thread of its own.

An event says only what to reload. There is no replay log: ids exist so that a client and a proxy
can tell events apart, and `Last-Event-ID` is accepted and ignored.
"""

import itertools
import threading
from collections.abc import Callable
from typing import Final

from diffx.httpapi.messages import Push, Request, Response, encode_json
from diffx.review.model import OwnerId
from diffx.services.changes import Change, Changes

RETRY_MS: Final = 2_000
HEARTBEAT: Final = b": beat\n\n"

_HEADERS: Final = (
    # A proxy that buffers or compresses an event stream holds its events back.
    ("Cache-Control", "no-cache, no-transform"),
    ("X-Accel-Buffering", "no"),
)


class EventHub:
    """Hand each change, encoded once, to every open stream of its owner."""

    def __init__(self, changes: Changes) -> None:
        self._lock = threading.Lock()
        self._streams: dict[int, tuple[OwnerId, Push]] = {}
        self._keys = itertools.count(1)
        self._ids = itertools.count(1)
        changes.subscribe(self._announce)

    def get(self, request: Request) -> Response:
        """Open one stream; its first line tells the client how soon to come back."""
        owner = request.owner

        def subscribe(push: Push) -> Callable[[], None]:
            return self._add(owner, push)

        return Response(
            body=b"retry: %d\n: connected\n\n" % RETRY_MS,
            media_type="text/event-stream",
            headers=_HEADERS,
            cache="",
            stream=subscribe,
        )

    def _add(self, owner: OwnerId, push: Push) -> Callable[[], None]:
        with self._lock:
            key = next(self._keys)
            self._streams[key] = (owner, push)

        def remove() -> None:
            with self._lock:
                self._streams.pop(key, None)

        return remove

    def _announce(self, change: Change) -> None:
        with self._lock:
            event = encode_event(next(self._ids), change)
            pushes = [push for owner, push in self._streams.values() if owner == change.owner]
        for push in pushes:
            push(event)


def encode_event(number: int, change: Change) -> bytes:
    """Write one event; compact JSON has no line break, so it is always one `data` line."""
    data = encode_json({"contextId": change.context})
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, change.kind.encode("ascii"), data)
