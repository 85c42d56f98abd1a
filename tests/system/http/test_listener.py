"""The listener as a whole: where it answers, how many it takes, how it stops."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from diffx.errors import FailedError, InvalidError
from diffx.httpapi.binding import AddressInUseError, bind
from diffx.httpapi.listener import Listener
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Dispatcher, Route
from diffx.httpapi.shared import Limits
from tests.support.http import OWNER
from tests.support.wire import ECHO, Wire, eventually, serving_routes

pytestmark = pytest.mark.system


@contextmanager
def taken(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen()
        yield sock.getsockname()[1]


def close(listener: Listener) -> None:
    listener.stop(grace_s=0)


def test_every_spelling_of_the_printed_address_answers() -> None:
    with serving_routes(*ECHO) as server:
        for host in ("127.0.0.1", "localhost", "::1"):
            for family, kind, _, _, address in socket.getaddrinfo(
                host, server.port, type=socket.SOCK_STREAM
            ):
                with Wire(socket.socket(family, kind), server.port) as wire:
                    wire.sock.connect(address)
                    wire.host = f"{'[::1]' if ':' in host else host}:{server.port}"
                    assert wire.ask("GET", "/echo").status == 200


def test_loopback_is_all_that_is_listened_on_unasked() -> None:
    bound = bind("127.0.0.1", [0])

    assert {host for host, _ in bound.addresses} <= {"127.0.0.1", "::1"}
    assert len({port for _, port in bound.addresses}) == 1
    close(Listener(bound))


def test_the_first_free_port_is_taken_and_a_port_taken_in_one_family_is_not_free() -> None:
    with taken() as first, taken("::1") as second:
        bound = bind("127.0.0.1", [first, second, 0])

        assert bound.addresses[0][1] not in (first, second)
        close(Listener(bound))


def test_no_free_port_is_an_error_that_says_so() -> None:
    with taken() as port, pytest.raises(AddressInUseError, match=f"port {port} is already in use"):
        bind("127.0.0.1", [port])


def test_an_address_of_another_machine_cannot_be_listened_at() -> None:
    with pytest.raises(FailedError, match=r"cannot listen at 192\.0\.2\.1 .+--host"):
        bind("192.0.2.1", [0])


def test_a_name_is_no_address_to_listen_at() -> None:
    with pytest.raises(InvalidError, match="no IP address"):
        bind("example.org", [0])


def test_a_listener_can_bind_long_before_it_serves() -> None:
    listener = Listener.bind("127.0.0.1", [0])
    address = listener.addresses[0]
    with Wire(socket.create_connection(address, 10), address[1]) as early:
        early.send(early.written("GET", "/echo"))
        listener.start(
            Dispatcher(ECHO, hosts=Hosts.of(listener.addresses), authenticate=lambda _: OWNER)
        )

        assert early.answer().status == 200
    close(listener)


def test_a_listener_that_never_started_can_be_stopped() -> None:
    listener = Listener.bind("127.0.0.1", [0])
    port = listener.addresses[0][1]
    close(listener)

    close(Listener.bind("127.0.0.1", [port]))


def test_silent_clients_and_streams_leave_others_answered() -> None:
    stream = Route(
        method="GET",
        template="/stream",
        handler=lambda _: Response(body=b"hi", stream=lambda push: lambda: None),
    )
    # None of them leaves before the end, so whoever is answered is answered beside them.
    limits = Limits(head_s=600, idle_s=600, heartbeat_s=600)
    with serving_routes(*ECHO, stream, limits=limits) as server, ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(server.connect())
        for _ in range(20):
            wire = stack.enter_context(server.connect())
            wire.send(wire.written("GET", "/stream"))
            assert wire.answer().status == 200
        eventually(lambda: server.listener.connections() == 320)

        for _ in range(20):
            with server.connect() as wire:
                assert wire.ask("GET", "/echo").status == 200
        assert server.listener.connections() >= 320


def held(event: threading.Event) -> Route:
    def handler(request: Request) -> Response:
        event.wait(60)
        return Response(body=b"done", media_type="text/plain")

    return Route(method="GET", template="/held", handler=handler)


def test_over_its_bound_a_busy_server_says_so_and_serves_again_later() -> None:
    release = threading.Event()
    limits = Limits(connections=16, handlers=2, linger_s=0.2, sweep_s=0.05)
    with serving_routes(held(release), *ECHO, limits=limits) as server, ExitStack() as stack:
        busy = [stack.enter_context(server.connect()) for _ in range(16)]
        for wire in busy:
            wire.send(wire.written("GET", "/held"))
        eventually(lambda: server.busy() == 16)

        with server.connect() as late:
            answer = late.answer()
            assert (answer.status, answer.headers["retry-after"]) == (503, "2")
            assert late.at_end()

        release.set()
        assert [wire.answer().body for wire in busy] == [b"done"] * 16
        with server.connect() as again:
            assert again.ask("GET", "/echo").status == 200


def test_over_its_bound_the_longest_silent_connection_makes_room() -> None:
    limits = Limits(connections=16, sweep_s=0.05)
    with serving_routes(*ECHO, limits=limits) as server, ExitStack() as stack:
        silent = [stack.enter_context(server.connect()) for _ in range(16)]
        eventually(lambda: server.listener.connections() == 16)

        with server.connect() as late:
            assert late.ask("GET", "/echo").status == 200
        assert silent[0].at_end()


def test_a_stop_lets_a_begun_request_finish_and_ends_all_others_at_once() -> None:
    release = threading.Event()
    with serving_routes(held(release), *ECHO) as server, ExitStack() as stack:
        begun = stack.enter_context(server.connect())
        idle = stack.enter_context(server.connect())
        half = stack.enter_context(server.connect())
        begun.send(begun.written("GET", "/held"))
        idle.ask("GET", "/echo")
        half.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n")
        eventually(lambda: server.busy() == 1)
        stopping = threading.Thread(target=server.listener.stop, args=(60.0,))
        stopping.start()

        assert idle.at_end()
        assert half.at_end()
        with pytest.raises(OSError):
            server.connect()
        release.set()
        answer = begun.answer()
        assert (answer.body, answer.headers["connection"]) == (b"done", "close")
        stopping.join(60)
        assert not stopping.is_alive()


def test_a_stop_ends_although_a_handler_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffx.httpapi.listener._JOIN_S", 0.2)
    release, over = threading.Event(), threading.Event()

    def handler(_request: Request) -> Response:
        release.wait(60)
        over.set()
        return Response()

    route = Route(method="GET", template="/held", handler=handler)
    with serving_routes(route) as server, server.connect() as wire:
        wire.send(wire.written("GET", "/held"))
        eventually(lambda: server.busy() == 1)
        server.listener.stop(grace_s=0.2)

        assert not over.is_set()
        release.set()
        assert over.wait(60)
        assert wire.at_end()


def test_stop_frees_the_port_at_once() -> None:
    with serving_routes(*ECHO) as server:
        with server.connect() as wire:
            wire.ask("GET", "/echo")
            server.listener.stop(grace_s=1)

            again = Listener.bind("127.0.0.1", [server.port])
        close(again)
