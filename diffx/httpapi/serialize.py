"""Write a Response's head as bytes: status line, fields, and the headers every answer carries."""

import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from diffx.httpapi.messages import Response
from diffx.review.model import Millis

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

_STATUS_LINES: Final = {
    int(status): f"HTTP/1.1 {int(status)} {status.phrase}\r\n".encode("ascii")
    for status in HTTPStatus
}
# On every answer, whatever it is (10.4). There is no CORS field anywhere, on purpose.
_SECURITY: Final = (
    b"X-Content-Type-Options: nosniff\r\n"
    b"Referrer-Policy: no-referrer\r\n"
    b"Cross-Origin-Opener-Policy: same-origin\r\n"
    b"Cross-Origin-Resource-Policy: same-origin\r\n"
)
_BODILESS: Final = frozenset({204, 304})
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


def head_bytes(response: Response, *, keep_alive: bool, date: bytes) -> bytes:
    """Write everything up to the body. A stream has no length: it ends with its connection."""
    fields: list[tuple[str, str]] = []
    if response.media_type is not None and response.status not in _BODILESS:
        fields.append(("Content-Type", response.media_type))
    if response.cache:
        fields.append(("Cache-Control", response.cache))
    if response.etag is not None:
        fields.append(("ETag", _etag(response)))
    fields.extend(response.headers)
    if response.stream is None and response.status not in _BODILESS:
        fields.append(("Content-Length", str(len(response.body))))
    fields.append(("Content-Security-Policy", response.policy))
    fields.append(("Connection", "keep-alive" if keep_alive else "close"))
    return b"".join((_STATUS_LINES[response.status], date, _SECURITY, _written(fields), b"\r\n"))


def date_field(now: Millis) -> bytes:
    """Write a Date field (RFC 9110 5.6.7)."""
    at = time.gmtime(now // 1000)
    day, month = _DAYS[at.tm_wday], _MONTHS[at.tm_mon - 1]
    return (
        f"Date: {day}, {at.tm_mday:02} {month} {at.tm_year} "
        f"{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} GMT\r\n"
    ).encode("ascii")


def _written(fields: Sequence[tuple[str, str]]) -> bytes:
    text = "".join([f"{name}: {value}\r\n" for name, value in fields])
    if text.count("\n") != len(fields):
        raise ValueError("a response header holds a line break")
    return text.encode("latin-1")


def _etag(response: Response) -> str:
    """A compressed body is other bytes for the same state: its tag can only be weak."""
    compressed = any(name == "Content-Encoding" for name, _ in response.headers)
    return f'W/"{response.etag}"' if compressed else f'"{response.etag}"'
