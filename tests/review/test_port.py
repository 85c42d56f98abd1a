"""Where a thread stands later: never called exact or moved on other text (9.2)."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.comments import Lines
from diffx.review.linediff import split_lines
from diffx.review.port import Place, Porter, Target, port
from tests.support.iterations import edits, numbered, texts


def at(start: int, end: int | None = None) -> Lines:
    return Lines(side="new", start=start, end=end or start)


def ported(before: str, lines: Lines, after: str, *, origin: bool = True) -> Place:
    quote = b"".join(split_lines(before.encode())[lines.start - 1 : lines.end])
    return port(lines, quote, before.encode() if origin else None, Target(text=after.encode()))


@given(st.data(), st.booleans())
def test_an_exact_or_moved_thread_stands_on_the_text_it_quotes(
    data: st.DataObject, stored: bool
) -> None:
    before = data.draw(texts().filter(bool))
    lines = split_lines(before)
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    after = data.draw(edits(before) | texts())
    quote = b"".join(lines[start - 1 : end])

    place = port(at(start, end), quote, before if stored else None, Target(text=after))

    if place.placement in ("exact", "moved"):
        assert place.lines is not None
        shown = split_lines(after)[place.lines.start - 1 : place.lines.end]
        assert b"".join(shown) == quote
        assert (place.placement == "exact") == (place.lines.start == start)
    if place.lines is not None:
        assert 1 <= place.lines.start <= place.lines.end <= len(split_lines(after))


def test_a_line_that_stayed_is_exact() -> None:
    place = ported(numbered(9), at(5), numbered(9, {8: "eight\n"}))

    assert (place.placement, place.lines) == ("exact", at(5))


def test_a_line_pushed_down_is_moved() -> None:
    place = ported(numbered(9), at(5, 6), "new\nnew\n" + numbered(9))

    assert (place.placement, place.lines) == ("moved", at(7, 8))


def test_the_line_diff_decides_between_equal_lines() -> None:
    before = "a\nx\nb\nx\nc\n"
    after = "a\nx\nnew\nnew\nb\nx\nc\n"

    assert ported(before, at(4), after).lines == at(6)


def test_without_its_origin_a_line_is_found_by_its_words() -> None:
    place = ported(numbered(200), at(5), numbered(200, {3: ""}), origin=False)

    assert (place.placement, place.lines) == ("moved", at(4))


def test_a_block_cut_and_pasted_far_away_is_followed() -> None:
    before = numbered(200)
    block = "line 5\nline 6\n"
    after = before.replace(block, "") + block

    assert ported(before, at(5, 6), after).lines == at(199, 200)


@given(st.data(), st.integers(0, 6))
def test_with_no_budget_left_nothing_is_claimed_that_is_not_so(
    data: st.DataObject, steps: int
) -> None:
    before = data.draw(texts().filter(bool))
    lines = split_lines(before)
    start = data.draw(st.integers(1, len(lines)))
    after = data.draw(edits(before) | texts())

    place = Porter(steps).place(at(start), lines[start - 1], before, Target(text=after))

    if place.placement in ("exact", "moved"):
        assert place.lines is not None
        assert split_lines(after)[place.lines.start - 1] == lines[start - 1]


def test_looking_for_words_ends_with_the_budget() -> None:
    """Many like beginnings and no match: each comment cost the time of hundreds of comparisons."""
    text = (b"x\n" * 99 + b"y\n") * 50
    quote = b"x\n" * 98 + b"z\n"
    porter = Porter(steps=500)

    lost = porter.place(at(500, 598), quote, None, Target(text=text))
    later = porter.place(at(1), b"y\n", None, Target(text=text))

    assert (lost.placement, later.placement) == ("outdated", "outdated")
    assert Porter().place(at(1), b"y\n", None, Target(text=text)).placement == "moved"


def test_an_edited_line_is_drifted_never_exact() -> None:
    before = "def f():\n    return 1\n"

    place = ported(before, at(1, 2), "def f():\n    return 2\n")

    assert (place.placement, place.lines) == ("drifted", at(1))


def test_other_spacing_is_drifted() -> None:
    place = ported("if a:\n  b()\n", at(2), "if a:\n\tif c:\n\t\tb()\n", origin=False)

    assert (place.placement, place.lines) == ("drifted", at(3))


def test_a_line_that_is_nowhere_leaves_the_thread_on_its_file() -> None:
    place = ported(numbered(9), at(5), "other\n")

    assert place == Place(placement="outdated", in_file=True)


def test_a_file_that_disappears_and_returns_keeps_its_thread() -> None:
    gone = port(at(2), b"line 2\n", b"", None)
    back = ported(numbered(3), at(2), numbered(3))

    assert gone == Place(placement="outdated", in_file=False)
    assert (back.placement, back.lines) == ("exact", at(2))


def test_a_comment_on_a_deleted_line_follows_the_old_side() -> None:
    lines = Lines(side="old", start=2, end=2)

    place = port(lines, b"two\n", b"one\ntwo\n", Target(text=b"zero\none\ntwo\n"))

    assert (place.placement, place.lines) == ("moved", Lines(side="old", start=3, end=3))


def test_equal_fingerprints_are_exact_even_where_nothing_is_stored() -> None:
    assert port(at(2), b"x\n", None, Target(text=None, same=True)).placement == "exact"
    assert port(at(2), b"x\n", None, Target(text=None)).placement == "outdated"


def test_a_thread_on_a_whole_file_stays_on_it() -> None:
    assert port(None, None, None, Target(text=b"", same=True)).placement == "exact"
    assert port(None, None, None, Target(text=b"")).placement == "drifted"


def test_a_blank_line_is_not_looked_for_far_away() -> None:
    after = "x\n" * 60 + "\n"

    assert ported("\n", at(1), after, origin=False).placement == "outdated"
