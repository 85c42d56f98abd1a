"""A listener on a real socket, and a client that sends bytes as they are and reads answers."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from diffx.httpapi.binding import bind
from diffx.httpapi.listener import Listener
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Dispatcher, Route
from diffx.httpapi.shared import Limits
from tests.support.http import OWNER

QUICK = Limits(
    head_s=0.4, idle_s=0.4, progress_s=0.4, linger_s=0.4, heartbeat_s=0.2, sweep_s=0.05, handlers=4
)


# How long a test waits for what must come: so long that only a fault, never a slow machine, is late.
PATIENCE_S = 60.0


def eventually(true: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
    """Wait until something is true, or fail."""
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.01)


@dataclass
class Serving:
    """A listener that was started, and how to reach it."""

    listener: Listener
    port: int

    def connect(self) -> "Wire":
        return Wire(socket.create_connection(("127.0.0.1", self.port), PATIENCE_S), self.port)

    def busy(self) -> int:
        """How many requests are being answered, or wait for a handler."""
        clients = tuple(self.listener._clients)  # noqa: SLF001 - nothing public says so
        return sum(client.busy for client in clients)


@contextmanager
def serving(of: Dispatcher, limits: Limits | None = None) -> Iterator[Serving]:
    """Serve a dispatcher whose Hosts are replaced by those of the port it gets."""
    listener = Listener(bind("127.0.0.1", [0]), limits=limits)
    port = listener.addresses[0][1]
    served = Dispatcher(
        of.routes, hosts=Hosts.of(listener.addresses), authenticate=of.authenticate
    )
    listener.start(served)
    try:
        yield Serving(listener=listener, port=port)
    finally:
        listener.stop(grace_s=1.0)


@contextmanager
def serving_routes(*routes: Route, limits: Limits | None = None) -> Iterator[Serving]:
    of = Dispatcher(routes, hosts=Hosts(local=frozenset()), authenticate=lambda _: OWNER)
    with serving(of, limits) as server:
        yield server


def echo(request: Request) -> Response:
    """Answer what was understood of a request."""
    text = f"{request.method} {request.path} {len(request.body)} ".encode() + request.body[:100]
    return Response(body=text, media_type="text/plain")


ECHO = (
    Route(method="GET", template="/echo", handler=echo),
    Route(method="POST", template="/echo", handler=echo),
)


@dataclass
class Answer:
    """One answer off the wire; status 0 is a connection that ended without one."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection to a listener; it keeps what came after an answer for the next."""

    def __init__(self, sock: socket.socket, port: int) -> None:
        self.sock = sock
        self.host = f"127.0.0.1:{port}"
        self.rest = b""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def ask(self, method: str, target: str, fields: str = "", body: bytes = b"") -> Answer:
        self.send(self.written(method, target, fields, body))
        return self.answer(method)

    def written(self, method: str, target: str, fields: str = "", body: bytes = b"") -> bytes:
        length = f"Content-Length: {len(body)}\r\n" if body or method == "POST" else ""
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.host}\r\n{length}{fields}\r\n"
        return head.encode("latin-1") + body

    def answer(self, method: str = "GET") -> Answer:
        head = self._until(b"\r\n\r\n")
        if not head:
            return Answer(0, {}, b"")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        fields = (line.partition(":") for line in lines[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in fields}
        length = int(headers.get("content-length", "0"))
        if method == "HEAD" or status in (100, 204, 304):
            length = 0
        return Answer(status, headers, self._exactly(length))

    def at_end(self) -> bool:
        """Wait for the server to close; True if nothing came before that."""
        try:
            return not self.rest and self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def _until(self, mark: bytes) -> bytes:
        while mark not in self.rest:
            try:
                data = self.sock.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                assert not self.rest, f"the answer broke off: {self.rest!r}"
                return b""
            self.rest += data
        head, _, self.rest = self.rest.partition(mark)
        return head

    def _exactly(self, count: int) -> bytes:
        while len(self.rest) < count:
            data = self.sock.recv(65536)
            assert data, "the body broke off"
            self.rest += data
        body, self.rest = self.rest[:count], self.rest[count:]
        return body
