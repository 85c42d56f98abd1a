"""Where a thread stands on a later iteration (9.2).

First through the line diff from the text it was written on, then by its exact words near the old
place, then anywhere in the file, then with other spacing, then the file, then nothing. `exact` and
`moved` are given only where the lines there are, byte for byte, the lines that were quoted.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Final, Literal

from diffx.review.comments import Applicability, Lines, Thread
from diffx.review.linediff import Effort, diff, split_lines
from diffx.review.model import FileId, GitPath

NEAR_LINES: Final = 25
PORT_STEPS: Final = 60_000
READING_STEPS: Final = 400_000
_MAX_CANDIDATES: Final = 200
_LINES_A_STEP: Final = 10

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

    `same` says that the file's fingerprint did not change. `checked` says that the quote was
    taken from what had it; that of an import is only claimed.
    """

    text: bytes | None
    same: bool = False
    checked: bool = True


class Porter:
    """Places threads in one reading; texts that many of them are on are cut and compared once.

    The reading as a whole has budgets too; past that of comparing threads are placed by their
    words alone, and past that of looking for words they stand on their file.
    """

    def __init__(self, steps: int = READING_STEPS) -> None:
        self._effort = Effort(steps)
        self._looking = Effort(steps)
        self._lines: dict[bytes, list[bytes]] = {}
        self._maps: dict[tuple[bytes, bytes], list[int]] = {}
        self._places: dict[tuple[bytes, bool], dict[bytes, list[int]]] = {}

    def place(
        self, lines: Lines | None, quote: bytes | None, origin: bytes | None, target: Target | None
    ) -> Place:
        """Place a thread. `origin` is the side it was written on, if that is still stored;
        `target` is None where the later iteration does not have the file."""
        if target is None:
            return Place(placement="outdated", in_file=False)
        if lines is None:
            return Place(placement="exact" if target.same else "drifted", in_file=True)
        if target.same and target.checked:
            # Equal fingerprints are equal bytes on both sides (3.6), stored or not.
            return Place(placement="exact", in_file=True, lines=lines)
        if target.text is None or quote is None:
            return Place(placement="outdated", in_file=True)
        return self._place(lines, split_lines(quote), origin, target.text)

    def _place(
        self, lines: Lines, quoted: list[bytes], origin: bytes | None, text: bytes
    ) -> Place:
        there = self._cut(text)
        mapped = None if origin is None else self._mapped(lines, origin, text)
        if mapped is not None and there[mapped[0] : mapped[1]] == quoted:
            return _same_text(lines, mapped[0])
        found = self._nearest(quoted, text, lines.start - 1, spaced=False)
        if found is not None:
            return _same_text(lines, found)
        # Part of the lines survived, or all with other spacing: close, and said to be no more.
        if mapped is None:
            spaced = [_unspaced(line) for line in quoted]
            at = self._nearest(spaced, text, lines.start - 1, spaced=True)
            mapped = None if at is None else (at, at + len(quoted))
        if mapped is None:
            return Place(placement="outdated", in_file=True)
        shown = Lines(side=lines.side, start=mapped[0] + 1, end=mapped[1])
        return Place(placement="drifted", in_file=True, lines=shown)

    def _cut(self, text: bytes) -> list[bytes]:
        if text not in self._lines:
            self._lines[text] = split_lines(text)
        return self._lines[text]

    def _mapped(self, lines: Lines, origin: bytes, text: bytes) -> tuple[int, int] | None:
        """Return the half-open range that the lines became, None where none of them is left."""
        if (origin, text) not in self._maps:
            effort = Effort(max(0, min(PORT_STEPS, self._effort.left)))
            given = effort.left
            found = diff(self._cut(origin), self._cut(text), effort)
            self._effort.spend(given - effort.left)
            self._maps[origin, text] = found.to_new()
        places = self._maps[origin, text]
        if lines.end > len(places):
            return None
        kept = [place for place in places[lines.start - 1 : lines.end] if place >= 0]
        return (kept[0], kept[-1] + 1) if kept else None

    def _nearest(self, quoted: list[bytes], text: bytes, at: int, *, spaced: bool) -> int | None:
        """Return where the quoted lines stand: near the old place first, else the nearest of all.

        A quote of blank lines only says nothing about a place further away.
        """
        there = self._cut(text)
        if not quoted or (spaced and not any(quoted)):
            return None
        far = any(line.strip() for line in quoted)
        starts = self._starts(text, quoted[0], spaced=spaced)
        near = bisect_left(starts, at)
        # Both neighbours outward from the old place, the nearer first.
        candidates = sorted(
            starts[max(0, near - _MAX_CANDIDATES) : near + _MAX_CANDIDATES],
            key=lambda start: (abs(start - at), start),
        )
        for start in candidates:
            if not far and abs(start - at) > NEAR_LINES:
                break
            if not self._looking.spend(len(quoted) // _LINES_A_STEP + 1):
                break
            run = there[start : start + len(quoted)]
            if spaced:
                run = [_unspaced(line) for line in run]
            if run == quoted:
                return start
        return None

    def _starts(self, text: bytes, first: bytes, *, spaced: bool) -> list[int]:
        """Return the lines of a text that are `first`, in order."""
        key = (text, spaced)
        if key not in self._places:
            index: dict[bytes, list[int]] = {}
            for at, line in enumerate(self._cut(text)):
                index.setdefault(_unspaced(line) if spaced else line, []).append(at)
            self._places[key] = index
        return self._places[key].get(first, [])


def port(
    lines: Lines | None, quote: bytes | None, origin: bytes | None, target: Target | None
) -> Place:
    """Place one thread; see `Porter.place`."""
    return Porter().place(lines, quote, origin, target)


def _same_text(lines: Lines, at: int) -> Place:
    shown = Lines(side=lines.side, start=at + 1, end=at + 1 + lines.end - lines.start)
    return Place(placement="exact" if shown == lines else "moved", in_file=True, lines=shown)


def _unspaced(line: bytes) -> bytes:
    return b"".join(line.split())


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
