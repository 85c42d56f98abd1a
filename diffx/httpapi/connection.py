"""One client connection: it reads requests, has them answered in order, and writes the answers.

A connection belongs to the loop's thread, with one exception: while it is HANDLING, a handler
thread writes its answer. Nothing then closes the socket under that thread, because the kernel
could give its number to another client; a lost connection is closed once the handler is done.

    READING -> HANDLING -> READING | WRITING | LINGERING -> CLOSED

The loop's thread keeps reading while a handler works, so that a request that follows (pipelined,
or simply early) costs no change of what is watched; it is parsed when the answer is out.
"""

import logging
import math
import socket
import time
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Final

from diffx.httpapi.crew import Job
from diffx.httpapi.loop import READ, WRITE
from diffx.httpapi.messages import BodySink, Request, Response, problem
from diffx.httpapi.outbox import Outbox
from diffx.httpapi.parser import END, Head, ProtocolError, RequestParser
from diffx.httpapi.routes import Call, failed
from diffx.httpapi.serialize import CONTINUE, head_bytes
from diffx.httpapi.shared import Shared
from diffx.httpapi.streaming import StreamConnection

log = logging.getLogger(__name__)

_READ_BYTES: Final = 64 << 10
_MAX_AHEAD: Final = 256 << 10  # read no further than this while a request is handled
_SPOOL_PIECE: Final = 256 << 10
_PROGRESS: Final = 16 << 10  # a slow client keeps its connection by moving this much in time
_MAX_IGNORED: Final = 1 << 20

BUSY: Final = problem(
    503,
    "busy",
    "this server has as much to do as it takes on; try again in a moment",
    headers=(("Retry-After", "2"),),
)


class State(Enum):
    READING = "reading"
    HANDLING = "handling"
    WRITING = "writing"
    LINGERING = "lingering"
    CLOSED = "closed"


class _After(Enum):
    """What follows a written answer."""

    READ = 0
    CLOSE = 1
    LINGER = 2


