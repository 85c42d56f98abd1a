"""Work in a process of its own: it answers, it fails and it ends (architecture: never in the serving process)."""

import errno
import os
import signal
import threading
import time

import pytest

from diffx.review.compared import Compared
from diffx.services.changes import Changes
from diffx.services.iterations import LIGHT_BYTES, Iterations, compare_input
from diffx.services.worker import Elsewhere, WorkFailedError, WorkTooSlowError
from diffx.store.database import open_store
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW

pytestmark = pytest.mark.system


def test_a_heavy_comparison_is_the_same_from_another_process() -> None:
    with open_store(None) as store:
        contexts = [
            store.publish(
                ME,
                submission(f"s{n}", [change("a.py", f"{n} \xff\n" * LIGHT_BYTES)], collected_at=n),
                NOW,
            ).context
            for n in (1, 2)
        ]
        elsewhere = Elsewhere()
        service = Iterations(
            store=store.reviews, changes=Changes(), now=lambda: NOW, heavy=elsewhere.run
        )

        _, found = service.compare(ME, contexts[0], contexts[1], "all")

        given = store.reviews.comparison(ME, (contexts[0], contexts[1]), "all", NOW)
        assert isinstance(found, Compared)
        assert found == compare_input(given)


def test_the_child_has_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFX_TOKEN", "secret")

    assert Elsewhere().run(os.getenv, "DIFFX_TOKEN") is None


def test_work_past_its_deadline_is_stopped() -> None:
    with pytest.raises(WorkTooSlowError):
        Elsewhere(deadline_s=0.5).run(time.sleep, 60)


def test_a_child_that_fails_is_a_failure_and_no_answer() -> None:
    with pytest.raises(WorkFailedError):
        Elsewhere().run(int, "no number")


def test_a_child_that_is_killed_is_a_failure_and_the_next_job_runs() -> None:
    elsewhere = Elsewhere()

    with pytest.raises(WorkFailedError, match="ended with -9"):
        elsewhere.run(signal.raise_signal, signal.SIGKILL)

    assert elsewhere.run(int, "1") == 1


def test_a_job_that_would_take_all_memory_fails_in_words() -> None:
    with pytest.raises(WorkFailedError, match="more than 2 GiB of memory"):
        Elsewhere().run(bytes, 3 << 30)


def test_where_no_process_can_be_started_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("subprocess.Popen", full)

    with pytest.raises(WorkFailedError, match="temporarily unavailable"):
        Elsewhere().run(int, "1")


def test_one_job_waits_and_the_next_is_told_to_come_back() -> None:
    elsewhere = Elsewhere(deadline_s=60)
    told: list[Exception] = []

    def work() -> None:
        try:
            elsewhere.run(time.sleep, 60)
        except (WorkFailedError, WorkTooSlowError) as error:
            told.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    # One has the child and one the place behind it, so the third is back at once.
    while not told:
        time.sleep(0.01)
    elsewhere.close()
    for thread in threads:
        thread.join()

    assert isinstance(told[0], WorkTooSlowError)
    assert len(told) == 3


def test_closing_ends_running_work_and_refuses_more() -> None:
    elsewhere = Elsewhere()
    failed: list[Exception] = []

    def work() -> None:
        try:
            elsewhere.run(time.sleep, 60)
        except WorkFailedError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while elsewhere.idle:
        time.sleep(0.01)
    elsewhere.close()
    thread.join(10)

    assert failed
    with pytest.raises(WorkFailedError, match="stopping"):
        elsewhere.run(int, "1")
