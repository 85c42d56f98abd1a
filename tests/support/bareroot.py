"""A root folder with Python and a shell and nothing else: what the executable has to make do with."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

_DEVICES: Final = ("/dev/null", "/dev/urandom")
_UNUSED: Final = (
    "test",
    "tests",
    "idlelib",
    "ensurepip",
    "site-packages",
    "dist-packages",
    "tkinter",
)


def make_bare_root(root: Path) -> None:
    """Fill `root` with the running Python, /bin/sh and the libraries they need."""
    python = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(
        library,
        _inside(root, library),
        ignore=shutil.ignore_patterns(*_UNUSED, "config-*", "__pycache__"),
        dirs_exist_ok=True,
    )
    for program in (python, Path("/bin/sh")):
        _copy(program, root)
    (root / "usr/bin").mkdir(parents=True, exist_ok=True)
    link = root / "usr/bin/python3"
    if not link.exists():
        link.symlink_to(python)
    extensions = _inside(root, library).rglob("*.so")
    needed = _libraries([python, Path("/bin/sh").resolve(), *extensions])
    for file in [*needed, *_rest_of_libc(needed)]:
        _copy(file, root)
    for folder in ("tmp", "root", "dev", "proc"):
        (root / folder).mkdir(exist_ok=True)
    for device in _DEVICES:
        # A regular file must do where devices cannot be made: reading it gives nothing, too.
        made = subprocess.run(["cp", "-a", device, str(root / "dev")], check=False)
        if made.returncode:
            (root / device.lstrip("/")).touch()


def _inside(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _copy(path: Path, root: Path) -> None:
    target = _inside(root, path)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def _libraries(programs: list[Path]) -> list[Path]:
    listed = subprocess.run(
        ["ldd", *map(str, programs)], capture_output=True, text=True, check=False
    ).stdout
    words = [word for line in listed.splitlines() for word in line.split()]
    return [
        Path(word) for word in dict.fromkeys(words) if word.startswith("/") and ":" not in word
    ]


def _rest_of_libc(libraries: list[Path]) -> list[Path]:
    """Return what every system with this C library has beside it, used by us or not."""
    libc = next(path for path in libraries if path.name.startswith("libc.so"))
    return [
        file
        for name in ("pthread", "dl", "rt", "m", "util")
        for file in libc.parent.glob(f"lib{name}.so.*")
    ]
