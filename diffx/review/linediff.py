"""Which lines of one text are lines of another: our own line diff, bounded in time and space.

Lines that occur once on both sides are matched first, as a reader would; what lies between them
goes through Myers' shortest edit script in its linear-space form. Both are paid for from a
budget: where it ends, the rest of a region counts as replaced, and the result says `coarse`.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

DEFAULT_STEPS: Final = 400_000
_BLOCK: Final = 128

Region = tuple[int, int, int, int]
"""Half-open: old from and to, new from and to."""


class Effort:
    """A budget of elementary steps, shared by as many diffs as it is given to."""

    __slots__ = ("left",)

    def __init__(self, steps: int = DEFAULT_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Take steps off the budget; False where there are no more."""
        self.left -= steps
        return self.left >= 0


class Match(NamedTuple):
    """A run of lines that both texts have: where in each, and how long."""

    old: int
    new: int
    size: int


class Change(NamedTuple):
    """A run that differs: half-open line ranges, either of which may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDiff:
    """How two texts agree. `matches` rise on both sides and never touch on both at once.

    `coarse` says that the budget ended, so that more lines may agree than are matched.
    """

    old_size: int
    new_size: int
    matches: tuple[Match, ...]
    coarse: bool = False

    def changes(self) -> Iterator[Change]:
        """Yield what lies between the matches, in order."""
        old = new = 0
        for match in (*self.matches, Match(self.old_size, self.new_size, 0)):
            if match.old > old or match.new > new:
                yield Change(old, match.old, new, match.new)
            old, new = match.old + match.size, match.new + match.size

    def to_new(self) -> list[int]:
        """Return, for each old line, its new place, or -1."""
        places = [-1] * self.old_size
        for old, new, size in self.matches:
            places[old : old + size] = range(new, new + size)
        return places


def split_lines(text: bytes) -> list[bytes]:
    """Cut a text as Git does, after each LF and nowhere else; the pieces join to the text."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    if last:
        lines.append(last)
    return lines


def diff(old: Sequence[bytes], new: Sequence[bytes], effort: Effort | None = None) -> LineDiff:
    """Match the lines of two texts; the same input gives the same answer on every machine."""
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    matches = [Match(0, 0, head)] if head else []
    old_end, new_end = len(old) - tail, len(new) - tail
    names: dict[bytes, int] = {}
    matcher = _Matcher(
        [names.setdefault(line, len(names)) for line in old[head:old_end]],
        [names.setdefault(line, len(names)) for line in new[head:new_end]],
        effort or Effort(),
    )
    matcher.run()
    matches += [Match(o + head, n + head, size) for o, n, size in matcher.found]
    if tail:
        matches.append(Match(old_end, new_end, tail))
    return LineDiff(
        old_size=len(old),
        new_size=len(new),
        matches=tuple(_joined(matches)),
        coarse=matcher.coarse,
    )