class Connection:
    """See the module; `deadline` is when `expire` is to be called, on the monotonic clock."""

    __slots__ = (
        "_after",
        "_body",
        "_call",
        "_ended",
        "_fresh",
        "_ignored",
        "_keep_alive",
        "_lost",
        "_method",
        "_moved",
        "_outbox",
        "_parser",
        "_shared",
        "_sink",
        "_sock",
        "_watched",
        "deadline",
        "state",
    )

    def __init__(self, sock: socket.socket, shared: Shared) -> None:
        self._sock = sock
        self._shared = shared
        self._parser = RequestParser()
        self._watched = 0
        self._ended = False  # the client sends no more
        self._lost = False  # the connection broke while a handler had it
        self._fresh = True  # a request's head must be here by `deadline`
        self._keep_alive = False
        self._method = ""
        self._call: Call | None = None
        self._body = bytearray()
        self._sink: BodySink | None = None
        self._outbox = Outbox(sock)
        self._moved = 0
        self._ignored = 0
        self._after = _After.CLOSE
        self.state = State.READING
        self.deadline = time.monotonic() + shared.limits.head_s

    # -- called by the listener, on the loop's thread

    def open(self) -> None:
        self._watch(READ)

    def refuse(self, response: Response) -> None:
        """Answer before anything was asked, and end."""
        self._watch(READ)
        self._reply(response, _After.LINGER)

    @property
    def silent(self) -> bool:
        """Nothing of a request is here, so closing loses nothing."""
        return self.state is State.READING and self._call is None and not self._parser.buffered

    @property
    def busy(self) -> bool:
        return self.state in (State.HANDLING, State.WRITING)

    @property
    def unsent(self) -> int:
        return self._outbox.waiting

    def expire(self, now: float) -> None:
        """The deadline passed: give up on this client."""
        if self.state is State.READING and not self.silent:
            late = "the request did not arrive in time"
            self._reply(problem(408, "timeout", late), _After.LINGER)
        else:
            self.close()

    def close(self) -> None:
        """End the connection now; while a handler has it, as soon as that is done."""
        if self.state is State.CLOSED:
            return
        self._watch(0)
        with self._shared.lock:
            handling = self.state is State.HANDLING
            self._lost = self._lost or handling
        if handling:
            self.deadline = math.inf
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)
            return
        self.state = State.CLOSED
        if self._sink is not None:
            self._shared.submit(self._sink.discard)
        self._sock.close()
        self._outbox.clear()
        self._shared.clients.discard(self)

    def abandon(self) -> None:
        self.state = State.CLOSED
        self._sock.close()
        if self._sink is not None:
            self._sink.discard()

    # -- reading, on the loop's thread

    def _ready(self, events: int) -> None:
        try:
            if events & WRITE:
                self._flush()
            if events & READ and self._watched & READ:
                self._receive()
        except Exception:
            log.exception("connection failed state=%s", self.state.value)
            self.close()

    def _receive(self) -> None:
        try:
            data = self._sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not data:
            self._end_of_input()
            return
        if self.state is State.LINGERING:
            self._ignored += len(data)
            if self._ignored > _MAX_IGNORED:
                self.close()
            return
        # A handler that finishes looks at the buffer under the same lock: either it sees these
        # bytes, or this thread sees that it finished.
        with self._shared.lock:
            self._parser.feed(data)
            reading = self.state is State.READING
        if reading:
            self._advance()
        elif self._parser.buffered > _MAX_AHEAD:
            self._watch(self._watched & ~READ)

    def _end_of_input(self) -> None:
        with self._shared.lock:
            self._ended = True
            reading = self.state is State.READING
        self._watch(self._watched & ~READ)
        if reading:
            self._advance()  # whole requests may still wait in the buffer; their client listens
        elif self.state is State.LINGERING:
            self.close()

    def _resume(self) -> None:
        """A handler is done and more may be there to read."""
        if self.state is not State.READING:
            return
        if self._lost:
            self.close()
            return
        if not self._ended:
            self._watch(self._watched | READ)
        self._advance()

    def _advance(self) -> None:
        try:
            while self.state is State.READING:
                event = self._parser.poll()
                if event is None:
                    self._wait()
                    return
                if isinstance(event, Head):
                    self._begin(event)
                elif event is END:
                    self._complete()
                else:
                    self._collect(event)
        except ProtocolError as error:
            if log.isEnabledFor(logging.DEBUG):
                log.debug("request refused status=%d detail=%s", error.status, error.detail)
            self._reply(problem(error.status, error.code, error.detail), _After.LINGER)

    def _wait(self) -> None:
        if self._ended:
            self.close()
        elif self._call is None and self._parser.buffered and not self._fresh:
            self._fresh = True
            self.deadline = time.monotonic() + self._shared.limits.head_s

    def _begin(self, head: Head) -> None:
        self._fresh = False
        self._keep_alive = head.keep_alive
        self._method = head.method
        request = Request(
            method=head.method, path=head.path, query=head.query, headers=head.headers
        )
        screened = self._shared.dispatcher.screen(request, has_body=head.has_body)
        if isinstance(screened, Response):
            self._reply(screened, _After.LINGER if head.has_body else self._next())
            return
        self._call = screened
        if not head.has_body:
            self._complete()
            return
        self._parser.limit_body(screened.route.max_body)
        self._moved = 0
        self.deadline = time.monotonic() + self._shared.limits.progress_s
        if screened.route.spool is not None and (head.length or 0) <= screened.route.max_body:
            self.state = State.HANDLING
            self._submit(partial(self._open_spool, head.expects_continue))
        elif head.expects_continue and (head.length or 0) <= screened.route.max_body:
            self._invite()

    def _invite(self) -> None:
        """Ask for the body that waits for our word (RFC 9110 10.1.1)."""
        if not self._parser.buffered:
            with suppress(OSError):
                self._sock.send(CONTINUE)

    def _collect(self, piece: bytes) -> None:
        self._body += piece
        self._move(len(piece))
        if self._sink is not None and len(self._body) >= _SPOOL_PIECE:
            self.state = State.HANDLING
            self._submit(self._spool)

    def _move(self, count: int) -> None:
        """Count what a client moved; enough of it renews the deadline, a trickle does not."""
        self._moved += count
        if self._moved >= _PROGRESS:
            self._moved = 0
            self.deadline = time.monotonic() + self._shared.limits.progress_s

    def _complete(self) -> None:
        self.state = State.HANDLING
        self.deadline = math.inf
        self._submit(partial(self._handle, time.monotonic() + self._shared.limits.wait_s))

    def _submit(self, work: Job) -> None:
        self._shared.submit(partial(self._guard, work))

    # -- on a handler's thread

    def _guard(self, work: Job) -> None:
        try:
            work()
        except Exception:
            log.exception("answer failed")
            self._lost = True
            self._shared.loop.call(partial(self._write_on, [], 0, _After.CLOSE))

    def _handle(self, at_latest: float) -> None:
        call = self._call
        assert call is not None
        if time.monotonic() > at_latest:
            self._answer(BUSY, _After.LINGER)  # its client has probably given up by now
            return
        if self._sink is not None:
            self._handle_spooled(call, self._sink)
            return
        if self._body:
            body, self._body = bytes(self._body), bytearray()
            call = replace(call, request=replace(call.request, body=body))
        self._answer(self._shared.dispatcher.run(call), self._next())

    def _handle_spooled(self, call: Call, sink: BodySink) -> None:
        if self._write_piece(call, sink):
            self._sink = None  # the handler has it now
            call = replace(call, request=replace(call.request, spooled=sink))
            self._answer(self._shared.dispatcher.run(call), self._next())

    def _open_spool(self, invite: bool) -> None:
        assert self._call is not None
        opened = self._shared.dispatcher.open_spool(self._call)
        if isinstance(opened, Response):
            self._answer(opened, _After.LINGER)
            return
        self._sink = opened
        if invite:
            self._invite()
        self._read_on()

    def _spool(self) -> None:
        assert self._call is not None
        assert self._sink is not None
        if self._write_piece(self._call, self._sink):
            self._read_on()

    def _write_piece(self, call: Call, sink: BodySink) -> bool:
        """Write what arrived to the spool; where that fails, answer why and give up."""
        body, self._body = bytes(self._body), bytearray()
        try:
            sink.write(body)
        except Exception as error:  # noqa: BLE001 - an edge: becomes a problem document
            self._answer(failed(call, error), _After.LINGER)
            return False
        return True

    def _read_on(self) -> None:
        with self._shared.lock:
            self.state = State.READING
        self.deadline = time.monotonic() + self._shared.limits.progress_s
        self._shared.loop.call(self._resume)

    def _answer(self, response: Response, after: _After) -> None:
        """Write an answer, or what the socket takes of it; the loop's thread does the rest."""
        if response.stream is not None:
            self._shared.loop.call(partial(self._begin_stream, response))
            return
        self._call = None
        pieces = self._written(response, after)
        sent = 0
        try:
            sent = self._sock.sendmsg(pieces)
        except BlockingIOError:
            pass
        except OSError:
            self._lost = True
        if after is _After.READ and not self._lost and sent == sum(map(len, pieces)):
            self._read_next()
        else:
            self._shared.loop.call(partial(self._write_on, pieces, sent, after))

    def _read_next(self) -> None:
        self.deadline = time.monotonic() + self._shared.limits.idle_s
        with self._shared.lock:
            self.state = State.READING
            more = self._parser.buffered or self._ended or self._lost
        if more:
            self._shared.loop.call(self._resume)

    def _next(self) -> _After:
        if self._keep_alive and not self._shared.draining:
            return _After.READ
        return _After.CLOSE

    def _written(self, response: Response, after: _After) -> list[bytes]:
        head = head_bytes(response, keep_alive=after is _After.READ, date=self._shared.date())
        if not response.body or self._method == "HEAD":
            return [head]
        return [head, response.body]

    # -- writing, on the loop's thread

    def _reply(self, response: Response, after: _After) -> None:
        """Answer without a handler."""
        self._call = None
        self._write_on(self._written(response, after), 0, after)

    def _write_on(self, pieces: list[bytes], sent: int, after: _After) -> None:
        if self.state is State.CLOSED:
            return
        self.state = State.WRITING
        if self._lost:
            self.close()
            return
        self._after = after
        self._moved = 0
        self.deadline = time.monotonic() + self._shared.limits.progress_s
        for piece in pieces:
            sent = self._outbox.put(piece, sent)
        self._flush()

    def _flush(self) -> None:
        try:
            sent = self._outbox.send()
        except OSError:
            self.close()
            return
        self._move(sent)
        if self._outbox.waiting:
            self._watch(self._watched | WRITE)
            return
        self._watch(self._watched & ~WRITE)
        if self.state is State.WRITING:
            self._written_out()

    def _written_out(self) -> None:
        if self._after is _After.READ:
            self.state = State.READING
            self.deadline = time.monotonic() + self._shared.limits.idle_s
            self._shared.loop.call(self._resume)  # later: many waiting requests are no recursion
        elif self._after is _After.LINGER and not self._ended:
            # Closing with unread input makes the kernel reset the connection, and the client
            # may lose the answer that says why (RFC 9112 9.6): read and drop what it still sends.
            self.state = State.LINGERING
            self.deadline = time.monotonic() + self._shared.limits.linger_s
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
            self._watch(READ)
        else:
            self.close()

    def _begin_stream(self, response: Response) -> None:
        """Give the socket to a stream; this connection has read its last request."""
        shared = self._shared
        self.state = State.WRITING
        if self._lost or self._ended or shared.draining or response.stream is None:
            self.close()
            return
        if shared.streams >= shared.limits.streams:
            self._reply(BUSY, _After.CLOSE)
            return
        self._watch(0)
        self.state = State.CLOSED
        shared.clients.discard(self)
        head = head_bytes(response, keep_alive=False, date=shared.date())
        StreamConnection(self._sock, shared).begin(head + response.body, response.stream)

    def _watch(self, events: int) -> None:
        self._shared.loop.watch(self._sock, self._watched, events, self._ready)
        self._watched = events
