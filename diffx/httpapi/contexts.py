"""The catalog over HTTP: list, group, show and delete contexts."""

from diffx.httpapi import query
from diffx.httpapi.messages import REVALIDATE, Request, Response, encode_json, etag_of
from diffx.httpapi.shapes import context_shape, groups_shape, page_shape
from diffx.records import ContextQuery
from diffx.review.model import ContextId
from diffx.services.catalog import Catalog
from diffx.services.reviews import Reviews

_MAX_FILTER_CHARS = 400


def list_contexts(catalog: Catalog, request: Request) -> Response:
    page = catalog.find(request.owner, context_query(query.parse_query(request.query)))
    return _revalidated(page_shape(page))


def list_groups(catalog: Catalog, request: Request) -> Response:
    groups = catalog.groups(request.owner, context_query(query.parse_query(request.query)))
    return _revalidated(groups_shape(groups))


def get_context(catalog: Catalog, reviews: Reviews, request: Request) -> Response:
    context = ContextId(request.params["contextId"])
    record = catalog.get(request.owner, context)
    return _revalidated(context_shape(record, reviews.counts(request.owner, context)))


def delete_context(catalog: Catalog, request: Request) -> Response:
    catalog.delete(request.owner, ContextId(request.params["contextId"]))
    return Response(status=204)


def context_query(parameters: query.Parameters) -> ContextQuery:
    """Read the catalog's filters (7.1), or raise InvalidError naming the parameter."""
    state = query.choice(parameters, "state", ("latest", "stale"))
    return ContextQuery(
        text=query.text(parameters, "q", limit=200),
        repository=_filter(parameters, "repository"),
        branch=_filter(parameters, "branch"),
        worktree=_filter(parameters, "worktree"),
        hostname=_filter(parameters, "hostname"),
        source_id=_filter(parameters, "sourceId"),
        run_id=_filter(parameters, "runId"),
        harness=_filter(parameters, "harness"),
        session_id=_filter(parameters, "sessionId"),
        session_name=_filter(parameters, "sessionName"),
        state="latest" if state == "latest" else "stale" if state == "stale" else None,
        changed=query.flag(parameters, "changed"),
        limit=query.number(parameters, "limit", low=1, high=200, default=50),
        cursor=query.text(parameters, "cursor", limit=400),
    )


def _filter(parameters: query.Parameters, name: str) -> tuple[str, ...]:
    return query.texts(parameters, name, limit=_MAX_FILTER_CHARS)


def _revalidated(shape: object) -> Response:
    body = encode_json(shape)
    return Response.raw_json(body, cache=REVALIDATE, etag=etag_of(body))
