"""git itself reads these files in tests/system/collector/test_what_is_listed.py."""

import hashlib
import struct

import pytest

from diffx.collector.gitexe.madeindex import Indexed, index_bytes
from diffx.collector.repository import ObjectFormat
from diffx.review.model import GitPath

SHA1 = "ab" * 20
SHA256 = "cd" * 32


@pytest.mark.parametrize("length", [*range(1, 18), 4094, 4095, 4096])
def test_every_entry_ends_in_a_nul_and_on_a_multiple_of_eight(length: int) -> None:
    name = b"x" * length
    content = index_bytes([Indexed(GitPath(name), "100644", SHA1)], "sha1")[:-20]

    entry = content[12:]
    assert len(entry) % 8 == 0
    assert entry[62:].rstrip(b"\0") == name
    assert entry.endswith(b"\0")
    assert struct.unpack(">H", entry[60:62])[0] == min(length, 0xFFF)


@pytest.mark.parametrize(("form", "oid", "size"), [("sha1", SHA1, 20), ("sha256", SHA256, 32)])
def test_entries_are_sorted_counted_and_sealed(form: ObjectFormat, oid: str, size: int) -> None:
    names = [b"zz", b"a/q", b"\xff", b"a.y"]
    made = index_bytes([Indexed(GitPath(name), "120000", oid) for name in names], form)

    content, seal = made[:-size], made[-size:]
    assert content[:12] == b"DIRC" + struct.pack(">LL", 2, len(names))
    assert seal == hashlib.new(form, content).digest()
    assert sorted(names, key=content.index) == sorted(names)
    assert content.count(bytes.fromhex(oid)) == len(names)
