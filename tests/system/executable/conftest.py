"""The executable under test: dist/diffx, made by `python3 build.py`."""

import os
import sys
from pathlib import Path

import pytest

EXECUTABLE = Path(__file__).resolve().parents[3] / "dist" / "diffx"


@pytest.fixture(scope="session")
def executable() -> Path:
    if not EXECUTABLE.exists():
        pytest.fail(f"{EXECUTABLE} does not exist; run `python3 build.py` first")
    return EXECUTABLE


@pytest.fixture(autouse=True)
def _real_python3(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make `python3` the interpreter of this run, not a version manager's script of that name."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
