"""One strict HTTP/1.1 request parser: bytes in, events out, no socket (RFC 9112).

A connection feeds what arrives and polls for events. A `Head` without a body is a whole request.
One with a body is followed by its pieces as `bytes` and by `END`. Bytes of a following request
wait in the buffer until the caller polls again, so pipelined requests keep their order.

Wherever two servers could disagree about where a request ends, this one refuses (10.3):
more than one length, a length beside a transfer coding, folded lines, line ends that are not
CRLF, blanks before a colon. A refused parser stays refused; nothing after the fault is read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

MAX_HEAD: Final = 32 << 10
MAX_FIELDS: Final = 100
_MAX_CHUNK_LINE: Final = 256
_MAX_TRAILER: Final = 8 << 10

_TOKEN: Final = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
_REQUEST_LINE: Final = re.compile(rb"(" + _TOKEN + rb") ([\x21-\x7e]++) HTTP/(\d)\.(\d)\r\n")
_LINE_START: Final = re.compile(rb"[\x20-\x7e]*+")
# Possessive, so that a hostile block costs one pass: field values hold no CR, LF, NUL or DEL.
_FIELDS: Final = re.compile(rb"(?:" + _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*+\r\n)*+")
_BAD_LINE_END: Final = re.compile(rb"(?<!\r)\n|\r(?=[^\n])")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_CHUNK_LINE: Final = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;[\t\x20-\x7e]*)?")
_AUTHORITY: Final = re.compile(r"[A-Za-z0-9.\-_~:\[\]]+")

# Fields that mean one thing: a second one is an attack or a fault, never a list.
_SINGLE: Final = frozenset(
    {
        "authorization",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "last-event-id",
        "origin",
        "sec-fetch-site",
        "transfer-encoding",
        "x-diffx-state",
    }
)


class ProtocolError(Exception):
    """The bytes are no request that this server serves; the connection cannot go on."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail


class End(Enum):
    """The body of the current request is complete."""

    END = "end"


END: Final = End.END


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The start of one request: its line and fields, and how its body is framed.

    `length` is None for a chunked body, whose length only its end tells.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    length: int | None
    keep_alive: bool
    expects_continue: bool

    @property
    def has_body(self) -> bool:
        return self.length != 0


class _State(Enum):
    HEAD = 0
    LENGTH = 1
    CHUNK_LINE = 2
    CHUNK = 3
    CHUNK_END = 4
    TRAILER = 5
    REFUSED = 6


