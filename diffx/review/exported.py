"""Read an export back: the one gate for threads that come from a file (8.4)."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from diffx.errors import InvalidError
from diffx.review.comments import (
    MAX_QUOTE_BYTES,
    MAX_REPLIES,
    MAX_THREADS,
    RESOLUTIONS,
    Anchor,
    Author,
    Lines,
    Resolution,
    ThreadStatus,
    check_body,
    check_text,
)
from diffx.review.export import EXPORT_FORMAT, EXPORT_VERSION
from diffx.review.model import SCOPES, Digest, GitPath, Millis
from diffx.review.paths import file_id

MAX_IMPORTED: Final = MAX_THREADS
MAX_LABEL_CHARS: Final = 200
_MAX_SAID_CHARS: Final = 8_192
_MAX_PATH_CHARS: Final = 8_192
_MAX_NUMBER: Final = 1 << 31
_MAX_TIME: Final = 1 << 53
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,80}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedReply:
    """A reply as a file has it; `origin` is its id there."""

    origin: str
    author: Author
    body: str
    created_at: Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedThread:
    """A thread as a file has it. Its author is what the file claims, and labelled as such."""

    origin: str
    anchor: Anchor
    author: Author
    body: str
    created_at: Millis
    status: ThreadStatus
    resolution: Resolution | None
    quote: bytes | None
    hunk: bytes | None
    replies: tuple[ImportedReply, ...]


def read_export(text: bytes) -> tuple[ImportedThread, ...]:
    """Read a JSON export, or raise InvalidError with the path of the offending field."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidError("this is no JSON", field="body") from None
    return decode_export(raw)


def decode_export(raw: object) -> tuple[ImportedThread, ...]:
    fields = _object(raw, "body")
    if fields.get("format") != EXPORT_FORMAT:
        raise InvalidError(f"this is no {EXPORT_FORMAT} export", field="format")
    if fields.get("version") != EXPORT_VERSION:
        raise InvalidError(f"only version {EXPORT_VERSION} can be imported", field="version")
    listed = _list(fields.get("threads"), "threads", MAX_IMPORTED)
    return tuple(_thread(each, f"threads[{at}]") for at, each in enumerate(listed))


def _thread(raw: object, at: str) -> ImportedThread:
    fields = _object(raw, at)
    replies = _list(fields.get("replies", []), f"{at}.replies", MAX_REPLIES)
    status = fields.get("status")
    if status not in ("open", "resolved"):
        raise InvalidError("must be open or resolved", field=f"{at}.status")
    resolution = fields.get("resolution")
    if resolution is not None and resolution not in RESOLUTIONS:
        raise InvalidError(f"must be one of {', '.join(RESOLUTIONS)}", field=f"{at}.resolution")
    return ImportedThread(
        origin=_id(fields.get("id"), f"{at}.id"),
        anchor=_anchor(fields, at),
        author=_author(fields.get("author"), f"{at}.author"),
        body=check_body(_text(fields.get("body"), f"{at}.body"), f"{at}.body"),
        created_at=_time(fields.get("createdAt"), f"{at}.createdAt"),
        status=cast(ThreadStatus, status),
        resolution=cast("Resolution | None", resolution) if status == "resolved" else None,
        quote=_bytes(fields, "code", at),
        hunk=_bytes(fields, "hunk", at),
        replies=tuple(
            _reply(each, f"{at}.replies[{index}]") for index, each in enumerate(replies)
        ),
    )


def _reply(raw: object, at: str) -> ImportedReply:
    fields = _object(raw, at)
    return ImportedReply(
        origin=_id(fields.get("id"), f"{at}.id"),
        author=_author(fields.get("author"), f"{at}.author"),
        body=check_body(_text(fields.get("body"), f"{at}.body"), f"{at}.body"),
        created_at=_time(fields.get("createdAt"), f"{at}.createdAt"),
    )


def _anchor(fields: Mapping[str, Any], at: str) -> Anchor:
    scope = fields.get("scope")
    if scope not in SCOPES:
        raise InvalidError(f"must be one of {', '.join(SCOPES)}", field=f"{at}.scope")
    path = _path(fields, at)
    fingerprint = fields.get("fingerprint")
    if fingerprint is not None and not (
        isinstance(fingerprint, str) and _DIGEST.fullmatch(fingerprint)
    ):
        raise InvalidError("must be a SHA-256 in lower-case hex", field=f"{at}.fingerprint")
    return Anchor(
        scope=scope,
        file=None if path is None else file_id(path),
        path=path,
        lines=_lines(fields, at, path),
        fingerprint=None if fingerprint is None else Digest(fingerprint),
    )


