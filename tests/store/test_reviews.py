"""Threads, marks, verdicts and settings: what every storage must keep (semantics 8 and 9)."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.errors import InvalidError, TooLargeError
from diffx.records import (
    ContextDeletedError,
    ContextExpiredError,
    ContextMissingError,
    FileMissingError,
    ThreadMissingError,
)
from diffx.review.comments import Author, Retry, Thread, replied, resolved
from diffx.review.marks import FingerprintChangedError
from diffx.review.model import Comparison, ContextId, Digest, FileId, GitPath, Millis, Session
from diffx.review.paths import file_id
from diffx.store.database import Store, open_store
from tests.support.observations import Change, change, submission
from tests.support.stores import DAY, ME, NOW, OTHER, at, counted_ids
from tests.support.threads import anchor, reply, thread

A, B = file_id(GitPath(b"a.py")), file_id(GitPath(b"b.py"))


class Stream:
    """Publishes one iteration after the other."""

    def __init__(self, store: Store, **more: Any) -> None:
        self.store = store
        self.count = 0
        self.more = more

    def publish(self, *changes: Change, now: int = NOW, owner: Any = ME, **more: Any) -> ContextId:
        self.count += 1
        given = submission(
            f"s{self.more}{self.count}",
            more.pop("changes", changes),
            collected_at=1_000 + self.count,
            **(self.more | more),
        )
        return self.store.publish(owner, given, at(now)).context


@pytest.fixture
def stream(store: Store) -> Stream:
    return Stream(store)


def add(store: Store, context: ContextId, given: Thread | None = None, **more: Any) -> Thread:
    made = thread("t1", context=context, **more) if given is None else given
    return store.reviews.add_thread(ME, context, made, NOW)


def own(store: Store, context: ContextId) -> list[str]:
    return [each.id for each in store.reviews.threads(ME, context, "all", NOW).own]


def earlier(store: Store, context: ContextId, now: int = NOW) -> list[str]:
    return [each.id for each in store.reviews.threads(ME, context, "all", at(now)).earlier]


def marked(
    store: Store, context: ContextId, scope: Any = "all", owner: Any = ME
) -> dict[str, bool]:
    found = store.reviews.marks(owner, context, scope, NOW)
    return {mark.file: mark.carried for mark in found.marks}


def print_of(given: Change) -> Digest:
    assert given.file.fingerprint is not None
    return given.file.fingerprint


def mark(store: Store, context: ContextId, given: Change, scope: Any = "all") -> None:
    store.reviews.mark(ME, context, scope, (given.file.id, print_of(given)), NOW)


def test_a_thread_comes_back_as_it_was_written(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    session = Session(harness="claude", session_id="s", name="Till")
    given = thread(
        context=context,
        anchor=anchor(b"dir/\xff.py", fingerprint=None),
        author=Author(kind="agent", session=session),
        quote=b"\xff\n",
        hunk=b"+\xff\n",
        body="why?\0",
    )

    stored = add(store, context, given)

    assert stored == replace(given, sequence=stored.sequence)
    assert store.reviews.threads(ME, context, "all", NOW).own == (stored,)


def test_a_change_is_a_rule_applied_to_what_is_stored(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    first = add(store, context)

    answered = store.reviews.change_thread(
        ME, context, first.id, lambda found: replied(found, reply()), NOW, by=Author()
    )
    closed = store.reviews.change_thread(
        ME,
        context,
        first.id,
        lambda found: resolved(found, Author(), NOW, "fixed"),
        NOW,
        by=Author(),
    )

    assert [each.body for each in closed.replies] == ["because"]
    assert (closed.status, closed.resolution) == ("resolved", "fixed")
    assert first.sequence < answered.sequence < closed.sequence


def test_what_changes_nothing_leaves_no_trace(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    first = add(store, context)
    review = store.get(ME, context, NOW).review

    again = store.reviews.change_thread(ME, context, first.id, lambda t: t, NOW, by=Author())

    assert again == first
    assert store.get(ME, context, NOW).review == review


def test_the_same_key_makes_one_thread_and_one_reply(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))

    key = Retry("k", thread("t1", context=context).body)
    first = store.reviews.add_thread(ME, context, thread("t1", context=context), NOW, retry=key)
    second = store.reviews.add_thread(ME, context, thread("t2", context=context), NOW, retry=key)
    for name in ("r1", "r2"):
        rule = partial(replied, reply=reply(name))
        again = Retry("r", reply(name).body)
        store.reviews.change_thread(ME, context, first.id, rule, NOW, by=Author(), retry=again)

    assert second.id == "t1"
    (found,) = store.reviews.threads(ME, context, "all", NOW).own
    assert [each.id for each in found.replies] == ["r1"]


def test_open_threads_show_on_later_iterations_only(store: Store, stream: Stream) -> None:
    first, second, third = (stream.publish(change("a.py", f"{n}\n")) for n in range(3))
    add(store, second)
    closed = add(store, second, thread("t2", context=second))
    store.reviews.change_thread(
        ME, second, closed.id, lambda t: resolved(t, Author(), NOW, None), NOW, by=Author()
    )

    assert (earlier(store, first), earlier(store, third)) == ([], ["t1"])
    assert own(store, second) == ["t1", "t2"]


def test_an_old_state_submitted_anew_shows_the_threads_since(store: Store, stream: Stream) -> None:
    first = stream.publish(change("a.py", "1\n"))
    add(store, stream.publish(change("a.py", "2\n")))
    assert earlier(store, first) == []

    assert stream.publish(change("a.py", "1\n")) == first

    assert earlier(store, first) == ["t1"]


def test_a_thread_outlives_its_context_while_the_stream_lives(store: Store) -> None:
    stream = Stream(store)
    first = stream.publish(change("a.py", "1\n"))
    add(store, first)
    second = stream.publish(change("a.py", "2\n"), now=NOW + 5 * DAY)

    later = NOW + 8 * DAY
    store.prune(at(later))

    (found,) = store.reviews.threads(ME, second, "all", at(later)).earlier
    assert (found.id, found.quote, found.context) == ("t1", b"two\n", first)
    store.prune(at(NOW + 30 * DAY))
    assert_nothing_left(store)


def test_deleting_a_context_deletes_what_was_written_on_it(store: Store, stream: Stream) -> None:
    given = change("a.py", "1\n")
    first, second = stream.publish(given), stream.publish(change("a.py", "2\n"))
    add(store, first)
    add(store, second, thread("t2", context=second))
    mark(store, first, given)
    store.reviews.finish(ME, first, "approve", None, NOW)
    review = store.get(ME, second, NOW).review

    store.delete(ME, first, NOW)

    assert (earlier(store, second), own(store, second)) == ([], ["t2"])
    assert store.get(ME, second, NOW).review > review
    store.delete(ME, second, NOW)
    assert_nothing_left(store)


def assert_nothing_left(store: Store) -> None:
    with store._connections.read() as tx:  # noqa: SLF001 - nothing public shows what is not there
        for table in ("thread", "reply", "thread_change", "mark", "hunk_mark", "verdict"):
            assert tx.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608


def test_another_owner_sees_no_thread_mark_or_setting(store: Store) -> None:
    given = change("a.py")
    mine = Stream(store).publish(given)
    theirs = Stream(store, source="theirs").publish(given, owner=OTHER)
    add(store, mine)
    mark(store, mine, given)
    store.reviews.set_preferences(ME, {"wrap": True})

    assert marked(store, theirs, owner=OTHER) == {}
    assert store.reviews.threads(OTHER, theirs, "all", NOW).earlier == ()
    assert store.reviews.preferences(OTHER) == {}
    for call in (
        lambda: store.reviews.threads(OTHER, mine, "all", NOW),
        lambda: store.reviews.marks(OTHER, mine, "all", NOW),
        lambda: store.reviews.iterations(OTHER, mine, NOW),
        lambda: store.reviews.comparison(OTHER, (theirs, mine), "all", NOW),
        lambda: store.reviews.add_thread(OTHER, mine, thread("x", context=mine), NOW),
        lambda: store.reviews.finish(OTHER, mine, "approve", None, NOW),
    ):
        with pytest.raises(ContextMissingError):
            call()
    with pytest.raises(ThreadMissingError):
        store.reviews.find_thread(OTHER, theirs, thread("t1").id, NOW)


def test_a_context_that_ended_takes_no_review(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))

    with pytest.raises(ContextExpiredError):
        store.reviews.add_thread(ME, context, thread(context=context), at(NOW + 8 * DAY))
    store.delete(ME, context, NOW)
    with pytest.raises(ContextDeletedError):
        store.reviews.marks(ME, context, "all", NOW)


def test_a_mark_is_carried_to_the_next_iteration_and_to_every_scope(
    store: Store, stream: Stream
) -> None:
    kept, changed = change("a.py", "kept\n"), change("b.py", "1\n")
    first = stream.publish(kept, changed)
    mark(store, first, kept)
    mark(store, first, changed)

    second = stream.publish(
        changes={"all": [kept, change("b.py", "2\n")], "staged": [kept], "unstaged": []}
    )

    assert marked(store, first) == {A: False, B: False}
    assert marked(store, second) == {A: True}
    assert marked(store, second, "staged") == {A: True}
    (since,) = store.reviews.marks(ME, second, "all", NOW).changed
    assert (since.file, since.context) == (B, first)


def test_a_change_taken_back_and_made_again_is_reviewed_again(
    store: Store, stream: Stream
) -> None:
    given = change("a.py", "1\n")
    mark(store, stream.publish(given, head="1" * 40), given)
    assert marked(store, stream.publish(change("a.py", "2\n"))) == {}

    assert marked(store, stream.publish(given, change("b.py"))) == {A: True}


def test_a_reviewed_file_that_was_renamed_says_that_it_changed(
    store: Store, stream: Stream
) -> None:
    old = change("a.py")
    first = stream.publish(old)
    mark(store, first, old)
    moved = change("b.py", "newer\n").but(status="R", old_path=GitPath(b"a.py"))

    second = stream.publish(moved, change("c.py"))

    for _ in range(2):
        (since,) = store.reviews.marks(ME, second, "all", NOW).changed
        assert (since.file, since.context) == (B, first)
    mark(store, second, moved)
    assert store.reviews.marks(ME, second, "all", NOW).changed == ()


def test_a_reviewed_file_that_was_taken_back_says_nothing(store: Store, stream: Stream) -> None:
    old = change("a.py")
    mark(store, stream.publish(old), old)

    second = stream.publish(change("c.py"))

    assert store.reviews.marks(ME, second, "all", NOW).changed == ()


def test_a_state_that_returns_knows_what_was_reviewed_meanwhile(
    store: Store, stream: Stream
) -> None:
    given = change("a.py")
    first = stream.publish(given, now=NOW)
    second = stream.publish(given, change("b.py"), now=NOW + 10)
    store.reviews.mark(ME, second, "all", (A, print_of(given)), at(NOW + 20))
    review = store.get(ME, first, NOW).review

    assert stream.publish(given, now=NOW + 30) == first

    assert marked(store, first) == {A: True}
    assert store.get(ME, first, NOW).review > review


def test_a_mark_that_was_taken_back_is_not_brought_back_by_collecting_again(
    store: Store, stream: Stream
) -> None:
    given = change("a.py")
    first = stream.publish(given, change("b.py"), now=NOW)
    mark(store, first, given)
    second = stream.publish(given, now=NOW + 10)
    store.reviews.unmark(ME, second, "all", A, at(NOW + 20))

    assert stream.publish(given, now=NOW + 30) == second

    assert marked(store, second) == {}


def test_a_mark_is_carried_to_another_checkout_but_not_to_another_repository(store: Store) -> None:
    given = change("a.py")
    mark(store, Stream(store).publish(given), given)

    worktree = Stream(store, checkout="checkout-2", branch="topic").publish(given)
    other = Stream(store, repository="github.com/acme/other").publish(given)

    assert (marked(store, worktree), marked(store, other)) == ({A: True}, {})


def test_a_mark_of_a_context_that_ended_is_not_carried(store: Store, stream: Stream) -> None:
    given = change("a.py")
    first = stream.publish(given)
    mark(store, first, given)
    store.delete(ME, first, NOW)

    assert marked(store, stream.publish(given)) == {}


def test_marking_reaches_the_same_change_in_the_other_scopes_and_undo_takes_it_back(
    store: Store, stream: Stream
) -> None:
    given = change("a.py")
    context = stream.publish(changes={"all": [given], "staged": [], "unstaged": [given]})

    mark(store, context, given)
    assert (marked(store, context), marked(store, context, "unstaged")) == ({A: False}, {A: True})

    store.reviews.unmark(ME, context, "all", A, NOW)
    assert (marked(store, context), marked(store, context, "unstaged")) == ({}, {})

    mark(store, context, given)
    store.reviews.unmark(ME, context, "all", None, NOW)
    assert (marked(store, context), marked(store, context, "unstaged")) == ({}, {})


def test_taking_back_a_scope_leaves_what_was_marked_in_another(
    store: Store, stream: Stream
) -> None:
    here, there = change("a.py"), change("b.py")
    context = stream.publish(changes={"all": [here, there], "unstaged": [here]})
    mark(store, context, here, "unstaged")
    mark(store, context, there)

    store.reviews.unmark(ME, context, "all", None, NOW)

    assert (marked(store, context), marked(store, context, "unstaged")) == ({}, {A: False})


def test_only_what_is_stored_can_be_marked(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))

    with pytest.raises(FingerprintChangedError):
        store.reviews.mark(ME, context, "all", (A, Digest("0" * 64)), NOW)
    with pytest.raises(FileMissingError):
        store.reviews.mark(ME, context, "all", (FileId("no"), Digest("0" * 64)), NOW)
    with pytest.raises(FileMissingError):
        store.reviews.mark(ME, context, "staged", (A, Digest("0" * 64)), NOW)


def test_the_manifest_says_what_was_reviewed_and_said(store: Store, stream: Stream) -> None:
    files = [change(f"{number:03}.py", f"{number}\n") for number in range(200)]
    context = stream.publish(*files)
    before = store.manifest(ME, context, "all", NOW)
    mark(store, context, files[7])
    add(store, context, thread(context=context, anchor=anchor("150.py")))

    after = store.manifest(ME, context, "all", NOW)

    shapes = {shape["id"]: shape for shape in json.loads(after.files_json)}
    changed = {files[7].file.id: ("reviewed", True), files[150].file.id: ("commentCount", 1)}
    for shape in json.loads(before.files_json):
        if shape["id"] in changed:
            key, value = changed[shape["id"]]
            shape[key] = value
        assert shapes[shape["id"]] == shape
    assert list(shapes) == [each.file.id for each in files]
    assert store.get(ME, context, NOW).review > 0


def test_a_thread_of_one_iteration_counts_on_the_next_and_makes_it_look_changed(
    store: Store, stream: Stream
) -> None:
    first, second = stream.publish(change("a.py", "1\n")), stream.publish(change("a.py", "2\n"))
    review = store.get(ME, second, NOW).review

    add(store, first)

    (shape,) = json.loads(store.manifest(ME, second, "all", NOW).files_json)
    assert shape["commentCount"] == 1
    assert store.get(ME, second, NOW).review > review
    assert store.reviews.counts(ME, second, NOW).open == 1


def test_an_agent_hears_all_but_its_own_changes_and_misses_none(
    store: Store, stream: Stream
) -> None:
    context = stream.publish(change("a.py"))
    agent = Author(kind="agent", session=Session(harness="h", session_id="s", name="a"))
    renamed = Author(kind="agent", session=Session(harness="h", session_id="s", name="b"))
    add(store, context)
    start = store.reviews.changed_threads(ME, 0, NOW, but=agent)
    assert [each.id for each in start.threads] == ["t1"]

    def act(by: Author, name: str) -> None:
        answer = reply(name, author=by)
        store.reviews.change_thread(
            ME, context, thread("t1").id, lambda t: replied(t, answer), NOW, by=by
        )

    act(renamed, "own")
    silent = store.reviews.changed_threads(ME, start.cursor, NOW, but=agent)
    assert (silent.threads, silent.cursor > start.cursor) == ((), True)
    act(Author(), "human")
    act(agent, "own again")

    (heard,) = store.reviews.changed_threads(ME, start.cursor, NOW, but=agent).threads
    assert [each.id for each in heard.replies] == ["own", "human", "own again"]


def test_changes_come_in_pages_that_lose_nothing(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    for number in range(7):
        add(store, context, thread(f"t{number}", context=context))

    seen: list[str] = []
    cursor, more = 0, True
    while more:
        page = store.reviews.changed_threads(ME, cursor, NOW, context=context, limit=3)
        seen += [each.id for each in page.threads]
        cursor, more = page.cursor, page.more

    assert seen == [f"t{number}" for number in range(7)]
    assert store.reviews.changed_threads(ME, cursor, NOW).threads == ()


def test_bulk_deletion_spares_what_changed_its_state(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    for number in range(3):
        add(store, context, thread(f"t{number}", context=context))

    ids = [thread(f"t{number}").id for number in range(2)]
    assert store.reviews.delete_threads(ME, context, ids, NOW, status="resolved") == 0
    assert store.reviews.delete_threads(ME, context, ids, NOW, status="open") == 2

    assert own(store, context) == ["t2"]
    with pytest.raises(ThreadMissingError):
        store.reviews.delete_threads(ME, context, ids, NOW)


def test_importing_twice_adds_nothing(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    given = (thread("x1").id, thread("n1", context=context), (("y1", reply("m1")),))
    more = (
        thread("x1").id,
        thread("n2", context=context),
        (("y1", reply("m2")), ("y2", reply("m3"))),
    )

    assert store.reviews.import_threads(ME, context, [given], NOW) == (1, 0)
    assert store.reviews.import_threads(ME, context, [more], NOW) == (0, 1)
    own_again = (thread("n1").id, thread("n3", context=context), (("m1", reply("m4")),))
    assert store.reviews.import_threads(ME, context, [own_again], NOW) == (0, 1)

    (found,) = store.reviews.threads(ME, context, "all", NOW).own
    assert [each.id for each in found.replies] == ["m1", "m3"]


def test_an_imported_reply_is_heard_of_and_opens_what_was_resolved_here(
    store: Store, stream: Stream
) -> None:
    context = stream.publish(change("a.py"))
    name = thread("x1").id
    open_there = thread("n1", context=context, author=Author(kind="import"), replies=())
    store.reviews.import_threads(ME, context, [(name, open_there, ())], NOW)
    store.reviews.change_thread(
        ME, context, open_there.id, lambda t: resolved(t, Author(), NOW, None), NOW, by=Author()
    )
    start = store.reviews.changed_threads(ME, 0, NOW).cursor
    answered = (name, open_there, (("y1", reply("m1")),))

    store.reviews.import_threads(ME, context, [answered], NOW)

    (heard,) = store.reviews.changed_threads(ME, start, NOW).threads
    assert (heard.status, [each.id for each in heard.replies]) == ("open", ["m1"])


def test_a_reply_imported_with_its_resolution_leaves_the_thread_resolved(
    store: Store, stream: Stream
) -> None:
    context = stream.publish(change("a.py"))
    closed = resolved(thread("n1", context=context), Author(), NOW, None)
    for replies in ((), (("y1", reply("m1")),)):
        store.reviews.import_threads(ME, context, [(thread("x1").id, closed, replies)], NOW)

    (found,) = store.reviews.threads(ME, context, "all", NOW).own
    assert (found.status, len(found.replies)) == ("resolved", 1)


def test_importing_what_is_known_leaves_no_trace(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    given = (thread("x1").id, thread("n1", context=context), (("y1", reply("m1")),))
    store.reviews.import_threads(ME, context, [given], NOW)
    review = store.get(ME, context, NOW).review

    store.reviews.import_threads(ME, context, [given], NOW)

    assert store.get(ME, context, NOW).review == review


def test_imports_together_add_no_more_replies_than_a_thread_takes(
    store: Store, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffx.review.comments.MAX_REPLIES", 2)
    context = stream.publish(change("a.py"))
    for number in range(2):
        given = (
            thread("x1").id,
            thread("n1", context=context),
            ((f"y{number}", reply(f"m{number}")),),
        )
        store.reviews.import_threads(ME, context, [given], NOW)

    with pytest.raises(InvalidError):
        store.reviews.import_threads(
            ME, context, [(thread("x1").id, thread("n1"), (("y9", reply("m9")),))], NOW
        )


def test_a_bulk_deletion_passes_over_what_is_gone_meanwhile(store: Store, stream: Stream) -> None:
    context = stream.publish(change("a.py"))
    for name in ("t1", "t2"):
        add(store, context, thread(name, context=context))
    ids = [thread("t1").id, thread("t2").id]
    store.reviews.delete_threads(ME, context, ids[:1], NOW)

    assert store.reviews.delete_threads(ME, context, ids, NOW, seen_before=True) == 1
    assert own(store, context) == []


def test_a_context_keeps_so_many_verdicts_and_says_when_it_is_full(
    store: Store, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffx.store.iterations.MAX_VERDICTS", 1)
    context = stream.publish(change("a.py"))
    store.reviews.finish(ME, context, "comment", None, NOW)

    with pytest.raises(TooLargeError):
        store.reviews.finish(ME, context, "approve", None, NOW)


def test_iterations_are_in_the_order_of_their_last_collection(
    store: Store, stream: Stream
) -> None:
    first, second = stream.publish(change("a.py", "1\n")), stream.publish(change("a.py", "2\n"))
    Stream(store, branch="other").publish(change("a.py", "3\n"))
    store.reviews.finish(ME, first, "request-changes", "more tests", NOW)

    listed = store.reviews.iterations(ME, second, NOW)
    assert [each.context for each in listed] == [first, second]
    assert [each.latest for each in listed] == [False, True]
    assert [(v.verdict, v.summary) for v in listed[0].verdicts] == [
        ("request-changes", "more tests")
    ]

    stream.publish(change("a.py", "1\n"))
    assert [e.context for e in store.reviews.iterations(ME, first, NOW)] == [second, first]


def test_a_comparison_reads_only_what_differs(store: Store, stream: Stream) -> None:
    same = change("a.py", "1\n")
    first = stream.publish(same, change("b.py", "1\n"))
    second = stream.publish(same, change("b.py", "2\n"))

    found = store.reviews.comparison(ME, (first, second), "all", NOW)

    assert set(found.old) == set(found.new) == {B}
    assert found.key == store.reviews.comparison_key(ME, (first, second), "all", NOW)
    assert found.key != store.reviews.comparison_key(ME, (second, first), "all", NOW)


@pytest.mark.parametrize(
    ("scope", "change_of", "same"),
    [
        ("all", {}, False),
        ("all", {"comparison": {"merge_base": "b" * 40}}, True),
        ("staged", {}, True),
        ("staged", {"head": "c" * 40}, False),
        ("unstaged", {}, True),
        ("unstaged", {"staged": "x\n"}, False),
        ("all", {"source_kind": "patch", "comparison": {"merge_base": "b" * 40}}, False),
    ],
)
def test_bases_are_the_same_only_where_that_is_known(
    store: Store, scope: Any, change_of: dict[str, Any], same: bool
) -> None:
    stream = Stream(store)
    other = dict(change_of)
    staged = other.pop("staged", "s\n")
    base = other.pop("comparison", {})
    more: dict[str, Any] = {
        "comparison": Comparison(policy="auto", kind="branch", base_ref="main", **base)
    }
    first = stream.publish(
        changes={
            "all": [change("a.py", "1\n")],
            "staged": [change("a.py", "s\n")],
            "unstaged": [],
        },
        **more,
    )
    second = stream.publish(
        changes={
            "all": [change("a.py", "2\n")],
            "staged": [change("a.py", staged)],
            "unstaged": [],
        },
        **(more | other),
    )

    found = store.reviews.comparison(ME, (first, second), scope, NOW)

    assert found.same_base == same


def test_contexts_of_two_repositories_are_not_compared(store: Store) -> None:
    first = Stream(store).publish(change("a.py"))
    second = Stream(store, repository="github.com/acme/other").publish(change("a.py"))
    loose = Stream(store, repository=None, checkout=None).publish(change("a.py"))

    for pair in ((first, second), (first, loose)):
        with pytest.raises(InvalidError):
            store.reviews.comparison(ME, pair, "all", NOW)
    store.reviews.comparison(ME, (loose, loose), "all", NOW)


def test_settings_are_kept_for_each_account(store: Store) -> None:
    store.reviews.set_preferences(ME, {"wrap": True, "name": "\u2028"})
    store.reviews.set_preferences(OTHER, {})

    assert store.reviews.preferences(ME) == {"wrap": True, "name": "\u2028"}


contents = st.sampled_from(["1\n", "2\n", "3\n"])
turns = st.lists(
    st.tuples(contents, contents, st.sets(st.sampled_from(["a.py", "b.py"]))),
    min_size=2,
    max_size=6,
)


@given(turns)
def test_over_any_history_unchanged_files_keep_their_marks_and_changed_files_lose_them(
    turns: list[tuple[str, str, set[str]]],
) -> None:
    with open_store(None, new_id=counted_ids()) as store:
        stream = Stream(store)
        reviewed: set[Digest] = set()
        for number, (a, b, wanted) in enumerate(turns):
            files = {"a.py": change("a.py", a), "b.py": change("b.py", b)}
            # A head of its own makes every turn a context of its own.
            context = stream.publish(*files.values(), head=f"{number:040}")

            found = marked(store, context)

            assert set(found) == {
                each.file.id for each in files.values() if print_of(each) in reviewed
            }
            for path in wanted:
                mark(store, context, files[path])
                reviewed.add(print_of(files[path]))


def test_a_mark_keeps_when_it_was_made(store: Store, stream: Stream) -> None:
    given = change("a.py")
    first = stream.publish(given)
    store.reviews.mark(ME, first, "all", (A, print_of(given)), at(NOW + 5))

    second = stream.publish(given, change("b.py"))

    (found,) = store.reviews.marks(ME, second, "all", NOW).marks
    assert found.marked_at == Millis(NOW + 5)


def test_a_review_has_room_for_so_much_and_deleting_makes_room(
    store: Store, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffx.store.threads.MAX_REVIEW_BYTES", 100)
    first, second = stream.publish(change("a.py", "1\n")), stream.publish(change("a.py", "2\n"))
    add(store, first, thread("t1", context=first, body="x" * 60))
    long = replace(thread("t2", context=second), body="y" * 60)

    with pytest.raises(TooLargeError):
        add(store, second, long)
    with pytest.raises(TooLargeError):
        store.reviews.change_thread(
            ME,
            first,
            thread("t1").id,
            lambda t: replied(t, reply(body="z" * 60)),
            NOW,
            by=Author(),
        )

    (kept,) = store.reviews.threads(ME, first, "all", NOW).own
    assert kept.replies == ()
    store.reviews.delete_threads(ME, first, [kept.id], NOW)
    add(store, second, long)


def test_words_may_grow_only_while_there_is_room(
    store: Store, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffx.store.threads.MAX_REVIEW_BYTES", 100)
    context = stream.publish(change("a.py"))
    name = add(store, context, thread("t1", context=context, body="x")).id

    def say(body: str) -> None:
        store.reviews.change_thread(
            ME, context, name, lambda t: replace(t, body=body), NOW, by=Author()
        )

    with pytest.raises(TooLargeError):
        say("x" * 200)
    for _ in range(5):
        say("x" * 80)
        say("x")
