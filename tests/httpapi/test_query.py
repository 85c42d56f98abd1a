import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.errors import InvalidError
from diffx.httpapi import query


def test_repeated_parameters_keep_their_order_and_blanks_are_decoded() -> None:
    assert query.parse_query("a=1&b=x+y%20z&a=2&&c") == {
        "a": ["1", "2"],
        "b": ["x y z"],
        "c": [""],
    }


@pytest.mark.parametrize("text", ["%", "%4", "%zz", "a%00b", "%ff", "%ed%a0%80", "%u0041"])
def test_a_broken_escape_is_invalid_input(text: str) -> None:
    with pytest.raises(InvalidError):
        query.unescape(text, "path")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20))
def test_what_a_client_escapes_comes_back(text: str) -> None:
    escaped = "".join(f"%{byte:02x}" for byte in text.encode())

    assert query.unescape(escaped, "path") == text


@given(st.text(st.characters(max_codepoint=126, min_codepoint=33), max_size=60))
def test_any_query_is_read_or_refused(text: str) -> None:
    try:
        parsed = query.parse_query(text)
    except InvalidError as error:
        assert error.field
    else:
        assert all(parsed.values())


@pytest.mark.parametrize("value", ["0", "201", "-1", "+5", "1e2", "", "٣", "5 ", "99999999999"])
def test_a_number_out_of_bounds_names_its_parameter(value: str) -> None:
    with pytest.raises(InvalidError) as caught:
        query.number({"limit": [value]}, "limit", low=1, high=200, default=50)

    assert caught.value.field == "limit"


def test_a_parameter_that_means_one_thing_may_not_be_given_twice() -> None:
    with pytest.raises(InvalidError, match="more than once"):
        query.scope({"scope": ["all", "staged"]})


def test_an_unknown_scope_is_invalid() -> None:
    assert query.scope({}) == "all"
    with pytest.raises(InvalidError):
        query.scope({"scope": ["ALL"]})


def test_more_parameters_than_anyone_needs_are_refused() -> None:
    with pytest.raises(InvalidError):
        query.parse_query("&".join(["a=1"] * 201))
