"""One answer for all who ask at the same time, and no crowd of those who wait."""

import threading
from collections.abc import Callable

import pytest

from diffx.services.once import Once, TooManyWaitingError


class Slow:
    """Work that ends when it is let."""

    def __init__(self, result: Callable[[], str]) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.times = 0
        self._result = result

    def __call__(self) -> str:
        self.times += 1
        self.begun.set()
        assert self.may_end.wait(60)
        return self._result()


def asked(once: Once[str], work: Slow, found: list[object]) -> threading.Thread:
    def ask() -> None:
        try:
            found.append(once.make("key", work))
        except (ValueError, TooManyWaitingError) as error:
            found.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_who_asks_meanwhile_gets_the_answer_under_way_and_later_ones_a_new_one() -> None:
    once: Once[str] = Once()
    work = Slow(lambda: "made")
    found: list[object] = []
    first = asked(once, work, found)
    assert work.begun.wait(60)
    second = asked(once, work, found)
    work.may_end.set()
    first.join()
    second.join()

    assert found == ["made", "made"]
    before = work.times
    once.make("key", work)
    assert work.times == before + 1


def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    once: Once[str] = Once()

    def fail() -> str:
        raise ValueError("no")

    work = Slow(fail)
    found: list[object] = []
    thread = asked(once, work, found)
    assert work.begun.wait(60)
    work.may_end.set()
    thread.join()

    assert [str(each) for each in found] == ["no"]
    assert once.make("key", lambda: "now") == "now"


def test_more_than_a_few_do_not_wait() -> None:
    once: Once[str] = Once(waiting=0)
    work = Slow(lambda: "made")
    found: list[object] = []
    thread = asked(once, work, found)
    assert work.begun.wait(60)

    with pytest.raises(TooManyWaitingError):
        once.make("key", work)
    assert once.make("another", lambda: "other") == "other"

    work.may_end.set()
    thread.join()
    assert found == ["made"]
