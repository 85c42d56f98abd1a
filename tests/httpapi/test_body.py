import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.errors import InvalidError
from diffx.httpapi.body import read_json
from diffx.httpapi.messages import Request

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def read(body: bytes) -> object:
    return read_json(Request(method="POST", path="/", body=body))


@given(VALUES, st.booleans())
def test_whatever_a_client_encodes_comes_back(value: object, ascii_only: bool) -> None:
    try:
        body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")
    except UnicodeEncodeError:
        return  # a lone surrogate has no UTF-8

    try:
        assert read(body) == value
    except InvalidError as error:
        assert "surrogate" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[1,]", b"{'a':1}", b"nul", b"\xff", b"\xef\xbb\xbf{}", b"{} {}", b"\x00"),
        *(b"NaN", b"[Infinity]", b"-Infinity", b"9" * 5_000, b'"\xed\xa0\x80"', b'"a\nb"'),
        *(b'{"a": "\\ud83d"}', b'{"\\uDC00": 1}', b'["\\ud83d\\ud83d\\ude00"]'),
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    ],
)
def test_what_is_not_json_as_we_speak_it_is_invalid(body: bytes) -> None:
    with pytest.raises(InvalidError) as caught:
        read(body)

    assert caught.value.field == "body"
    assert "\n" not in str(caught.value)


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert read(b'"\\ud83d\\ude00"') == "\U0001f600"


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_invalid(body: bytes) -> None:
    with contextlib.suppress(InvalidError):
        read(body)
