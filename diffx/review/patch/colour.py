r"""Colour in a patch: what git added is taken off, escapes of the files themselves stay.

Git puts a colour before the marker of a line, repeats it behind the marker of an added line, and
ends every piece with a reset. Whitespace errors are pieces of their own. A file's own escapes
look alike, so only sequences at those places are removed, never escapes in general.
"""

import re
from typing import Final

_SEQUENCE: Final = rb"\x1b\[[0-9;]{0,40}m"
_FIRST_HEADER: Final = re.compile(
    rb"^((?:" + _SEQUENCE + rb"){0,4})(?:diff --|diff -|--- |commit [0-9a-f]{7}|@@)[^\n]*$", re.M
)
COLOURED_HEADER: Final = (
    rb"(?:" + _SEQUENCE + rb"){1,4}(?:diff --(?:git|cc|combined) |commit [0-9a-f]{7}|--- )"
)
_COLOURED_HEADER: Final = re.compile(COLOURED_HEADER)
_LEADING: Final = re.compile(rb"^((?:" + _SEQUENCE + rb"){1,4})", re.M)
_RESET_AT_END: Final = re.compile(rb"(\x1b\[0?m)\r?$")
_PALETTE_LIMIT: Final = 64


def is_coloured(data: bytes) -> bool:
    """Say if the first header of the stream is coloured; escapes elsewhere prove nothing."""
    if b"\x1b[" not in data:
        return False
    first = _FIRST_HEADER.search(data)
    return first is not None and bool(first[1])


def turns_coloured(data: bytes, at: int) -> bool:
    """Say if the line at this place is the coloured header of a file or a commit."""
    return _COLOURED_HEADER.match(data, at) is not None


def without_colour(data: bytes) -> bytes:
    """Take the colour off a stream that `is_coloured`."""
    first = _FIRST_HEADER.search(data)
    ending = None if first is None else _RESET_AT_END.search(first[0])
    reset = b"\x1b[m" if ending is None else ending[1]
    palette = _palette(data, reset)
    again = re.escape(reset) + rb"(?:" + palette + rb")"
    spaces = re.escape(reset) + _SEQUENCE + rb"([ \t\r]+)" + re.escape(reset)
    data = re.sub(spaces + rb"(?:" + palette + rb")?", rb"\1", data)
    if reset == b"\x1b[m":  # git ends context lines with a reset as well, others do not
        data = re.sub(again, b"", data)
        data = re.sub(
            rb"^((?:" + palette + rb")?@@+ [^\n]*? @@+)\x1b\[m( ?)\x1b\[m",
            rb"\1\2",
            data,
            flags=re.M,
        )
        data = re.sub(rb"^ \x1b\[m", b" ", data, flags=re.M)
        # The TAB behind a name with a blank in it comes after the reset, like a CR.
        data = re.sub(rb"\x1b\[m(?=[\r\t]?$)", b"", data, flags=re.M)
        return re.sub(rb"^(?:" + palette + rb")", b"", data, flags=re.M)
    line = rb"^(?:" + palette + rb")([^\n]*?)(?:" + re.escape(reset) + rb")?(\r?)$"
    return re.sub(line, rb"\1\2", data, flags=re.M)


def _palette(data: bytes, reset: bytes) -> bytes:
    """Return an alternation of the colours that lines begin with, the longest first."""
    found: set[bytes] = set()
    for leading in _LEADING.finditer(data):
        found.add(leading[1])
        if len(found) >= _PALETTE_LIMIT:
            break
    found.discard(reset)
    return (
        b"|".join(re.escape(colour) for colour in sorted(found, key=len, reverse=True)) or rb"(?!)"
    )
