"""One connection at a time: framing, order, deadlines."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from diffx.httpapi.messages import BodySink, Request, Response
from diffx.httpapi.routes import Route
from diffx.httpapi.shared import Limits
from tests.support.wire import ECHO, QUICK, Serving, Wire, eventually, serving_routes

pytestmark = pytest.mark.system

JSON = "Content-Type: application/json\r\n"


@pytest.fixture
def server() -> Iterator[Serving]:
    with serving_routes(*ECHO) as started:
        yield started


@pytest.fixture
def quick() -> Iterator[Serving]:
    """A server whose patience ends in well under a second."""
    with serving_routes(*ECHO, limits=QUICK) as started:
        yield started


def test_one_connection_serves_many_requests(server: Serving) -> None:
    with server.connect() as wire:
        bodies = [wire.ask("POST", "/echo", JSON, b"%d" % number).body for number in range(50)]

    assert bodies[-1] == b"POST /echo 2 49"


def test_pipelined_requests_are_answered_in_order(server: Serving) -> None:
    with server.connect() as wire:
        for number in range(200):
            wire.send(wire.written("POST", "/echo", JSON, b"%d" % number))
            wire.send(wire.written("GET", f"/nothing/{number}"))
        answers = [wire.answer() for _ in range(400)]

    assert [a.body.split()[-1] for a in answers[::2]] == [b"%d" % n for n in range(200)]
    assert {a.status for a in answers[1::2]} == {404}


def test_a_request_that_comes_byte_by_byte_is_served(server: Serving) -> None:
    with server.connect() as wire:
        for byte in wire.written("POST", "/echo", JSON, b"abc"):
            wire.send(bytes([byte]))
        assert wire.answer().body == b"POST /echo 3 abc"


def test_head_has_the_length_of_get_and_no_body(server: Serving) -> None:
    with server.connect() as wire:
        got = wire.ask("GET", "/echo")
        head = wire.ask("HEAD", "/echo")
        again = wire.ask("GET", "/echo")

    assert head.status == 200
    assert int(head.headers["content-length"]) == len(got.body) + 1  # it echoes the method
    assert again.body == got.body


def test_a_chunked_body_is_read_and_the_next_request_starts_after_it(server: Serving) -> None:
    with server.connect() as wire:
        chunks = b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        head = wire.written("POST", "/echo", JSON).replace(
            b"Content-Length: 0", b"Transfer-Encoding: chunked"
        )
        wire.send(head + chunks + wire.written("GET", "/echo"))

        assert wire.answer().body == b"POST /echo 5 abcde"
        assert wire.answer().body.startswith(b"GET /echo 0")


def test_a_client_that_waits_for_our_word_gets_it(server: Serving) -> None:
    with server.connect() as wire:
        wire.send(wire.written("POST", "/echo", JSON + "Expect: 100-continue\r\n", b"abc")[:-3])
        assert wire.answer().status == 100
        wire.send(b"abc")
        assert wire.answer().body == b"POST /echo 3 abc"


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(server: Serving) -> None:
    with server.connect() as wire:
        head = wire.written("POST", "/echo", JSON + "Expect: 100-continue\r\n")
        wire.send(head.replace(b"Content-Length: 0", b"Content-Length: 10737418240"))
        answer = wire.answer()

        assert (answer.status, answer.headers["connection"]) == (413, "close")
        assert wire.at_end()


def test_the_reason_of_a_refusal_reaches_a_client_that_is_still_sending(server: Serving) -> None:
    with server.connect() as wire:
        wire.send(b"GET /" + b"a" * 900_000 + b" HTTP/1.1\r\n\r\n")

        assert wire.answer().status == 414


def test_an_old_client_is_answered_and_let_go(server: Serving) -> None:
    with server.connect() as wire:
        wire.send(f"GET /echo HTTP/1.0\r\nHost: {wire.host}\r\n\r\n".encode())
        answer = wire.answer()

        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert wire.at_end()


def test_a_client_that_has_sent_all_it_will_still_gets_every_answer(server: Serving) -> None:
    for _ in range(50):  # the end may come at any moment of the first two answers
        with server.connect() as wire:
            wire.send(wire.written("GET", "/echo") * 3)
            wire.sock.shutdown(socket.SHUT_WR)

            assert [wire.answer().status for _ in range(3)] == [200, 200, 200]
            assert wire.at_end()


@pytest.mark.parametrize("start", [b"", b"GET /echo HTTP/1.1\r\nHo", b"\r\n"])
def test_a_client_that_never_finishes_its_head_is_let_go(quick: Serving, start: bytes) -> None:
    with quick.connect() as wire:
        wire.send(start)
        answer = wire.answer()

        assert answer.status in (0, 408)
        assert (answer.status == 408) == start.startswith(b"GET")
        assert wire.at_end()


def test_a_trickle_of_header_bytes_does_not_hold_a_connection(quick: Serving) -> None:
    with quick.connect() as wire:
        wire.send(b"GET /echo HTTP/1.1\r\n")
        assert cut_off(wire, b"X: y\r\n")


def test_a_trickle_of_body_bytes_does_not_hold_a_connection(quick: Serving) -> None:
    with quick.connect() as wire:
        wire.send(wire.written("POST", "/echo", JSON, b"x" * 10_000)[:-10_000])
        assert cut_off(wire, b"x")


def cut_off(wire: Wire, trickle: bytes) -> bool:
    """Send a little at a time; say if that was ended long before it had been enough."""
    try:
        for _ in range(1_000):
            wire.send(trickle)
            time.sleep(0.05)
    except OSError:
        return True
    return False


def test_a_client_that_stops_in_the_middle_of_its_body_is_told_so(quick: Serving) -> None:
    with quick.connect() as wire:
        wire.send(wire.written("POST", "/echo", JSON, b"0123456789")[:-5])

        assert wire.answer().status == 408
        assert wire.at_end()


def test_an_idle_connection_is_closed_without_a_word(quick: Serving) -> None:
    with quick.connect() as wire:
        wire.ask("GET", "/echo")

        assert wire.at_end()


def test_a_client_that_does_not_read_its_answer_is_cut_off() -> None:
    body = Response(body=b"x" * (64 << 20), media_type="text/plain")
    route = Route(method="GET", template="/big", handler=lambda _: body)
    limits = Limits(progress_s=0.4, sweep_s=0.05)
    with serving_routes(route, *ECHO, limits=limits) as server, server.connect() as slow:
        slow.send(slow.written("GET", "/big"))
        eventually(lambda: server.listener.connections() == 1)

        eventually(lambda: server.listener.connections() == 0)
        with server.connect() as other:
            assert other.ask("GET", "/echo").status == 200


def test_unread_answers_together_take_bounded_memory() -> None:
    body = Response(body=b"x" * (16 << 20), media_type="text/plain")
    route = Route(method="GET", template="/big", handler=lambda _: body)
    limits = Limits(unsent=20 << 20, sweep_s=0.05)
    with serving_routes(route, limits=limits) as server, ExitStack() as stack:
        readers = [stack.enter_context(server.connect()) for _ in range(4)]
        for wire in readers:
            wire.send(wire.written("GET", "/big"))

        eventually(lambda: server.listener.connections() == 1)


def test_a_request_that_waited_too_long_for_a_handler_is_told_so() -> None:
    release = threading.Event()

    def hold(request: Request) -> Response:
        release.wait(60)
        return Response()

    route = Route(method="GET", template="/held", handler=hold)
    with (
        serving_routes(route, *ECHO, limits=Limits(handlers=1, wait_s=0.05)) as server,
        server.connect() as first,
        server.connect() as second,
    ):
        first.send(first.written("GET", "/held"))
        eventually(lambda: server.busy() == 1)
        second.send(second.written("GET", "/echo"))
        eventually(lambda: server.busy() == 2)
        time.sleep(0.1)
        release.set()

        assert first.answer().status == 200
        assert second.answer().status == 503


def test_a_large_answer_arrives_whole_while_others_are_served() -> None:
    body = Response(body=bytes(range(256)) * (8 << 12), media_type="text/plain")
    route = Route(method="GET", template="/big", handler=lambda _: body)
    with serving_routes(route, *ECHO) as server, server.connect() as wire:
        wire.send(wire.written("GET", "/big") + wire.written("GET", "/echo"))
        with server.connect() as other:
            assert other.ask("GET", "/echo").status == 200

        assert wire.answer().body == body.body
        assert wire.answer().status == 200


class Spool:
    """A sink that remembers; it can be told to fail."""

    def __init__(self, *, full_after: int = 1 << 40) -> None:
        self.pieces: list[bytes] = []
        self.discarded = threading.Event()
        self._full_after = full_after

    def write(self, piece: bytes) -> None:
        self.pieces.append(piece)
        if sum(map(len, self.pieces)) > self._full_after:
            raise OSError("no space left")

    def discard(self) -> None:
        self.discarded.set()


def spooling(spool: Spool) -> Route:
    def open_spool(request: Request) -> BodySink:
        return spool

    def handler(request: Request) -> Response:
        assert request.spooled is spool
        return Response(status=202, body=b"%d" % sum(map(len, spool.pieces)))

    return Route(
        method="POST", template="/jobs", handler=handler, max_body=64 << 20, spool=open_spool
    )


def test_a_large_body_is_spooled_piece_by_piece() -> None:
    spool = Spool()
    body = b"0123456789abcdef" * (3 << 16)
    with serving_routes(spooling(spool), *ECHO) as server, server.connect() as wire:
        answer = wire.ask("POST", "/jobs", JSON, body)

        assert (answer.status, answer.body) == (202, b"%d" % len(body))
        assert b"".join(spool.pieces) == body
        assert max(map(len, spool.pieces)) <= 640 << 10
        assert wire.ask("GET", "/echo").status == 200
    assert not spool.discarded.is_set()


def test_a_spooled_body_that_breaks_off_is_discarded() -> None:
    spool = Spool()
    with serving_routes(spooling(spool), limits=QUICK) as server:
        with server.connect() as wire:
            wire.send(wire.written("POST", "/jobs", JSON, b"x" * 600_000)[:-1])

        assert spool.discarded.wait(5)


def test_a_spool_that_cannot_be_written_answers_and_is_discarded() -> None:
    spool = Spool(full_after=300_000)
    with serving_routes(spooling(spool)) as server, server.connect() as wire:
        answer = wire.ask("POST", "/jobs", JSON, b"x" * 2_000_000)

        assert answer.status == 500
        assert b"space" not in answer.body
        assert spool.discarded.wait(5)
