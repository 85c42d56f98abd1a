"""The rules of threads (8.1, 8.2)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.errors import InvalidError
from diffx.review.comments import (
    MAX_BODY_CHARS,
    MAX_REPLIES,
    Author,
    Lines,
    Thread,
    actionable,
    applicability,
    check_body,
    edited,
    hunk_around,
    order,
    quote_lines,
    quote_patch,
    reopened,
    replied,
    resolved,
)
from diffx.review.model import Digest, GitPath, Millis, Session
from diffx.review.paths import file_id
from tests.support.threads import PRINT, anchor, reply, thread

A = file_id(GitPath(b"a.py"))
LATER = Millis(5_000)
PATCH = b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"


def test_resolving_twice_keeps_the_first_resolution() -> None:
    first = resolved(thread(), Author(name="ann"), LATER, "fixed")

    again = resolved(first, Author(name="bob"), Millis(LATER + 1), "outdated")

    assert again == first
    assert (first.status, first.resolution, first.resolved_by) == (
        "resolved",
        "fixed",
        Author(name="ann"),
    )


def test_a_reply_opens_a_resolved_thread_again() -> None:
    closed = resolved(thread(), Author(), LATER, None)

    found = replied(closed, reply(created_at=Millis(LATER + 5)))

    assert (found.status, found.resolved_at, len(found.replies)) == ("open", None, 1)
    assert found.updated_at == LATER + 5


@given(st.lists(st.sampled_from(["resolve", "reopen", "reply", "edit"]), max_size=12))
def test_a_thread_is_resolved_exactly_if_nothing_opened_it_since(steps: list[str]) -> None:
    found: Thread = thread()
    expected = "open"
    for step in steps:
        if step == "resolve":
            found, expected = resolved(found, Author(), LATER, None), "resolved"
        elif step == "reopen":
            found, expected = reopened(found, LATER), "open"
        elif step == "reply":
            found, expected = replied(found, reply()), "open"
        else:
            found = edited(found, "other words", Author(), LATER)

        assert found.status == expected
        assert (found.resolved_at is not None) == (expected == "resolved")


def test_nobodys_words_are_changed_under_their_name() -> None:
    session = Session(harness="claude", session_id="s", name="Till")
    for author in (Author(kind="agent", session=session), Author(kind="import", name="x")):
        written = thread(author=author)

        assert edited(written, written.body, Author(), LATER) == written
        with pytest.raises(InvalidError):
            edited(written, "other words", Author(), LATER)
    renamed = Author(kind="agent", session=replace(session))
    assert edited(thread(author=renamed), "better", renamed, LATER).body == "better"


def test_a_thread_has_an_end() -> None:
    full = thread(replies=(reply(),) * MAX_REPLIES)

    with pytest.raises(InvalidError):
        replied(full, reply())


@pytest.mark.parametrize(
    ("written", "print_there", "scope", "expected"),
    [
        ("all", PRINT, "all", "anchored"),
        ("all", PRINT, "staged", "anchored"),
        ("all", Digest("b" * 64), "all", "stale"),
        ("all", Digest("b" * 64), "staged", "other-scope"),
        ("all", None, "all", "unknown"),
        ("all", "absent", "all", "stale"),
        ("all", "absent", "unstaged", "other-scope"),
    ],
)
def test_applicability_is_by_fingerprint_then_by_scope(
    written: str, print_there: Digest | None, scope: str, expected: str
) -> None:
    there = {} if print_there == "absent" else {A: print_there}

    found = applicability(anchor(scope=written), scope, there)  # type: ignore[arg-type]

    assert found == expected
    assert actionable("open", found) == (expected == "anchored")
    assert not actionable("resolved", found)


def test_a_thread_on_the_review_speaks_of_its_own_scope() -> None:
    assert applicability(anchor(None), "all", {}) == "anchored"
    assert applicability(anchor(None), "staged", {}) == "other-scope"


@pytest.mark.parametrize("body", ["", " \n\t", "x" * (MAX_BODY_CHARS + 1), "\ud800"])
def test_a_body_that_cannot_be_kept_is_refused(body: str) -> None:
    with pytest.raises(InvalidError):
        check_body(body)


def test_quoted_lines_are_exact() -> None:
    lines = [b"one\r\n", b"two\n", b"three"]

    assert quote_lines(lines, Lines(side="new", start=1, end=3)) == b"one\r\ntwo\nthree"


@pytest.mark.parametrize(("start", "end"), [(0, 1), (2, 1), (3, 4), (4, 4)])
def test_lines_that_are_not_there_are_refused(start: int, end: int) -> None:
    with pytest.raises(InvalidError, match="side"):
        quote_lines([b"a\n"] * 3, Lines(side="new", start=start, end=end))


def test_a_patch_alone_can_be_quoted_on_both_sides() -> None:
    assert quote_patch(PATCH, Lines(side="old", start=2, end=3)) == b"two\nthree\n"
    assert quote_patch(PATCH, Lines(side="new", start=2, end=2)) == b"TWO\n"
    with pytest.raises(InvalidError):
        quote_patch(PATCH, Lines(side="new", start=3, end=4))


def test_the_hunk_around_a_line_is_kept() -> None:
    assert hunk_around(PATCH, Lines(side="old", start=2, end=2)) == b" one\n-two\n+TWO\n three\n"
    assert hunk_around(PATCH, Lines(side="new", start=90, end=90)) is None


def test_threads_have_one_order_the_review_first() -> None:
    threads = [
        thread("t5", anchor=anchor("b.py", 1)),
        thread("t4", anchor=anchor("a.py", 9)),
        thread("t3", anchor=anchor("a.py", 1), created_at=Millis(2_000)),
        thread("t2", anchor=anchor("a.py", 1)),
        thread("t1", anchor=anchor("a.py", None)),
        thread("t0", anchor=anchor(None)),
    ]

    assert [each.id for each in sorted(threads, key=order)] == [f"t{at}" for at in range(6)]
