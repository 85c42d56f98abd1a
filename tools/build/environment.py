"""Virtual environments with exact versions, kept below .build and reused while nothing changes."""

import shutil
import sys
from hashlib import sha256
from pathlib import Path

from diffx.files import exclusive
from tools.build.project import (
    CONSTRAINTS,
    WORK,
    BuildError,
    python_label,
    requirements,
    runtime_requirements,
)
from tools.build.terminal import must, note


def environment(*groups: str, runtime: bool = False) -> Path:
    """Return the Python of an environment that holds `groups` of pyproject.toml, exactly.

    Its folder is named after the versions, so a changed pin makes a new one and a half-made one
    is never used.
    """
    wanted = [line for group in groups for line in requirements(group)]
    if runtime:
        wanted += runtime_requirements()
    key = sha256("\n".join([sys.base_prefix, *wanted, CONSTRAINTS.read_text()]).encode())
    folder = WORK / f"env-{groups[0]}-{python_label()}-{key.hexdigest()[:12]}"
    python = folder / "bin" / "python"
    WORK.mkdir(exist_ok=True)
    with exclusive(WORK / "lock"):
        if not (folder / "complete").exists():
            _install(wanted, folder, python)
    return python


def _install(wanted: list[str], folder: Path, python: Path) -> None:
    note(f"installing {', '.join(wanted[:3])}{' …' if wanted[3:] else ''} into {folder.name}")
    for outdated in WORK.glob(f"{folder.name.rpartition('-')[0]}-*"):
        shutil.rmtree(outdated, ignore_errors=True)
    _create(folder)
    must(
        [python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, *wanted],
        remedy="the packages come from PyPI: is it reachable?",
    )
    (folder / "complete").touch()


def _create(folder: Path) -> None:
    try:
        import ensurepip  # noqa: F401 - Debian ships it apart from Python itself
        import venv
    except ImportError:
        raise BuildError(
            "this Python cannot make virtual environments; install its venv package "
            "(Debian: apt-get install python3-venv) or use another Python"
        ) from None
    venv.create(folder, with_pip=True, symlinks=True)