def _common_head(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    at, end = 0, min(len(old), len(new))
    while at + _BLOCK <= end and old[at : at + _BLOCK] == new[at : at + _BLOCK]:
        at += _BLOCK
    while at < end and old[at] == new[at]:
        at += 1
    return at


def _common_tail(old: Sequence[bytes], new: Sequence[bytes], head: int) -> int:
    at, end = 0, min(len(old), len(new)) - head
    m, n = len(old), len(new)
    while at + _BLOCK <= end and old[m - at - _BLOCK : m - at] == new[n - at - _BLOCK : n - at]:
        at += _BLOCK
    while at < end and old[m - at - 1] == new[n - at - 1]:
        at += 1
    return at


def _joined(matches: Sequence[Match]) -> Iterator[Match]:
    """Sort matches and join those that touch on both sides."""
    last: Match | None = None
    for match in sorted(matches):
        if last is None:
            last = match
        elif match.old == last.old + last.size and match.new == last.new + last.size:
            last = Match(last.old, last.new, last.size + match.size)
        else:
            yield last
            last = match
    if last is not None:
        yield last


class _Matcher:
    """One diff at work: regions still to be matched are on a stack, so nothing recurses."""

    def __init__(self, old: list[int], new: list[int], effort: Effort) -> None:
        self.old = old
        self.new = new
        self.effort = effort
        self.found: list[Match] = []
        self.coarse = False
        self._open: list[Region] = []

    def run(self) -> None:
        self._open.append((0, len(self.old), 0, len(self.new)))
        while self._open:
            region = self._trimmed(self._open.pop())
            old, old_end, new, new_end = region
            if old == old_end or new == new_end:
                continue
            # Scanning is some ten times cheaper than a step of Myers.
            if not self.effort.spend((old_end - old + new_end - new) // 10 + 1):
                self.coarse = True
                continue
            anchors = self._anchors(region)
            if anchors:
                self._cut(region, anchors)
            else:
                self._shortest(region)

    def _trimmed(self, region: Region) -> Region:
        """Match what the ends of a region share."""
        old, old_end, new, new_end = region
        a, b = self.old, self.new
        start = old
        while old < old_end and new < new_end and a[old] == b[new]:
            old, new = old + 1, new + 1
        if old > start:
            self.found.append(Match(start, new - (old - start), old - start))
        end = old_end
        while old < old_end and new < new_end and a[old_end - 1] == b[new_end - 1]:
            old_end, new_end = old_end - 1, new_end - 1
        if end > old_end:
            self.found.append(Match(old_end, new_end, end - old_end))
        return old, old_end, new, new_end

    def _anchors(self, region: Region) -> list[tuple[int, int]]:
        """Return the longest rising chain of lines that are alone of their kind on both sides."""
        old, old_end, new, new_end = region
        there = _lonely(self.new, new, new_end)
        # A dict keeps its order, so the old places rise by themselves.
        pairs = [
            (place, there[line])
            for line, place in _lonely(self.old, old, old_end).items()
            if place >= 0 and there.get(line, -1) >= 0
        ]
        places = [place for _, place in pairs]
        return pairs if places == sorted(places) else _longest_rise(pairs)

    def _cut(self, region: Region, anchors: list[tuple[int, int]]) -> None:
        """Match the anchors, whole runs of them at a time, and leave open what is between."""
        old, old_end, new, new_end = region
        start_old, start_new = anchors[0]
        at_old, at_new = start_old - 1, start_new - 1
        for next_old, next_new in (*anchors, (old_end, new_end)):
            if next_old == at_old + 1 and next_new == at_new + 1 and next_old < old_end:
                at_old, at_new = next_old, next_new
                continue
            if at_old >= start_old:
                self.found.append(Match(start_old, start_new, at_old + 1 - start_old))
            if old < start_old and new < start_new:
                self._open.append((old, start_old, new, start_new))
            old, new = at_old + 1, at_new + 1
            start_old, start_new = at_old, at_new = next_old, next_new
        if old < old_end and new < new_end:
            self._open.append((old, old_end, new, new_end))

    def _shortest(self, region: Region) -> None:
        """Match by the shortest script, among the lines that both sides have at all."""
        old, old_end, new, new_end = region
        shared = set(self.old[old:old_end]).intersection(self.new[new:new_end])
        if not shared:
            return
        olds = [at for at in range(old, old_end) if self.old[at] in shared]
        news = [at for at in range(new, new_end) if self.new[at] in shared]
        a, b = [self.old[at] for at in olds], [self.new[at] for at in news]
        for x, y in self._script(a, b):
            self.found.append(Match(olds[x], news[y], 1))

    def _script(self, a: list[int], b: list[int]) -> Iterator[tuple[int, int]]:
        waiting = [(0, len(a), 0, len(b))]
        while waiting:
            x, x_end, y, y_end = waiting.pop()
            while x < x_end and y < y_end and a[x] == b[y]:
                yield x, y
                x, y = x + 1, y + 1
            while x < x_end and y < y_end and a[x_end - 1] == b[y_end - 1]:
                x_end, y_end = x_end - 1, y_end - 1
                yield x_end, y_end
            if x == x_end or y == y_end:
                continue
            snake = _middle_snake(a[x:x_end], b[y:y_end], self.effort)
            if snake is None:
                self.coarse = True
                continue
            left, top, size = snake
            for step in range(size):
                yield x + left + step, y + top + step
            waiting.append((x, x + left, y, y + top))
            waiting.append((x + left + size, x_end, y + top + size, y_end))


def _lonely(lines: list[int], start: int, end: int) -> dict[int, int]:
    """Return where each line stands, -1 for one that stands in several places."""
    places: dict[int, int] = {}
    for at in range(start, end):
        line = lines[at]
        places[line] = -1 if line in places else at
    return places


def _longest_rise(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest chain whose second members rise too (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(ends[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            ends.append(index)
        else:
            tops[pile] = place
            ends[pile] = index
    chain: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _middle_snake(a: list[int], b: list[int], effort: Effort) -> tuple[int, int, int] | None:
    """Return where both searches meet, as a diagonal run (Myers 1986, 4b); None out of budget.

    The ends of `a` and `b` differ, so the meeting point splits them into smaller pieces. Rows are
    addressed by diagonals from -d to d: a negative index counts from the list's end.
    """
    n, m = len(a), len(b)
    delta, most = n - m, (n + m + 1) // 2
    ahead, behind = [-1] * (2 * most + 3), [-1] * (2 * most + 3)
    ahead[1] = behind[1] = 0
    back_a, back_b = a[::-1], b[::-1]
    for d in range(most + 1):
        if not effort.spend(2 * d + 2):
            return None
        reach = d - 1 if delta % 2 else -1
        met = _advance((a, b), ahead, behind, (d, delta, reach), effort)
        if met is not None:
            return met
        reach = -1 if delta % 2 else d
        met = _advance((back_a, back_b), behind, ahead, (d, delta, reach), effort)
        if met is not None:
            left, top, size = met
            return n - left - size, m - top - size, size
    raise AssertionError("two searches over one grid always meet")


def _advance(
    sides: tuple[list[int], list[int]],
    rows: list[int],
    other: list[int],
    place: tuple[int, int, int],
    effort: Effort,
) -> tuple[int, int, int] | None:
    """Take one search one step further; return the run on which it meets the other."""
    a, b = sides
    d, delta, reach = place
    n, m = len(a), len(b)
    # Diagonals outside the grid are left out on both sides.
    for k in range(-(d - 2 * max(0, d - m)), d - 2 * max(0, d - n) + 1, 2):
        x = rows[k + 1] if k == -d or (k != d and rows[k - 1] < rows[k + 1]) else rows[k - 1] + 1
        start, y = x, x - k
        while x < n and y < m and a[x] == b[y]:
            x, y = x + 1, y + 1
        rows[k] = x
        effort.left -= x - start
        if -reach <= delta - k <= reach and x + other[delta - k] >= n:
            return start, start - k, x - start
    return None
