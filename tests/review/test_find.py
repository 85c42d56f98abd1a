"""What a search reads of a file, in which order, and where a query stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.errors import InvalidError
from diffx.review.find import MAX_LINE_CHARS, Finder, Query, reading_order

PATCH = """\
diff --git a/f b/f
--- a/f
+++ b/f
@@ -2,3 +2,3 @@ heading
 two
-three
+drei
 four
@@ -7 +6,0 @@
-seven
"""
AFTER = "one\ntwo\ndrei\nfour\nfive\nsix\neight\n"


def test_a_file_is_read_from_its_top_with_the_lines_that_no_hunk_shows() -> None:
    assert [tuple(line) for line in reading_order(PATCH, AFTER)] == [
        ("new", 1, "one"),
        ("new", 2, "two"),
        ("old", 3, "three"),
        ("new", 3, "drei"),
        ("new", 4, "four"),
        ("new", 5, "five"),
        ("new", 6, "six"),
        ("old", 7, "seven"),
        ("new", 7, "eight"),
    ]


def test_without_contents_the_lines_of_the_patch_are_read() -> None:
    assert [line.text for line in reading_order(PATCH, None)] == [
        *("two", "three", "drei", "four", "seven")
    ]
    assert [line.number for line in reading_order(None, "a\nb")] == [1, 2]


def test_lines_that_look_like_headers_are_lines() -> None:
    patch = "@@ -1,2 +1,2 @@\n-@@ -9 +9 @@\n+--- a\n @@ -1 +1 @@\n\\ No newline at end of file\n"
    assert [line.text for line in reading_order(patch, None)] == [
        *("@@ -9 +9 @@", "--- a", "@@ -1 +1 @@")
    ]


@given(st.text("@-+ \\123,\nab", max_size=80), st.none() | st.text("ab\n", max_size=20))
def test_any_text_is_read_to_its_end(patch: str, after: str | None) -> None:
    for line in reading_order(patch, after):
        assert "\n" not in line.text


def spans(line: str, text: str, **more: bool) -> list[tuple[int, int]]:
    return Finder(Query(text=text, **more)).spans(line)


def test_a_literal_is_taken_as_it_is() -> None:
    assert spans("a.b A.B axb", "a.b") == [(0, 3), (4, 7)]
    assert spans("a.b A.B", "a.b", case=True) == [(0, 3)]
    assert spans("(a+b) [c]", "(a+b) [") == [(0, 7)]


def test_words_are_whole() -> None:
    assert spans("pay repay pay_all pay", "pay", word=True) == [(0, 3), (18, 21)]
    assert spans("a->b->c", "->", word=True) == [(1, 3), (4, 6)]
    assert spans("pay repay", "p.y", word=True, regex=True) == [(0, 3)]


def test_very_long_lines_are_searched_as_far_as_is_said() -> None:
    line = "x" * (MAX_LINE_CHARS - 1) + "ab"
    assert spans(line, "a") == [(MAX_LINE_CHARS - 1, MAX_LINE_CHARS)]
    assert spans(line, "b") == []


@pytest.mark.parametrize("text", ["", "a\nb"])
def test_a_query_is_one_line_of_something(text: str) -> None:
    with pytest.raises(InvalidError):
        Finder(Query(text=text))


@given(
    st.text("aAkK\u017f\u212ax ", max_size=6),
    st.sampled_from(["a", "K", "s", "x a"]),
    st.booleans(),
)
def test_the_quick_look_never_denies_what_is_there(line: str, text: str, case: bool) -> None:
    finder = Finder(Query(text=text, case=case))
    if finder.spans(line):
        assert finder.might(line.encode())
