"""Find text in every stored line and path of a scope, a bounded amount of work at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from diffx.errors import InvalidError
from diffx.records import FilePlace, SearchedFile
from diffx.review.find import Finder, Line, Query, reading_order
from diffx.review.model import ContextId, FileId, OwnerId, Scope
from diffx.services.catalog import Catalog

WORK_PER_PAGE: Final = 3_000_000
"""In the finder's steps, a tenth of a microsecond each, more or less."""
BYTES_PER_PAGE: Final = 8 << 20
_CURSOR: Final = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One match: in a path of a file (`line` is None) or in a line of one of its sides."""

    file: FileId
    line: Line | None
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HitPage:
    """Hits in manifest order. A page may be empty and yet not be the last."""

    hits: tuple[Hit, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Look through what a catalog shows."""

    catalog: Catalog
    work_per_page: int = WORK_PER_PAGE
    bytes_per_page: int = BYTES_PER_PAGE

    def find(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        query: Query,
        *,
        cursor: str | None = None,
        limit: int = 200,
    ) -> HitPage:
        """Return the next hits: at least `limit` of them, or what the allotted work found."""
        finder = Finder(query)
        start, skip = _place(cursor)
        page = self.catalog.searched(owner, context, scope, start, max_bytes=self.bytes_per_page)
        hits: list[Hit] = []
        for one in page.files:
            from_line = skip if one.place == start else 0
            for number, found in _found(one, finder, from_line):
                hits += found
                if len(hits) >= limit or finder.work > self.work_per_page:
                    return HitPage(hits=tuple(hits), next_cursor=_cursor(one.place, number + 1))
        following = None if page.following is None else _cursor(page.following, 0)
        return HitPage(hits=tuple(hits), next_cursor=following)


def _found(one: SearchedFile, finder: Finder, from_line: int) -> Iterator[tuple[int, list[Hit]]]:
    """Yield the hits of each line of a file; line 0 stands for its paths."""
    if from_line == 0:
        yield 0, _in_paths(one, finder)
    if not any(text and finder.might(text) for text in (one.patch.text, one.after)):
        return
    after = None if one.after is None else one.after.decode("utf-8", "replace")
    for number, line in enumerate(reading_order(one.patch.shown(), after), 1):
        if number >= from_line:
            spans = finder.spans(line.text)
            yield number, [_hit(one, line, line.text, *span) for span in spans]


def _in_paths(one: SearchedFile, finder: Finder) -> list[Hit]:
    paths = [one.path] if one.old_path is None else [one.old_path, one.path]
    return [_hit(one, None, path, *span) for path in paths for span in finder.spans(path)]


def _hit(one: SearchedFile, line: Line | None, text: str, start: int, end: int) -> Hit:
    return Hit(file=one.file, line=line, text=text, start=start, end=end)


def _place(cursor: str | None) -> tuple[FilePlace, int]:
    if cursor is None:
        return FilePlace(0, 0), 0
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise InvalidError("this cursor was not given out by diffx", field="cursor")
    return FilePlace(int(match[1]), int(match[2])), int(match[3])


def _cursor(place: FilePlace, line: int) -> str:
    return f"{place.block}.{place.position}.{line}"
