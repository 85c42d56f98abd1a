"""Marks on hunks: what every storage must keep (semantics 8.3)."""

import contextlib
import difflib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from diffx.records import ContextMissingError, FileMissingError
from diffx.review.hunkmarks import HunkMissingError
from diffx.review.marks import FingerprintChangedError
from diffx.review.model import ContextId, Digest, FileId, GitPath
from diffx.review.paths import file_id
from diffx.store.database import Store, open_store
from tests.support.hunks import LINES, edited
from tests.support.observations import change, submission
from tests.support.stores import DAY, ME, NOW, OTHER, at, counted_ids

A = file_id(GitPath(b"a.py"))


class Reviewed:
    """One stream of contexts whose hunks are marked."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.count = 0
        self.prints: dict[tuple[ContextId, str], Digest] = {}

    def publish(self, given: Any, **more: Any) -> ContextId:
        self.count += 1
        scopes = given if isinstance(given, dict) else {"all": [given]}
        # A head of its own makes every turn a context of its own.
        more = {"head": f"{self.count:040}", "collected_at": 1_000 + self.count} | more
        given = submission(f"s{self.count}", scopes, **more)
        context = self.store.publish(ME, given, NOW).context
        for scope, changes in scopes.items():
            for one in changes:
                assert one.file.fingerprint is not None
                self.prints[context, scope] = one.file.fingerprint
        return context

    def mark(self, context: ContextId, hunk: int, scope: Any = "all") -> None:
        seen = self.prints[context, scope]
        self.store.reviews.mark_hunk(ME, context, scope, (A, hunk), seen, NOW)

    def unmark(self, context: ContextId, hunk: int, scope: Any = "all") -> None:
        self.store.reviews.unmark_hunk(ME, context, scope, (A, hunk), NOW)

    def mark_file(self, context: ContextId, scope: Any = "all") -> None:
        seen = self.prints[context, scope]
        self.store.reviews.mark(ME, context, scope, (A, seen), NOW)

    def hunks(self, context: ContextId, scope: Any = "all") -> dict[int, bool]:
        found = self.store.reviews.marks(ME, context, scope, NOW)
        return {each.hunk: each.carried for each in found.hunks}

    def files(self, context: ContextId, scope: Any = "all") -> list[str]:
        return [each.file for each in self.store.reviews.marks(ME, context, scope, NOW).marks]


@pytest.fixture
def review(store: Store) -> Reviewed:
    return Reviewed(store)


def test_a_hunk_is_marked_and_taken_back(review: Reviewed) -> None:
    context = review.publish(edited("one", "two", "three"))
    review.mark(context, 1)
    review.mark(context, 1)

    assert (review.hunks(context), review.files(context)) == ({1: False}, [])
    review.unmark(context, 1)
    review.unmark(context, 1)
    assert review.hunks(context) == {}


def test_the_last_hunk_marks_the_file_and_taking_one_back_leaves_the_others(
    review: Reviewed,
) -> None:
    context = review.publish(edited("one", "two", "three"))
    for hunk in (2, 0, 1):
        review.mark(context, hunk)

    assert (review.hunks(context), review.files(context)) == ({}, [A])
    review.mark(context, 0)
    assert (review.hunks(context), review.files(context)) == ({}, [A])
    review.unmark(context, 1)
    assert (review.hunks(context), review.files(context)) == ({0: False, 2: False}, [])


def test_taking_back_a_files_mark_takes_back_all_that_was_seen_of_it(review: Reviewed) -> None:
    context = review.publish(edited("one", "two"))
    review.mark(context, 0)
    review.store.reviews.unmark(ME, context, "all", A, NOW)
    assert review.hunks(context) == {}

    review.mark(context, 0)
    review.store.reviews.unmark(ME, context, "all", None, NOW)
    assert review.hunks(context) == {}


def test_a_state_that_returns_knows_the_hunks_and_files_reviewed_meanwhile(
    review: Reviewed,
) -> None:
    first = review.publish(edited("one", "two"), head="1" * 40)
    review.mark(first, 0)
    second = review.publish(edited("one", "two", "three"))
    review.mark(second, 1)

    assert review.publish(edited("one", "two"), head="1" * 40) == first
    assert review.hunks(first) == {0: False, 1: True}

    third = review.publish({"all": [edited("one", "two")], "staged": []})
    review.mark_file(third)
    assert review.publish(edited("one", "two"), head="1" * 40) == first
    assert (review.hunks(first), review.files(first)) == ({}, [A])


def test_taking_back_a_scope_takes_back_the_lines_it_reached_in_others(review: Reviewed) -> None:
    both = edited("one", "two")
    context = review.publish({"all": [both], "unstaged": [edited("one")]})
    review.mark(context, 0)
    assert review.files(context, "unstaged") or review.hunks(context, "unstaged")

    review.store.reviews.unmark(ME, context, "all", None, NOW)

    assert (review.hunks(context, "unstaged"), review.files(context, "unstaged")) == ({}, [])


@pytest.mark.parametrize("whole", [False, True])
def test_unchanged_hunks_stay_marked_in_the_next_iteration_and_changed_ones_do_not(
    review: Reviewed, whole: bool
) -> None:
    first = review.publish(edited("one", "two", "three"))
    if whole:
        review.mark_file(first)
    else:
        review.mark(first, 0)
        review.mark(first, 1)

    second = review.publish(edited("one", "TWO", "three", "four"))

    assert review.hunks(second) == ({0: True, 2: True} if whole else {0: True})
    assert review.files(second) == []
    reverted = review.publish(edited("one", "two", None, "four"))
    assert review.hunks(reverted) == {0: True, 1: True}


def test_a_hunk_that_moved_stays_marked_and_so_it_does_in_another_worktree(
    review: Reviewed,
) -> None:
    review.mark(review.publish(edited("one", "two")), 1)
    longer = "inserted\n" * 7 + "".join(LINES)
    lines = longer.splitlines(keepends=True)
    lines[37] = "two\n"
    diff = "".join(difflib.unified_diff(longer.splitlines(keepends=True), lines, n=3))

    moved = change("a.py", "".join(lines), before=longer, patch=diff)
    assert review.hunks(review.publish(moved)) == {0: True}
    assert review.hunks(review.publish(moved, checkout="other")) == {0: True}
    assert review.hunks(review.publish(moved, repository="github.com/acme/other")) == {}


def test_a_change_that_was_seen_hunk_by_hunk_is_not_reviewed_until_the_reader_says_so(
    review: Reviewed,
) -> None:
    review.mark(review.publish(edited("one", "two")), 0)

    second = review.publish(edited("one"))

    assert (review.hunks(second), review.files(second)) == ({0: True}, [])


def test_a_hunk_counts_in_every_scope_that_has_its_lines(review: Reviewed) -> None:
    context = review.publish(
        {"all": [edited("one", "two")], "staged": [edited("one")], "unstaged": [edited("two")]}
    )
    review.mark(context, 0)
    assert review.hunks(context, "staged") == {0: True}
    assert review.hunks(context, "unstaged") == {}
    review.unmark(context, 0)
    assert review.hunks(context, "staged") == {}

    review.mark_file(context)
    assert review.hunks(context, "staged") == {0: True}
    review.store.reviews.unmark(ME, context, "all", A, NOW)
    assert review.hunks(context, "staged") == {}


def test_the_same_change_in_two_scopes_is_opened_in_both(review: Reviewed) -> None:
    given = edited("one", "two")
    context = review.publish({"all": [given], "unstaged": [given]})
    review.mark(context, 0)
    review.mark(context, 1)
    assert (review.files(context), review.files(context, "unstaged")) == ([A], [A])

    review.unmark(context, 0)

    assert (review.hunks(context), review.files(context)) == ({1: False}, [])
    assert (review.hunks(context, "unstaged"), review.files(context, "unstaged")) == (
        {1: True},
        [],
    )


def test_only_what_is_stored_can_be_marked_and_only_by_its_owner(review: Reviewed) -> None:
    context = review.publish(edited("one"))
    reviews = review.store.reviews
    seen = review.prints[context, "all"]

    with pytest.raises(HunkMissingError):
        review.mark(context, 1)
    with pytest.raises(FingerprintChangedError):
        reviews.mark_hunk(ME, context, "all", (A, 0), Digest("0" * 64), NOW)
    with pytest.raises(FileMissingError):
        reviews.mark_hunk(ME, context, "staged", (A, 0), seen, NOW)
    with pytest.raises(FileMissingError):
        reviews.mark_hunk(ME, context, "all", (FileId("no"), 0), seen, NOW)
    with pytest.raises(ContextMissingError):
        reviews.mark_hunk(OTHER, context, "all", (A, 0), seen, NOW)
    with pytest.raises(ContextMissingError):
        reviews.unmark_hunk(OTHER, context, "all", (A, 0), NOW)


def test_a_mark_of_a_context_that_ended_is_not_carried(review: Reviewed) -> None:
    review.mark(review.publish(edited("one", "two")), 0)

    given = submission("late", {"all": [edited("one", "2")]}, collected_at=9_000)
    late = review.store.publish(ME, given, at(NOW + 8 * DAY)).context

    assert review.store.reviews.marks(ME, late, "all", at(NOW + 8 * DAY)).hunks == ()


def test_marks_on_hunks_go_with_their_context(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with open_store(path, new_id=counted_ids()) as store:
        review = Reviewed(store)
        context = review.publish(edited("one", "two"))
        review.mark(context, 0)
        store.delete(ME, context, NOW)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT count(*) FROM hunk_mark").fetchone() == (0,)


class HunkMarks(RuleBasedStateMachine):
    """Any order of marks: what is shown is what was seen, and the tables agree with themselves."""

    @initialize()
    def start(self) -> None:
        self.store = open_store(None, new_id=counted_ids())
        self.review = Reviewed(self.store)
        self.blocks: tuple[str | None, ...] = ("0", "0", "0")
        self.context = self.review.publish(edited(*self.blocks))
        self.old: ContextId | None = None
        self.seen: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    @rule(hunk=st.integers(0, 2))
    def mark(self, hunk: int) -> None:
        self.review.mark(self.context, hunk)
        self.seen.add(hunk)

    @rule(hunk=st.integers(0, 2))
    def unmark(self, hunk: int) -> None:
        self.review.unmark(self.context, hunk)
        self.seen.discard(hunk)

    @rule()
    def mark_file(self) -> None:
        self.review.mark_file(self.context)
        self.seen = {0, 1, 2}

    @rule()
    def unmark_file(self) -> None:
        self.store.reviews.unmark(ME, self.context, "all", A, NOW)
        self.seen = set()

    @rule(block=st.integers(0, 2))
    def change(self, block: int) -> None:
        # A text that was never there before: what else was seen is all that can be carried.
        texts = list(self.blocks)
        texts[block] = f"{self.review.count}"
        if self.old is not None:
            self.store.delete(ME, self.old, NOW)
        self.blocks, self.old = tuple(texts), self.context
        self.context = self.review.publish(edited(*texts))
        self.seen.discard(block)

    @invariant()
    def what_is_shown_is_what_was_seen(self) -> None:
        if not hasattr(self, "store"):
            return
        whole = self.review.files(self.context) == [A]
        hunks = set(self.review.hunks(self.context))
        assert ({0, 1, 2} if whole else hunks) == self.seen
        assert not (whole and hunks)


TestHunkMarks = HunkMarks.TestCase
TestHunkMarks.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)
