"""Comments over HTTP: threads, answers, the agents' view, export and import (8)."""

from typing import Final, cast

from diffx.errors import InvalidError
from diffx.httpapi import fields as sent
from diffx.httpapi import query
from diffx.httpapi.body import read_json
from diffx.httpapi.messages import REVALIDATE, Request, Response, encode_json, etag_of
from diffx.httpapi.reviewshapes import agent_view_shape, thread_shape, threads_shape
from diffx.review.comments import (
    MAX_BODY_CHARS,
    RESOLUTIONS,
    Lines,
    Resolution,
    Side,
    Thread,
    ThreadId,
    ThreadStatus,
)
from diffx.review.export import FORMATS, Format, Heading, export
from diffx.review.exported import decode_export
from diffx.review.model import ContextId, FileId, Scope
from diffx.services.catalog import Catalog
from diffx.services.reviews import Bulk, NewComment, Reviews, SeenThreads

_MEDIA_TYPES: Final = {
    "xml": "application/xml; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "json": "application/json",
}
_BULK: Final = ("all", "open", "resolved", "stale")


def list_comments(reviews: Reviews, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    scope = query.scope(parameters)
    ported = query.flag(parameters, "includePorted") is True
    context = _context(request)
    seen = reviews.threads(request.owner, context, scope, ported=ported)
    return _revalidated(threads_shape(context, scope, seen))


def add_comment(reviews: Reviews, request: Request) -> Response:
    fields = sent.read_object(
        request,
        ("fileId", "side", "startLine", "endLine", "body", "agent", "idempotencyKey"),
    )
    scope = query.scope(query.parse_query(request.query))
    file = sent.identifier(fields, "fileId")
    comment = NewComment(
        scope=scope,
        file=None if file is None else FileId(file),
        lines=_lines(fields, file),
        body=sent.needed_text(fields, "body", limit=MAX_BODY_CHARS),
    )
    stored = reviews.comment(
        request.owner, _context(request), comment, sent.author(fields), key=_key(fields)
    )
    return _thread(reviews, request, scope, stored, status=201)


def delete_comments(reviews: Reviews, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    which = query.choice(parameters, "status", _BULK)
    if which is None:
        raise InvalidError(f"status must be one of {', '.join(_BULK)}", field="status")
    count = reviews.delete_many(
        request.owner, _context(request), query.scope(parameters), cast(Bulk, which)
    )
    return Response.json({"deleted": count})


def change_comment(reviews: Reviews, request: Request) -> Response:
    fields = sent.read_object(request, ("body", "status"))
    scope = query.scope(query.parse_query(request.query))
    stored = reviews.edit(
        request.owner,
        _context(request),
        _comment(request),
        body=sent.text(fields, "body", limit=MAX_BODY_CHARS),
        status=cast("ThreadStatus | None", sent.choice(fields, "status", ("open", "resolved"))),
    )
    return _thread(reviews, request, scope, stored)


def delete_comment(reviews: Reviews, request: Request) -> Response:
    reviews.delete(request.owner, _context(request), _comment(request))
    return Response(status=204)


def add_reply(reviews: Reviews, request: Request) -> Response:
    fields = sent.read_object(request, ("body", "agent", "idempotencyKey"))
    scope = query.scope(query.parse_query(request.query))
    stored = reviews.reply(
        request.owner,
        _context(request),
        _comment(request),
        sent.needed_text(fields, "body", limit=MAX_BODY_CHARS),
        sent.author(fields),
        key=_key(fields),
    )
    return _thread(reviews, request, scope, stored, status=201)


def list_for_agents(reviews: Reviews, request: Request) -> Response:
    """Answer what an agent needs to know of every thread, and whether it may act on it (8.2)."""
    parameters = query.parse_query(request.query)
    scope = query.scope(parameters)
    context = _context(request)
    resolved = query.flag(parameters, "includeResolved") is True
    seen = reviews.threads(request.owner, context, scope)
    return _revalidated(agent_view_shape(context, scope, seen, resolved=resolved))


def resolve_comment(reviews: Reviews, request: Request) -> Response:
    fields = sent.read_object(request, ("resolution", "note", "agent"))
    scope = query.scope(query.parse_query(request.query))
    stored = reviews.resolve(
        request.owner,
        _context(request),
        _comment(request),
        sent.author(fields),
        resolution=cast("Resolution | None", sent.choice(fields, "resolution", RESOLUTIONS)),
        note=sent.text(fields, "note", limit=MAX_BODY_CHARS),
    )
    return _thread(reviews, request, scope, stored)


def export_comments(catalog: Catalog, reviews: Reviews, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    form = cast(Format, query.choice(parameters, "format", FORMATS) or "xml")
    scope = query.scope(parameters)
    context = _context(request)
    record = catalog.get(request.owner, context)
    heading = Heading(
        context=context,
        scope=scope,
        name=record.provenance.repository_name,
        branch=record.provenance.branch,
    )
    chosen = _chosen(reviews.threads(request.owner, context, scope), parameters)
    text = export(form, heading, chosen.threads).encode("utf-8", "replace")
    return Response(body=text, media_type=_MEDIA_TYPES[form], cache=REVALIDATE, etag=etag_of(text))


def import_comments(reviews: Reviews, request: Request) -> Response:
    new, known = reviews.bring_in(
        request.owner, _context(request), decode_export(read_json(request))
    )
    return Response.json({"imported": new, "known": known})


def _chosen(seen: SeenThreads, parameters: query.Parameters) -> SeenThreads:
    wanted = query.one(parameters, "commentId")
    if wanted is not None and not query.is_id(wanted):
        raise InvalidError("commentId is no id", field="commentId")
    resolved = query.flag(parameters, "includeResolved") is True
    return SeenThreads(
        threads=tuple(
            each
            for each in seen.threads
            if (wanted is None and (resolved or each.thread.status == "open"))
            or each.thread.id == wanted
        ),
        review=seen.review,
        cursor=seen.cursor,
    )


def _lines(fields: sent.Fields, file: str | None) -> Lines | None:
    side = sent.choice(fields, "side", ("old", "new"))
    start = sent.line(fields, "startLine")
    end = sent.line(fields, "endLine")
    if side is None and start is None and end is None:
        return None
    if file is None or side is None or start is None:
        raise InvalidError("lines need fileId, side and startLine", field="startLine")
    return Lines(side=cast(Side, side), start=start, end=start if end is None else end)


def _thread(
    reviews: Reviews, request: Request, scope: Scope, stored: Thread, status: int = 200
) -> Response:
    seen = reviews.thread(request.owner, _context(request), scope, stored.id)
    return Response.json(thread_shape(seen), status=status)


def _context(request: Request) -> ContextId:
    return ContextId(request.params["contextId"])


def _comment(request: Request) -> ThreadId:
    return ThreadId(request.params["commentId"])


def _key(fields: sent.Fields) -> str | None:
    return sent.text(fields, "idempotencyKey", limit=sent.MAX_KEY_CHARS)


def _revalidated(shape: object) -> Response:
    text = encode_json(shape)
    return Response.raw_json(text, cache=REVALIDATE, etag=etag_of(text))
