"""A stream as it was received → the bytes that git wrote: encoding, colour, line ends, mail.

What cannot be undone for certain is said: `notes` for the whole stream, `damage` for every file.
"""

import codecs
import re
from dataclasses import dataclass, replace
from typing import Final

from diffx.review.patch.colour import is_coloured, without_colour
from diffx.review.patch.mail import unwrap
from diffx.review.patch.model import PatchError

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BLEACHED: Final = "colour was taken off the patch"
_BARE_LINE_FEED: Final = re.compile(rb"(?<!\r)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A stream that is ready to be read."""

    data: bytes
    coloured: bool = False
    crlf: bool = False
    cut: bool = False
    notes: tuple[str, ...] = ()

    def bleached(self) -> "Received":
        """Return the same for a stream whose colour begins later and was taken off there."""
        return replace(self, coloured=True, notes=(*self.notes, _BLEACHED))


def receive(raw: bytes) -> Received:
    """Undo what pipes, shells, editors and mail did to a patch."""
    notes: list[str] = []
    data = _to_bytes(raw, notes)
    coloured = is_coloured(data)
    if coloured:
        data = without_colour(data)
        notes.append(_BLEACHED)
    crlf = data.endswith(b"\r\n") and _BARE_LINE_FEED.search(data) is None
    if crlf:
        data = data.replace(b"\r\n", b"\n")
    mail = unwrap(data)
    if mail is not None:
        data = mail
        notes.append("mail encoding was undone; line numbers are those of the decoded mail")
    return Received(
        data=data,
        coloured=coloured,
        crlf=crlf,
        cut=bool(data) and not data.endswith(b"\n"),
        notes=tuple(notes),
    )


def _to_bytes(raw: bytes, notes: list[str]) -> bytes:
    """Return the text as UTF-8 or as whatever bytes it is; PowerShell's `>` writes UTF-16."""
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), _guess(raw))
    if encoding is None:
        return raw.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
        data = text.encode("utf-8")
    except UnicodeError as error:
        raise PatchError(
            f"the patch is marked as {encoding.upper()} and is not: {error}; save it as UTF-8"
        ) from error
    notes.append(f"the patch was read as {encoding.upper()}")
    return data


def _guess(raw: bytes) -> str | None:
    """Recognise UTF-16 without a mark: no patch begins with letters and zeros in turn."""
    head = raw[:16]
    if len(head) < 16:
        return None
    if not any(head[1::2]) and 0 not in head[::2] and head[::2].isascii():
        return "utf-16-le"
    if not any(head[::2]) and 0 not in head[1::2] and head[1::2].isascii():
        return "utf-16-be"
    return None
