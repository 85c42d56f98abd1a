"""Where things are, and which exact versions the project is built with."""

import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
WORK: Final = ROOT / ".build"
DIST: Final = ROOT / "dist"
WEBUI: Final = ROOT / "webui"
ASSETS: Final = ROOT / "diffx" / "assets"
CONSTRAINTS: Final = Path(__file__).with_name("constraints.txt")
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")


class BuildError(Exception):
    """The build cannot go on; one line that says why and what to do."""


def requirements(group: str) -> list[str]:
    """Return a dependency group of pyproject.toml as pip understands it."""
    found: list[str] = []
    for entry in _pyproject()["dependency-groups"][group]:
        found += [entry] if isinstance(entry, str) else requirements(entry["include-group"])
    return found


def runtime_requirements() -> list[str]:
    """Return what the installed program needs."""
    return [str(line) for line in _pyproject()["project"]["dependencies"]]


def constrained(name: str) -> str:
    """Return `name==version` as the constraints fix it."""
    for line in CONSTRAINTS.read_text().splitlines():
        if line.lower().startswith(f"{name.lower()}=="):
            return line.strip()
    raise BuildError(f"{CONSTRAINTS}: no exact version of {name}")


def _pyproject() -> dict[str, dict[str, list[str | dict[str, str]]]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def python_label() -> str:
    """Name the running interpreter, as in `cpython-311`."""
    return sys.implementation.cache_tag or f"python-{sys.version_info[0]}{sys.version_info[1]}"
