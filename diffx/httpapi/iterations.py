"""Iterations over HTTP: list, compare, finish (9)."""

from typing import Final, cast

from diffx.errors import InvalidError
from diffx.httpapi import fields as sent
from diffx.httpapi import query
from diffx.httpapi.messages import REVALIDATE, Request, Response, encode_json, etag_of
from diffx.httpapi.representation import matches
from diffx.httpapi.reviewshapes import (
    comparison_shape,
    file_interdiff_shape,
    file_interdiffs_shape,
    iterations_shape,
)
from diffx.review.comments import MAX_BODY_CHARS, VERDICTS, Verdict
from diffx.review.model import ContextId, FileId
from diffx.services.iterations import Iterations

_MOST_PATCH_BYTES: Final = 2 << 20


def list_iterations(iterations: Iterations, request: Request) -> Response:
    context = ContextId(request.params["contextId"])
    text = encode_json(iterations_shape(context, iterations.list(request.owner, context)))
    return Response.raw_json(text, cache=REVALIDATE, etag=etag_of(text))


def compare(iterations: Iterations, request: Request) -> Response:
    """Answer what became of every file from the first context to the other."""
    scope = query.scope(query.parse_query(request.query))
    old, new = _pair(request)
    known = _known(iterations, request)
    if known is not None:
        return known
    key, found = iterations.compare(request.owner, old, new, scope)
    return Response.raw_json(
        encode_json(comparison_shape(old, new, scope, found)), cache=REVALIDATE, etag=key
    )


def compare_file(iterations: Iterations, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    known = _known(iterations, request)
    if known is not None:
        return known
    file = FileId(request.params["fileId"])
    key, found = iterations.compare_file(request.owner, *_pair(request), scope, file)
    return Response.raw_json(encode_json(file_interdiff_shape(found)), cache=REVALIDATE, etag=key)


def compare_files(iterations: Iterations, request: Request) -> Response:
    """Answer many files' interdiffs: a browser has six connections to a host."""
    parameters = query.parse_query(request.query)
    wanted = tuple(map(FileId, query.ids(parameters)))
    if not wanted:
        raise InvalidError("ids must name at least one file", field="ids")
    pair, scope = _pair(request), query.scope(parameters)
    key, files = iterations.compare_files(request.owner, *pair, scope, wanted)
    text = encode_json(file_interdiffs_shape(files, most_bytes=_MOST_PATCH_BYTES))
    return Response.raw_json(text, cache=REVALIDATE, etag=f"{key}.{etag_of(text)}")


def finish_review(iterations: Iterations, request: Request) -> Response:
    fields = sent.read_object(request, ("verdict", "summary"))
    verdict = sent.choice(fields, "verdict", VERDICTS)
    if verdict is None:
        raise InvalidError(f"verdict must be one of {', '.join(VERDICTS)}", field="verdict")
    context = ContextId(request.params["contextId"])
    summary = sent.text(fields, "summary", limit=MAX_BODY_CHARS)
    iterations.finish(request.owner, context, cast(Verdict, verdict), summary)
    shape = iterations_shape(context, iterations.list(request.owner, context))
    return Response.json(shape, status=201)


def _pair(request: Request) -> tuple[ContextId, ContextId]:
    params = request.params
    return ContextId(params["contextId"]), ContextId(params["otherContextId"])


def _known(iterations: Iterations, request: Request) -> Response | None:
    """Answer a client that has this comparison already, without making it."""
    field = request.headers.get("if-none-match")
    if field is None:
        return None
    scope = query.scope(query.parse_query(request.query))
    key = iterations.key(request.owner, *_pair(request), scope)
    if not matches(field, key):
        return None
    return Response(status=304, cache=REVALIDATE, etag=key)
