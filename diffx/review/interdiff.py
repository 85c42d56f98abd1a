"""How an author's version of one file differs from their next, whatever the base did meanwhile.

The earlier version is first carried over to the later base by a three-way merge. What that alone
changes is *upstream*; what then still differs from the later version is the *author's* doing. So a
clean rebase shows no author change by construction, and an edit of the author's is never taken for
the base's: the upstream part holds only what the two bases themselves differ in (9.1).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from diffx.review.linediff import Change, Effort, LineDiff, Match, diff, split_lines

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

    `rows` are the changed lines and up to three unchanged ones around them, as hunks show them.
    `undone` counts upstream lines that the later version does not have: they are on neither side,
    and leaving them out is the author's change. `coarse` says that a budget ended, so that a
    smaller change may be shown as a larger one.
    """

    rows: tuple[Row, ...]
    undone: int = 0
    conflict: bool = False
    coarse: bool = False

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
    carried = _Carried([_Piece(True, 0, len(old))])
    moved: list[bytes] = []
    if sides.old_base != sides.new_base:
        moved = split_lines(sides.new_base)
        carried = _carry(split_lines(sides.old_base), old, moved, new, effort)
    last = diff(carried.text(old, moved), new, effort)
    blocks, undone = _blocks(carried.pieces, last, len(old), len(new))
    return Interdiff(
        rows=tuple(_rows(_grouped(blocks), old, new)),
        undone=undone,
        conflict=carried.conflict,
        coarse=carried.coarse or last.coarse,
    )


def plain(old: bytes, new: bytes, effort: Effort | None = None) -> Interdiff:
    """Compare two texts of which nothing says who changed what: all of it is the author's."""
    return interdiff(Sides(b"", old, b"", new), effort)


def unified(rows: Sequence[Row]) -> bytes:
    """Write the hunks of an interdiff as a unified patch without file headers."""
    return b"".join(_hunk(shown, behind) for shown, behind in _hunks(rows))


class _Piece(NamedTuple):
    """A run of lines of the earlier version (`mine`) or of the later base."""

    mine: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Carried:
    """A version carried over to another base, as pieces of both."""

    pieces: list[_Piece]
    conflict: bool = False
    coarse: bool = False

    def text(self, old: list[bytes], moved: list[bytes]) -> list[bytes]:
        lines: list[bytes] = []
        for piece in self.pieces:
            lines += (old if piece.mine else moved)[piece.start : piece.end]
        return lines


def _carry(
    base: list[bytes], old: list[bytes], moved: list[bytes], new: list[bytes], effort: Effort
) -> _Carried:
    """Apply to `old` what `moved` changed of `base`, as a three-way merge does.

    Where both changed the same lines differently, `old` is kept: what the later version has there
    is the author's resolution and shown as theirs.
    """
    ours, theirs = diff(base, old, effort), diff(base, moved, effort)
    order = _Order(new, effort)
    pieces: list[_Piece] = []
    conflict = False
    for chunk in _chunks(ours, theirs):
        # What the later base took over from this very version is in it already (a squash merge).
        done = {_edit(each, old) for each in chunk.ours}
        theirs_only = [each for each in chunk.theirs if _edit(each, moved) not in done]
        clash = _overlap(chunk.ours, theirs_only)
        absorbed = _absorbed(chunk, old, moved) if clash else None
        if absorbed is not None:
            pieces += absorbed
        elif clash or not theirs_only:
            conflict = conflict or clash
            pieces.append(_Piece(True, *chunk.old))
        else:
            chunk = chunk._replace(theirs=theirs_only)
            pieces += _woven(chunk, _upstream_first(chunk, old, moved, order))
    return _Carried(pieces, conflict, ours.coarse or theirs.coarse)


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


def _absorbed(chunk: _Chunk, old: list[bytes], moved: list[bytes]) -> list[_Piece] | None:
    """Return a later base that holds this version's lines among its own, None if it does not.

    So it is after a squash merge with edits beside it: what the base has more is upstream's.
    """
    if len(chunk.theirs) != 1:
        return None
    (other,) = chunk.theirs
    if any(c.old_start < other.old_start or c.old_end > other.old_end for c in chunk.ours):
        return None
    pieces: list[_Piece] = []
    places = [at for each in chunk.ours for at in range(each.new_start, each.new_end)]
    found = 0
    for at in range(other.new_start, other.new_end):
        mine = found < len(places) and old[places[found]] == moved[at]
        place = places[found] if mine else at
        pieces.append(_Piece(mine, place, place + 1))
        found += mine
    # A mere removal would be held by any base; it is no text that was taken over.
    return pieces if places and found == len(places) else None


def _edit(change: Change, lines: list[bytes]) -> tuple[int, int, tuple[bytes, ...]]:
    """Name what a change does to the base."""
    added = tuple(lines[change.new_start : change.new_end])
    return change.old_start, change.old_end, added


def _woven(chunk: _Chunk, upstream_first: bool) -> Iterator[_Piece]:
    """Yield a chunk with the changes of both sides, which only touch each other."""
    edits = [(change, 0) for change in chunk.ours] + [(change, 1) for change in chunk.theirs]
    first = 1 if upstream_first else 0
    edits.sort(key=lambda each: (each[0].old_start, each[0].old_end, each[1] != first))
    base, place = chunk.base[0], chunk.old[0]
    for change, side in edits:
        if base < change.old_start:
            yield _Piece(True, place, place + change.old_start - base)
            place += change.old_start - base
        base = change.old_end
        if side == 1:
            yield _Piece(False, change.new_start, change.new_end)
            place += change.old_end - change.old_start
        else:
            yield _Piece(True, change.new_start, change.new_end)
            place = change.new_end
    yield _Piece(True, place, chunk.old[1])


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


