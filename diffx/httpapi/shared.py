"""What all connections of one listener have in common: its bounds, its threads, its clock."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from diffx.clock import Clock
from diffx.httpapi.crew import Job
from diffx.httpapi.loop import Loop
from diffx.httpapi.routes import Dispatcher
from diffx.httpapi.serialize import date_field


class Client(Protocol):
    """One connection, as the listener handles it; all on the loop's thread."""

    deadline: float
    """When `expire` is to be called, on the monotonic clock."""

    @property
    def silent(self) -> bool:
        """Nothing of a request is here, so closing loses nothing."""
        ...

    @property
    def busy(self) -> bool:
        """A request is being answered; a graceful stop waits for it."""
        ...

    @property
    def unsent(self) -> int:
        """How many bytes wait for this client to read them."""
        ...

    def expire(self, now: float) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None:
        """Free the socket after every thread has ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Every bound of the listener (10.3).

    `head_s` is from the first byte of a request (or the connection) to the end of its head.
    Within each `progress_s` a client must move 16 KiB of a body or an answer, or all of it.
    `unsent` bounds the memory that answers to slow readers take together; `wait_s` is how long a
    request may wait for a free handler before it is told that the server is busy.
    """

    connections: int = 1_000
    streams: int = 600
    handlers: int = 8
    head_s: float = 15.0
    idle_s: float = 60.0
    progress_s: float = 15.0
    linger_s: float = 2.0
    heartbeat_s: float = 15.0
    stream_backlog: int = 64 << 10
    unsent: int = 256 << 20
    wait_s: float = 10.0
    sweep_s: float = 1.0


@dataclass(slots=True, kw_only=True)
class Shared:
    """One listener, as its connections see it. `clients` and `streams` are the loop's alone."""

    loop: Loop
    dispatcher: Dispatcher
    limits: Limits
    submit: Callable[[Job], None]
    clock: Clock
    clients: set[Client]
    lock: threading.Lock = field(default_factory=threading.Lock)
    draining: bool = False
    streams: int = 0
    _date: tuple[int, bytes] = (-1, b"")

    def date(self) -> bytes:
        """Return the Date field, written once a second."""
        now = self.clock()
        second, written = self._date
        if now // 1000 != second:
            written = date_field(now)
            self._date = (now // 1000, written)
        return written
