"""Patches made in process: a whole new file, and one that was replaced by a small text."""

import hashlib
import re
from typing import Final

from diffx.collector.gitexe.output import quoted_path
from diffx.collector.repository import ObjectFormat
from diffx.review.model import GitPath

_CONTEXT: Final = 3
_NO_NEWLINE: Final = b"\\ No newline at end of file\n"


def blob_id(data: bytes, object_format: ObjectFormat) -> str:
    """Return the id that git gives a blob of this content."""
    digest = hashlib.sha256() if object_format == "sha256" else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def new_file_patch(
    path: GitPath, mode: str, data: bytes, object_format: ObjectFormat, *, binary: bool
) -> bytes:
    """Return the patch that git would print if the file had been added."""
    oid = blob_id(data, object_format)
    old, new = quoted_path(b"a/", path), quoted_path(b"b/", path)
    head = b"diff --git %b %b\nnew file mode %b\nindex %b..%b\n" % (
        old, new, mode.encode(), b"0" * len(oid), oid.encode(),
    )  # fmt: skip
    if binary:
        return head + b"Binary files /dev/null and %b differ\n" % new
    if not data:
        return head
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    hunk = b"@@ -0,0 +1%b @@\n" % (b"" if lines == 1 else b",%d" % lines)
    return head + b"--- /dev/null\n+++ %b\n" % _named(new) + hunk + _marked(b"+", data)


def replacement_patch(
    path: GitPath, modes: tuple[str, str], old: bytes, new: bytes, object_format: ObjectFormat
) -> bytes:
    """Return a patch that turns one text into another in a single hunk.

    Not the smallest patch, but a true one: what both texts begin and end with stays. Meant for
    texts of a few lines, such as Git LFS pointers (2.9).
    """
    a, b = quoted_path(b"a/", path), quoted_path(b"b/", path)
    head = b"diff --git %b %b\n" % (a, b)
    if modes[0] != modes[1]:
        head += b"old mode %b\nnew mode %b\n" % (modes[0].encode(), modes[1].encode())
    before, after = _lines(old), _lines(new)
    if before == after:
        return head
    ids = blob_id(old, object_format).encode(), blob_id(new, object_format).encode()
    same = b" " + modes[0].encode() if modes[0] == modes[1] else b""
    head += b"index %b..%b%b\n--- %b\n+++ %b\n" % (*ids, same, _named(a), _named(b))
    return head + _hunk(before, after)


def _lines(data: bytes) -> list[bytes]:
    """Split after every line feed, and after nothing else."""
    return [line for line in _LINE.findall(data) if line]


_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")


def _hunk(before: list[bytes], after: list[bytes]) -> bytes:
    shared = min(len(before), len(after))
    start = next((i for i in range(shared) if before[i] != after[i]), shared)
    shared -= start
    tail = next((i for i in range(shared) if before[-1 - i] != after[-1 - i]), shared)
    top = max(0, start - _CONTEXT)
    bottom = min(tail, _CONTEXT)
    gone, came = before[start : len(before) - tail], after[start : len(after) - tail]
    below = before[len(before) - tail : len(before) - tail + bottom]
    around = (start - top) + bottom
    counts = (
        _range(top, around + len(gone)),
        _range(top, around + len(came)),
    )
    parts = [b"@@ -%b +%b @@\n" % counts]
    parts += [_marked(b" ", line) for line in before[top:start]]
    parts += [_marked(b"-", line) for line in gone]
    parts += [_marked(b"+", line) for line in came]
    parts += [_marked(b" ", line) for line in below]
    return b"".join(parts)


def _range(top: int, count: int) -> bytes:
    if count == 0:
        return b"%d,0" % top
    return b"%d" % (top + 1) if count == 1 else b"%d,%d" % (top + 1, count)


def _marked(mark: bytes, data: bytes) -> bytes:
    """Put the mark before every line; only a line feed ends one."""
    ended = data.endswith(b"\n")
    body = data[:-1] if ended else data
    return mark + body.replace(b"\n", b"\n" + mark) + (b"\n" if ended else b"\n" + _NO_NEWLINE)


def _named(name: bytes) -> bytes:
    """Spell a name on a ---/+++ line: git ends one that has a blank in it with a TAB."""
    return name + b"\t" if b" " in name else name
