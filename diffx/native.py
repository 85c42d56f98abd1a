"""Make pygit2 importable from the single file: unpack its compiled libraries once, when needed.

A shared library cannot be loaded from inside a zip. The file carries one set for every CPython
that it supports, listed in `native/index`; this module unpacks the set of the running interpreter
into the user's cache folder. Whatever happens meanwhile (kill -9, a full disk, twelve first starts
at once), a folder under its final name is whole: it is written elsewhere, checked against the
index, and renamed. Run from a checkout or an installed package, nothing of this is needed.
"""

import atexit
import contextlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

import diffx
from diffx.errors import FailedError
from diffx.files import LockHeldError, exclusive, private_directory

INDEX: Final = "native/index"
ANY_PYTHON: Final = "any"
_LOCK_WAIT_S: Final = 30.0
_UNUSED_S: Final = 30 * 24 * 3600.0
_ABANDONED_S: Final = 3600.0
_NEW_PREFIX: Final = ".new-"

Read = Callable[[str], bytes]


class NativeLibrariesError(FailedError):
    """The bundled libgit2 cannot be used here; the message says what can be done about it."""

    code = "native_libraries"


@dataclass(frozen=True, slots=True)
class Library:
    """One bundled file: which Python it is for, its digest, its size and its place.

    The files for one Python lie end to end, in the index's order, in one member of the zip: its
    directory is read on every start, so it must be short.
    """

    python: str
    digest: str
    size: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The files for one interpreter. `name` changes with any bit of any of them."""

    name: str
    libraries: Sequence[Library]
    read: Read


def make_importable(environment: Mapping[str, str] | None = None) -> None:
    """Let `import pygit2` succeed: with the bundled libraries, where we run from the single file.

    Raises NativeLibrariesError where they cannot be unpacked, or are not for this Python.
    """
    bundle = running_bundle()
    if bundle is not None:
        folder = unpack(bundle, os.environ if environment is None else environment)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # last: nothing in it may hide the standard library
    with _no_certificates(), contextlib.suppress(ImportError):
        importlib.import_module("pygit2")  # the import that counts is still to come, and raises


@contextlib.contextmanager
def _no_certificates() -> Iterator[None]:
    """Name a folder without certificates while pygit2 is imported.

    It loads those of the system then, and raises where there are none, as in a bare container.
    Nothing here speaks TLS through libgit2, so any folder does.
    """
    wanted = {"SSL_CERT_FILE": "", "SSL_CERT_DIR": os.sep}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def unusable(error: ImportError) -> NativeLibrariesError:
    """Explain an import of pygit2 that failed although its files are there."""
    return NativeLibrariesError(f"libgit2 cannot be loaded here ({error}); install git")


def running_bundle() -> Bundle | None:
    """Return the libraries inside the file that we run from, or None where there is no such file."""
    archive: str | None = getattr(diffx.__loader__, "archive", None)
    read: Read | None = getattr(diffx.__loader__, "get_data", None)
    if archive is None or read is None:
        return None
    return choose(read(os.path.join(archive, INDEX)).decode(), _inside(archive, read))


def choose(index: str, read: Read, suffix: str = EXTENSION_SUFFIXES[0]) -> Bundle:
    """Pick the libraries for the Python whose compiled modules end in `suffix`.

    That ending names interpreter, version, processor and system at once, as in
    `.cpython-311-x86_64-linux-gnu.so`.
    """
    rows = [row.split("\t") for row in index.splitlines()]
    known = [Library(python, digest, int(size), path) for python, digest, size, path in rows]
    if suffix not in {library.python for library in known}:
        held = sorted({library.python for library in known} - {ANY_PYTHON})
        raise NativeLibrariesError(
            f"this file holds libgit2 for {', '.join(held)}, and this Python needs {suffix}; "
            "install git, or run it with another Python"
        )
    name = sha256(f"{suffix}\n{index}".encode()).hexdigest()[:24]
    wanted = [library for library in known if library.python in (suffix, ANY_PYTHON)]
    return Bundle(name=name, libraries=wanted, read=read)


def unpack(bundle: Bundle, environment: Mapping[str, str]) -> Path:
    """Return a folder with the libraries: the user's cache, else a private one until we exit."""
    problems: list[str] = []
    for place, provide in _places(environment):
        try:
            return provide(bundle, place)
        except OSError as error:
            problems.append(f"{place}: {error.strerror or error}")
    raise NativeLibrariesError(
        f"no folder to unpack libgit2 into ({'; '.join(problems)}); set XDG_CACHE_HOME or TMPDIR "
        "to a writable folder on a file system mounted without noexec, or install git"
    )


