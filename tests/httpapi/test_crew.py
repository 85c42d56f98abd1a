"""A crew that could not be started whole can be stopped (10.3)."""

import threading

import pytest

from diffx.httpapi.crew import Crew


def test_a_crew_whose_last_threads_were_refused_ends_with_those_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ending = threading.Event()
    crew = Crew(4, turn=lambda _: None, ended=ending.is_set, wake=lambda: None)
    start, begun = threading.Thread.start, iter(range(3))

    def refusing(thread: threading.Thread) -> None:
        if next(begun, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refusing)
        with pytest.raises(RuntimeError):
            crew.start()

    ending.set()
    assert crew.join(5.0)
