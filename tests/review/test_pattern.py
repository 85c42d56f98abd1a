"""Expressions match what Python's own do, leftmost and longest, in time that the text bounds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.pattern import MAX_SPANS, Pattern, PatternError

atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "[a-c]", r"\w", r"\d", r"\s", "x", r"\."])
repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"])


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, repeats).map(lambda two: f"({two[0]}){two[1]}"),
        inner.map(lambda one: f"^{one}"),
        inner.map(lambda one: f"{one}$"),
    )


expressions = st.recursive(atoms, grown, max_leaves=6)
lines = st.text("abcx1 .", max_size=14)


def by_trying(expression: str, line: str) -> list[tuple[int, int]]:
    """Ask Python's engine for every end of every start."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(line):
        ends = [
            end
            for end in range(at + 1, len(line) + 1)
            if re.compile(f"(?:{expression})(?<=^.{{{end}}})").match(line, at)
        ]
        if ends:
            found.append((at, ends[-1]))
        at = ends[-1] if ends else at + 1
    return found


@given(expressions, lines)
def test_matches_are_those_of_python_leftmost_and_longest(expression: str, line: str) -> None:
    assert Pattern(expression, case=True).spans(line) == by_trying(expression, line)


@given(st.text(r"ab.*+?()[]{}|\^$-,1d", max_size=12), lines)
def test_any_expression_is_used_or_refused_in_words(expression: str, line: str) -> None:
    try:
        pattern = Pattern(expression, case=False)
    except PatternError as error:
        assert str(error).startswith("the regular expression ")
        return
    assert all(start < end <= len(line) for start, end in pattern.spans(line))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("a)", "a ) too many"),
        ("(a", "lacks a )"),
        ("[a", "lacks a ]"),
        ("*a", "repeats nothing"),
        ("a**", "repeats a repetition"),
        ("a*?", "repeats a repetition"),
        ("a{9999}", "more than 100 times"),
        ("a{3,2}", "from 3 to 2"),
        ("a{x}", "no repetition"),
        (r"\bword", r"\b, which is not understood"),
        (r"(a)\1", r"\1, which is not understood"),
        ("(?=a)", "only (?:"),
        ("[z-a]", "back to"),
        ("(a{100}){100}", "too large"),
        ("(" * 30 + "a" + ")" * 30, "nested too deeply"),
    ],
)
def test_what_cannot_be_used_says_why(expression: str, words: str) -> None:
    with pytest.raises(PatternError, match=re.escape(words)) as caught:
        Pattern(expression, case=True)
    assert caught.value.field == "q"


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("(a*)*b", "a" * 4_000),
        ("(a|aa)+$", "a" * 4_000 + "b"),
        ("(.*)*x(.*)*y", "ab" * 2_000),
        ("a.*b.*c.*d", "abc" * 1_300),
        ("(?:[ab]{1,20}){1,9}c", "ab" * 2_000),
        ("a*b|c", "a" * 4_000 + "c"),
    ],
)
def test_work_grows_with_the_line_and_not_with_what_could_be_tried(
    expression: str, line: str
) -> None:
    pattern = Pattern(expression, case=True)
    pattern.spans(line)

    assert pattern.work < 20 * len(line)


def test_letters_are_alike_in_either_form_unless_case_matters() -> None:
    line = "Straße STRASSE İx"

    assert Pattern("stra[s-z]+e", case=False).spans(line) == [(7, 14)]
    assert Pattern("[S-T]", case=False).spans("stu") == [(0, 1), (1, 2)]
    assert Pattern("x", case=False).spans(line) == [(16, 17)]
    assert Pattern("stra", case=True).spans(line) == []


def test_a_line_full_of_matches_reports_some_of_them() -> None:
    assert len(Pattern("a", case=True).spans("a" * 5_000)) == MAX_SPANS


def test_a_pattern_goes_on_after_it_forgot_what_it_remembered() -> None:
    pattern = Pattern("(.x|y.)*z", case=True)
    for number in range(30_000):
        pattern.spans(chr(0x4E00 + number % 20_000) + "x")

    assert pattern.spans("axybz!") == [(0, 5)]
