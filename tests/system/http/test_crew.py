"""Threads that take turns: quick requests cost no change of threads, slow ones hold up nobody."""

import threading
import time
from contextlib import ExitStack

import pytest

from diffx.httpapi.messages import Request, Response
from diffx.httpapi.routes import Route
from diffx.httpapi.shared import Limits
from tests.support.wire import ECHO, eventually, serving_routes

pytestmark = pytest.mark.system


class Held:
    """A handler that waits until it may go on."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.inside = 0
        self._lock = threading.Lock()

    def handle(self, request: Request) -> Response:
        with self._lock:
            self.inside += 1
        self.release.wait(60)
        return Response(body=b"done", media_type="text/plain")

    @property
    def route(self) -> Route:
        return Route(method="GET", template="/held", handler=self.handle)


@pytest.mark.parametrize("quiet_s", [0.0, 1.5], ids=["watched", "after a long quiet"])
def test_a_slow_handler_holds_up_nobody(quiet_s: float) -> None:
    held = Held()
    with serving_routes(held.route, *ECHO) as server, ExitStack() as stack:
        slow, quick = (stack.enter_context(server.connect()) for _ in range(2))
        quick.ask("GET", "/echo")
        time.sleep(quiet_s)
        slow.send(slow.written("GET", "/held"))
        eventually(lambda: held.inside == 1)

        answers = [quick.ask("GET", "/echo").status for _ in range(20)]
        assert answers == [200] * 20
        assert not slow.rest
        held.release.set()
        assert slow.answer().body == b"done"


def test_as_many_handlers_run_at_once_as_the_limit_says_and_the_loop_still_turns() -> None:
    held = Held()
    with (
        serving_routes(held.route, *ECHO, limits=Limits(handlers=3)) as server,
        ExitStack() as stack,
    ):
        slow = [stack.enter_context(server.connect()) for _ in range(5)]
        for wire in slow:
            wire.send(wire.written("GET", "/held"))
        eventually(lambda: held.inside == 3)
        with server.connect() as other:
            assert other.ask("GET", "/nothing").status == 404  # needs no handler
        assert held.inside == 3

        held.release.set()
        assert [wire.answer().body for wire in slow] == [b"done"] * 5
        assert held.inside == 5


def test_threads_are_as_many_as_asked_for_and_all_end() -> None:
    before = threading.active_count()
    with serving_routes(*ECHO, limits=Limits(handlers=3)) as server:
        assert threading.active_count() == before + 3 + 2  # a leader and a watch
        with server.connect() as wire:
            wire.ask("GET", "/echo")
    assert threading.active_count() == before


def test_changing_the_lead_over_and_over_loses_no_request() -> None:
    def nap(request: Request) -> Response:
        time.sleep(0.008)  # longer than a leader may stay away
        return Response(body=b"nap", media_type="text/plain")

    route = Route(method="GET", template="/nap", handler=nap)
    with (
        serving_routes(route, *ECHO, limits=Limits(handlers=4)) as server,
        ExitStack() as stack,
    ):
        wires = [stack.enter_context(server.connect()) for _ in range(16)]
        for _ in range(10):
            for number, wire in enumerate(wires):
                wire.send(wire.written("GET", "/nap" if number % 2 else "/echo"))
            assert [wire.answer().status for wire in wires] == [200] * 16
