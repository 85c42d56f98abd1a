"""Combined diffs of a merge, reduced to what they say against the first parent (11.5).

A line of a combined hunk has one marker column for each parent. A line with a `-` anywhere is not
in the result: it was in the parents that have the `-`. Any other line is in the result: a `+`
says which parents lacked it. So the first column alone makes a hunk against the first parent.
"""

import re
from typing import Final, NamedTuple

HEADER: Final = re.compile(
    rb"(@@@+)((?: -\d{1,10}(?:,\d{1,10})?){2,}) \+(\d{1,10}(?:,\d{1,10})?) \1([^\n]*)(?:\n|\Z)"
)
_MAX_PARENTS: Final = 256
_MARKS: Final = frozenset(b" -+")


class Reduced(NamedTuple):
    """One hunk against the first parent, where the combined one ended, and what is wrong."""

    text: bytes
    end: int
    damage: str | None


def parents(header: re.Match[bytes]) -> int:
    """Return the number of parents of a hunk whose header was matched by `HEADER`."""
    return len(header[1]) - 1


def reduce_hunk(data: bytes, header: re.Match[bytes]) -> Reduced:
    """Read one combined hunk; its counts decide where it ends."""
    width = parents(header)
    ranges = [_range(text) for text in (*header[2].split(b" -")[1:], header[3])]
    if len(ranges) != width + 1 or width > _MAX_PARENTS:
        return Reduced(b"", header.end(), "a combined hunk header is malformed")
    counts = [count for _, count in ranges]
    lines, end, left = _read(data, header.end(), width, sum(counts), counts)
    damage = None
    if any(left):
        damage = "the combined hunk has fewer lines than its header counts"
    old, new = ranges[0][0], ranges[-1][0]
    head = b"@@ -%d,%d +%d,%d @@%s\n" % (
        old, counts[0] - left[0], new, counts[-1] - left[-1], header[4]
    )  # fmt: skip
    return Reduced(head + b"".join(lines), end, damage)


def _range(text: bytes) -> tuple[int, int]:
    start, _, count = text.partition(b",")
    return int(start), int(count or b"1")


def _read(
    data: bytes, at: int, width: int, total: int, counts: list[int]
) -> tuple[list[bytes], int, list[int]]:
    """Read lines until every count is used up: kept lines, where they end, what is left over."""
    lines: list[bytes] = []
    known: dict[bytes, tuple[bytes, list[int]] | None] = {}
    seen: dict[bytes, int] = {}
    kept = False
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if data.startswith(b"\\", at):
            if kept:
                lines.append(data[at:end])
            at = end
            continue
        marks = data[at : min(at + width, end)]
        if marks not in known:
            known[marks] = _meaning(marks, width)
        meaning = known[marks]
        if total <= 0 or meaning is None:
            break
        seen[marks] = seen.get(marks, 0) + 1
        total -= len(meaning[1])
        kept = bool(meaning[0])
        if kept:
            lines.append(meaning[0] + (data[at + width : end].removesuffix(b"\n") + b"\n"))
        at = end
    return lines, at, _left(counts, seen, known)


def _left(
    counts: list[int],
    seen: dict[bytes, int],
    known: dict[bytes, tuple[bytes, list[int]] | None],
) -> list[int]:
    """Return what the header counts beyond the lines that were seen."""
    left = list(counts)
    for marks, times in seen.items():
        for index in (known[marks] or (b"", []))[1]:
            left[index] -= times
    return left


def _meaning(marks: bytes, width: int) -> tuple[bytes, list[int]] | None:
    """Return the first parent's mark (empty: not its line) and which counts the line uses."""
    marks = marks.removesuffix(b"\n").removesuffix(b"\r")
    if not _MARKS.issuperset(marks) or (len(marks) < width and marks.strip()):
        return None
    marks = marks.ljust(width)
    if b"-" in marks:
        return marks[:1].strip(), [i for i in range(width) if marks[i : i + 1] == b"-"]
    return marks[:1], [i for i in range(width) if marks[i : i + 1] == b" "] + [width]
