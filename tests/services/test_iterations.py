"""Comparing iterations: what runs where, and what is made once (9)."""

import threading
from collections.abc import Iterator

import pytest

from diffx.clock import random_id
from diffx.errors import InvalidError
from diffx.records import ComparisonInput, FileMissingError
from diffx.review.compared import Compared, ComparedFile, Counts, PackedDiff
from diffx.review.model import ContextId, FileId, GitPath
from diffx.services.changes import Change, Changes
from diffx.services.iterations import LIGHT_BYTES, ComparisonCache, Iterations
from diffx.store.database import Store, open_store
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None, new_id=random_id) as opened:
        yield opened


def publish(store: Store, number: int, text: str, path: str = "a.py") -> ContextId:
    given = submission(f"s{number}", [change(path, text)], collected_at=number)
    return store.publish(ME, given, NOW).context


class Heavy:
    """Counts what is sent away."""

    def __init__(self) -> None:
        self.jobs = 0

    def service(self, store: Store, changes: Changes | None = None) -> Iterations:
        def run(task, given):  # type: ignore[no-untyped-def]
            self.jobs += 1
            return task(given)

        return Iterations(
            store=store.reviews, changes=changes or Changes(), now=lambda: NOW, heavy=run
        )


def test_only_a_heavy_comparison_leaves_the_process(store: Store) -> None:
    heavy = Heavy()
    service = heavy.service(store)
    light = [publish(store, number, f"{number}\n") for number in (1, 2)]
    large = [publish(store, number, f"{number}\n" * LIGHT_BYTES) for number in (3, 4)]

    service.compare(ME, light[0], light[1], "all")
    assert heavy.jobs == 0
    service.compare(ME, large[0], large[1], "all")
    assert heavy.jobs == 1


def test_the_same_pair_of_contents_is_compared_once(store: Store) -> None:
    heavy = Heavy()
    service = heavy.service(store)
    pair = [publish(store, number, f"{number}\n" * LIGHT_BYTES) for number in (1, 2)]

    first = service.compare(ME, pair[0], pair[1], "all")
    second = service.compare(ME, pair[0], pair[1], "all")

    assert first == second
    assert heavy.jobs == 1


def test_one_file_of_a_comparison_can_be_asked_for(store: Store) -> None:
    service = Heavy().service(store)
    pair = [publish(store, number, f"{number}\n") for number in (1, 2)]
    _, whole = service.compare(ME, pair[0], pair[1], "all")

    _, file = service.compare_file(ME, pair[0], pair[1], "all", whole.files[0].id)

    assert file == whole.files[0]
    with pytest.raises(FileMissingError):
        service.compare_file(ME, pair[0], pair[1], "all", FileId("no"))


def test_the_default_comparison_is_from_the_last_finished_review_to_the_latest(
    store: Store,
) -> None:
    changes = Changes()
    heard: list[Change] = []
    changes.subscribe(heard.append)
    service = Heavy().service(store, changes)
    contexts = [publish(store, number, f"{number}\n") for number in range(1, 5)]
    assert service.list(ME, contexts[0]).since is None

    service.finish(ME, contexts[0], "comment", None)
    service.finish(ME, contexts[1], "request-changes", "tests, please")

    view = service.list(ME, contexts[3])
    assert (view.since, view.latest) == (contexts[1], contexts[3])
    service.finish(ME, contexts[3], "approve", "  ")
    view = service.list(ME, contexts[3])
    assert view.since is None
    assert view.iterations[3].verdicts[0].summary is None
    assert [each.kind for each in heard] == ["review"] * 3


def test_a_summary_has_its_limit(store: Store) -> None:
    context = publish(store, 1, "1\n")

    with pytest.raises(InvalidError):
        Heavy().service(store).finish(ME, context, "comment", "x" * 20_001)


def test_the_cache_is_bounded_and_forgets_the_oldest() -> None:
    cache = ComparisonCache()
    cache.put("huge", of_size(65 << 20))
    for number in range(20):
        cache.put(str(number), of_size(8 << 20))
        cache.get("12")

    kept = [key for key in ("huge", *map(str, range(20))) if cache.get(key) is not None]

    assert kept == ["12", *map(str, range(14, 20))]


def of_size(size: int) -> Compared:
    """Return a comparison that takes about so much room."""
    file = ComparedFile(
        id=FileId("f"),
        path=GitPath(b"f"),
        old_id=None,
        old_path=None,
        state="changed",
        renamed=False,
        mode_changed=False,
        separated=True,
        own=False,
        coarse=False,
        reason=None,
        counts=Counts(),
        diff=PackedDiff(size=size, deflated=bytes(size)),
    )
    return Compared(same_base=True, author_change=True, files=(file,))


def test_many_who_ask_for_one_comparison_at_once_get_the_same_one(store: Store) -> None:
    begun, may_end = threading.Event(), threading.Event()
    jobs: list[ComparisonInput] = []

    def heavy(task, given):  # type: ignore[no-untyped-def]
        jobs.append(given)
        begun.set()
        assert may_end.wait(60)
        return task(given)

    service = Iterations(store=store.reviews, changes=Changes(), now=lambda: NOW, heavy=heavy)
    pair = [publish(store, number, f"{number}\n" * LIGHT_BYTES) for number in (1, 2)]
    found: list[Compared] = []

    def ask() -> None:
        found.append(service.compare(ME, pair[0], pair[1], "all")[1])

    threads = [threading.Thread(target=ask) for _ in range(3)]
    threads[0].start()
    assert begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    may_end.set()
    for thread in threads:
        thread.join()

    assert len(jobs) == 1
    assert found == [found[0]] * 3