def _path(fields: Mapping[str, Any], at: str) -> GitPath | None:
    shown = fields.get("path")
    path = None
    if shown is not None:
        path = _text(shown, f"{at}.path", _MAX_PATH_CHARS).encode("utf-8")
        if not path:
            raise InvalidError("is no path", field=f"{at}.path")
    if "pathBytes" in fields:
        path = _base64(fields["pathBytes"], f"{at}.pathBytes", _MAX_PATH_CHARS)
    if path is None:
        return None
    if not path or b"\0" in path:
        raise InvalidError("is no path", field=f"{at}.path")
    return GitPath(path)


def _lines(fields: Mapping[str, Any], at: str, path: GitPath | None) -> Lines | None:
    side = fields.get("side")
    if side is None:
        return None
    if side not in ("old", "new") or path is None:
        raise InvalidError("must be old or new, of a file", field=f"{at}.side")
    start = _number(fields.get("startLine"), f"{at}.startLine", 1, _MAX_NUMBER)
    end = _number(fields.get("endLine"), f"{at}.endLine", start, _MAX_NUMBER)
    return Lines(side=side, start=start, end=end)


def _author(raw: object, at: str) -> Author:
    """Keep who the file says it was as a name; an import can never speak as a session."""
    fields = _object(raw, at)
    said = {
        key: _text(fields[key], f"{at}.{key}", _MAX_SAID_CHARS)
        for key in ("kind", "name", "harness", "sessionId", "sessionName")
        if fields.get(key) is not None
    }
    parts = [said[key] for key in ("name", "harness", "sessionName") if said.get(key)]
    label = ", ".join(parts)
    if len(label) > MAX_LABEL_CHARS:
        # Its own export must be read back too.
        label = label[: MAX_LABEL_CHARS - 1] + "…"
    return Author(kind="import", name=label or None)


def _bytes(fields: Mapping[str, Any], name: str, at: str) -> bytes | None:
    """Return code as its bytes: those beside the text, where it is not UTF-8."""
    data = None
    if fields.get(name) is not None:
        # Where bytes come along, the text shows each bad one as four characters.
        data = _text(fields[name], f"{at}.{name}", MAX_QUOTE_BYTES * 4).encode("utf-8")
    if f"{name}Bytes" in fields:
        data = _base64(fields[f"{name}Bytes"], f"{at}.{name}Bytes", MAX_QUOTE_BYTES * 2)
    if data is not None and len(data) > MAX_QUOTE_BYTES:
        raise InvalidError(f"more than {MAX_QUOTE_BYTES >> 10} KiB", field=f"{at}.{name}")
    return data


def _base64(raw: object, at: str, limit: int) -> bytes:
    try:
        return base64.b64decode(_text(raw, at, limit), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidError("is no base64", field=at) from None


def _object(raw: object, at: str) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise InvalidError("must be an object", field=at)
    return raw


def _list(raw: object, at: str, limit: int) -> list[object]:
    if not isinstance(raw, list):
        raise InvalidError("must be a list", field=at)
    if len(raw) > limit:
        raise InvalidError(f"at most {limit} at once", field=at)
    return raw


def _text(raw: object, at: str, limit: int = 1 << 20) -> str:
    if not isinstance(raw, str):
        raise InvalidError("must be a text", field=at)
    if len(raw) > limit:
        raise InvalidError(f"longer than {limit} characters", field=at)
    return check_text(raw, at)


def _id(raw: object, at: str) -> str:
    if not isinstance(raw, str) or not _ID.fullmatch(raw):
        raise InvalidError("is no id", field=at)
    return raw


def _number(raw: object, at: str, low: int, high: int) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not low <= raw <= high:
        raise InvalidError(f"must be a number from {low} to {high}", field=at)
    return raw


def _time(raw: object, at: str) -> Millis:
    return Millis(_number(raw, at, 0, _MAX_TIME))
