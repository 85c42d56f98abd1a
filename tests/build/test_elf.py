import importlib
import sys
import zlib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tools.build.elf import without_symbols

LIBRARY = Path(str(importlib.import_module("_cffi_backend").__file__))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ELF is Linux's format")


def test_other_files_stay_as_they_are() -> None:
    for data in (b"", b"import os\n", b"\xcf\xfa\xed\xfe Mach-O", b"\x7fELF\x01\x01 32 bit"):
        assert without_symbols(data) == data


def test_a_library_keeps_its_size_and_shrinks_when_compressed() -> None:
    data = LIBRARY.read_bytes()
    blanked = without_symbols(data)

    assert len(blanked) == len(data)
    assert len(zlib.compress(blanked)) < len(zlib.compress(data))


def test_it_cannot_be_blanked_any_further() -> None:
    once = without_symbols(LIBRARY.read_bytes())

    assert without_symbols(once) == once


def test_what_is_loaded_is_untouched() -> None:
    data = LIBRARY.read_bytes()
    blanked = without_symbols(data)
    table = int.from_bytes(data[0x20:0x28], "little")
    count = int.from_bytes(data[0x38:0x3A], "little")

    for header in range(table, table + 56 * count, 56):
        kind = int.from_bytes(data[header : header + 4], "little")
        start = int.from_bytes(data[header + 8 : header + 16], "little")
        size = int.from_bytes(data[header + 32 : header + 40], "little")
        if kind == 1:
            assert blanked[start : start + size] == data[start : start + size]


def test_the_suffix_that_libraries_are_told_apart_by_is_the_running_pythons() -> None:
    assert LIBRARY.name == f"_cffi_backend{EXTENSION_SUFFIXES[0]}"