class _Block(NamedTuple):
    """A run of rows of one kind: where it begins on both sides, counted from 0."""

    kind: Kind
    origin: Origin | None
    old: int
    new: int
    size: int


def _blocks(
    pieces: list[_Piece], last: LineDiff, old_size: int, new_size: int
) -> tuple[list[_Block], int]:
    """Join both steps: what carrying changed, then what the author changed after it."""
    blocks: list[_Block] = []
    at_old = at_new = undone = 0
    for piece, start, target, size in _steps(pieces, last):
        if piece.mine:
            blocks.append(_Block("-", "upstream", at_old, at_new, start - at_old))
            at_old = start
        if target >= 0:
            blocks.append(_Block("+", "author", at_old, at_new, target - at_new))
            at_new = target
        kind, origin = _fate(piece.mine, target >= 0)
        if kind is None:
            undone += size
            continue
        blocks.append(_Block(kind, origin, at_old, at_new, size))
        at_old += size if kind != "+" else 0
        at_new += size if kind != "-" else 0
    blocks.append(_Block("-", "upstream", at_old, at_new, old_size - at_old))
    blocks.append(_Block("+", "author", old_size, at_new, new_size - at_new))
    return _joined(blocks), undone


def _joined(blocks: list[_Block]) -> list[_Block]:
    """Drop what is empty, and join unchanged runs that nothing visible divides."""
    found: list[_Block] = []
    for block in blocks:
        if block.size and block.kind == " " and found and found[-1].kind == " ":
            found[-1] = found[-1]._replace(size=found[-1].size + block.size)
        elif block.size:
            found.append(block)
    return found if len(found) > 1 or (found and found[0].kind != " ") else []


def _fate(mine: bool, kept: bool) -> tuple[Kind | None, Origin | None]:
    """Say what became of a carried line, by whose it was and whether the later version has it."""
    if mine:
        return (" ", None) if kept else ("-", "author")
    return ("+", "upstream") if kept else (None, None)


def _steps(pieces: list[_Piece], last: LineDiff) -> Iterator[tuple[_Piece, int, int, int]]:
    """Cut the carried text where a piece or a match ends.

    Yields the piece, the place in its own text, the place in the later version or -1, the size.
    """
    matches = iter((*last.matches, Match(last.old_size, last.new_size, 0)))
    match = next(matches)
    at = 0
    for piece in pieces:
        start, end = piece.start, piece.end
        while start < end:
            while at >= match.old + match.size and at < last.old_size:
                match = next(matches)
            if at < match.old:
                size = min(end - start, match.old - at)
                yield piece, start, -1, size
            else:
                size = min(end - start, match.old + match.size - at)
                yield piece, start, match.new + at - match.old, size
            start, at = start + size, at + size


def _grouped(blocks: list[_Block]) -> list[_Block]:
    """Put the removed lines of each run of changes before its added ones, as patches have them."""
    ordered: list[_Block] = []
    added: list[_Block] = []
    for block in blocks:
        if block.kind == "+":
            added.append(block)
            continue
        if block.kind == " ":
            ordered += added
            added = []
        ordered.append(block)
    return ordered + added


def _rows(blocks: list[_Block], old: list[bytes], new: list[bytes]) -> Iterator[Row]:
    """Yield the rows of all changes, and of what is unchanged only what a hunk shows."""
    for place, block in enumerate(blocks):
        if block.kind == " ":
            lead = CONTEXT_LINES if place else 0
            tail = CONTEXT_LINES if place + 1 < len(blocks) else 0
            for step in _edges(block.size, lead, tail):
                at = block.old + step
                yield Row(" ", None, at + 1, block.new + step + 1, old[at])
        elif block.kind == "-":
            for at in range(block.old, block.old + block.size):
                yield Row("-", block.origin, at + 1, None, old[at])
        else:
            for at in range(block.new, block.new + block.size):
                yield Row("+", block.origin, None, at + 1, new[at])


def _edges(size: int, lead: int, tail: int) -> Iterator[int]:
    """Yield the first and last steps of a run, all of them where they touch."""
    if lead + tail >= size:
        yield from range(size)
    else:
        yield from range(lead)
        yield from range(size - tail, size)


def _hunks(rows: Sequence[Row]) -> Iterator[tuple[Sequence[Row], tuple[int, int]]]:
    """Cut rows where lines between them were left out.

    With each hunk comes the last old and new line number before it.
    """
    start = 0
    at = before = (0, 0)
    for index, row in enumerate(rows):
        here = (row.old or at[0] + 1, row.new or at[1] + 1)
        if row.kind == " " and here != (at[0] + 1, at[1] + 1):
            if index > start:
                yield rows[start:index], before
            start, before = index, (here[0] - 1, here[1] - 1)
        at = (row.old or at[0], row.new or at[1])
    if rows:
        yield rows[start:], before


def _hunk(shown: Sequence[Row], before: tuple[int, int]) -> bytes:
    old = sum(1 for row in shown if row.kind != "+")
    new = sum(1 for row in shown if row.kind != "-")
    head = b"@@ -%b +%b @@\n" % (_range(before[0], old), _range(before[1], new))
    return head + b"".join(_line(row) for row in shown)


def _range(before: int, count: int) -> bytes:
    """Write a hunk's range; an empty one stands behind the line before it."""
    if count == 0:
        return b"%d,0" % before
    return b"%d" % (before + 1) if count == 1 else b"%d,%d" % (before + 1, count)


def _line(row: Row) -> bytes:
    text = row.kind.encode("ascii") + row.text
    return text if text.endswith(b"\n") else text + b"\n\\ No newline at end of file\n"
