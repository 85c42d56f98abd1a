r"""File names in patch headers: quoting, prefixes and what else stands beside them.

Git writes a name with a control character, a quote or a backslash as a C string, with bytes as
octal escapes; names are read back byte for byte (2.6). Whatever prefixes a patch was made with
(`a/` `b/`, `i/` `w/`, none, any others), the name is what its two sides have in common.
"""

import re
from typing import Final

from diffx.review.model import GitPath

DEV_NULL: Final = b"/dev/null"
_ESCAPE: Final = re.compile(rb"\\([abfnrtv\"\\]|[0-3][0-7]{2})")
_QUOTED: Final = re.compile(rb'"((?:[^"\\\n]|\\[abfnrtv"\\]|\\[0-3][0-7]{2})*)"')
_LETTERS: Final = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_ESCAPES: Final = {byte: b"\\%c" % letter for letter, byte in _LETTERS.items()}
_NEEDS_QUOTES: Final = re.compile(rb'[\x00-\x1f\x7f"\\]')
# Some mailers turn the TAB before a time stamp into blanks.
_STAMP: Final = re.compile(
    rb" +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?$"
    rb"| +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}(?: [+-]\d{4})?$"
)
_STANDARD: Final = b"abciow12"  # a b; with diff.mnemonicPrefix also c i o w and 1 2
# No system has longer names; beyond this a hostile one is taken as it stands.
_LONGEST: Final = 1 << 14
_TRIES: Final = 64


def unquote(raw: bytes) -> tuple[bytes, int] | None:
    """Read a C string at the start of `raw`: its value, and how many bytes it took."""
    found = _QUOTED.match(raw, 0, _LONGEST)
    if found is None:
        return None
    return _ESCAPE.sub(_unescape, found[1]), found.end()


def quote(name: bytes) -> bytes:
    """Return the name as Git would write it; bytes that are not UTF-8 become octal escapes."""
    octal = not (name.isascii() or _is_utf8(name))
    if not octal and _NEEDS_QUOTES.search(name) is None:
        return name
    return b'"' + b"".join([_escape(byte, octal=octal) for byte in name]) + b'"'


def header_name(field: bytes) -> tuple[bytes, bytes]:
    """Split what follows `--- ` or `+++ ` into the name and the stamp behind it."""
    field = field.removesuffix(b"\r")
    quoted = unquote(field) if field.startswith(b'"') else None
    if quoted is not None:
        return quoted[0], field[quoted[1] :].strip()
    name, _, stamp = field.partition(b"\t")
    if not stamp and (found := _STAMP.search(name[-64:])):
        stamp = found[0].strip()
        name = name[: len(name) - len(found[0])]
    return name, stamp


def whole_name(field: bytes) -> bytes:
    """Read a field that is one name and nothing else, such as that of `rename from`."""
    field = field.removesuffix(b"\r")
    quoted = unquote(field)
    return quoted[0] if quoted is not None and quoted[1] == len(field) else field


def strip_prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Take the prefixes off the two sides' names; the results differ if the names do."""
    if old == new:
        return old, new
    if old[1:2] == new[1:2] == b"/" and old[0] in _STANDARD and new[0] in _STANDARD:
        return old[2:], new[2:]
    common = _common_tail(old, new)
    return (common, common) if common else (old, new)


def split_pair(
    rest: bytes, *, new: bytes | None = None, old: bytes | None = None
) -> tuple[bytes, bytes] | None:
    """Split what follows `diff --git ` into its two names.

    Unquoted names may hold blanks. `old` and `new` are what other lines said; without them the
    two names must be one name with two prefixes, because a rename has lines of its own.
    """
    rest = rest.removesuffix(b"\r")
    if rest.startswith(b'"'):
        first = unquote(rest)
        if first is None or rest[first[1] : first[1] + 1] != b" ":
            return None
        return first[0], whole_name(rest[first[1] + 1 :])
    if rest.endswith(b'"') and (at := rest.find(b' "')) > 0:
        return rest[:at], whole_name(rest[at + 1 :])
    if new is not None and rest.endswith(b" " + new):
        return rest[: -len(new) - 1], new
    if old is not None and rest.startswith(old + b" "):
        return old, rest[len(old) + 1 :]
    return _split_unquoted(rest)


def usable(name: bytes) -> GitPath | None:
    """Return the name as a Git path, None if it cannot be one."""
    name = name[: _LONGEST + 1].lstrip(b"/")
    return GitPath(name) if 0 < len(name) <= _LONGEST and b"\0" not in name else None


def _split_unquoted(rest: bytes) -> tuple[bytes, bytes] | None:
    middle = len(rest) // 2
    left, right = rest[:middle], rest[middle + 1 :]
    if rest[middle : middle + 1] == b" " and len(set(strip_prefixes(left, right))) == 1:
        return left, right
    if len(rest) > _LONGEST or rest.count(b" ") > _TRIES:
        return None
    best: tuple[int, bytes, bytes] | None = None
    at = rest.find(b" ")
    while at >= 0:
        left, right = rest[:at], rest[at + 1 :]
        names = strip_prefixes(left, right)
        if names[0] == names[1] and names[0] and (best is None or len(names[0]) > best[0]):
            best = len(names[0]), left, right
        at = rest.find(b" ", at + 1)
    return None if best is None else best[1:]


def _common_tail(old: bytes, new: bytes) -> bytes:
    """Return the longest run of last path components that both names share."""
    mine, theirs = old.split(b"/"), new.split(b"/")
    same = 0
    for left, right in zip(reversed(mine), reversed(theirs), strict=False):
        if left != right:
            break
        same += 1
    return b"/".join(mine[len(mine) - same :])


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([_LETTERS[code[0]] if len(code) == 1 else int(code, 8)])


def _escape(byte: int, *, octal: bool) -> bytes:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    if byte < 0x20 or byte == 0x7F or (octal and byte >= 0x80):
        return b"\\%03o" % byte
    return b"%c" % byte
