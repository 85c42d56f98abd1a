"""Mail around a patch: quoted-printable, base64 and multipart bodies, in a mailbox or alone.

Only transfer encodings are undone. The patch's bytes are the files' bytes, so a charset is never
applied to them (git am does the same).
"""

import binascii
import re
from typing import Final

from diffx.review.patch.model import PatchError

_NEEDED: Final = re.compile(
    rb"^Content-(?:Transfer-Encoding:[ \t]*(?:quoted-printable|base64)|Type:[ \t]*multipart/)",
    re.M | re.I,
)
_MESSAGE: Final = re.compile(
    rb"^From [^\n]{0,200}\d\d:\d\d:\d\d \d{4}[^\n]{0,40}\n(?=[A-Za-z0-9-]{1,80}:)", re.M
)
_FIELD: Final = re.compile(rb"[A-Za-z0-9-]{1,80}:")
_FIELDS_END: Final = re.compile(rb"\n(?![A-Za-z0-9-]{1,80}:|[ \t])")
_ENCODING: Final = re.compile(rb"^Content-Transfer-Encoding:[ \t]*([A-Za-z0-9-]+)", re.M | re.I)
_BOUNDARY: Final = re.compile(
    rb'^Content-Type:[ \t]*multipart/(?:[^\n]|\n[ \t])*?boundary="?([^"\s;]+)', re.M | re.I
)
_DEPTH: Final = 4
_LONGEST_HEAD: Final = 1 << 16


def unwrap(data: bytes) -> bytes | None:
    """Return the stream with every mail body decoded, None if there is nothing to decode."""
    if _NEEDED.search(data) is None:
        return None
    starts = [found.start() for found in _MESSAGE.finditer(data)]
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    pieces: list[bytes] = []
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        line = data.find(b"\n", start) + 1 if data.startswith(b"From ", start) else start
        pieces += [data[start:line], _entity(data[line:end], _DEPTH)]
    result = b"".join(pieces)
    return None if result == data else result


def fields_end(data: bytes, at: int = 0) -> int:
    """Return where the header fields at `at` end; `at` itself if there are none."""
    if _FIELD.match(data, at) is None:
        return at
    last = _FIELDS_END.search(data, at)
    return len(data) if last is None else last.end()


def _entity(entity: bytes, depth: int) -> bytes:
    """Decode one message or one part: its header fields stay, its body becomes plain."""
    end = fields_end(entity)
    if not 0 < end <= _LONGEST_HEAD:
        return entity
    head, body = entity[:end], entity[end:]
    boundary = _BOUNDARY.search(head)
    if boundary is not None and depth > 0:
        return head + _parts(body, boundary[1], depth)
    encoding = _ENCODING.search(head)
    name = b"" if encoding is None else encoding[1].lower()
    if name == b"quoted-printable":
        return head + _unix(binascii.a2b_qp(body))
    if name == b"base64":
        return head + b"\n" + _unix(_base64(body))
    return entity


def _parts(body: bytes, boundary: bytes, depth: int) -> bytes:
    """Join the decoded parts; what stands before the first and after the last is no content."""
    pieces = re.split(
        rb"^--" + re.escape(boundary) + rb"(?:--)?[ \t]*\r?\n", b"\n" + body, flags=re.M
    )
    decoded = []
    for piece in pieces[1:]:
        part = _entity(piece, depth - 1)
        text = part[fields_end(part) :].removeprefix(b"\n")
        decoded.append(text if text.endswith(b"\n") or not text else text + b"\n")
    return b"\n" + b"".join(decoded)


def _base64(body: bytes) -> bytes:
    try:
        return binascii.a2b_base64(body)
    except binascii.Error as error:
        line = body.strip()[:40].decode("ascii", "replace")
        raise PatchError(f"the base64 body of a mail is damaged ({error}), at {line!r}") from error


def _unix(text: bytes) -> bytes:
    """Text in mail ends its lines with CRLF; a body where every line does is such a text."""
    if text.count(b"\n") == text.count(b"\r\n"):
        return text.replace(b"\r\n", b"\n")
    return text
