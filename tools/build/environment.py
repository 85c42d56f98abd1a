"""Virtual environments with exact versions, kept below .build and reused while nothing changes."""

import shutil
import sys
from hashlib import sha256
from pathlib import Path

from tools.build.project import CONSTRAINTS, WORK, BuildError, python_label, requirements
from tools.build.terminal import must, note


def environment(*groups: str, runtime: bool = False) -> Path:
    """Return the Python of an environment that holds `groups` of pyproject.toml, exactly.

    Its folder is named after the versions, so a changed pin makes a new one and a half-made one
    is never used.
    """
    wanted = [line for group in groups for line in requirements(group)]
    if runtime:
        from tools.build.project import runtime_requirements

        wanted += runtime_requirements()
    key = sha256("\n".join([sys.base_prefix, *wanted, CONSTRAINTS.read_text()]).encode())
    folder = WORK / f"env-{groups[0]}-{python_label()}-{key.hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python
    note(f"installing {', '.join(groups)} into {folder.name}")
    shutil.rmtree(folder, ignore_errors=True)
    _create(folder)
    must(
        [python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, *wanted],
        remedy="the packages come from PyPI: is it reachable?",
    )
    (folder / "complete").touch()
    return python


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