class RequestParser:
    """Turn one connection's bytes into events; costs time linear in the bytes, however cut."""

    __slots__ = (
        "_body_limit",
        "_body_size",
        "_buffer",
        "_left",
        "_line_checked",
        "_seen",
        "_state",
    )

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._state = _State.HEAD
        self._seen = 0
        self._line_checked = False
        self._left = 0
        self._body_size = 0
        self._body_limit = 0

    @property
    def buffered(self) -> int:
        """How many bytes were fed and not yet turned into an event."""
        return len(self._buffer)

    def limit_body(self, limit: int) -> None:
        """Allow the current request's body so many bytes; without this, none."""
        self._body_limit = limit

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def poll(self) -> Head | bytes | End | None:
        """Return the next event, or None while it needs more bytes; raise ProtocolError."""
        try:
            if self._state is _State.HEAD:
                return self._poll_head()
            if self._state is _State.LENGTH:
                return self._poll_length()
            return self._poll_chunked()
        except ProtocolError:
            self._state = _State.REFUSED
            self._buffer.clear()
            raise

    # -- heads

    def _poll_head(self) -> Head | None:
        buffer = self._buffer
        while not self._line_checked and buffer.startswith(b"\r\n"):
            del buffer[:2]  # RFC 9112 2.2: empty lines before a request are read over
            self._seen = 0
        end = buffer.find(b"\r\n\r\n", max(0, self._seen - 3))
        if end < 0 or end + 4 > MAX_HEAD:
            self._check_unfinished(end)
            return None
        block = bytes(buffer[: end + 2])
        del buffer[: end + 4]
        self._seen = 0
        self._line_checked = False
        head = parse_head(block)
        if head.has_body:
            self._body_size = 0
            self._body_limit = 0
            self._left = head.length or 0
            self._state = _State.CHUNK_LINE if head.length is None else _State.LENGTH
        return head

    def _check_unfinished(self, end: int) -> None:
        """Refuse at once what no further byte can mend, so that it holds no connection."""
        buffer = self._buffer
        first_line = buffer.find(b"\r\n", 0, MAX_HEAD)
        if end >= 0 or len(buffer) > MAX_HEAD:
            if first_line < 0:
                raise ProtocolError(414, "too_large", "the request line is longer than 32 KiB")
            raise ProtocolError(431, "too_large", "the request's head is larger than 32 KiB")
        if _BAD_LINE_END.search(buffer, max(0, self._seen - 1)) is not None:
            raise ProtocolError(400, "invalid", "a line of the request does not end with CRLF")
        if first_line >= 0 and not self._line_checked:
            if _REQUEST_LINE.match(buffer) is None:
                raise _bad_request_line()
            self._line_checked = True
        elif first_line < 0:
            matched = _LINE_START.match(buffer)
            if matched is None or matched.end() < len(buffer.rstrip(b"\r")):
                raise _bad_request_line()
        self._seen = len(buffer)

    # -- bodies

    def _poll_length(self) -> bytes | End | None:
        if self._left > self._body_limit:
            raise _body_too_large(self._body_limit)
        if self._left == 0:
            return self._finish()
        piece = self._take(self._left)
        self._left -= len(piece)
        self._body_limit -= len(piece)
        return piece or None

    def _poll_chunked(self) -> bytes | End | None:
        while True:
            if self._state is _State.CHUNK:
                return self._poll_chunk()
            if self._state is _State.CHUNK_LINE:
                line = self._take_line(_MAX_CHUNK_LINE)
                if line is None:
                    return None
                self._start_chunk(line)
            elif self._state is _State.CHUNK_END:
                line = self._take_line(0)
                if line is None:
                    return None
                self._state = _State.CHUNK_LINE
            elif self._state is _State.TRAILER:
                return self._poll_trailer()
            else:
                raise ProtocolError(400, "invalid", "nothing is read after a refused request")

    def _start_chunk(self, line: bytes) -> None:
        match = _CHUNK_LINE.fullmatch(line)
        if match is None:
            raise ProtocolError(400, "invalid", "a chunk of the body has no valid size")
        self._left = int(match[1], 16)
        self._body_size += self._left
        if self._body_size > self._body_limit:
            raise _body_too_large(self._body_limit)
        self._state = _State.CHUNK if self._left else _State.TRAILER
        self._seen = 0

    def _poll_chunk(self) -> bytes | None:
        piece = self._take(self._left)
        self._left -= len(piece)
        if self._left == 0:
            self._state = _State.CHUNK_END
        return piece or None

    def _poll_trailer(self) -> End | None:
        """Read over trailer fields; no field that arrives after the body means anything here."""
        while True:
            line = self._take_line(_MAX_TRAILER)
            if line is None:
                return None
            if not line:
                return self._finish()
            self._seen += len(line) + 2
            if self._seen > _MAX_TRAILER:
                raise ProtocolError(431, "too_large", "the request's trailer is larger than 8 KiB")
            if _FIELDS.fullmatch(line + b"\r\n") is None:
                raise ProtocolError(400, "invalid", "the request's trailer is malformed")

    def _take(self, most: int) -> bytes:
        piece = bytes(self._buffer[:most])
        del self._buffer[:most]
        return piece

    def _take_line(self, limit: int) -> bytes | None:
        """Take one line without its CRLF, or None until it is whole."""
        end = self._buffer.find(b"\n", 0, limit + 2)
        if end < 0:
            if len(self._buffer) > limit + 1:
                raise ProtocolError(400, "invalid", "the chunks of the body are malformed")
            return None
        line = bytes(self._buffer[: end + 1])
        if not line.endswith(b"\r\n"):
            raise ProtocolError(400, "invalid", "a line of the body's chunks lacks its CR")
        del self._buffer[: end + 1]
        return line[:-2]

    def _finish(self) -> End:
        self._state = _State.HEAD
        self._seen = 0
        return END


