"""Event streams: many at once, none of them a thread, none of them a brake."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from diffx.httpapi.events import EventHub
from diffx.httpapi.messages import Push, Response
from diffx.httpapi.routes import Route
from diffx.httpapi.shared import Limits
from diffx.review.model import ContextId
from diffx.services.changes import Change, Changes
from tests.support.http import OTHER_OWNER, OWNER
from tests.support.wire import ECHO, QUICK, Serving, Wire, eventually, serving_routes

pytestmark = pytest.mark.system

EVENT = Change(kind="catalog", owner=OWNER, context=ContextId("c1"))


@pytest.fixture
def changes() -> Changes:
    return Changes()


def routes(changes: Changes) -> tuple[Route, ...]:
    return (Route(method="GET", template="/events", handler=EventHub(changes).get), *ECHO)


@pytest.fixture
def quick(changes: Changes) -> Iterator[Serving]:
    with serving_routes(*routes(changes), limits=QUICK) as server:
        yield server


@pytest.fixture
def server(changes: Changes) -> Iterator[Serving]:
    with serving_routes(*routes(changes)) as started:
        yield started


def listen(wire: Wire, fields: str = "") -> dict[str, str]:
    wire.send(wire.written("GET", "/events", fields))
    answer = wire.answer()
    assert answer.status == 200
    receive(wire, b": connected\n\n")
    return answer.headers


def receive(wire: Wire, until: bytes) -> bytes:
    while until not in wire.rest:
        data = wire.sock.recv(65536)
        assert data, "the stream ended"
        wire.rest += data
    got, wire.rest = wire.rest, b""
    return got


def test_a_stream_is_not_cached_compressed_or_of_known_length(server: Serving) -> None:
    with server.connect() as wire:
        headers = listen(wire, "Accept-Encoding: gzip\r\nLast-Event-ID: \xe9\r\n")

    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert not {"content-length", "content-encoding", "etag"} & set(headers)


def test_a_change_arrives_at_once(server: Serving, changes: Changes) -> None:
    with server.connect() as wire:
        listen(wire)
        changes.announce(Change(kind="catalog", owner=OTHER_OWNER))
        changes.announce(EVENT)

        assert receive(wire, b"\n\n") == b'id: 2\nevent: catalog\ndata: {"contextId":"c1"}\n\n'


def test_a_silent_stream_beats(quick: Serving) -> None:
    with quick.connect() as wire:
        listen(wire)

        assert receive(wire, b": beat\n\n: beat\n\n")


def test_five_hundred_streams_need_no_thread_and_all_hear(
    server: Serving, changes: Changes
) -> None:
    before = threading.active_count()
    with ExitStack() as stack:
        wires = [stack.enter_context(server.connect()) for _ in range(500)]
        for wire in wires:
            listen(wire)
        assert threading.active_count() == before

        changes.announce(EVENT)
        for wire in wires:
            receive(wire, b'"c1"}\n\n')
    eventually(lambda: server.listener.connections() == 0)


def test_a_reader_that_does_not_read_is_dropped_and_delays_nobody(changes: Changes) -> None:
    limits = Limits(stream_backlog=16 << 10, heartbeat_s=0.2, sweep_s=0.05)
    with serving_routes(*routes(changes), limits=limits) as server, ExitStack() as stack:
        slow = socket.socket()
        stack.callback(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        slow.connect(("127.0.0.1", server.port))
        reader = stack.enter_context(server.connect())
        listen(Wire(slow, server.port))
        listen(reader)
        eventually(lambda: server.listener.connections() == 2)

        big = Change(kind="catalog", owner=OWNER, context=ContextId("x" * 4_000))
        for _ in range(2_000):
            changes.announce(big)
            receive(reader, b"\n\n")
            if server.listener.connections() == 1:
                break

        assert server.listener.connections() == 1
        changes.announce(EVENT)
        receive(reader, b'"c1"}\n\n')


def test_streams_have_a_bound_of_their_own(changes: Changes) -> None:
    with (
        serving_routes(*routes(changes), limits=Limits(streams=2)) as server,
        server.connect() as one,
        server.connect() as two,
        server.connect() as three,
    ):
        listen(one)
        listen(two)
        assert three.ask("GET", "/events").status == 503
        one.sock.close()
        eventually(lambda: server.listener.connections() == 1)

        with server.connect() as four:
            listen(four)


def test_readers_that_left_leave_nothing_behind() -> None:
    left: list[int] = []

    def stream(push: Push) -> Callable[[], None]:
        return lambda: left.append(1)

    opened = Response(body=b": connected\n\n", stream=stream)
    route = Route(method="GET", template="/events", handler=lambda _: opened)
    with serving_routes(route) as server:
        for _ in range(40):
            with server.connect() as wire:
                listen(wire)

        eventually(lambda: server.listener.connections() == 0)
        assert sum(left) == 40


def test_what_a_client_sends_on_a_stream_is_read_over(server: Serving, changes: Changes) -> None:
    with server.connect() as wire:
        listen(wire)
        wire.send(wire.written("GET", "/echo"))
        changes.announce(EVENT)

        assert receive(wire, b"\n\n").startswith(b"id: 1\n")


def test_a_stop_ends_streams_at_once(server: Serving) -> None:
    with server.connect() as wire:
        listen(wire)
        stopping = threading.Thread(target=server.listener.stop, args=(600.0,))
        stopping.start()

        assert wire.at_end()
        stopping.join(60)
        assert not stopping.is_alive()


def test_head_of_a_stream_ends(server: Serving) -> None:
    with server.connect() as wire:
        assert wire.ask("HEAD", "/events").headers["content-type"] == "text/event-stream"
        assert wire.ask("GET", "/echo").status == 200
