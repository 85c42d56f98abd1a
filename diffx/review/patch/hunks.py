r"""Where a hunk ends, and what its lines are.

The two counts in a hunk's header decide which lines are its content, whatever those look like:
`--- a/x` inside a hunk is a removed line, after a complete hunk it is a header. Only a hunk whose
counts fit no line boundary is read by appearance, and then it is marked as damaged.

Lines end at LF and nowhere else: CR, form feed, NEL and U+2028 are content. All scanning is done
by searches and counts over the whole text, so the cost is linear and there is no object per line.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from diffx.review.patch.model import Hunk, Line

# Ten digits are more than any file has lines, and keep int() away from hostile lengths.
HUNK_HEADER: Final = re.compile(
    rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@([^\n]*)\n?"
)
_END_OF_RUN: Final = re.compile(rb"\n(?![ +\-\\\n])")
# A header pair with its hunk, or a mail signature: what ends a hunk whose counts cannot.
_LOOKS_LIKE_AN_END: Final = re.compile(rb"^(?:--- [^\n]*\n\+\+\+ [^\n]*\n@@ -|-- ?\r?\n)", re.M)
_PLUS, _MINUS, _BACKSLASH = b"+-\\"


class Span(NamedTuple):
    """Where one hunk lies in a text, and how many lines of each kind it has.

    `start` is the header's first byte, `body` the first line's, `end` is behind the last.
    """

    start: int
    body: int
    end: int
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    context: int
    removed: int
    added: int

    @property
    def damage(self) -> str | None:
        """Say if the lines are not as many as the header counts."""
        old, new = self.context + self.removed, self.context + self.added
        if (old, new) == (self.old_count, self.new_count):
            return None
        return (
            f"the hunk @@ -{self.old_start} +{self.new_start} @@ counts {self.old_count} old and "
            f"{self.new_count} new lines and has {old} and {new}: it was cut short or edited"
        )

    def recounted(self, data: bytes) -> bytes:
        """Return the hunk with a header that counts what it has, so that readers agree on it."""
        old, new = self.context + self.removed, self.context + self.added
        _, _, section = data[self.start : self.body].rstrip(b"\n").partition(b" @@")
        numbers = (self.old_start, old, self.new_start, new)
        return b"@@ -%d,%d +%d,%d @@" % numbers + section + b"\n" + data[self.body : self.end]


def span_at(data: bytes, header: re.Match[bytes]) -> Span:
    """Measure the hunk whose header was matched by `HUNK_HEADER`."""
    old_start, new_start = int(header[1]), int(header[3])
    old = 1 if header[2] is None else int(header[2])
    new = 1 if header[4] is None else int(header[4])
    body = header.end()
    end = _run_end(data, body)
    if end == body:  # nothing there: a million such hunks make a hostile patch
        return Span(header.start(), body, end, old_start, old, new_start, new, 0, 0, 0)
    context, removed, added = _tally(data, body, end)
    if context + removed != old or context + added != new:
        exact = _counted_end(data, body, end, old, new)
        end = _apparent_end(data, body, end) if exact is None else exact
        context, removed, added = _tally(data, body, end)
    return Span(header.start(), body, end, old_start, old, new_start, new, context, removed, added)


def leftover_end(data: bytes, at: int) -> int:
    """Return where lines end that look like content and that no hunk counts; `at` if none do."""
    return _apparent_end(data, at, _run_end(data, at))


def spans(data: bytes) -> Iterator[Span]:
    """Yield the hunks of one file's patch; what stands between them is passed over."""
    at = 0 if data.startswith(b"@@ -") else data.find(b"\n@@ -") + 1
    while at or data.startswith(b"@@ -"):
        header = HUNK_HEADER.match(data, at)
        end = at + 1
        if header is not None:
            span = span_at(data, header)
            yield span
            end = span.end
        at = data.find(b"\n@@ -", end - 1) + 1
        if at == 0:
            return


def hunks(patch: bytes) -> Iterator[Hunk]:
    """Yield the hunks of one file's patch with their lines numbered."""
    for span in spans(patch):
        header = HUNK_HEADER.match(patch, span.start)
        section = b"" if header is None else header[5].removeprefix(b" ")
        yield Hunk(
            old_start=span.old_start,
            old_count=span.old_count,
            new_start=span.new_start,
            new_count=span.new_count,
            section=section,
            lines=tuple(_lines(patch, span)),
            damage=span.damage,
        )


def _lines(patch: bytes, span: Span) -> list[Line]:
    old, new = span.old_start, span.new_start
    lines: list[Line] = []
    body = patch[span.body : span.end].removesuffix(b"\n")
    for raw in body.split(b"\n") if span.end > span.body else ():
        if raw.startswith(b"+"):
            lines.append(Line("+", None, new, raw[1:]))
            new += 1
        elif raw.startswith(b"-"):
            lines.append(Line("-", old, None, raw[1:]))
            old += 1
        elif raw.startswith(b"\\"):
            if lines:
                lines[-1] = lines[-1]._replace(no_newline=True)
        else:
            lines.append(Line(" ", old, new, raw[1:]))
            old += 1
            new += 1
    return lines


def _run_end(data: bytes, body: int) -> int:
    """Return the end of the longest run of lines that could be content."""
    # The search begins at the header's own line feed, so an unfit first line ends it at once.
    found = _END_OF_RUN.search(data, body - 1)
    return len(data) if found is None else found.end()


def _tally(data: bytes, start: int, end: int) -> tuple[int, int, int]:
    """Count context, removed and added lines; a marker of a missing newline is no line."""
    if end <= start:
        return 0, 0, 0
    total = data.count(b"\n", start, end) + (data[end - 1] != 10)
    removed = data.count(b"\n-", start - 1, end)
    added = data.count(b"\n+", start - 1, end)
    markers = data.count(b"\n\\", start - 1, end)
    return total - removed - added - markers, removed, added


def _counted_end(data: bytes, body: int, end: int, old: int, new: int) -> int | None:
    """Return where both counts are used up, None where one is passed before the other."""
    at = body
    while old or new:
        if at >= end:
            return None
        kind = data[at]
        if kind != _BACKSLASH:
            old -= kind != _PLUS
            new -= kind != _MINUS
        if old < 0 or new < 0:
            return None
        at = data.find(b"\n", at, end) + 1 or end
    if at < end and data[at] == _BACKSLASH:
        at = data.find(b"\n", at, end) + 1 or end
    return at


def _apparent_end(data: bytes, body: int, end: int) -> int:
    """Return where a hunk with wrong counts seems to end."""
    found = _LOOKS_LIKE_AN_END.search(data, body, end + len(b"@@ -"))
    if found is not None:
        end = min(end, found.start())
    text = data[body:end]
    return end - max(0, len(text) - len(text.rstrip(b"\n")) - 1)
