"""How an author's version of one file differs from their next, whatever the base did meanwhile.

The earlier version is first carried over to the later base by a three-way merge. What that alone
changes is *upstream*; what then still differs from the later version is the *author's* doing. So a
clean rebase shows no author change by construction, and an edit of the author's is never taken for
the base's: the upstream part holds only what the two bases themselves differ in (9.1).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from diffx.review.linediff import Change, Effort, LineDiff, diff, split_lines

CONTEXT_LINES: Final = 3

Origin = Literal["author", "upstream"]
Kind = Literal[" ", "-", "+"]


class Row(NamedTuple):
    """One line of an interdiff; `old` and `new` count from 1, None on the side without it.

    `text` keeps its line feed, if it has one. `origin` is None for a line that both have.
    """

    kind: Kind
    origin: Origin | None
    old: int | None
    new: int | None
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Interdiff:
    """The lines that lead from one after side to another, each with who changed it.

    `undone` counts upstream lines that the later version does not have: they are on neither side,
    and leaving them out is the author's change. `coarse` says that a budget ended, so that a
    smaller change may be shown as a larger one.
    """

    rows: tuple[Row, ...]
    undone: int = 0
    conflict: bool = False
    coarse: bool = False

    def count(self, kind: Kind, origin: Origin) -> int:
        return sum(1 for row in self.rows if row.kind == kind and row.origin == origin)

    @property
    def author(self) -> bool:
        """Whether the author changed anything."""
        return self.undone > 0 or any(row.origin == "author" for row in self.rows)

    @property
    def upstream(self) -> bool:
        return any(row.origin == "upstream" for row in self.rows)


@dataclass(frozen=True, slots=True)
class Sides:
    """The four texts of one file: both versions of it and what each was compared with.

    A side that does not exist is empty.
    """

    old_base: bytes
    old: bytes
    new_base: bytes
    new: bytes


def interdiff(sides: Sides, effort: Effort | None = None) -> Interdiff:
    """Compare two versions of a file, telling the author's changes from the base's."""
    effort = effort or Effort()
    old, new = split_lines(sides.old), split_lines(sides.new)
    carried = _Carried.unmoved(old)
    if sides.old_base != sides.new_base:
        carried = _carry(
            split_lines(sides.old_base), old, split_lines(sides.new_base), new, effort
        )
    last = diff([text for text, _ in carried.lines], new, effort)
    rows, undone = _rows(carried, last, old, new)
    return Interdiff(
        rows=tuple(_grouped(rows)),
        undone=undone,
        conflict=carried.conflict,
        coarse=carried.coarse or last.coarse,
    )


def plain(old: bytes, new: bytes, effort: Effort | None = None) -> Interdiff:
    """Compare two texts of which nothing says who changed what: all of it is the author's."""
    return interdiff(Sides(b"", old, b"", new), effort)


def unified(rows: Sequence[Row], context: int = CONTEXT_LINES) -> bytes:
    """Write the hunks of an interdiff as a unified patch without file headers."""
    return b"".join(_hunk(rows, start, end) for start, end in _spans(rows, context))


@dataclass(frozen=True, slots=True)
class _Carried:
    """A version carried to another base: its lines, each with its place in the version or None."""

    lines: list[tuple[bytes, int | None]]
    conflict: bool = False
    coarse: bool = False

    @classmethod
    def unmoved(cls, old: Sequence[bytes]) -> "_Carried":
        return cls([(text, at) for at, text in enumerate(old)])


def _carry(
    base: list[bytes], old: list[bytes], moved: list[bytes], new: list[bytes], effort: Effort
) -> _Carried:
    """Apply to `old` what `moved` changed of `base`, as a three-way merge does.

    Where both changed the same lines differently, `old` is kept: what the later version has there
    is the author's resolution and shown as theirs.
    """
    ours, theirs = diff(base, old, effort), diff(base, moved, effort)
    order = _Order(new, effort)
    lines: list[tuple[bytes, int | None]] = []
    conflict = False
    for chunk in _chunks(ours, theirs):
        # What the later base took over from this very version is in it already (a squash merge).
        done = {_edit(each, old) for each in chunk.ours}
        theirs_only = [each for each in chunk.theirs if _edit(each, moved) not in done]
        clash = _overlap(chunk.ours, theirs_only)
        absorbed = _absorbed(chunk, old, moved) if clash else None
        if absorbed is not None:
            lines += absorbed
            continue
        conflict = conflict or clash
        if clash or not theirs_only:
            lines += [(old[at], at) for at in range(*chunk.old)]
        else:
            chunk = chunk._replace(theirs=theirs_only)
            lines += _woven(chunk, old, moved, _upstream_first(chunk, old, moved, order))
    return _Carried(lines, conflict, ours.coarse or theirs.coarse)


