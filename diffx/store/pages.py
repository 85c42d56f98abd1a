"""The order of rows that leaves the least of each database page empty.

A page of 4 KiB holds two or three compressed texts; in the order they come, a fifth of it stays
empty. Row numbers are ours to give, so the rows are written in an order in which they fit.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

PAGE_BYTES: Final = 4096
_ROOM: Final = PAGE_BYTES - 8  # less the page's own header
_CELL: Final = 10  # pointer, lengths and row number beside the payload
_RECORD: Final = 44  # header, hash and sizes beside the text
_MIN_LOCAL: Final = (PAGE_BYTES - 12) * 32 // 255 - 23
_MAX_LOCAL: Final = PAGE_BYTES - 35
_GRAIN: Final = 16

Name = TypeVar("Name")


def page_order(sizes: Iterable[tuple[Name, int]]) -> Iterator[Name]:
    """Yield every name once; rows of these text sizes, written so, fill their pages.

    Each page takes the largest row that is left, then always the largest that still fits. Equal
    sizes stay in their order.
    """
    buckets: list[list[Name]] = [[] for _ in range(_ROOM // _GRAIN + 1)]
    for name, size in sizes:
        buckets[_space(size) // _GRAIN].append(name)
    for bucket in buckets:
        bucket.reverse()
    # One bit for each bucket that has any left, so that finding one is arithmetic.
    left = sum(1 << place for place, bucket in enumerate(buckets) if bucket)
    room = 0
    while left:
        fitting = left & ((1 << (room // _GRAIN)) - 1)
        place = (fitting or left).bit_length() - 1
        room = (room if fitting else _ROOM) - (place + 1) * _GRAIN
        yield buckets[place].pop()
        if not buckets[place]:
            left ^= 1 << place


def _space(size: int) -> int:
    """Return what a row takes of a leaf page (SQLite file format, section 1.6)."""
    payload = size + _RECORD
    if payload > _MAX_LOCAL:
        kept = _MIN_LOCAL + (payload - _MIN_LOCAL) % (PAGE_BYTES - 4)
        payload = kept if kept <= _MAX_LOCAL else _MIN_LOCAL
    return payload + _CELL
