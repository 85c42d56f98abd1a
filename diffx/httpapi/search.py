"""Find over HTTP: every stored line and path of a scope, rendered anywhere or not."""

from typing import TypedDict

from diffx.errors import InvalidError
from diffx.httpapi import query
from diffx.httpapi.messages import Request, Response
from diffx.review.find import MAX_QUERY_CHARS, FoundSide, Query
from diffx.review.model import ContextId
from diffx.services.search import Hit, HitPage, Search

_MOST: int = 1_000
_EXCERPT_CHARS = 200
_BEFORE_CHARS = 40


class HitShape(TypedDict):
    fileId: str
    side: FoundSide | None
    line: int | None
    start: int
    end: int
    excerpt: str
    excerptStart: int


class HitPageShape(TypedDict):
    hits: list[HitShape]
    nextCursor: str | None


def find(search: Search, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    text = query.text(parameters, "q", limit=MAX_QUERY_CHARS)
    if text is None:
        raise InvalidError("q is missing: say what to find", field="q")
    page = search.find(
        request.owner,
        ContextId(request.params["contextId"]),
        query.scope(parameters),
        Query(
            text=text,
            case=query.flag(parameters, "case") or False,
            word=query.flag(parameters, "word") or False,
            regex=query.flag(parameters, "regex") or False,
        ),
        cursor=query.text(parameters, "cursor", limit=400),
        limit=query.number(parameters, "limit", low=1, high=_MOST, default=200),
    )
    return Response.json(hit_page_shape(page))


def hit_page_shape(page: HitPage) -> HitPageShape:
    return HitPageShape(hits=[_shape(hit) for hit in page.hits], nextCursor=page.next_cursor)


def _shape(hit: Hit) -> HitShape:
    """Columns are counted as JavaScript counts them: in UTF-16 units."""
    text = hit.text
    first = max(0, hit.start - _BEFORE_CHARS)
    excerpt = text[first : first + _EXCERPT_CHARS]
    wide = not text.isascii()
    return HitShape(
        fileId=hit.file,
        side=None if hit.line is None else hit.line.side,
        line=None if hit.line is None else hit.line.number,
        start=_units(text[: hit.start]) if wide else hit.start,
        end=_units(text[: hit.end]) if wide else hit.end,
        excerpt=excerpt,
        excerptStart=_units(text[:first]) if wide else first,
    )


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)
