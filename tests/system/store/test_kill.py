"""kill -9 at every statement of publish, delete, prune and review (semantics 6.1, 6.4, 7.2, 8).

A child process does one thing to a prepared database and kills itself just before its n-th SQL
statement, for every n. What it leaves must be the state before or the state after, never between.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diffx.errors import GoneError
from diffx.records import ContextQuery, Receipt
from diffx.review.comments import Reply, Thread, ThreadId
from diffx.review.model import ContextId, Scope, Session, Submission
from diffx.store import retention
from diffx.store.database import Store, open_store
from tests.support.observations import Change, change, submission, withheld
from tests.support.stores import DAY, ME, NOW, OTHER, at, broken, counted_ids, unreadable
from tests.support.threads import reply, thread

pytestmark = pytest.mark.system

LATER = at(NOW + 3 * DAY)
AFTER = at(NOW + 7 * DAY)  # when what was stored at NOW has expired, and the rest not
SHARED = [change(f"shared/{number}.py", f"text {number}\n") for number in range(6)]

Step = Callable[[Store], object]


def scopes(*own: Change) -> dict[Scope, list[Change]]:
    return {"all": [*SHARED, *own], "staged": [*SHARED[:2]], "unstaged": [*own]}


def by(session: str, name: str) -> dict[str, Session]:
    return {"session": Session(harness="claude", session_id=session, name=name)}


OLD = submission("old", scopes(change("old.py")), collected_at=1, provenance=by("one", "Old"))
OLDER = submission("older", scopes(withheld()), collected_at=2, branch="topic")
KEPT = submission("kept", scopes(change("kept.py")), collected_at=3)
NEW = submission(
    "new", scopes(change("new.py", "n" * 400)), collected_at=4, provenance=by("one", "New")
)
SAME = submission("same", scopes(change("kept.py")), collected_at=5, provenance=by("two", "Two"))


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A database with two contexts that expire at AFTER and two that share their texts."""
    path = tmp_path / "prepared" / "state.db"
    with open_store(path, new_id=counted_ids()) as store:
        old = store.publish(ME, OLD, NOW).context
        store.publish(ME, OLDER, NOW)
        store.publish(ME, KEPT, LATER)
        store.publish(OTHER, OLD, LATER)
        review(store, old)
    return path


def review(store: Store, context: ContextId) -> None:
    """Leave something of every kind on a context that is going to end."""
    store.reviews.import_threads(ME, context, [imported("x", context)], NOW)
    file = change("shared/0.py", "text 0\n").file
    assert file.fingerprint is not None
    store.reviews.mark(ME, context, "all", (file.id, file.fingerprint), NOW)
    store.reviews.finish(ME, context, "comment", "so far", NOW)


def imported(
    name: str, context: ContextId
) -> tuple[ThreadId, Thread, tuple[tuple[str, Reply], ...]]:
    made = thread(f"{name}-here", context=context)
    return ThreadId(name), made, (("r1", reply(f"{name}-1")), ("r2", reply(f"{name}-2")))


def test_a_killed_publication_is_whole_or_absent_and_its_retry_exact(
    prepared: Path, tmp_path: Path
) -> None:
    for path in killed_everywhere(prepared, tmp_path, lambda store: store.publish(ME, NEW, LATER)):
        with reopened(path) as store:
            there = "new" in submissions(store)
            receipt = store.publish(ME, NEW, LATER)
            assert receipt.replayed == there
            assert submissions(store) == {"old", "older", "kept", "new"}


def test_a_killed_reuse_joined_or_did_not(prepared: Path, tmp_path: Path) -> None:
    for path in killed_everywhere(
        prepared, tmp_path, lambda store: store.publish(ME, SAME, AFTER)
    ):
        with reopened(path) as store:
            kept = store.publish(ME, KEPT, LATER).context
            joined = "same" in submissions(store)
            record = store.get(ME, kept, LATER)
            assert record.expires_at == (AFTER if joined else LATER) + 7 * DAY
            assert {each.name for each in record.sessions} == ({"Two"} if joined else set())
            assert store.publish(ME, SAME, AFTER) == Receipt(
                context=kept, replayed=joined, reused=not joined
            )


def test_a_killed_deletion_deleted_all_or_nothing(prepared: Path, tmp_path: Path) -> None:
    target = context_of(prepared, OLD)
    for path in killed_everywhere(prepared, tmp_path, lambda store: store.delete(ME, target, NOW)):
        with reopened(path) as store:
            if "old" in submissions(store):
                store.delete(ME, target, NOW)
            with pytest.raises(GoneError):
                store.publish(ME, OLD, NOW)
            assert submissions(store) == {"older", "kept"}
            assert submissions(store, owner=OTHER) == {"old"}


def test_a_killed_pruning_forgot_whole_contexts_and_the_next_finishes(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "CONTEXTS_A_STEP", 1)
    for path in killed_everywhere(prepared, tmp_path, lambda store: store.prune(AFTER)):
        with reopened(path) as store:
            left = len(submissions(store) - {"kept"})
            assert store.prune(AFTER).contexts == left
            for gone in (OLD, OLDER):
                with pytest.raises(GoneError):
                    store.publish(ME, gone, AFTER)
            assert submissions(store) == {"kept"}


