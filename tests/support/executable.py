"""Run the executable as a user does, on any Python that is here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TIMEOUT_S: Final = 120
NAMES: Final = ("python3.11", "python3.12", "python3.13", "python3.14")
# Read while the tests are collected: later, HOME is the test's own.
_PYENV: Final = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run left: exit code and both outputs."""

    code: int
    stdout: str
    stderr: str


def pythons() -> list[str]:
    """Return one interpreter of each supported version that this machine has."""
    found: dict[str, str] = {}
    for name in NAMES:
        candidates = [*_pyenv(name), shutil.which(name)]
        usable = next((path for path in candidates if path and _answers(path)), None)
        if usable:
            found[name] = usable
    return [*found.values()] or [sys.executable]


def run(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Outcome:
    """Run a command to its end."""
    done = subprocess.run(
        [str(word) for word in argv],
        env=os.environ if env is None else os.environ | env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def load_libgit2(file: Path) -> list[str]:
    """Return the words that make a Python use the bundled libgit2 and print its version."""
    script = (
        "import sys;sys.path[:0]=[sys.argv[1]];"
        "from diffx import native;from diffx.errors import DiffxError\n"
        "try: native.make_importable()\n"
        "except DiffxError as e: sys.exit(f'diffx: {e}')\n"
        "import pygit2;print(pygit2.LIBGIT2_VERSION, pygit2.__file__)"
    )
    return ["-I", "-S", "-c", script, str(file)]


def _answers(path: str) -> bool:
    try:
        return (
            subprocess.run([path, "-c", "pass"], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


def _pyenv(name: str) -> list[str]:
    version = name.removeprefix("python")
    return [str(path) for path in sorted(_PYENV.glob(f"{version}.*/bin/{name}"))]
