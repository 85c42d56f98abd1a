"""The server opens beside a slow collection, and not at all beside one that fails at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from diffx.cli.early import Early


class Recorded:
    """A context that says what happened to it."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.entered = threading.Event()

    @contextmanager
    def context(self) -> Iterator[str]:
        self.events.append("entered")
        self.entered.set()
        yield "server"
        self.events.append("left")


def test_it_is_entered_by_itself_after_its_patience() -> None:
    recorded = Recorded()
    with Early(recorded.context(), patience_s=0.01) as early:
        assert recorded.entered.wait(60)
        assert early.get() == "server"
    assert recorded.events == ["entered", "left"]


def test_asking_for_it_does_not_wait() -> None:
    recorded = Recorded()
    with Early(recorded.context(), patience_s=3600) as early:
        before = early.entered
        assert (before, early.get(), early.entered) == (None, "server", "server")
    assert recorded.events == ["entered", "left"]


def test_the_thread_begins_at_once_with_what_comes_first() -> None:
    recorded, begun = Recorded(), threading.Event()
    with Early(recorded.context(), first=begun.set, patience_s=3600) as early:
        assert begun.wait(60)
        assert early.entered is None
    assert recorded.events == []


def test_what_fails_first_is_raised_where_the_context_is_asked_for() -> None:
    def broken() -> None:
        raise ImportError("no such module")

    recorded = Recorded()
    early = Early(recorded.context(), first=broken, patience_s=3600)
    with early, pytest.raises(ImportError, match="no such module"):
        early.get()
    assert recorded.events == []


def test_work_that_fails_first_leaves_it_unentered() -> None:
    recorded = Recorded()
    with pytest.raises(RuntimeError), Early(recorded.context(), patience_s=3600):
        raise RuntimeError
    assert recorded.events == []


def test_what_entering_raises_is_raised_where_it_is_asked_for() -> None:
    class Broken:
        def __enter__(self) -> str:
            raise OSError("no port")

        def __exit__(self, *_error: object) -> None:
            raise AssertionError("left, though never entered")

    with Early(Broken(), patience_s=0.0) as early, pytest.raises(OSError, match="no port"):
        early.get()
