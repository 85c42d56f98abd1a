"""Keep the single file's modules compiled, for Pythons other than the one that built it.

The file carries byte code for one version of Python. On any other, zipimport compiles each module
twice at every start: once to name its file, once to run it. Here each is compiled once, and what
a run compiled is kept in one file of the user's cache folder, for the next run.

Code is loaded from that file, so it must be the user's own, in a folder that nobody else can write
to, and whole; it is named after the build, the Python and the place of the executable. Wherever
any of this is not so, modules are compiled as ever: nothing here fails a start.
"""

import atexit
import marshal
import os
import sys
import zipimport
import zlib
from collections.abc import Mapping
from contextlib import suppress
from types import CodeType
from typing import Final

import diffx

BUILD_ID: Final = "diffx/build-id"
_MARK: Final = b"diffx byte code 1\n"
_SUFFIX: Final = ".code"
_UNUSED_S: Final = 30 * 24 * 3600

in_use: str = ""
"""The cache folder that `use` was given or found; for processes that get no environment."""


def use(environment: Mapping[str, str] | None = None, *, cache: str | None = None) -> None:
    """Import the executable's modules by way of what is kept; at exit, keep what was compiled.

    `cache` is the user's cache folder, where the environment is not to be asked.
    """
    global in_use
    archive: str | None = getattr(diffx.__loader__, "archive", None)
    get_data = getattr(diffx.__loader__, "get_data", None)
    if archive is None or get_data is None:
        return
    build = get_data(os.path.join(archive, BUILD_ID)).decode("ascii")
    if cache is None:
        cache = folder(os.environ if environment is None else environment)
    in_use = cache
    kept = Kept(_file(archive, build, cache))
    package = os.path.join(archive, "diffx")
    sys.path_hooks.insert(0, _hook(package, kept))
    for place in [place for place in sys.path_importer_cache if place.startswith(package)]:
        del sys.path_importer_cache[place]
    atexit.register(kept.save)


class Kept:
    """Compiled modules by name: those of the file, and those that this process had to compile."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._codes = {} if file is None else _read(file)
        self._fresh = False

    def get(self, module: str) -> CodeType | None:
        """Return the code of a module, None where it is not kept."""
        data = self._codes.get(module)
        code = None if data is None else marshal.loads(data)
        return code if isinstance(code, CodeType) else None

    def add(self, module: str, code: CodeType) -> None:
        """Take in what was compiled just now."""
        self._codes[module] = marshal.dumps(code)
        self._fresh = True

    def save(self) -> None:
        """Write what is new, beside what other processes have written meanwhile."""
        if self._file is None or not self._fresh:
            return
        self._fresh = False
        with suppress(OSError):  # a cache: the next start compiles again
            _write(self._file, _read(self._file) | self._codes)


class _Importer(zipimport.zipimporter):
    """Finds modules in the zip as ever, and compiles one only where none is kept."""

    def __init__(self, path: str, kept: Kept) -> None:
        super().__init__(path)
        self._kept = kept

    def get_filename(self, fullname: str) -> str:
        """Name the module's source; zipimport compiles it first, to see if it could."""
        end = f"{os.sep}__init__.py" if self.is_package(fullname) else ".py"
        name = fullname.rpartition(".")[2]
        return os.path.join(self.archive, f"{self.prefix}{name}{end}")

    def get_code(self, fullname: str) -> CodeType:
        code = self._kept.get(fullname)
        if code is None:
            code = super().get_code(fullname)
            self._kept.add(fullname, code)
        return code


def _hook(package: str, kept: Kept) -> "type[_Importer]":
    class Importer(_Importer):
        """What the import system makes of a place below the package."""

        def __init__(self, path: str) -> None:
            if path != package and not path.startswith(package + os.sep):
                raise ImportError
            super().__init__(path, kept)

    return Importer


def folder(environment: Mapping[str, str]) -> str:
    """Return the user's cache folder; a relative path is none."""
    cache = environment.get("XDG_CACHE_HOME", "")
    return cache if os.path.isabs(cache) else os.path.join(environment.get("HOME", ""), ".cache")


def _file(archive: str, build: str, cache: str) -> str | None:
    """Name the file for this build, this Python and this place, None where there can be none."""
    if not os.path.isabs(cache):
        return None
    # Code remembers the name of its file, for tracebacks: hence the place.
    python = zlib.crc32(f"{sys.version}\n{archive}".encode("utf-8", "surrogateescape"))
    name = f"{build[:24]}-{sys.implementation.cache_tag}-{python:08x}{_SUFFIX}"
    return os.path.join(cache, "diffx", "code", name)


def _read(file: str) -> dict[str, bytes]:
    """Return the modules in a file; none where it is missing, damaged or not ours alone."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return {}
    with os.fdopen(descriptor, "rb") as stream:
        if not (_is_private(os.fstat(descriptor)) and _is_private(os.stat(os.path.dirname(file)))):
            return {}
        data = stream.read()
    head = len(_MARK) + 8
    if not data.startswith(_MARK) or data[len(_MARK) : head] != b"%08x" % zlib.crc32(data[head:]):
        return {}
    found = marshal.loads(data[head:])
    return found if isinstance(found, dict) else {}


def _is_private(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _write(file: str, codes: dict[str, bytes]) -> None:
    from pathlib import Path

    from diffx.files import private_directory, write_private

    folder = private_directory(Path(file).parent)
    if not _is_private(folder.stat()):
        return
    data = marshal.dumps(codes)
    write_private(Path(file), _MARK + b"%08x" % zlib.crc32(data) + data)
    _sweep(str(folder), os.stat(file).st_mtime)


def _sweep(folder: str, now: float) -> None:
    """Remove the code of builds and Pythons that nobody has had to compile for for a month."""
    for entry in os.scandir(folder):
        with suppress(OSError):
            if (
                _SUFFIX in entry.name
                and now - entry.stat(follow_symlinks=False).st_mtime > _UNUSED_S
            ):
                os.unlink(entry.path)
