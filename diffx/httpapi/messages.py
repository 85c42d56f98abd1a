"""What a transport hands to a handler and gets back: Request, Response, and problem documents."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from http import HTTPStatus
from typing import Final, Protocol, TypedDict

from diffx.errors import DiffxError, InvalidError, Kind
from diffx.review.model import OwnerId

STATUS: Final[Mapping[Kind, HTTPStatus]] = {
    "invalid": HTTPStatus.BAD_REQUEST,
    "missing": HTTPStatus.NOT_FOUND,
    "gone": HTTPStatus.GONE,
    "conflict": HTTPStatus.CONFLICT,
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "failed": HTTPStatus.INTERNAL_SERVER_ERROR,
}

NO_STORE: Final = "no-store"
REVALIDATE: Final = "no-cache"
# Only for URLs whose content can never differ: it names the diff, and a diff never changes.
IMMUTABLE: Final = "private, max-age=31536000, immutable"

# Nothing that is not a page may ever act as one.
DATA_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

# Bytes from a repository, opened by themselves: without an origin, and with nothing to fetch.
IMAGE_POLICY: Final = f"sandbox; {DATA_POLICY}"

# Who asks before anyone was authenticated; owns nothing.
NOBODY: Final = OwnerId("")

RETRY_AFTER_S: Final = "2"

Push = Callable[[bytes], None]
"""Queue bytes for one streaming client, b"" for the end; safe on every thread, never blocks."""
Stream = Callable[[Push], Callable[[], None]]
"""Start pushing to one client; the returned function stops it."""


class BodySink(Protocol):
    """Where a large body goes piece by piece while it arrives; used by one thread at a time."""

    def write(self, piece: bytes) -> None: ...

    def discard(self) -> None:
        """Forget what was written: the request ended before it was whole, or was refused."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as a handler sees it.

    `path` is as sent, still escaped; `params` holds the decoded variable parts of the route.
    Header names are lower-case. `owner` is who asks, once authenticated. A route with a spool
    gets its body in `spooled` and an empty `body`.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    spooled: BodySink | None = None
    owner: OwnerId = NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer. With `stream` set, `body` is only its beginning and the rest is pushed."""

    status: int = 200
    body: bytes = b""
    media_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cache: str = NO_STORE
    etag: str | None = None
    policy: str = DATA_POLICY
    stream: Stream | None = None

    @staticmethod
    def json(value: object, *, status: int = 200, cache: str = NO_STORE) -> "Response":
        return Response.raw_json(encode_json(value), status=status, cache=cache)

    @staticmethod
    def raw_json(
        body: bytes, *, status: int = 200, cache: str = NO_STORE, etag: str | None = None
    ) -> "Response":
        """Answer ready-made JSON as it is, without looking into it."""
        return Response(
            status=status, body=body, media_type="application/json", cache=cache, etag=etag
        )


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)


def encode_json(value: object) -> bytes:
    """Write compact UTF-8 JSON; what is no Unicode text (a lone surrogate) becomes '?'."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


def etag_of(body: bytes) -> str:
    """Name a body by its bytes, for reads whose state has no revision of its own."""
    return blake2b(body, digest_size=12).hexdigest()


class ProblemShape(TypedDict, total=False):
    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    """Say what went wrong, to a person (`detail`) and to a program (`code`) (10.1)."""
    shape = ProblemShape(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=int(status),
        code=code,
        detail=detail,
    )
    if field is not None:
        shape["field"] = field
    return Response(
        status=int(status),
        body=encode_json(shape),
        media_type="application/problem+json",
        headers=headers,
    )


def problem_of(error: DiffxError) -> Response:
    """Project a failure: its kind gives the status, its code the word a client may act on."""
    retry = (("Retry-After", RETRY_AFTER_S),) if error.kind == "busy" else ()
    return problem(
        STATUS[error.kind],
        error.code,
        str(error),
        field=error.field if isinstance(error, InvalidError) else None,
        headers=retry,
    )


def internal_problem() -> Response:
    """Answer a bug: its traceback is in the log, and nothing of it leaves the server."""
    return problem(500, "internal", "diffx failed to answer; its log says why")
