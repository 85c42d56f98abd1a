"""The HTTP server: all sockets on one loop, a few threads for handlers, a bounded way to stop."""

import errno
import logging
import math
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Final

from diffx.clock import Clock, system_clock
from diffx.httpapi.binding import Bound, bind
from diffx.httpapi.connection import BUSY, Connection
from diffx.httpapi.crew import Crew
from diffx.httpapi.loop import READ, Loop
from diffx.httpapi.routes import Dispatcher
from diffx.httpapi.shared import Client, Limits, Shared

log = logging.getLogger(__name__)

_ACCEPTS: Final = 64  # per turn, so that a flood of connections leaves turns for the others
_REFUSED_AT_ONCE: Final = 64
_OUT_OF_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_FILES_FOR_OTHERS: Final = 128
_DRAIN_TURN_S: Final = 0.02
_UNSENT_MS: Final = 30_000
_JOIN_S: Final = 5.0


class Listener:
    """Serve a Dispatcher on one port. Bind first, start when there is something to serve.

    Connections made in between wait in the kernel. `start` begins the threads and `stop` ends
    them; each is called once, by the owner. Handlers run on `limits.handlers` threads; idle,
    slow and streaming connections cost no thread.
    """

    def __init__(
        self, bound: Bound, *, limits: Limits | None = None, clock: Clock = system_clock
    ) -> None:
        self._bound = bound
        self._limits = limits or Limits()
        self._most = _affordable(self._limits.connections)
        self._clock = clock
        self._loop = Loop()
        self._crew = Crew(
            self._limits.handlers, turn=self._turn, ended=self._ended, wake=self._wake
        )
        self._clients: set[Client] = set()
        self._shared: Shared | None = None
        self._accepting = False
        self._accept_again = math.inf
        self._stop_at = math.inf
        self._swept = 0.0

    @staticmethod
    def bind(host: str, ports: Iterable[int], *, limits: Limits | None = None) -> "Listener":
        """Listen at `host` on the first free port; see `binding.bind` for what is refused."""
        return Listener(bind(host, ports), limits=limits)

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Every address that answers, the one asked for first."""
        return self._bound.addresses

    def connections(self) -> int:
        """How many clients are connected now."""
        return len(self._clients)

    def start(self, dispatcher: Dispatcher) -> None:
        self._shared = Shared(
            loop=self._loop,
            dispatcher=dispatcher,
            limits=self._limits,
            submit=self._crew.submit,
            clock=self._clock,
            clients=self._clients,
        )
        self._loop.call(self._accept_from_now_on)
        self._crew.start()

    def stop(self, grace_s: float) -> None:
        """Accept no more, let requests that were begun finish for so long, then end them.

        Streams, idle connections and half-sent requests end at once. Returns after the threads
        have ended; a handler that does not end within five seconds more is named in the log.
        """
        if self._shared is not None:
            self._loop.call(partial(self._drain, time.monotonic() + grace_s))
            all_ended = self._crew.join(grace_s + _JOIN_S)
            for client in tuple(self._clients):
                if all_ended or not client.busy:
                    client.abandon()
        for sock in self._bound.sockets:
            sock.close()
        self._loop.close()

    # -- on the loop's thread

    def _turn(self, hurry: bool) -> None:
        self._loop.turn(0 if hurry else self._patience())
        now = time.monotonic()
        if now >= self._swept + self._sweep_s():
            self._swept = now
            self._sweep(now)

    def _wake(self) -> None:
        self._loop.call(lambda: None)

    def _ended(self) -> bool:
        if self._stop_at == math.inf:
            return False
        if time.monotonic() >= self._stop_at:
            for client in tuple(self._clients):
                client.close()
            return True
        return not self._clients

    def _sweep_s(self) -> float:
        return self._limits.sweep_s if self._stop_at == math.inf else _DRAIN_TURN_S

    def _patience(self) -> float | None:
        """How long to wait for sockets; without connections there is no deadline to watch."""
        idle = not self._clients and self._accept_again == math.inf
        if idle and self._stop_at == math.inf:
            return None
        return self._sweep_s()

    def _sweep(self, now: float) -> None:
        if now >= self._accept_again and self._stop_at == math.inf:
            self._accept_from_now_on()
        draining = self._stop_at != math.inf
        for client in tuple(self._clients):
            if draining and not client.busy:
                client.close()
            elif client.deadline <= now:
                client.expire(now)

        self._bound_memory()

    def _bound_memory(self) -> None:
        """Cut off the slowest readers when unread answers take more memory than they may."""
        unsent = sum(client.unsent for client in self._clients)
        while unsent > self._limits.unsent:
            slowest = max(self._clients, key=lambda client: client.unsent)
            log.warning("client cut off reason=unread-answers bytes=%d", slowest.unsent)
            unsent -= slowest.unsent
            slowest.close()

    def _drain(self, stop_at: float) -> None:
        assert self._shared is not None
        self._stop_at = stop_at
        self._shared.draining = True
        self._accept_no_more()
        for sock in self._bound.sockets:
            sock.close()  # another instance may have the port from here on
        self._sweep(time.monotonic())

    def _accept_from_now_on(self) -> None:
        self._accept_again = math.inf
        if not self._accepting:
            self._accepting = True
            for sock in self._bound.sockets:
                self._loop.watch(sock, 0, READ, partial(self._accept, sock))

    def _accept_no_more(self) -> None:
        if self._accepting:
            self._accepting = False
            for sock in self._bound.sockets:
                self._loop.watch(sock, READ, 0, partial(self._accept, sock))

    def _accept(self, sock: socket.socket, events: int) -> None:
        for _ in range(_ACCEPTS):
            try:
                accepted, _ = sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _OUT_OF_FILES:
                    log.warning("accepting paused error=%s", error)
                    self._accept_no_more()
                    self._accept_again = time.monotonic() + 0.5
                    return
                continue  # this client left before it was greeted
            self._welcome(accepted)

    def _welcome(self, sock: socket.socket) -> None:
        assert self._shared is not None
        sock.setblocking(False)
        _tune(sock)
        full = len(self._clients) >= self._most and not self._make_room()
        if full and len(self._clients) >= self._most + _REFUSED_AT_ONCE:
            sock.close()
            return
        connection = Connection(sock, self._shared)
        self._clients.add(connection)
        if full:
            connection.refuse(BUSY)
        else:
            connection.open()

    def _make_room(self) -> bool:
        """Close the connection that has been silent longest; HTTP lets idle ones end any time."""
        silent = [client for client in self._clients if client.silent]
        if not silent:
            return False
        min(silent, key=lambda client: client.deadline).close()
        return True


def _tune(sock: socket.socket) -> None:
    with suppress(OSError):
        # Without this a small answer in two segments waits 40 ms for the client's delayed ACK.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # A client that vanished without a word must not keep its stream for a quarter hour.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNSENT_MS)


def _affordable(wanted: int) -> int:
    """Take no more connections than the process may have files, less what others need."""
    try:
        import resource
    except ImportError:
        return wanted
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(16, min(wanted, soft - _FILES_FOR_OTHERS))
