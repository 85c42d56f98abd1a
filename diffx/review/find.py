"""Find text in changed files: what is asked for, and each place where it stands.

A file is read as a reader meets it: every line of its new side, the removed ones among them where
the patch has them. Lines that no hunk shows come from the stored contents.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from diffx.errors import InvalidError
from diffx.review.pattern import MAX_SPANS, Pattern, is_word

MAX_QUERY_CHARS: Final = 400
MAX_LINE_CHARS: Final = 20_000
"""Beyond this column a line is not searched: such lines are made by machines for machines."""
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORK_PER_LINE: Final = 8

FoundSide = Literal["old", "new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to find. Without `case` letters are alike in either form."""

    text: str
    case: bool = False
    word: bool = False
    regex: bool = False


class Line(NamedTuple):
    """One line of one side of a file."""

    side: FoundSide
    number: int
    text: str


Spans = list[tuple[int, int]]


class Finder:
    """Tells where a query stands in a line; `work` grows with what that took.

    An expression that cannot be used raises InvalidError.
    """

    def __init__(self, query: Query) -> None:
        if not query.text or "\n" in query.text:
            raise InvalidError("q must be text of one line", field="q")
        self._query = query
        self._work = 0
        self._pattern = Pattern(query.text, case=query.case) if query.regex else None
        flags = re.NOFLAG if query.case else re.IGNORECASE
        self._literal = re.compile(re.escape(query.text), flags)

    @property
    def work(self) -> int:
        return self._work + (self._pattern.work if self._pattern else 0)

    def might(self, text: bytes) -> bool:
        """Say quickly whether a whole text may hold it; only a no is certain."""
        if self._pattern is not None or not self._query.text.isascii():
            return True
        wanted = self._query.text.encode("ascii")
        self._work += len(text) >> 6
        if self._query.case:
            return wanted in text
        # Beyond ASCII two letters are the small forms of ASCII ones: the Kelvin sign, the long s.
        return wanted.lower() in text.lower() or not text.isascii()

    def spans(self, line: str) -> Spans:
        """Return the columns of each match in a line, at most MAX_SPANS of them."""
        text = line[:MAX_LINE_CHARS]
        if self._pattern is not None:
            found = self._pattern.spans(text)
        else:
            self._work += (len(text) >> 3) + _WORK_PER_LINE
            found = [match.span() for match in self._literal.finditer(text)]
        if self._query.word:
            found = [span for span in found if _is_whole(text, *span)]
        return found[:MAX_SPANS]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Say whether no word goes on beyond either end of a span."""
    before = start > 0 and is_word(text[start - 1]) and is_word(text[start])
    after = end < len(text) and is_word(text[end - 1]) and is_word(text[end])
    return not before and not after


def reading_order(patch: str | None, after: str | None) -> Iterator[Line]:
    """Yield the lines of a file from its top, of each pair of sides the old one first."""
    stored = None if after is None else _lines(after)
    line = 1
    for old, new, shown in _hunks(patch or ""):
        if stored is not None:
            yield from _stored(stored, line, new)
        line = new
        for sign, text in shown:
            if sign == "-":
                yield Line("old", old, text)
            else:
                yield Line("new", line, text)
            old += sign != "+"
            line += sign != "-"
    if stored is not None:
        yield from _stored(stored, line, len(stored) + 1)


def _stored(lines: list[str], start: int, end: int) -> Iterator[Line]:
    for number in range(start, min(end, len(lines) + 1)):
        yield Line("new", number, lines[number - 1])


Shown = Iterator[tuple[str, str]]


def _hunks(patch: str) -> Iterator[tuple[int, int, Shown]]:
    """Yield the first line of each side and the shown lines, hunk by hunk.

    The lines of one hunk must be used up before the next is asked for.
    """
    lines = iter(patch.split("\n"))
    for text in lines:
        header = _HUNK.match(text)
        if header is None:
            continue
        old_count, new_count = (int(header[group] or 1) for group in (2, 4))
        # An empty side is numbered by the line before it (git's "-0,0" and "-5,0").
        old, new = int(header[1]) + (old_count == 0), int(header[3]) + (new_count == 0)
        yield old, new, _shown(lines, old_count, new_count)


def _shown(lines: Iterator[str], old: int, new: int) -> Shown:
    while old > 0 or new > 0:
        text = next(lines, None)
        if text is None:
            return
        sign = text[:1] or " "
        if sign == "\\":
            continue
        if sign not in " +-\r":
            return
        old -= sign != "+"
        new -= sign != "-"
        yield (sign, text[1:])


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
