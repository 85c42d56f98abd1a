"""A connection that only writes: a stream of events to one client, on the loop's thread."""

import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from diffx.httpapi.events import HEARTBEAT
from diffx.httpapi.loop import READ, WRITE
from diffx.httpapi.messages import Stream
from diffx.httpapi.outbox import Outbox
from diffx.httpapi.shared import Shared

log = logging.getLogger(__name__)

_READ_BYTES: Final = 4 << 10
_MAX_IGNORED: Final = 64 << 10


class StreamConnection:
    """Small on purpose: hundreds of them wait at once. A slow reader is dropped, never waited for.

    It is dropped when more waits for it than `stream_backlog`, or when a heartbeat finds that
    nothing has moved since the one before. The client comes back and reloads (10.6).
    """

    __slots__ = (
        "_ending",
        "_ignored",
        "_outbox",
        "_shared",
        "_sock",
        "_stalled",
        "_unsubscribe",
        "_watched",
        "deadline",
    )

    busy: Final = False
    silent: Final = False

    def __init__(self, sock: socket.socket, shared: Shared) -> None:
        self._sock = sock
        self._shared = shared
        self._outbox = Outbox(sock)
        self._watched = 0
        self._ignored = 0
        self._ending = False
        self._stalled = False
        self._unsubscribe: Callable[[], None] | None = None
        self.deadline = time.monotonic() + shared.limits.heartbeat_s

    @property
    def unsent(self) -> int:
        return self._outbox.waiting

    @property
    def closed(self) -> bool:
        return self not in self._shared.clients

    def begin(self, head: bytes, stream: Stream) -> None:
        """Subscribe, then greet: whoever reads the greeting misses no later event."""
        self._shared.clients.add(self)
        self._shared.streams += 1
        self._watch(READ)
        self._unsubscribe = stream(self.push)
        self._enqueue(head)

    def push(self, data: bytes) -> None:
        """Hand bytes to the loop's thread; safe on every thread, never waits. None (b"") end it."""
        self._shared.loop.call(partial(self._enqueue, data))

    def expire(self, now: float) -> None:
        """Send a heartbeat, or drop a reader that took nothing since the last."""
        self.deadline = now + self._shared.limits.heartbeat_s
        if not self._outbox.waiting:
            self._enqueue(HEARTBEAT)
        elif self._stalled:
            log.info("stream dropped reason=no-progress waiting=%d", self._outbox.waiting)
            self.close()
        else:
            self._stalled = True

    def close(self) -> None:
        if self.closed:
            return
        self._watch(0)
        self._shared.clients.discard(self)
        self._shared.streams -= 1
        if self._unsubscribe is not None:
            self._unsubscribe()
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()
        self._outbox.clear()

    def abandon(self) -> None:
        self._sock.close()

    def _enqueue(self, data: bytes) -> None:
        if self.closed:
            return
        blocked = self._outbox.waiting
        self._ending = self._ending or not data
        self._outbox.put(data)
        if not blocked:
            self._flush()
        if self._outbox.waiting > self._shared.limits.stream_backlog:
            log.info("stream dropped reason=slow-reader waiting=%d", self._outbox.waiting)
            self.close()

    def _ready(self, events: int) -> None:
        if events & WRITE:
            self._flush()
        if events & READ and not self.closed:
            self._ignore()

    def _flush(self) -> None:
        try:
            if self._outbox.send():
                self._stalled = False
        except OSError:
            self.close()
            return
        if self._ending and not self._outbox.waiting:
            self.close()
            return
        self._watch(READ | WRITE if self._outbox.waiting else READ)

    def _ignore(self) -> None:
        """Read over what a client sends on a stream; its end is all that means something."""
        try:
            data = self._sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._ignored += len(data)
        if not data or self._ignored > _MAX_IGNORED:
            self.close()

    def _watch(self, events: int) -> None:
        self._shared.loop.watch(self._sock, self._watched, events, self._ready)
        self._watched = events
