"""The compiled libraries of every supported CPython on one platform, merged."""

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from diffx.native import ANY_PYTHON
from tools.build.elf import without_symbols
from tools.build.environment import environment
from tools.build.project import (
    PYTHONS,
    WORK,
    BuildError,
    constrained,
    runtime_requirements,
)
from tools.build.terminal import must, note

LOCK: Final = Path(__file__).with_name("wheels.lock")
PLATFORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "linux-x86_64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64"),
    "linux-aarch64": ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64"),
    "linux-musl-x86_64": ("musllinux_1_2_x86_64",),
    "linux-musl-aarch64": ("musllinux_1_2_aarch64",),
    "macos-x86_64": ("macosx_10_15_x86_64",),
    "macos-arm64": ("macosx_11_0_arm64",),
}
# Headers, type stubs and the code generator serve those who compile pygit2, not those who run it.
_UNUSED_FILES: Final = ("pygit2/_run.py", "pygit2/py.typed")
_STABLE_ABI: Final = ".abi3.so"
_UNUSED_FOLDERS: Final = ("pygit2/decl/", "cffi/")


@dataclass(frozen=True, slots=True)
class Native:
    """What native/ in the executable holds: files by Python and path, and licence texts."""

    files: Mapping[tuple[str, str], bytes]
    licences: Mapping[str, bytes]

    def members(self) -> dict[str, bytes]:
        """Return one member per Python, its files end to end, and the index that cuts them."""
        rows, parts = [], dict[str, list[bytes]]()
        for (python, path), data in sorted(self.files.items()):
            rows.append(f"{python}\t{sha256(data).hexdigest()}\t{len(data)}\t{path}\n")
            parts.setdefault(python, []).append(data)
        members = {f"native/{python}": b"".join(data) for python, data in parts.items()}
        return members | {"native/index": "".join(rows).encode()}


def native(platform: str) -> Native:
    """Download (once), verify and merge the wheels of `platform`."""
    folder = WORK / "wheels" / platform
    expected = locked(platform)
    if not _are_there(folder, expected):
        _download(platform, folder)
        if not _are_there(folder, expected):
            raise BuildError(
                f"the wheels in {folder} are not the ones in {LOCK.name}; if a pin changed, "
                "review them and run `python3 build.py lock`"
            )
    return merge(folder / name for name in expected)


def locked(platform: str) -> dict[str, str]:
    """Return the digests of the platform's wheels by file name."""
    rows = [row.split() for row in LOCK.read_text().splitlines() if row and row[0] != "#"]
    found = {name: digest for where, digest, name in rows if where == platform}
    if not found:
        raise BuildError(f"unknown platform {platform}; known are {', '.join(PLATFORMS)}")
    return found


def lock() -> None:
    """Write wheels.lock anew from what the index serves for the exact pins."""
    rows = ["# platform, SHA-256, wheel: written by `python3 build.py lock`"]
    for platform in PLATFORMS:
        folder = WORK / "wheels" / platform
        _download(platform, folder)
        rows += [f"{platform} {_digest(file)} {file.name}" for file in sorted(folder.iterdir())]
    LOCK.write_text("\n".join(rows) + "\n")


def merge(wheels: Iterable[Path]) -> Native:
    """Keep a file that is the same for every Python once; tell the others by their ending.

    Modules for the stable ABI are built anew for each Python all the same, so their bytes differ;
    the oldest one's serves them all, which is what that ABI promises.
    """
    by_python: dict[str, dict[str, bytes]] = {}
    licences: dict[str, bytes] = {}
    for wheel in sorted(wheels):
        with zipfile.ZipFile(wheel) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}
        licences |= _licences(files)
        by_python.setdefault(_suffix(files), {}).update(
            {name: without_symbols(data) for name, data in files.items() if _is_needed(name)}
        )
    oldest = next(iter(by_python.values()))
    stable = {path: data for path, data in oldest.items() if path.endswith(_STABLE_ABI)}
    by_python = {python: files | stable for python, files in by_python.items()}
    merged: dict[tuple[str, str], bytes] = {}
    for python, files in by_python.items():
        for path, data in files.items():
            everywhere = all(other.get(path) == data for other in by_python.values())
            merged[ANY_PYTHON if everywhere else python, path] = data
    return Native(merged, licences)


def _suffix(files: Iterable[str]) -> str:
    """Return what the extension modules for one Python end in, as in `.cpython-311-darwin.so`."""
    endings = {f".{name.split('.', 1)[1]}" for name in files if ".cpython-" in name}
    if len(endings) != 1:
        raise BuildError(f"expected extension modules for one Python, found {sorted(endings)}")
    return endings.pop()


def _is_needed(name: str) -> bool:
    return not (
        ".dist-info/" in name
        or name.endswith(".pyi")
        or name in _UNUSED_FILES
        or name.startswith(_UNUSED_FOLDERS)
    )


def _licences(files: Mapping[str, bytes]) -> dict[str, bytes]:
    found = {}
    for name, data in files.items():
        path = PurePosixPath(name)
        if ".dist-info/licenses/" in name:
            found[f"licenses/{path.parts[0].partition('-')[0]}/{path.name}"] = data
    return found


def _download(platform: str, folder: Path) -> None:
    note(f"downloading the libraries for {platform}")
    python = environment("package")
    tags = [word for tag in PLATFORMS[platform] for word in ("--platform", tag)]
    for file in folder.glob("*"):
        file.unlink()
    for version in PYTHONS:
        must(
            [
                *(python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder),
                *("--only-binary", ":all:", "--implementation", "cp", "--python-version", version),
                *tags,
                *(*runtime_requirements(), constrained("cffi")),
            ],
            remedy="the packages come from PyPI: is it reachable?",
        )


def _are_there(folder: Path, expected: Mapping[str, str]) -> bool:
    return all(
        (folder / name).exists() and _digest(folder / name) == digest
        for name, digest in expected.items()
    )


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()
