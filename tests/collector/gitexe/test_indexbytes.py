"""git itself writes these files in tests/system/collector/test_index_bytes.py."""

from diffx.collector.gitexe.indexbytes import may_have_gitlinks, may_have_pinned, may_name


def test_an_index_without_a_gitlink_is_known_by_its_bytes() -> None:
    assert not may_have_gitlinks(b"DIRC\0\0\0\2 no links")
    assert may_have_gitlinks(b"DIRC\0\0\0\2" + b"\0\0\xe0\0")


def test_where_there_is_no_index_there_is_nothing_in_it() -> None:
    assert not may_have_gitlinks(b"")
    assert not may_have_pinned(b"", "sha1")
    assert not may_name(b"", b".gitattributes")
