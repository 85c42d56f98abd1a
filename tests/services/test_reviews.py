"""Reviewing through the service: where threads stand, and who hears of it (8, 9.2)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.clock import random_id
from diffx.errors import InvalidError
from diffx.review.comments import Author, Lines
from diffx.review.export import Heading, export
from diffx.review.exported import read_export
from diffx.review.model import ContextId, FilePatch, GitPath, Session
from diffx.review.paths import file_id
from diffx.services.changes import Change, Changes
from diffx.services.reviews import NewComment, Reviews
from diffx.store.database import Store, open_store
from tests.support.iterations import numbered
from tests.support.observations import Change as Changed
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW, OTHER

A = file_id(GitPath(b"a.py"))
AGENT = Author(kind="agent", session=Session(harness="claude", session_id="s"))


class Desk:
    """A store, its service, and what was announced."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.heard: list[Change] = []
        changes = Changes()
        changes.subscribe(self.heard.append)
        self.reviews = Reviews(
            store=store.reviews, changes=changes, now=lambda: NOW, new_id=random_id
        )
        self.count = 0

    def publish(self, *files: Changed, owner: Any = ME, **more: Any) -> ContextId:
        self.count += 1
        given = submission(
            f"s{self.count}", more.pop("scopes", files), collected_at=self.count, **more
        )
        return self.store.publish(owner, given, NOW).context

    def comment(
        self, context: ContextId, start: int | None = None, *, side: Any = "new", file: Any = A
    ) -> str:
        lines = None if start is None else Lines(side=side, start=start, end=start)
        comment = NewComment(scope="all", file=file, lines=lines, body="why?")
        return self.reviews.comment(ME, context, comment, Author()).id

    def places(self, context: ContextId, scope: Any = "all") -> list[tuple[str, int | None, str]]:
        seen = self.reviews.threads(ME, context, scope).threads
        return [
            (
                each.place.placement,
                None if each.place.lines is None else each.place.lines.start,
                each.applicability,
            )
            for each in seen
        ]


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_store(None) as store:
        yield Desk(store)


def edit(**lines: Any) -> Changed:
    return change(
        "a.py", numbered(30, {int(k[1:]): v for k, v in lines.items()}), before=numbered(30)
    )


def test_a_comment_quotes_what_is_stored(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))

    desk.comment(context, 5)
    desk.comment(context, 5, side="old")

    seen = desk.reviews.threads(ME, context, "all").threads
    assert [each.thread.quote for each in seen] == [b"five\n", b"line 5\n"]
    assert all(each.actionable for each in seen)
    assert [each.kind for each in desk.heard] == ["review", "review"]


def test_a_comment_on_lines_that_are_not_there_is_refused(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))

    with pytest.raises(InvalidError, match="has 30"):
        desk.comment(context, 31)


def test_a_patch_without_contents_can_be_commented_on_its_lines(desk: Desk) -> None:
    bare = edit(l5="five\n").but(before=None, after=None, fingerprint=None)
    patch = change("a.py", patch="@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6\n")
    given = Changed(bare.file, patch.texts).but(patch=patch.file.patch)
    context = desk.publish(given)

    desk.comment(context, 5)

    assert desk.places(context) == [("exact", 5, "unknown")]
    with pytest.raises(InvalidError, match="not stored"):
        desk.comment(context, 20)


def test_without_any_text_only_the_file_takes_a_comment(desk: Desk) -> None:
    context = desk.publish(
        change("a.py").but(patch=FilePatch(reason="binary"), before=None, after=None)
    )

    desk.comment(context)
    with pytest.raises(InvalidError):
        desk.comment(context, 1)


def test_threads_follow_their_lines_through_iterations(desk: Desk) -> None:
    first = desk.publish(edit(l5="five\n"))
    desk.comment(first, 5)

    same = desk.publish(edit(l5="five\n"), change("b.py"))
    pushed = desk.publish(edit(l1="a\nb\nline 1\n", l5="five\n"))
    rewritten = desk.publish(edit(l5="other\n"))
    gone = desk.publish(change("b.py", "2\n"))
    back = desk.publish(edit(l5="five\n"), change("b.py", "3\n"))

    assert desk.places(same) == [("exact", 5, "anchored")]
    assert desk.places(pushed) == [("moved", 7, "stale")]
    assert desk.places(rewritten) == [("outdated", None, "stale")]
    assert desk.places(gone) == [("outdated", None, "stale")]
    assert desk.places(back) == [("exact", 5, "anchored")]


