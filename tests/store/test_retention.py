"""Forgetting on purpose (semantics 6.4, 7.2), looked at in the file itself."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from diffx.review.model import OwnerId
from diffx.store import retention
from diffx.store.database import Store, open_store
from tests.support.images import png
from tests.support.observations import change, pictured, submission
from tests.support.stores import DAY, ME, NOW, OTHER, at, broken, counted_ids, rows, unreadable

WEEK = at(NOW + 7 * DAY)
SECRET = "the launch code is 0000"  # short, so that it is stored as it is


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def on_disk(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.parent.iterdir())


@pytest.mark.parametrize("how", ["deleted", "pruned"])
def test_a_forgotten_text_is_nowhere_in_the_files(path: Path, how: str) -> None:
    with open_store(path) as store:
        context = store.publish(ME, submission("s1", [change("a", SECRET)]), NOW).context
        store.publish(ME, submission("s2", [change("b")], collected_at=2_000), at(NOW + DAY))
        assert SECRET.encode() in on_disk(path)

        if how == "deleted":
            store.delete(ME, context, NOW)
        else:
            store.prune(WEEK)

        assert SECRET.encode() not in on_disk(path)


def test_forgetting_gives_the_space_back(path: Path) -> None:
    changes = [change(f"{n}.py", "".join(f"{n * k}\n" for k in range(2_000))) for n in range(100)]
    with open_store(path) as store:
        empty = path.stat().st_size
        context = store.publish(ME, submission("s1", changes), NOW).context
        assert store.figures().database_bytes > 3 * empty

        store.delete(ME, context, NOW)

        assert store.figures().database_bytes < 1.2 * empty
        assert path.stat().st_size < 1.2 * empty


def test_shared_texts_and_chunks_live_as_long_as_anyone_needs_them(path: Path) -> None:
    shared = [change(f"{n}.py", f"text {n}\n") for n in range(100)]
    given = [
        (ME, submission("s1", shared)),
        (ME, submission("s2", [*shared, change("own.py")], collected_at=2)),
        (OTHER, submission("s1", {"all": shared, "staged": shared[:3]})),
    ]
    with open_store(path, new_id=counted_ids()) as store:
        contexts = [(owner, store.publish(owner, one, NOW).context) for owner, one in given]
        while contexts:
            owner, context = contexts.pop()
            store.delete(owner, context, NOW)
            for who in (ME, OTHER):
                assert list(unreadable(store, who, NOW)) == []
            check(path)

    for table in ("blob", "chunk", "chunk_blob", "entry", "scope", "scope_chunk", "label"):
        assert rows(path, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608
    for table, left in (("submission", 3), ("stream", 2), ("context", 3)):
        assert rows(path, f"SELECT count(*) FROM {table}") == [(left,)]  # noqa: S608


def test_what_outlives_an_observation_says_nothing_about_it(path: Path) -> None:
    with open_store(path) as store:
        context = store.publish(ME, submission("s1", [change("a", SECRET)]), NOW).context
        store.delete(ME, context, NOW)

    assert rows(path, "SELECT provenance FROM submission") == [(None,)]
    assert b"/home/me/shop" not in path.read_bytes()


def test_scopes_and_observations_share_texts_and_unchanged_neighbourhoods(path: Path) -> None:
    changes = [change(f"{n:03}.py", f"text {n}\n") for n in range(400)]
    one_more = [*changes[:-1], change("399.py", "edited\n")]
    with open_store(path) as store:
        store.publish(ME, submission("s1", {"all": changes, "unstaged": changes}), NOW)
        first = counts(path)
        store.publish(ME, submission("s2", one_more, collected_at=2), NOW)
        second = counts(path)

    assert first["blob"] == 400 + 400 + 1  # after sides, patches, the one before side
    assert second["blob"] == first["blob"] + 2
    assert second["chunk"] == first["chunk"] + 1


def test_pruning_takes_what_is_past_its_time_and_nothing_else(store: Store) -> None:
    old = store.publish(ME, submission("s1", [change("a")]), NOW)
    store.publish(OTHER, submission("s1", [change("a")]), at(NOW + 1))

    assert store.prune(at(WEEK - 1)).contexts == 0
    pruned = store.prune(WEEK)

    assert (pruned.contexts, pruned.owners) == (1, (ME,))
    assert store.prune(WEEK).contexts == 0
    assert store.figures().contexts == 1
    assert old.context


def test_a_long_absence_is_forgotten_in_steps(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "CONTEXTS_A_STEP", 2)
    steps: list[int] = []
    prune_some = retention.prune_some

    def counted(*given: Any) -> list[OwnerId]:
        owners = prune_some(*given)
        steps.append(len(owners))
        return owners

    monkeypatch.setattr(retention, "prune_some", counted)
    for number in range(5):
        store.publish(ME, submission(f"s{number}", [change(f"{number}.py")]), NOW)

    assert store.prune(WEEK).contexts == 5
    assert steps == [2, 2, 1, 0]
    assert store.figures().contexts == 0


def counts(path: Path) -> dict[str, int]:
    with contextlib.closing(sqlite3.connect(path)) as conn:
        return {
            table: conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("blob", "chunk")
        }


def check(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert list(broken(conn)) == []


def test_a_forgotten_image_is_nowhere_in_the_files(path: Path) -> None:
    image = png(40, 40)
    with open_store(path) as store:
        context = store.publish(ME, submission("s1", [pictured("a.png", image)]), NOW).context
        assert image in on_disk(path)

        store.delete(ME, context, NOW)

        assert image not in on_disk(path)
