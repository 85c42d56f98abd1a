"""Blank what a Linux library carries for debuggers only: a third of what we would ship otherwise.

The file keeps its size and layout, so nothing that the loader reads moves; the blanks compress to
nothing. The format is that of the System V ABI, "Object Files", for 64-bit little-endian machines.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MAGIC: Final = b"\x7fELF\x02\x01"  # ELF, 64 bit, little-endian
_PT_LOAD: Final = 1
_SHT_NULL: Final = 0
_SHT_NOBITS: Final = 8
_SHF_ALLOC: Final = 2


@dataclass(frozen=True, slots=True)
class Section:
    """One entry of the section table: where it stands, what it is and which bytes it covers."""

    header: int
    kind: int
    flags: int
    start: int
    end: int


def without_symbols(data: bytes) -> bytes:
    """Return the library without symbol tables and debug information; other files as they are."""
    if not data.startswith(_MAGIC):
        return data
    blanked = bytearray(data)
    loaded = [*_loaded(data)]
    (names,) = struct.unpack_from("<H", data, 0x3E)
    for number, section in enumerate(_sections(data)):
        kept = section.flags & _SHF_ALLOC or section.kind in (_SHT_NULL, _SHT_NOBITS)
        if kept or number == names or _overlaps(section, loaded):
            continue
        blanked[section.start : section.end] = bytes(section.end - section.start)
        struct.pack_into("<I", blanked, section.header + 4, _SHT_NULL)
    return bytes(blanked)


def _sections(data: bytes) -> Iterator[Section]:
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for header in range(table, table + size * count, size):
        kind, flags, _, start, length = struct.unpack_from("<IQQQQ", data, header + 4)
        yield Section(header, kind, flags, start, start + length)


def _loaded(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the byte ranges that end up in memory, and the tables that say so."""
    (table,) = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    yield 0, 0x40
    yield table, table + size * count
    for header in range(table, table + size * count, size):
        (kind,) = struct.unpack_from("<I", data, header)
        start, _, _, length = struct.unpack_from("<QQQQ", data, header + 8)
        if kind == _PT_LOAD:
            yield start, start + length


def _overlaps(section: Section, ranges: list[tuple[int, int]]) -> bool:
    return any(section.start < end and start < section.end for start, end in ranges)