def test_a_thread_follows_a_renamed_and_edited_file(desk: Desk) -> None:
    desk.comment(desk.publish(edit(l5="five\n")), 5)
    moved = change("b.py", numbered(30, {2: "", 5: "five\n"}), before=numbered(30))

    context = desk.publish(moved.but(status="R", old_path=GitPath(b"a.py")))

    assert desk.places(context) == [("moved", 4, "stale")]
    (seen,) = desk.reviews.threads(ME, context, "all").threads
    assert (seen.path, seen.ported) == (b"b.py", True)


def renamed(path: str, **lines: Any) -> Changed:
    """Return a.py of the base under another name."""
    file = change(
        path, numbered(30, {int(k[1:]): v for k, v in lines.items()}), before=numbered(30)
    )
    return file.but(status="R", old_path=GitPath(b"a.py"))


def path_of(desk: Desk, context: ContextId) -> tuple[bytes | None, str, int | None]:
    (seen,) = desk.reviews.threads(ME, context, "all").threads
    lines = seen.place.lines
    return seen.path, seen.place.placement, None if lines is None else lines.start


def test_a_thread_follows_a_file_that_is_renamed_again_and_back(desk: Desk) -> None:
    first = desk.publish(renamed("b.py", l5="five\n"))
    desk.comment(first, 5, file=file_id(GitPath(b"b.py")))

    again = desk.publish(renamed("c.py", l2="", l5="five\n"), change("z.py"))
    back = desk.publish(edit(l1="top\nline 1\n", l5="five\n"))

    assert path_of(desk, again) == (b"c.py", "moved", 4)
    assert path_of(desk, back) == (b"a.py", "moved", 6)
    assert path_of(desk, back) == (b"a.py", "moved", 6)


def test_a_thread_follows_a_new_file_to_its_new_name(desk: Desk) -> None:
    text = numbered(30, {5: "five\n"})
    first = desk.publish(change("draft.py", text, before=None))
    desk.comment(first, 5, file=file_id(GitPath(b"draft.py")))

    later = desk.publish(
        change("final.py", "import x\n" + text, before=None), change("other.py", before=None)
    )

    assert path_of(desk, later) == (b"final.py", "moved", 6)


def test_a_thread_on_a_file_that_nothing_here_came_from_is_outdated(desk: Desk) -> None:
    first = desk.publish(renamed("b.py", l5="five\n"))
    desk.comment(first, 5, file=file_id(GitPath(b"b.py")))

    assert path_of(desk, desk.publish(change("z.py"))) == (None, "outdated", None)
    assert path_of(desk, desk.publish()) == (None, "outdated", None)


def test_a_comment_on_a_deleted_line_stays_on_the_old_side(desk: Desk) -> None:
    first = desk.publish(edit(l5=""))
    desk.comment(first, 5, side="old")

    later = desk.publish(change("a.py", numbered(29), before="top\n" + numbered(30)))

    (seen,) = desk.reviews.threads(ME, later, "all").threads
    assert (seen.place.placement, seen.place.lines) == ("moved", Lines(side="old", start=6, end=6))


def test_a_thread_stays_placed_by_its_quote_after_its_origin_is_gone(desk: Desk) -> None:
    first = desk.publish(edit(l5="five\n"))
    desk.comment(first, 5)
    second = desk.publish(edit(l1="a\nline 1\n", l5="five\n"))
    with desk.store._connections.write() as tx:  # noqa: SLF001 - expiry at will
        tx.execute("UPDATE observation SET expires_at = 1 WHERE context = 1")
    desk.store.prune(NOW)

    assert desk.places(second) == [("moved", 6, "stale")]


def test_other_scopes_show_a_thread_by_the_same_change_or_as_elsewhere(desk: Desk) -> None:
    given = edit(l5="five\n")
    context = desk.publish(
        scopes={"all": [given], "staged": [edit(l9="nine\n")], "unstaged": [given]}
    )
    desk.comment(context, 5)

    assert desk.places(context, "unstaged") == [("exact", 5, "anchored")]
    ((placement, _, applies),) = desk.places(context, "staged")
    assert (placement, applies) == ("outdated", "other-scope")


def test_resolving_takes_a_note_once(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))
    name: Any = desk.comment(context, 5)

    first, found = (
        desk.reviews.resolve(ME, context, name, AGENT, resolution="fixed", note="see line 6")
        for _ in range(2)
    )

    assert found == first
    assert [each.body for each in found.replies] == ["see line 6"]
    assert (found.status, found.resolved_by) == ("resolved", AGENT)


