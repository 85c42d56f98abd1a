import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.collector.libgit2.indexfile import IndexRefusedError, parse_index


def _index(version: int, *names: bytes, extra: int = 0, extensions: bytes = b"") -> bytes:
    body = b""
    before = b""
    for name in names:
        flags = min(len(name), 0xFFF) | (0x4000 if extra else 0)
        fixed = struct.pack(">10I", 1, 2, 3, 4, 5, 6, 0o100644, 7, 8, 9) + b"\x11" * 20
        entry = fixed + struct.pack(">H", flags) + (struct.pack(">H", extra) if extra else b"")
        if version == 4:
            shared = len(_common(before, name))
            entry += bytes([len(before) - shared]) + name[shared:] + b"\0"
            before = name
        else:
            entry += name
            entry += b"\0" * (8 - len(entry) % 8)
        body += entry
    head = struct.pack(">4sII", b"DIRC", version, len(names))
    return head + body + extensions + b"\0" * 20


def _common(one: bytes, other: bytes) -> bytes:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return one[:count]


@given(
    st.lists(st.binary(min_size=1, max_size=30).filter(lambda name: b"\0" not in name), max_size=9)
)
def test_names_come_back_in_every_version(names: list[bytes]) -> None:
    for version in (2, 3, 4):
        found = parse_index(_index(version, *names), "index")
        assert [entry.path for entry in found.entries] == names


def test_an_entry_has_its_times_size_and_flags() -> None:
    (entry,) = parse_index(_index(3, b"a", extra=0x6000), "index").entries
    assert (entry.ctime_ns, entry.mtime_ns) == (1_000_000_002, 3_000_000_004)
    assert (entry.ino, entry.size, entry.oid) == (6, 9, "11" * 20)
    assert (entry.intent_to_add, entry.skip_worktree, entry.assume_valid) == (True, True, False)


def test_an_absent_index_is_empty() -> None:
    assert parse_index(b"", "index").entries == ()


def test_remembered_trees_are_read_and_forgotten_ones_are_not() -> None:
    tree = b"\0002 2\n" + b"\x22" * 20
    tree += b"sub\0001 1\n" + b"\x33" * 20 + b"deep\000-1 0\n" + b"other\0001 0\n" + b"\x44" * 20
    extension = struct.pack(">4sI", b"TREE", len(tree)) + tree
    found = parse_index(_index(2, b"a", extensions=extension), "index")
    assert found.trees == {b"": "22" * 20, b"sub/": "33" * 20, b"other/": "44" * 20}


@given(st.binary(max_size=200), st.integers(0, 200))
def test_damage_is_one_error_that_names_the_file(noise: bytes, at: int) -> None:
    data = bytearray(_index(2, b"some/name", b"some/other"))
    data[at : at + len(noise)] = noise
    for damaged in (bytes(data), noise, b"DIRC" + noise):
        try:
            parse_index(damaged, "the index")
        except IndexRefusedError as refused:
            assert "the index" in str(refused)


@pytest.mark.parametrize("kind", [b"link", b"sdir", b"zzzz"])
def test_extensions_that_must_be_understood_are_refused(kind: bytes) -> None:
    with pytest.raises(IndexRefusedError, match="install git"):
        parse_index(_index(2, b"a", extensions=struct.pack(">4sI", kind, 0)), "index")
