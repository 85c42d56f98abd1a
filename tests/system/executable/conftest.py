"""The executable under test: dist/diffx, made by `python3 build.py`."""

from pathlib import Path

import pytest

EXECUTABLE = Path(__file__).resolve().parents[3] / "dist" / "diffx"


@pytest.fixture(scope="session")
def executable() -> Path:
    if not EXECUTABLE.exists():
        pytest.fail(f"{EXECUTABLE} does not exist; run `python3 build.py` first")
    return EXECUTABLE