def test_a_killed_import_came_whole_or_not_at_all(prepared: Path, tmp_path: Path) -> None:
    context = context_of(prepared, KEPT)
    given = [imported("a", context), imported("b", context)]

    def step(store: Store) -> object:
        return store.reviews.import_threads(ME, context, given, NOW)

    for path in killed_everywhere(prepared, tmp_path, step):
        with reopened(path) as store:
            found = store.reviews.threads(ME, context, "all", NOW).own
            assert [len(each.replies) for each in found] in ([], [2, 2])
            assert step(store) == ((0, 2) if found else (2, 0))


def test_a_killed_bulk_deletion_deleted_all_or_nothing(prepared: Path, tmp_path: Path) -> None:
    context = context_of(prepared, KEPT)
    with open_store(prepared) as store:
        given = [imported(name, context) for name in "abc"]
        store.reviews.import_threads(ME, context, given, NOW)
    ids = [made.id for _, made, _ in given]

    def step(store: Store) -> object:
        return store.reviews.delete_threads(ME, context, ids, NOW)

    for path in killed_everywhere(prepared, tmp_path, step):
        with reopened(path) as store:
            assert len(store.reviews.threads(ME, context, "all", NOW).own) in (0, 3)


def test_a_killed_mark_reached_every_scope_or_none(prepared: Path, tmp_path: Path) -> None:
    context = context_of(prepared, KEPT)
    file = change("shared/1.py", "text 1\n").file
    assert file.fingerprint is not None
    seen = file.id, file.fingerprint

    def step(store: Store) -> None:
        store.reviews.mark(ME, context, "all", seen, NOW)

    for path in killed_everywhere(prepared, tmp_path, step, at_least=5):
        with reopened(path) as store:
            scopes = [store.reviews.marks(ME, context, scope, NOW) for scope in ("all", "staged")]
            assert len({any(mark.file == seen[0] for mark in each.marks) for each in scopes}) == 1


def test_what_was_acknowledged_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(5)
    for round_number in range(100):
        path = tmp_path / str(round_number) / "state.db"
        acknowledged = killed_while_publishing(path, delay_s=chance.uniform(0.004, 0.04))
        if not path.exists():
            assert not acknowledged
            continue
        with reopened(path) as store:
            stored = submissions(store)
            assert stored >= acknowledged
            # Each is acknowledged before the next begins, so one at most is ahead of its answer.
            assert len(stored - acknowledged) <= 1
            for name in stored:
                assert store.publish(ME, numbered(name), NOW).replayed
        shutil.rmtree(path.parent)


def killed_everywhere(
    prepared: Path, tmp_path: Path, step: Step, *, at_least: int = 20
) -> Iterator[Path]:
    """Kill `step` before each of its statements in turn, and once after the last."""
    for number in range(1, 100_000):
        folder = tmp_path / "killed"
        shutil.copytree(prepared.parent, folder)
        path = folder / "state.db"
        killed = killed_at(path, step, number)
        yield path
        check(path)
        shutil.rmtree(folder)
        if not killed:
            assert number > at_least, "the step is too small to be a test"
            return


def killed_at(path: Path, step: Step, number: int) -> bool:
    """Run the step in a child that dies before its statement `number`; say whether it died."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            armed = Fuse(number)
            store = open_store(path, new_id=counted_ids("new"), trace=armed)
            armed.burning = True
            step(store)
            os._exit(0)
        os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


class Fuse:
    """Count statements, and end the process at the chosen one."""

    def __init__(self, number: int) -> None:
        self.burning = False
        self._left = number

    def __call__(self, _statement: str) -> None:
        if not self.burning:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def killed_while_publishing(path: Path, delay_s: float) -> set[str]:
    """Kill a publisher from outside after a while; return what it had acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            store = open_store(path, new_id=counted_ids("new"))
            for number in range(10_000):
                store.publish(ME, numbered(f"n{number}"), NOW)
                os.write(writing, b"n%d\n" % number)
        os._exit(1)
    os.close(writing)
    time.sleep(delay_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor has no path
        return set(pipe.read().decode().split())


def numbered(name: str) -> Submission:
    return submission(
        name, scopes(change("turn.py", f"turn {name}\n" * 50)), collected_at=int(name[1:])
    )


def reopened(path: Path) -> contextlib.AbstractContextManager[Store]:
    return open_store(path, new_id=counted_ids("again"))


def check(path: Path) -> None:
    """Look for anything half there, in the file as the dead process left it and SQLite mends it."""
    conn = sqlite3.connect(path)
    try:
        assert list(broken(conn)) == []
    finally:
        conn.close()
    with reopened(path) as store:
        for owner in (ME, OTHER):
            assert list(unreadable(store, owner, NOW)) == []


def submissions(store: Store, owner: str = ME) -> set[str]:
    page = store.find(owner, ContextQuery(limit=200), NOW)  # type: ignore[arg-type]
    assert page.next_cursor is None
    return {
        one.id
        for record in page.contexts
        for one in store.get(owner, record.context, NOW).submissions  # type: ignore[arg-type]
    }


def context_of(prepared: Path, given: Submission) -> ContextId:
    with open_store(prepared) as store:
        return store.publish(ME, given, NOW).context
