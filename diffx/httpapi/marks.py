"""Reviewed marks and the account's settings over HTTP (8.3)."""

import re
from typing import Final

from diffx.errors import InvalidError, TooLargeError
from diffx.httpapi import fields as sent
from diffx.httpapi import query
from diffx.httpapi.markshapes import marks_shape
from diffx.httpapi.messages import REVALIDATE, Request, Response, encode_json, etag_of
from diffx.review.comments import check_text
from diffx.review.model import ContextId, Digest, FileId
from diffx.services.reviews import Reviews

MAX_PREFERENCES_BYTES: Final = 16 << 10
_HUNK: Final = re.compile(r"[0-9]{1,7}", re.ASCII)


def list_marks(reviews: Reviews, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    record = reviews.marks(request.owner, _context(request), scope)
    return _revalidated(marks_shape(scope, record))


def clear_marks(reviews: Reviews, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    reviews.unmark(request.owner, _context(request), scope)
    return Response(status=204)


def put_mark(reviews: Reviews, request: Request) -> Response:
    """Mark a file, by the fingerprint that the reader saw."""
    fields = sent.read_object(request, ("fingerprint",))
    scope = query.scope(query.parse_query(request.query))
    seen = sent.needed_text(fields, "fingerprint", limit=64)
    reviews.mark(request.owner, _context(request), scope, _file(request), Digest(seen))
    return Response(status=204)


def delete_mark(reviews: Reviews, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    reviews.unmark(request.owner, _context(request), scope, _file(request))
    return Response(status=204)


def put_hunk_mark(reviews: Reviews, request: Request) -> Response:
    """Mark one hunk of a file, by the fingerprint of the file that the reader saw."""
    fields = sent.read_object(request, ("fingerprint",))
    scope = query.scope(query.parse_query(request.query))
    seen = sent.needed_text(fields, "fingerprint", limit=64)
    reviews.mark_hunk(request.owner, _context(request), scope, _hunk(request), Digest(seen))
    return Response(status=204)


def delete_hunk_mark(reviews: Reviews, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    reviews.unmark_hunk(request.owner, _context(request), scope, _hunk(request))
    return Response(status=204)


def get_preferences(reviews: Reviews, request: Request) -> Response:
    return _revalidated({"preferences": reviews.preferences(request.owner)})


def put_preferences(reviews: Reviews, request: Request) -> Response:
    """Replace the account's settings, which only its pages understand."""
    fields = sent.read_object(request, ("preferences",))
    preferences = fields.get("preferences")
    if not isinstance(preferences, dict):
        raise InvalidError("preferences must be an object", field="preferences")
    try:
        text = encode_json(preferences)
    except ValueError:
        raise InvalidError("preferences must be JSON", field="preferences") from None
    if len(text) > MAX_PREFERENCES_BYTES:
        raise TooLargeError(f"preferences are more than {MAX_PREFERENCES_BYTES >> 10} KiB")
    check_text(str(preferences), "preferences")
    reviews.set_preferences(request.owner, preferences)
    return Response.json({"preferences": preferences})


def _context(request: Request) -> ContextId:
    return ContextId(request.params["contextId"])


def _file(request: Request) -> FileId:
    return FileId(request.params["fileId"])


def _hunk(request: Request) -> tuple[FileId, int]:
    number = request.params["hunk"]
    if _HUNK.fullmatch(number) is None:
        raise InvalidError("a hunk is its number in the patch, from 0 on", field="hunk")
    return _file(request), int(number)


def _revalidated(shape: object) -> Response:
    text = encode_json(shape)
    return Response.raw_json(text, cache=REVALIDATE, etag=etag_of(text))