class _Chunk(NamedTuple):
    """Base lines of which no line is kept by both, or a run that both keep."""

    base: tuple[int, int]
    old: tuple[int, int]
    ours: list[Change]
    theirs: list[Change]


def _chunks(ours: LineDiff, theirs: LineDiff) -> Iterator[_Chunk]:
    """Cut the base where a line of it is kept by both sides; changes of neither are kept whole."""
    waiting = sorted(
        [(change, 0) for change in ours.changes()] + [(change, 1) for change in theirs.changes()],
        key=lambda each: (each[0].old_start, each[0].old_end, each[1]),
    )
    kept, old = 0, 0
    at = 0
    while at < len(waiting):
        sides: tuple[list[Change], list[Change]] = ([], [])
        start = waiting[at][0].old_start
        end = start
        while at < len(waiting) and (waiting[at][0].old_start <= end):
            change, side = waiting[at]
            sides[side].append(change)
            end = max(end, change.old_end)
            at += 1
        yield _Chunk((kept, start), (old, old + start - kept), [], [])
        old += start - kept
        size = (
            end
            - start
            + sum(
                change.new_end - change.new_start - (change.old_end - change.old_start)
                for change in sides[0]
            )
        )
        yield _Chunk((start, end), (old, old + size), *sides)
        kept, old = end, old + size
    yield _Chunk((kept, ours.old_size), (old, ours.new_size), [], [])


def _overlap(mine: Sequence[Change], other: Sequence[Change]) -> bool:
    """Say whether two sides changed the same base lines, or one inside what the other replaced."""
    at = to = 0
    while at < len(mine) and to < len(other):
        one, two = mine[at], other[to]
        if one.old_start < two.old_end and two.old_start < one.old_end:
            return True
        if one.old_end < two.old_end:
            at += 1
        else:
            to += 1
    return False


def _absorbed(
    chunk: _Chunk, old: list[bytes], moved: list[bytes]
) -> list[tuple[bytes, int | None]] | None:
    """Return a later base that holds this version's lines among its own, None if it does not.

    So it is after a squash merge with edits beside it: what the base has more is upstream's.
    """
    if len(chunk.theirs) != 1:
        return None
    (other,) = chunk.theirs
    if any(c.old_start < other.old_start or c.old_end > other.old_end for c in chunk.ours):
        return None
    lines: list[tuple[bytes, int | None]] = []
    places = [at for each in chunk.ours for at in range(each.new_start, each.new_end)]
    found = 0
    for text in moved[other.new_start : other.new_end]:
        mine = found < len(places) and old[places[found]] == text
        lines.append((text, places[found] if mine else None))
        found += mine
    # A mere removal would be held by any base; it is no text that was taken over.
    return lines if places and found == len(places) else None


def _edit(change: Change, lines: list[bytes]) -> tuple[int, int, tuple[bytes, ...]]:
    """Name what a change does to the base."""
    added = tuple(lines[change.new_start : change.new_end])
    return change.old_start, change.old_end, added


def _woven(
    chunk: _Chunk, old: list[bytes], moved: list[bytes], upstream_first: bool
) -> Iterator[tuple[bytes, int | None]]:
    """Yield a chunk with the changes of both sides, which only touch each other."""
    edits = [(change, 0) for change in chunk.ours] + [(change, 1) for change in chunk.theirs]
    first = 1 if upstream_first else 0
    edits.sort(key=lambda each: (each[0].old_start, each[0].old_end, each[1] != first))
    base, place = chunk.base[0], chunk.old[0]
    for change, side in edits:
        while base < change.old_start:
            yield old[place], place
            base, place = base + 1, place + 1
        base = max(base, change.old_end)
        if side == 1:
            yield from ((moved[at], None) for at in range(change.new_start, change.new_end))
            place += change.old_end - change.old_start
        else:
            yield from ((old[at], at) for at in range(change.new_start, change.new_end))
            place += change.new_end - change.new_start
    while place < chunk.old[1]:
        yield old[place], place
        place += 1


