"""Where a thread stands on a later iteration (9.2).

First through the line diff from the text it was written on, then by its exact words near the old
place, then anywhere in the file, then with other spacing, then the file, then nothing. `exact` and
`moved` are given only where the lines there are, byte for byte, the lines that were quoted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from diffx.review.comments import Applicability, Lines, Thread
from diffx.review.linediff import Effort, diff, split_lines
from diffx.review.model import FileId, GitPath

NEAR_LINES: Final = 25
PORT_STEPS: Final = 60_000
_MAX_CANDIDATES: Final = 10_000

Placement = Literal["exact", "moved", "drifted", "outdated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where to show a thread: on lines, on a file (`lines` None), or, without one, the review."""

    placement: Placement
    in_file: bool
    lines: Lines | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The side of a later iteration that a thread may stand on; None is a text not stored.

    `same` says that the file's fingerprint did not change.
    """

    text: bytes | None
    same: bool = False


def port(
    lines: Lines | None, quote: bytes | None, origin: bytes | None, target: Target | None
) -> Place:
    """Place a thread. `origin` is the side it was written on, if that is still stored; `target`
    is None where the later iteration does not have the file."""
    if target is None:
        return Place(placement="outdated", in_file=False)
    if lines is None:
        return Place(placement="exact" if target.same else "drifted", in_file=True)
    if target.same:
        # Equal fingerprints are equal bytes on both sides (3.6), stored or not.
        return Place(placement="exact", in_file=True, lines=lines)
    if target.text is None or quote is None:
        return Place(placement="outdated", in_file=True)
    return _place(lines, split_lines(quote), origin, split_lines(target.text))


def _place(lines: Lines, quoted: list[bytes], origin: bytes | None, there: list[bytes]) -> Place:
    mapped = None if origin is None else _mapped(lines, split_lines(origin), there)
    if mapped is not None and there[mapped[0] : mapped[1]] == quoted:
        return _same_text(lines, mapped[0])
    found = _nearest(quoted, there, lines.start - 1)
    if found is not None:
        return _same_text(lines, found)
    # Part of the lines survived, or all with other spacing: close, and said to be no more.
    if mapped is None:
        spaced = [b"".join(line.split()) for line in quoted]
        if any(spaced):
            at = _nearest(spaced, [b"".join(line.split()) for line in there], lines.start - 1)
            mapped = None if at is None else (at, at + len(quoted))
    if mapped is None:
        return Place(placement="outdated", in_file=True)
    shown = Lines(side=lines.side, start=mapped[0] + 1, end=mapped[1])
    return Place(placement="drifted", in_file=True, lines=shown)


def _same_text(lines: Lines, at: int) -> Place:
    shown = Lines(side=lines.side, start=at + 1, end=at + 1 + lines.end - lines.start)
    return Place(placement="exact" if shown == lines else "moved", in_file=True, lines=shown)


def _mapped(lines: Lines, origin: list[bytes], there: list[bytes]) -> tuple[int, int] | None:
    """Return the half-open range that the lines became, None where none of them is left."""
    if lines.end > len(origin):
        return None
    places = diff(origin, there, Effort(PORT_STEPS)).to_new()[lines.start - 1 : lines.end]
    kept = [place for place in places if place >= 0]
    return (kept[0], kept[-1] + 1) if kept else None


def _nearest(quoted: Sequence[bytes], there: Sequence[bytes], at: int) -> int | None:
    """Return where the quoted lines stand: near the old place first, else the nearest of all.

    A quote of blank lines only says nothing about a place further away.
    """
    size = len(quoted)
    if not size:
        return None
    far = any(line.strip() for line in quoted)
    reach = len(there) if far else NEAR_LINES
    first = quoted[0]
    starts = [
        start
        for start in range(max(0, at - reach), min(len(there) - size, at + reach) + 1)
        if there[start] == first
    ]
    starts.sort(key=lambda start: (abs(start - at), start))
    for start in starts[: max(1, _MAX_CANDIDATES // size)]:
        if list(there[start : start + size]) == list(quoted):
            return start
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThread:
    """A thread as the reader of one context and scope sees it.

    `file` and `path` are its file's there, None where it is not there or never was. `place` is
    where it stands; `ported` says that it was written on another context.
    """

    thread: Thread
    applicability: Applicability
    actionable: bool
    place: Place
    path: GitPath | None
    file: FileId | None = None
    ported: bool = False
