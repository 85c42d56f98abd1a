"""What git stores of a working-tree file: line ends, ident and encodings, as convert.c has it (2.9).

No filter program is run; a file under one is compared as it is.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["binary", "text", "auto"]

_IDENT: Final = re.compile(rb"\$Id:[^$\n]*\$")
_PRINTED_CONTROLS: Final = b"\b\t\x1b\f"
_OTHER: Final = bytes(char for char in range(128) if char < 32 or char == 127)
_UTF: Final = re.compile(r"utf-?(16|32)-?(le|be)?(-bom)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LineEnds:
    """The settings of a repository: core.autocrlf is on (true or input)."""

    auto: bool = False


def to_git(
    data: bytes,
    attributes: Mapping[str, str],
    settings: LineEnds,
    stored: Callable[[], bytes | None],
) -> bytes:
    """Return the content as git would store it.

    `stored` gives the blob that the index has for the path: a file that holds CRLF there keeps
    them under automatic conversion.
    """
    encoding = attributes.get("working-tree-encoding")
    if encoding is not None and encoding not in ("set", "unset"):
        data = _decoded(data, encoding)
    data = _line_feeds(data, _action(attributes, settings), stored)
    if attributes.get("ident") == "set":
        data = _IDENT.sub(b"$Id$", data)
    return data


def _action(attributes: Mapping[str, str], settings: LineEnds) -> Action:
    said = _said(attributes.get("text")) or _said(attributes.get("crlf"))
    if said == "binary":
        return said
    if attributes.get("eol") in ("lf", "crlf") and said != "auto":
        return "text"
    return said or ("auto" if settings.auto else "binary")


def _said(value: str | None) -> Action | None:
    return _ACTIONS.get(value) if value is not None else None


_ACTIONS: Final[Mapping[str, Action]] = {
    "set": "text",
    "unset": "binary",
    "input": "text",
    "auto": "auto",
}


def _line_feeds(data: bytes, action: Action, stored: Callable[[], bytes | None]) -> bytes:
    if action == "binary" or b"\r\n" not in data:
        return data
    if action == "auto":
        if _is_binary(data):
            return data
        before = stored()
        if before is not None and b"\r\n" in before and not _is_binary(before):
            return data
    return data.replace(b"\r\n", b"\n")


def _is_binary(data: bytes) -> bool:
    """Judge as convert.c does, which is not how diff.c does it."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    ends = data.count(b"\n") + data.count(b"\r")
    printed = len(data.translate(None, _OTHER)) + _count(data, _PRINTED_CONTROLS)
    odd = len(data) - ends - printed - data.endswith(b"\x1a")
    return printed >> 7 < odd


def _count(data: bytes, members: bytes) -> int:
    return len(data) - len(data.translate(None, members))


def _decoded(data: bytes, encoding: str) -> bytes:
    """Return UTF-8; what cannot be read stays as it is, and then git calls it an error too."""
    try:
        wide = _UTF.fullmatch(encoding)
        if wide is None:
            return data.decode(encoding).encode("utf-8")
        return _wide(data, wide[1], (wide[2] or "").lower(), bool(wide[3])).encode("utf-8")
    except (LookupError, ValueError):
        return data


def _wide(data: bytes, width: str, order: str, marked: bool) -> str:
    """Read UTF-16 or UTF-32 under git's rules for byte order marks (utf8.c)."""
    marks = {
        "le": getattr(codecs, f"BOM_UTF{width}_LE"),
        "be": getattr(codecs, f"BOM_UTF{width}_BE"),
    }
    found = next((name for name, mark in marks.items() if data.startswith(mark)), None)
    if order and not marked and found is not None:
        raise ValueError("a byte order mark where the name already tells the order")
    if (marked or not order) and found is None:
        raise ValueError("no byte order mark")
    if found is not None:
        data = data[len(marks[found]) :]
    return data.decode(f"utf-{width}-{found or order}")