def test_stale_threads_of_earlier_iterations_can_be_swept(desk: Desk) -> None:
    first = desk.publish(edit(l5="five\n"))
    desk.comment(first, 5)
    desk.comment(first, file=None)
    second = desk.publish(edit(l5="other\n"))
    desk.comment(second, 5)

    assert desk.reviews.delete_many(ME, second, "all", "stale") == 1
    assert desk.reviews.delete_many(ME, second, "all", "resolved") == 0
    assert desk.reviews.delete_many(ME, second, "all", "all") == 1
    assert len(desk.reviews.threads(ME, second, "all").threads) == 1


def test_an_export_read_into_another_checkout_is_placed_by_its_words(desk: Desk) -> None:
    first = desk.publish(edit(l5="five\n"))
    desk.comment(first, 5)
    text = export(
        "json", Heading(context=first, scope="all"), desk.reviews.threads(ME, first, "all").threads
    )
    other = desk.publish(edit(l1="a\nline 1\n", l5="five\n"), checkout="checkout-2")

    for expected in ((1, 0), (0, 1)):
        assert desk.reviews.bring_in(ME, other, read_export(text.encode())) == expected

    assert desk.places(other) == [("moved", 6, "stale")]
    assert desk.reviews.bring_in(ME, first, read_export(text.encode())) == (0, 1)


def test_an_import_is_exact_only_on_the_lines_it_quotes(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))
    name: Any = desk.comment(context, 5)
    seen = desk.reviews.threads(ME, context, "all").threads
    document = json.loads(export("json", Heading(context=context, scope="all"), seen))
    (honest,) = document["threads"]
    desk.reviews.delete(ME, context, name)
    for claimed, expected in (
        ({}, ("exact", 5)),
        ({"startLine": 9, "endLine": 9}, ("moved", 5)),
        ({"code": "never written\n"}, ("outdated", None)),
        ({"code": None}, ("outdated", None)),
        ({"startLine": 900, "endLine": 900, "code": ""}, ("outdated", None)),
    ):
        document["threads"] = [honest | claimed]
        desk.reviews.bring_in(ME, context, read_export(json.dumps(document).encode()))

        ((placement, line, _),) = desk.places(context)
        assert (placement, line) == expected, claimed
        desk.reviews.delete_many(ME, context, "all", "all")


def test_the_same_key_of_two_writers_is_two_comments(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))
    comment = NewComment(scope="all", file=None, lines=None, body="hi")

    made = {
        desk.reviews.comment(ME, context, comment, by, key="1").id
        for by in (Author(), AGENT, AGENT, Author())
    }

    assert len(made) == 2


def test_another_account_reads_nothing(desk: Desk) -> None:
    context = desk.publish(edit(l5="five\n"))
    name: Any = desk.comment(context, 5)
    theirs = desk.publish(edit(l5="five\n"), owner=OTHER)

    assert desk.reviews.threads(OTHER, theirs, "all").threads == ()
    with pytest.raises(Exception, match="no comment"):
        desk.reviews.edit(OTHER, theirs, name, body="mine now")


words = st.sampled_from(["a\n", "b\n", "}\n", "\n", "  c\n"])


@st.composite
def turns(draw: st.DrawFn) -> list[list[str]]:
    """A file as a few turns of an agent leave it: lines cut, added, moved."""
    lines = draw(st.lists(words, min_size=1, max_size=12))
    history = [lines]
    for _ in range(draw(st.integers(1, 3))):
        lines = list(lines)
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, len(lines)))
        block = lines[start:end]
        lines[start:end] = draw(st.lists(words, max_size=3))
        if draw(st.booleans()):
            lines += block
        history.append(lines)
    return history


@given(turns(), st.data())
def test_over_any_history_exact_and_moved_threads_stand_on_what_they_quote(
    history: list[list[str]], data: st.DataObject
) -> None:
    with open_store(None) as store:
        desk = Desk(store)
        for number, lines in enumerate(history):
            given_file = change("a.py", "".join(lines), before="before\n")
            context = desk.publish(given_file, head=f"{number:040}")
            if lines:
                desk.comment(context, data.draw(st.integers(1, len(lines))))

            for seen in desk.reviews.threads(ME, context, "all").threads:
                place = seen.place.lines
                if seen.place.placement in ("exact", "moved"):
                    assert place is not None
                    shown = "".join(lines[place.start - 1 : place.end]).encode()
                    assert shown == seen.thread.quote
                assert seen.ported or seen.place.placement == "exact"
