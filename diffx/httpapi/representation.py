"""What every answer goes through last: 304 for a known ETag, compression, no body for HEAD."""

import functools
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from diffx.httpapi.messages import Request, Response
from diffx.records import Deflated

# Below one network packet, compression saves nothing and costs both sides time.
MIN_COMPRESSED: Final = 1_400
_COMPRESSIBLE: Final = ("application/json", "application/yaml", "text/")
_LEVEL: Final = 1  # levels above cost more time than they save bytes on patches and manifests
_GZIP_FORMAT: Final = 31


@functools.lru_cache(maxsize=64)
def accepted_codings(field: str) -> frozenset[str]:
    """Return the content codings that an Accept-Encoding field allows (RFC 9110 12.5.3)."""
    allowed = set()
    for item in field.lower().split(","):
        coding, _, weight = item.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            allowed.add(coding.strip())
    return frozenset(allowed)


def accepts(headers: Mapping[str, str], coding: str) -> bool:
    return coding in accepted_codings(headers.get("accept-encoding", ""))


def matches(field: str | None, etag: str) -> bool:
    """Say whether an If-None-Match field names this ETag, by weak comparison."""
    if field is None:
        return False
    tags = (tag.strip().removeprefix("W/") for tag in field.split(","))
    return any(tag in ("*", f'"{etag}"') for tag in tags)


def finish(request: Request, response: Response) -> Response:
    """Return the answer as this client shall get it."""
    if response.stream is not None:
        return replace(response, body=b"", stream=None) if request.method == "HEAD" else response
    if response.etag is not None and matches(request.headers.get("if-none-match"), response.etag):
        return replace(response, status=304, body=b"")
    if not _worth_compressing(response):
        return response
    if not accepts(request.headers, "gzip"):
        return replace(response, headers=(*response.headers, ("Vary", "Accept-Encoding")))
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_FORMAT)
    return replace(
        response,
        body=compressor.compress(response.body) + compressor.flush(),
        headers=(
            *response.headers,
            ("Content-Encoding", "gzip"),
            ("Vary", "Accept-Encoding"),
        ),
    )


def ready_deflated(text: Deflated, *, cache: str, etag: str) -> Response:
    """Answer JSON that is stored deflated, untouched, to a client that accepts `deflate`."""
    return Response(
        body=text.stream(),
        media_type="application/json",
        headers=(("Content-Encoding", "deflate"), ("Vary", "Accept-Encoding")),
        cache=cache,
        etag=etag,
    )


def _worth_compressing(response: Response) -> bool:
    if len(response.body) < MIN_COMPRESSED or response.media_type is None:
        return False
    if not response.media_type.startswith(_COMPRESSIBLE):
        return False
    return all(name != "Content-Encoding" for name, _ in response.headers)
