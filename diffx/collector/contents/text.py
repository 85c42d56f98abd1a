"""Content as text that JSON and a screen can carry, or why it is not (2.5, 2.9).

Whatever comes out is valid UTF-8, so nothing after this needs to ask again.
"""

import codecs
from typing import Final, NamedTuple

from diffx.review.model import Encoding, WithheldReason

_GIT_SNIFFS: Final = 8000
"""git takes content for binary when a NUL is among its first 8000 bytes (xdiff-interface.c)."""

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS: Final[tuple[tuple[bytes, Encoding], ...]] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS: Final = frozenset("\t\n\v\f\r\x1b\x1a\b")
_NOT_CHARSETS: Final = frozenset(
    {"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined", "mbcs", "oem"}
)
"""Python codecs that decode programs' notations, not files."""


class Readable(NamedTuple):
    """Text as UTF-8, and the encoding that the file itself has."""

    text: bytes
    encoding: Encoding


def readable(data: bytes, *, declared: str | None = None) -> Readable | WithheldReason:
    """Return the content as text, or `binary` or `encoding` where it cannot be read as such.

    `declared` is the file's working-tree-encoding attribute and applies to the side in the
    working tree only. Without it: UTF-8 stays as it is; UTF-16 and UTF-32 are known by their
    mark, UTF-16 also by its looks; what git takes for binary is binary; the rest is Latin-1.
    """
    if declared is not None and not _names_utf8(declared):
        return _declared(data, declared)
    marked = _marked(data)
    if marked is not None:
        return marked
    if b"\0" in data[:_GIT_SNIFFS]:
        return _unmarked_utf16(data) or "binary"
    if encoding_of(data) == "utf-8":
        return Readable(data, "utf-8")
    return Readable(data.decode("latin-1").encode("utf-8"), "latin-1")


def is_binary(data: bytes) -> bool:
    """Say whether git would make no lines of this content."""
    return b"\0" in data[:_GIT_SNIFFS]


def encoding_of(data: bytes) -> Encoding:
    """Say how bytes that stay as they are (a patch) read as text: UTF-8, else Latin-1."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _names_utf8(declared: str) -> bool:
    return declared.lower().replace("_", "-") in ("utf-8", "utf8")


def _declared(data: bytes, declared: str) -> Readable | WithheldReason:
    name = declared.lower().replace("_", "-")
    if name.startswith(("utf-16", "utf16", "utf-32", "utf32")):
        return _declared_wide(data, name)
    try:
        codec = codecs.lookup(name)
        if codec.name.replace("_", "-") in _NOT_CHARSETS:
            return "encoding"
        text = data.decode(name)  # refuses zlib, hex and rot13 by itself
    except (LookupError, ValueError):
        return "encoding"
    encoding: Encoding = "latin-1" if codec.name == "iso8859-1" else "other"
    return _as_utf8(text, encoding) or "encoding"


def _declared_wide(data: bytes, name: str) -> Readable | WithheldReason:
    """Read UTF-16 and UTF-32 by their names, git's own `UTF-16LE-BOM` among them."""
    width = "utf-16" if "16" in name[:6] else "utf-32"
    for mark, encoding in _MARKS:
        if encoding.startswith(width) and data.startswith(mark):
            return _decoded(data[len(mark) :], encoding) or "encoding"
    big = name.removesuffix("-bom").endswith("be")
    return _decoded(data, _WIDE[width, big]) or "encoding"


_WIDE: Final[dict[tuple[str, bool], Encoding]] = {
    ("utf-16", False): "utf-16-le",
    ("utf-16", True): "utf-16-be",
    ("utf-32", False): "utf-32-le",
    ("utf-32", True): "utf-32-be",
}


def _marked(data: bytes) -> Readable | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            found = _decoded(data[len(mark) :], encoding)
            if found is not None and _looks_like_text(found.text.decode("utf-8")):
                return found
    return None


def _unmarked_utf16(data: bytes) -> Readable | None:
    """Recognise UTF-16 without a mark, only where nothing else is plausible.

    Every NUL on one side of the pairs, most characters ASCII, a line end, and no control
    characters: arrays of numbers fail one of these.
    """
    head = data[:_GIT_SNIFFS]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(data) % 2 or (even and odd) or max(even, odd) * 10 < len(head) // 2 * 7:
        return None
    found = _decoded(data, "utf-16-be" if even else "utf-16-le")
    if found is None or b"\n" not in found.text:
        return None
    return found if _looks_like_text(found.text.decode("utf-8")) else None


def _decoded(data: bytes, encoding: Encoding) -> Readable | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return _as_utf8(text, encoding)


def _as_utf8(text: str, encoding: Encoding) -> Readable | None:
    try:
        return Readable(text.encode("utf-8"), encoding)
    except UnicodeEncodeError:  # lone surrogates: some codecs make them
        return None


def _looks_like_text(text: str) -> bool:
    return not any(char < " " and char not in _TEXT_CONTROLS for char in set(text))
