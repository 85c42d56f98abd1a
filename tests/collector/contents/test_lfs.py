import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.collector.contents.lfs import lfs_clean, lfs_pointer, parse_lfs_pointer
from diffx.review.model import Digest

OID = Digest("4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393")


def test_a_pointer_is_written_as_the_specification_shows_it() -> None:
    assert lfs_pointer(OID, 12345) == (
        b"version https://git-lfs.github.com/spec/v1\n"
        b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
        b"size 12345\n"
    )


@given(st.binary(min_size=1, max_size=200))
def test_a_written_pointer_reads_back(data: bytes) -> None:
    digest = Digest(hashlib.sha256(data).hexdigest())
    assert parse_lfs_pointer(lfs_pointer(digest, len(data))) == (digest, len(data))


def test_an_empty_file_and_a_pointer_pass_through_as_in_git_lfs() -> None:
    assert lfs_clean(Digest(hashlib.sha256(b"").hexdigest()), 0, b"") == b""
    pointer = lfs_pointer(OID, 5)
    digest = Digest(hashlib.sha256(pointer).hexdigest())
    assert lfs_clean(digest, len(pointer), pointer) == pointer
    assert lfs_clean(OID, 9 << 20, None) == lfs_pointer(OID, 9 << 20)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"version https://git-lfs.github.com/spec/v1\n",
        lfs_pointer(OID, 5).replace(b"sha256", b"sha512"),
        lfs_pointer(OID, 5).replace(b"4d7a", b"4D7A"),
        lfs_pointer(OID, 5).replace(b"size 5", b"size -5"),
        lfs_pointer(OID, 5).replace(b"size 5", b"size 05"),
        lfs_pointer(OID, 5) + b"more\n",
        lfs_pointer(OID, 5).replace(b"\n", b"\r\n"),
        b"x" * 2000,
    ],
)
def test_what_only_resembles_a_pointer_is_none(data: bytes) -> None:
    assert parse_lfs_pointer(data) is None


def test_older_addresses_and_extensions_are_pointers_too() -> None:
    older = lfs_pointer(OID, 5).replace(b"git-lfs.github.com", b"hawser.github.com")
    extended = lfs_pointer(OID, 5).replace(b"oid", b"ext-0-foo sha256:" + b"a" * 64 + b"\noid")
    assert parse_lfs_pointer(older) == parse_lfs_pointer(extended) == (OID, 5)
