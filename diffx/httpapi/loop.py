"""Wait for many sockets with one thread at a time, and run what other threads ask it to."""

import logging
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

log = logging.getLogger(__name__)

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE

Ready = Callable[[int], None]
"""Called by the thread that turns the loop, with the events that a socket is ready for."""


class Loop:
    """A selector with a way to wake it. All but `call` belongs to the thread that turns it.

    Which thread that is may change between turns; "the loop's thread" is whoever turns it now.
    """

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._calls: deque[Callable[[], None]] = deque()
        self._woken = False
        self._turner = 0
        self._inner, self._outer = socket.socketpair()
        self._inner.setblocking(False)
        self._outer.setblocking(False)
        self._selector.register(self._inner, READ, self._wake_up)

    def call(self, work: Callable[[], None]) -> None:
        """Run `work` on the loop's thread, after what was asked before; safe on every thread."""
        self._calls.append(work)
        # Whoever turns the loop looks at the calls before it waits, so it need not wake itself.
        if not self._woken and threading.get_ident() != self._turner:
            self._woken = True
            with suppress(OSError):  # full means that it is awake; closed, that nobody waits
                self._outer.send(b"\0")

    def watch(self, sock: socket.socket, old: int, new: int, ready: Ready) -> None:
        """Change the events that a socket is watched for; 0 is not at all."""
        if old == new:
            return
        if old == 0:
            self._selector.register(sock, new, ready)
        elif new == 0:
            self._selector.unregister(sock)
        else:
            self._selector.modify(sock, new, ready)

    def turn(self, timeout_s: float | None) -> None:
        """Wait for sockets or calls, at most so long, and serve each that is ready once."""
        self._turner = threading.get_ident()
        for key, events in self._selector.select(0 if self._calls else timeout_s):
            try:
                key.data(events)
            except Exception:
                log.exception("socket event failed")
        for _ in range(len(self._calls)):
            work = self._calls.popleft()
            try:
                work()
            except Exception:
                log.exception("scheduled call failed")

    def close(self) -> None:
        self._selector.close()
        self._inner.close()
        self._outer.close()

    def _wake_up(self, events: int) -> None:
        # Read first: a call between these lines writes no byte, and is taken in this same turn.
        # The other way round its byte would be read here and leave `_woken` set for ever.
        with suppress(BlockingIOError):
            self._inner.recv(64)
        self._woken = False