def _places(
    environment: Mapping[str, str],
) -> Iterator[tuple[Path, Callable[[Bundle, Path], Path]]]:
    """Name the folders to try. Never the current one: it may be the checkout under review."""
    cache = environment.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".cache")
    if os.path.isabs(cache):
        yield Path(cache), keep
    temporary = [environment.get("TMPDIR", ""), "/tmp", "/var/tmp"]
    for folder in dict.fromkeys(filter(os.path.isabs, temporary)):
        yield Path(folder), borrow


def keep(bundle: Bundle, cache: Path) -> Path:
    """Return the libraries' lasting folder below `cache`, unpacked now if it is not there."""
    base = cache / "diffx" / "native"
    target = base / bundle.name
    private_directory(base)
    _refuse_shared(base)
    _refuse_noexec(base)
    if not _is_whole(bundle, target):
        _unpack_once(bundle, base, target)
    with contextlib.suppress(OSError):
        os.utime(target)  # in use: not to be swept
    return target


def borrow(bundle: Bundle, folder: Path) -> Path:
    """Unpack into a new private folder that is removed when this process ends."""
    _refuse_noexec(folder)
    made = Path(tempfile.mkdtemp(prefix="diffx-native-", dir=folder))
    try:
        _write(bundle, made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    atexit.register(_remove, made, owner=os.getpid())
    return made


def _remove(folder: Path, *, owner: int) -> None:
    if os.getpid() == owner:  # a forked child runs its parent's exit functions, too
        shutil.rmtree(folder, ignore_errors=True)


def _unpack_once(bundle: Bundle, base: Path, target: Path) -> None:
    # The lock spares twelve first starts the work of twelve. It is not what makes this safe, the
    # rename is; so a holder that hangs, or a file system without locks, only costs time.
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(LockHeldError, OSError):
            stack.enter_context(exclusive(base / "lock", timeout_s=_LOCK_WAIT_S))
        if _is_whole(bundle, target):
            return
        fresh = Path(tempfile.mkdtemp(prefix=_NEW_PREFIX, dir=base))
        try:
            _sweep(base, now=fresh.stat().st_mtime)
            _write(bundle, fresh, durable=True)
            _move_into_place(bundle, fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def _move_into_place(bundle: Bundle, fresh: Path, target: Path) -> None:
    for _ in range(3):
        try:
            fresh.rename(target)
        except OSError:
            if _is_whole(bundle, target):
                return  # another process was first
            # Someone deleted files in it. Out of the way with one rename, then try again.
            broken = Path(tempfile.mkdtemp(prefix=_NEW_PREFIX, dir=fresh.parent))
            with contextlib.suppress(OSError):
                target.rename(broken)
            shutil.rmtree(broken, ignore_errors=True)
        else:
            return
    raise FileExistsError(f"cannot replace {target}")


def _write(bundle: Bundle, folder: Path, *, durable: bool = False) -> None:
    for library, data in _contents(bundle):
        if sha256(data).hexdigest() != library.digest:
            raise NativeLibrariesError(
                f"{library.path} inside the diffx file is damaged, or the file was replaced while "
                "it ran; start again, and if that does not help, build or download it again"
            )
        path = folder / library.path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(data)
            stream.flush()
            if durable:
                # Without it, a power cut after the rename may leave empty files of the right size.
                os.fsync(stream.fileno())


def _contents(bundle: Bundle) -> Iterator[tuple[Library, memoryview]]:
    for python in dict.fromkeys(library.python for library in bundle.libraries):
        data, start = memoryview(bundle.read(python)), 0
        for library in bundle.libraries:
            if library.python == python:
                yield library, data[start : start + library.size]
                start += library.size


def _is_whole(bundle: Bundle, folder: Path) -> bool:
    try:
        return all(
            os.stat(folder / library.path).st_size == library.size for library in bundle.libraries
        )
    except OSError:
        return False


def _sweep(base: Path, *, now: float) -> None:
    """Remove what killed processes left, and the libraries of versions that nobody uses."""
    for entry in list(os.scandir(base)):
        limit = _ABANDONED_S if entry.name.startswith(_NEW_PREFIX) else _UNUSED_S
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False) and now - entry.stat().st_mtime > limit:
                shutil.rmtree(entry.path, ignore_errors=True)


def _refuse_shared(base: Path) -> None:
    """Code is loaded from here, so nobody else may be able to put some there."""
    for folder in (base, base.parent):
        found = folder.stat()
        if found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
            raise PermissionError(f"{folder} is open to other users")


def _refuse_noexec(folder: Path) -> None:
    if os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0):
        raise PermissionError("mounted noexec")


def _inside(archive: str, read: Read) -> Read:
    def at(path: str) -> bytes:
        return read(os.path.join(archive, "native", path))

    return at
