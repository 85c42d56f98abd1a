"""Count a file's patch: changed lines, rows on screen, width. Fast enough for thousands of files."""

from typing import Final

from diffx.review.model import Rows
from diffx.review.patch.hunks import Span, spans
from diffx.review.patch.model import Figures

_PIECE: Final = 1 << 20  # bounds what is split into lines at a time
_AS_CONTEXT: Final = bytes.maketrans(b"@\n", b"  ")
_CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))


class Tally:
    """Adds up hunks as they are found."""

    def __init__(self) -> None:
        self.hunks = self.context = self.removed = self.added = 0

    def add(self, span: Span) -> None:
        """Count one hunk."""
        self.hunks += 1
        self.context += span.context
        self.removed += span.removed
        self.added += span.added

    def figures(
        self, patch: bytes, regions: list[tuple[int, int]], damage: str | None = None
    ) -> Figures:
        """Finish: `regions` are the places in `patch` where the hunks lie."""
        paired, columns = _shape(patch, regions)
        rows = Rows(
            hunks=self.hunks,
            unified=self.hunks + self.context + self.removed + self.added,
            split=self.hunks + self.context + paired,
            max_columns=columns,
        )
        return Figures(additions=self.added, deletions=self.removed, rows=rows, damage=damage)


def measure(patch: bytes) -> Figures:
    """Add up one file's standard patch. The cost is linear and no object is made per line."""
    tally = Tally()
    damage: str | None = None
    regions: list[tuple[int, int]] = []
    for span in spans(patch):
        tally.add(span)
        damage = damage or span.damage
        if regions and regions[-1][1] == span.start:
            regions[-1] = (regions[-1][0], span.end)
        else:
            regions.append((span.start, span.end))
    return tally.figures(patch, regions, damage)


def _shape(patch: bytes, regions: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the rows that changed lines take side by side, and the width of the widest line."""
    wide = not patch.isascii() and _is_utf8(patch)
    kinds: list[bytes] = []
    columns = 0
    for start, end in regions:
        while start < end:
            stop = end if end - start <= _PIECE else patch.find(b"\n", start + _PIECE, end) + 1
            stop = stop or end
            piece = patch[start:stop]
            start = stop
            if wide:
                piece = piece.translate(None, _CONTINUATION_BYTES)
            if b"\t" in piece:
                piece = piece.replace(b"\t", b"    ")
            lines = piece.removesuffix(b"\n").split(b"\n")
            kinds.append(b"".join([line[:1] or b" " for line in lines]))
            columns = max(columns, _widest(lines))
        kinds.append(b" ")
    return _paired(b"".join(kinds)), columns


def _widest(lines: list[bytes]) -> int:
    """Return the width of the widest hunk line without its first column."""
    widest = max(lines, key=len)
    if widest[:1] in b"@\\":
        shown = [line for line in lines if line[:1] not in b"@\\"]
        widest = max(shown, key=len, default=b"")
    return max(len(widest) - 1, 0)


def _paired(kinds: bytes) -> int:
    """Add up the larger side of every run of changed lines."""
    runs = kinds.translate(_AS_CONTEXT, b"\\").split(b" ")
    return sum([max(run.count(b"-"), run.count(b"+")) for run in runs if run])


def _is_utf8(patch: bytes) -> bool:
    try:
        patch.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