class _Order:
    """Answers whether a run of lines stands in the later version, while the budget lasts."""

    def __init__(self, lines: list[bytes], effort: Effort) -> None:
        self._text = b"".join(b"\0" + line for line in lines)
        self._steps = len(lines) // 10 + 1
        self._effort = effort

    def holds(self, run: list[bytes]) -> bool:
        if not self._effort.spend(self._steps):
            return False
        return b"".join(b"\0" + line for line in run) in self._text


def _upstream_first(chunk: _Chunk, old: list[bytes], moved: list[bytes], order: _Order) -> bool:
    """Where both inserted at one place, take the order that the later version chose."""
    mine = {each[:2]: each for each in chunk.ours}
    for other in chunk.theirs:
        here = mine.get(other[:2])
        if here is not None:
            added = moved[other.new_start : other.new_end]
            return order.holds(added + old[here.new_start : here.new_end])
    return False


def _rows(
    carried: _Carried, last: LineDiff, old: list[bytes], new: list[bytes]
) -> tuple[list[Row], int]:
    """Join both steps: what carrying changed, then what the author changed after it."""
    rows: list[Row] = []
    places = last.to_new()
    at_old = at_new = undone = 0

    def upstream_removals(end: int) -> None:
        rows.extend(Row("-", "upstream", at + 1, None, old[at]) for at in range(at_old, end))

    def author_additions(end: int) -> None:
        rows.extend(Row("+", "author", None, at + 1, new[at]) for at in range(at_new, end))

    for (text, source), target in zip(carried.lines, places, strict=True):
        if source is not None:
            upstream_removals(source)
            at_old = source + 1
        if target >= 0:
            author_additions(target)
            at_new = target + 1
        if source is not None and target >= 0:
            rows.append(Row(" ", None, source + 1, target + 1, text))
        elif source is not None:
            rows.append(Row("-", "author", source + 1, None, text))
        elif target >= 0:
            rows.append(Row("+", "upstream", None, target + 1, text))
        else:
            undone += 1
    upstream_removals(len(old))
    author_additions(len(new))
    return rows, undone


def _grouped(rows: list[Row]) -> Iterator[Row]:
    """Put the removed lines of each run of changes before its added ones, as patches have them."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in rows:
        if row.kind == "-":
            removed.append(row)
        elif row.kind == "+":
            added.append(row)
        else:
            yield from removed
            yield from added
            removed.clear()
            added.clear()
            yield row
    yield from removed
    yield from added


def _spans(rows: Sequence[Row], context: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of rows that a hunk shows."""
    start = end = -1
    for at, row in enumerate(rows):
        if row.kind == " ":
            continue
        if start < 0:
            start = max(0, at - context)
        elif at - context > end:
            yield start, min(end, len(rows))
            start = at - context
        end = at + 1 + context
    if start >= 0:
        yield start, min(end, len(rows))


def _hunk(rows: Sequence[Row], start: int, end: int) -> bytes:
    shown = rows[start:end]
    old = [row for row in shown if row.kind != "+"]
    new = [row for row in shown if row.kind != "-"]
    head = b"@@ -%b +%b @@\n" % (
        _range(old[0].old if old else None, len(old), _behind(rows, start, 0)),
        _range(new[0].new if new else None, len(new), _behind(rows, start, 1)),
    )
    return head + b"".join(_line(row) for row in shown)


def _behind(rows: Sequence[Row], start: int, side: int) -> int:
    """Return the last line number of a side before a hunk: where an empty range stands."""
    for row in reversed(rows[:start]):
        number = row.new if side else row.old
        if number is not None:
            return number
    return 0


def _range(first: int | None, count: int, behind: int) -> bytes:
    if first is None:
        return b"%d,0" % behind
    return b"%d" % first if count == 1 else b"%d,%d" % (first, count)


def _line(row: Row) -> bytes:
    text = row.kind.encode("ascii") + row.text
    return text if text.endswith(b"\n") else text + b"\n\\ No newline at end of file\n"
