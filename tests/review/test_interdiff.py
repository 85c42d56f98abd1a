"""Two versions of one file: applied it is right, and rebases are told from edits (9.1)."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.interdiff import Sides, interdiff, plain, unified
from diffx.review.linediff import Effort
from tests.support.iterations import Rebase, count, edits, numbered, patched, rebases, texts


@given(st.data())
def test_an_interdiff_applied_to_the_old_side_is_the_new_side(data: st.DataObject) -> None:
    base = data.draw(texts())
    moved = data.draw(edits(base))
    sides = Sides(base, data.draw(edits(base)), moved, data.draw(edits(moved)))

    found = interdiff(sides)

    assert patched(sides.old, unified(found.rows)) == sides.new


@given(texts(), texts(), texts(), texts())
def test_unrelated_texts_make_a_right_interdiff_too(
    base: bytes, old: bytes, moved: bytes, new: bytes
) -> None:
    found = interdiff(Sides(base, old, moved, new))

    assert patched(old, unified(found.rows)) == new


@given(rebases())
def test_a_pure_rebase_shows_no_author_change(rebase: Rebase) -> None:
    found = interdiff(Sides(rebase.base, rebase.version, rebase.later_base, rebase.later_version))

    assert not found.author
    assert found.upstream == (rebase.version != rebase.later_version)


@given(rebases(), st.data())
def test_an_edit_after_a_rebase_is_the_authors(rebase: Rebase, data: st.DataObject) -> None:
    edited = data.draw(edits(rebase.later_version))
    found = interdiff(Sides(rebase.base, rebase.version, rebase.later_base, edited))

    assert found.author == (edited != rebase.later_version)


@given(st.data())
def test_over_one_base_every_difference_is_the_authors(data: st.DataObject) -> None:
    base = data.draw(texts())
    old, new = data.draw(edits(base)), data.draw(edits(base))

    found = interdiff(Sides(base, old, base, new))

    assert not found.upstream
    assert found.author == (old != new)


@given(st.data(), st.integers(0, 80))
def test_a_spent_budget_still_leads_to_the_new_side(data: st.DataObject, steps: int) -> None:
    base = data.draw(texts())
    sides = Sides(base, data.draw(edits(base)), data.draw(edits(base)), data.draw(texts()))

    found = interdiff(sides, Effort(steps))

    assert patched(sides.old, unified(found.rows)) == sides.new


def test_what_the_base_took_over_is_not_shown_as_new() -> None:
    base, version = numbered(9).encode(), numbered(9, {4: "mine\n"}).encode()
    squashed = numbered(9, {4: "mine\n", 5: "theirs\n"}).encode()

    found = interdiff(Sides(base, version, squashed, squashed))

    assert not found.author
    assert (count(found, "+", "upstream"), count(found, "-", "upstream")) == (1, 1)


def test_an_author_who_drops_an_upstream_line_changed_something() -> None:
    found = interdiff(Sides(b"a\nb\n", b"a\nB\n", b"new\na\nb\n", b"a\nB\n"))

    assert (found.undone, found.author) == (1, True)
    assert unified(found.rows) == b""


def test_lines_both_changed_are_the_authors_resolution() -> None:
    found = interdiff(Sides(b"a\nb\nc\n", b"a\nmine\nc\n", b"a\ntheirs\nc\n", b"a\nboth\nc\n"))

    assert found.conflict
    assert [(row.kind, row.origin, row.text) for row in found.rows if row.kind != " "] == [
        ("-", "author", b"mine\n"),
        ("+", "author", b"both\n"),
    ]


def test_insertions_of_both_at_one_place_keep_the_order_they_were_given() -> None:
    for later in (b"a\nmine\ntheirs\nb\n", b"a\ntheirs\nmine\nb\n"):
        found = interdiff(Sides(b"a\nb\n", b"a\nmine\nb\n", b"a\ntheirs\nb\n", later))

        assert not found.author
        assert count(found, "+", "upstream") == 1


def test_a_missing_line_feed_is_a_change() -> None:
    assert unified(plain(b"a\nb", b"a\nb\n").rows) == (
        b"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    )


def test_hunks_show_three_lines_around_and_join_when_they_touch() -> None:
    old = numbered(30).encode()
    new = numbered(30, {5: "five\n", 11: "eleven\n", 25: ""}).encode()

    heads = [line for line in unified(plain(old, new).rows).split(b"\n") if line.startswith(b"@@")]

    assert heads == [b"@@ -2,13 +2,13 @@", b"@@ -22,7 +22,6 @@"]
