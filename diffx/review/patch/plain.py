"""Diffs without git headers: `diff -u`, Subversion, Mercurial; only where they are unambiguous."""

import re
from typing import Final

from diffx.review.patch.headers import Header
from diffx.review.patch.hunks import HUNK_HEADER
from diffx.review.patch.names import DEV_NULL, header_name, strip_prefixes, usable

START: Final = re.compile(rb"--- ([^\n]+)\n\+\+\+ ([^\n]+)\n(?=@@ -)")
INDEX: Final = re.compile(
    rb"Index: ([^\n]+?)\r?\n={20,}\r?\n(Cannot display: file marked as a binary type\.\r?\n)?"
)
BINARY: Final = re.compile(rb"(?:Binary files|Files) ([^\n]+) differ\r?(?:\n|\Z)")
ONLY_IN: Final = re.compile(rb"Only in ([^\n]+?): ([^\n]+)(?:\n|\Z)")
# How tools date the side that does not exist: the epoch in some zone, or in words.
_NOWHEN: Final = re.compile(
    rb"(?:1970-01-01 [01]\d|1969-12-31 [12]\d):\d\d:00|Thu Jan 0?1 0\d:00:00 1970"
    rb"|\(nonexistent\)|\(revision 0\)"
)
_BACKUPS: Final = (b".orig", b".old", b".bak", b".new", b"~")


def read_plain(data: bytes, found: re.Match[bytes]) -> Header:
    """Make a header of a `---`/`+++` pair that `START` found."""
    (old, old_stamp), (new, new_stamp) = header_name(found[1]), header_name(found[2])
    hunk = HUNK_HEADER.match(data, found.end())
    header = Header(end=found.end())
    if old == DEV_NULL or (_NOWHEN.search(old_stamp) and hunk is not None and _empty(hunk, 1)):
        header.status, header.new_mode = "A", "100644"
    elif new == DEV_NULL or (_NOWHEN.search(new_stamp) and hunk is not None and _empty(hunk, 3)):
        header.status, header.old_mode = "D", "100644"
    _take_names(header, old, new)
    return header


def read_binary(found: re.Match[bytes]) -> Header:
    """Make a header of `Binary files one and two differ`."""
    header = Header(end=found.end())
    old, new = (header_name(name)[0] for name in _pair(found[1]))
    if old == DEV_NULL:
        header.status, header.new_mode = "A", "100644"
    elif new == DEV_NULL:
        header.status, header.old_mode = "D", "100644"
    _take_names(header, old, new)
    return header


def _pair(text: bytes) -> tuple[bytes, bytes]:
    """Split `one and two`; where names hold " and " themselves, in the middle if that fits."""
    middle = (len(text) - len(b" and ")) // 2
    if text[middle : middle + 5] == b" and ":
        return text[:middle], text[middle + 5 :]
    one, _, two = text.partition(b" and ")
    return one, two or one


def _empty(hunk: re.Match[bytes], group: int) -> bool:
    return int(hunk[group]) == 0 and hunk[group + 1] == b"0"


def _take_names(header: Header, old: bytes, new: bytes) -> None:
    if DEV_NULL in (old, new):
        header.old = header.new = usable(_without_side(new if old == DEV_NULL else old))
        return
    old, new = strip_prefixes(old, new)
    if old != new:
        old, new = _without_side(old), _without_side(new)
    if old != new and (shorter := _without_backup(old, new)) is not None:
        old = new = shorter
    header.old, header.new = usable(old), usable(new)
    if header.old != header.new and header.status == "M":
        header.status = "R"  # two different files were compared; both names are shown
    elif header.status in ("A", "D"):
        header.old = header.new = header.new if header.status == "A" else header.old


def _without_side(name: bytes) -> bytes:
    return name[2:] if name[:2] in (b"a/", b"b/") else name


def _without_backup(old: bytes, new: bytes) -> bytes | None:
    """Return the name that both mean if one is a backup copy of the other (`x.c.orig`)."""
    short, long = sorted((old, new), key=len)
    return short if long.startswith(short) and long[len(short) :] in _BACKUPS else None
