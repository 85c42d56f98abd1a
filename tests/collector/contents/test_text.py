import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diffx.collector.contents.text import Readable, encoding_of, is_binary, readable


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("na\u00efve \u2028 caf\u00e9\n".encode(), "na\u00efve \u2028 caf\u00e9\n", "utf-8"),
        (b"\xef\xbb\xbfhi", "\ufeffhi", "utf-8"),
        ("na\u00efve\n".encode("latin-1"), "na\u00efve\n", "latin-1"),
        (b"x" * 9000 + b"\0tail", "x" * 9000 + "\0tail", "utf-8"),
        (b"\xff\xfea\0\n\0", "a\n", "utf-16-le"),
        (b"\xfe\xff\0a\0\n", "a\n", "utf-16-be"),
        (b"\xff\xfe\0\0a\0\0\0", "a", "utf-32-le"),
        (b"\0\0\xfe\xff\0\0\0a", "a", "utf-32-be"),
        ("hello\nworld\n".encode("utf-16-le"), "hello\nworld\n", "utf-16-le"),
        ("hello\nworld\n".encode("utf-16-be"), "hello\nworld\n", "utf-16-be"),
    ],
)
def test_text_is_recognised_and_marked(data: bytes, text: str, encoding: str) -> None:
    assert readable(data) == Readable(text.encode(), encoding)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xfe" + bytes(range(256)) * 4,  # a mark in front of what is no UTF-16
        b"\xff\xfe\x01\0\x02\0",  # decodes, but to control characters
        b"".join(n.to_bytes(2, "little") for n in range(1, 400)),  # an array of numbers
        b"a\0b\0c\0" * 10,  # no line end: not enough to go by
        "d\u00e4\n\U0001f600".encode("utf-32-le"),
    ],
)
def test_what_git_takes_for_binary_stays_binary(data: bytes) -> None:
    assert is_binary(data)
    assert readable(data) == "binary"


@pytest.mark.parametrize(
    ("declared", "data", "text"),
    [
        ("UTF-16", b"\xff\xfea\0", "a"),
        ("UTF-16", "ab".encode("utf-16-be")[:0] + b"\xfe\xff\0a", "a"),
        ("UTF-16LE", b"a\0", "a"),
        ("utf-16be", b"\0a", "a"),
        ("UTF-16LE-BOM", b"\xff\xfea\0", "a"),
        ("UTF-32BE", b"\0\0\0a", "a"),
        ("SHIFT_JIS", "\u65e5\u672c".encode("shift_jis"), "\u65e5\u672c"),
        ("windows-1252", b"\x80", "\u20ac"),
        ("UTF-8", b"a", "a"),
    ],
)
def test_a_declared_encoding_is_used(declared: str, data: bytes, text: str) -> None:
    found = readable(data, declared=declared)
    assert isinstance(found, Readable)
    assert found.text == text.encode()


@pytest.mark.parametrize(
    "declared",
    [
        *("zlib", "rot13", "hex", "base64", "idna", "punycode", "undefined"),
        *("unicode_escape", "raw-unicode-escape", "no-such", "../../os", "a\0b", "", "x" * 5000),
    ],
)
def test_a_declared_name_that_is_no_charset_is_said_to_be_one(declared: str) -> None:
    assert readable(b"\\u0041\n", declared=declared) == "encoding"


def test_bytes_that_are_not_in_the_declared_encoding_are_withheld() -> None:
    assert readable(b"a\0b", declared="UTF-16") == "encoding"
    assert readable(b"\x00\xd8", declared="UTF-16LE") == "encoding"


@given(
    st.binary(max_size=300) | st.text(max_size=80).map(lambda text: text.encode("utf-16")),
    st.none()
    | st.sampled_from(["UTF-16", "UTF-32", "utf-7", "cp037", "SHIFT_JIS", "big5"])
    | st.text(max_size=20),
)
@example(b"\xff\xfe\x00\xd8", None)
def test_whatever_comes_out_is_valid_utf8_for_json(data: bytes, declared: str | None) -> None:
    found = readable(data, declared=declared)
    if isinstance(found, Readable):
        json.loads(json.dumps(found.text.decode("utf-8"), ensure_ascii=False).encode("utf-8"))
    else:
        assert found in ("binary", "encoding")


@given(st.text(max_size=200))
def test_text_in_utf16_with_a_mark_comes_back_whole(text: str) -> None:
    plain = "".join(char for char in text if char >= " ")
    found = readable(plain.encode("utf-16"))
    if plain:
        assert isinstance(found, Readable)
        assert found.text == plain.encode()


def test_a_patch_reads_as_utf8_or_latin1() -> None:
    assert encoding_of(b"-caf\xc3\xa9") == "utf-8"
    assert encoding_of(b"-caf\xe9") == "latin-1"