def parse_head(block: bytes) -> Head:
    """Read a request line and its fields, each line with its CRLF, or raise ProtocolError."""
    line = _REQUEST_LINE.match(block)
    if line is None:
        raise _bad_request_line()
    method, target = line[1].decode("ascii"), line[2].decode("ascii")
    if line[3] != b"1":
        raise ProtocolError(400, "invalid", "only HTTP/1.1 and HTTP/1.0 are spoken here")
    if _FIELDS.fullmatch(block, line.end()) is None:
        raise ProtocolError(400, "invalid", "a header field of the request is malformed")
    modern = line[4] != b"0"
    headers = _fields(block[line.end() : -2].decode("latin-1"))
    host = headers.get("host")
    if host is None:
        raise ProtocolError(400, "invalid", "the request has no Host field")
    path, query = _split_target(method, target, host)
    length = _framing(headers, modern)
    return Head(
        method=method,
        path=path,
        query=query,
        headers=headers,
        length=length,
        keep_alive=_keeps_alive(headers, modern),
        expects_continue=_expects_continue(headers, modern) and length != 0,
    )


def _fields(text: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    if not text:
        return headers
    lines = text.split("\r\n")
    if len(lines) > MAX_FIELDS:
        raise ProtocolError(431, "too_large", f"the request has more than {MAX_FIELDS} fields")
    for line in lines:
        name, _, value = line.partition(":")
        name = name.lower()
        value = value.strip(" \t")
        if name in headers:
            if name in _SINGLE:
                raise ProtocolError(400, "invalid", f"the request has more than one {name} field")
            value = f"{headers[name]}, {value}"
        headers[name] = value
    return headers


def _split_target(method: str, target: str, host: str) -> tuple[str, str]:
    """Return path and query; the absolute form only where it names the same host as Host."""
    if target.startswith("/"):
        path, _, query = target.partition("?")
    elif target[:7].lower() == "http://":
        authority, slash, rest = target.partition("://")[2].partition("/")
        if authority.lower() != host.lower() or _AUTHORITY.fullmatch(authority) is None:
            raise ProtocolError(421, "misdirected", "the request's address is not this server's")
        path, _, query = (slash + rest).partition("?")
        path = path or "/"
    elif target == "*" and method == "OPTIONS":
        path, query = "*", ""
    else:
        raise _bad_request_line()
    if "#" in target:
        raise ProtocolError(400, "invalid", "the request's address holds a fragment")
    return path, query


def _framing(headers: Mapping[str, str], modern: bool) -> int | None:
    """Return the body's length, 0 for none, None for chunked (RFC 9112 6.3)."""
    coding = headers.get("transfer-encoding")
    length = headers.get("content-length")
    if coding is not None:
        if length is not None or not modern:
            raise ProtocolError(400, "invalid", "the request's body has two framings")
        if coding.lower() != "chunked":
            raise ProtocolError(400, "invalid", "chunked is the only transfer coding spoken here")
        return None
    if length is None:
        return 0
    if _LENGTH.fullmatch(length) is None:
        raise ProtocolError(400, "invalid", "the request's Content-Length is not a length")
    return int(length)


def _keeps_alive(headers: Mapping[str, str], modern: bool) -> bool:
    options = headers.get("connection")
    if options is None:
        return modern
    words = {word.strip() for word in options.lower().split(",")}
    return "close" not in words and (modern or "keep-alive" in words)


def _expects_continue(headers: Mapping[str, str], modern: bool) -> bool:
    expected = headers.get("expect")
    if expected is None or not modern:
        return False
    if expected.lower() != "100-continue":
        raise ProtocolError(417, "invalid", "no expectation but 100-continue can be met")
    return True


def _bad_request_line() -> ProtocolError:
    return ProtocolError(
        400, "invalid", "the request does not start with an HTTP/1.1 request line"
    )


def _body_too_large(limit: int) -> ProtocolError:
    return ProtocolError(413, "too_large", f"the body is larger than the {limit} bytes allowed")
