"""Comments that are still being written, over HTTP: kept so that no browser, tab or port loses them."""

import re
from typing import Final, TypedDict

from diffx.errors import InvalidError
from diffx.httpapi import fields as sent
from diffx.httpapi.messages import REVALIDATE, Request, Response, encode_json, etag_of
from diffx.records import DraftRecord
from diffx.review.comments import MAX_BODY_CHARS
from diffx.review.model import ContextId
from diffx.services.reviews import Reviews

_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class DraftShape(TypedDict):
    """A comment that is still being written."""

    key: str
    body: str
    idempotencyKey: str
    writtenAt: int


def list_drafts(reviews: Reviews, request: Request) -> Response:
    drafts = reviews.drafts(request.owner, ContextId(request.params["contextId"]))
    text = encode_json({"drafts": [draft_shape(draft) for draft in drafts]})
    return Response.raw_json(text, cache=REVALIDATE, etag=etag_of(text))


def put_draft(reviews: Reviews, request: Request) -> Response:
    """Keep what is written so far; what it is about is the writer's to say in the key."""
    fields = sent.read_object(request, ("body", "idempotencyKey"))
    body = sent.needed_text(fields, "body", limit=MAX_BODY_CHARS)
    if not body.strip():
        raise InvalidError("there is nothing to keep; delete the draft instead", field="body")
    retry = sent.needed_text(fields, "idempotencyKey", limit=sent.MAX_KEY_CHARS)
    context = ContextId(request.params["contextId"])
    reviews.keep_draft(request.owner, context, _key(request), body, retry)
    return Response(status=204)


def delete_draft(reviews: Reviews, request: Request) -> Response:
    context = ContextId(request.params["contextId"])
    reviews.drop_draft(request.owner, context, _key(request))
    return Response(status=204)


def draft_shape(draft: DraftRecord) -> DraftShape:
    return DraftShape(
        key=draft.key, body=draft.body, idempotencyKey=draft.retry, writtenAt=draft.written_at
    )


def _key(request: Request) -> str:
    key = request.params["draftKey"]
    if not _KEY.fullmatch(key):
        raise InvalidError("a draft's key is letters, digits and _ . - alone", field="draftKey")
    return key
