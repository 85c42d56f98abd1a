"""The executable is a function of the sources: no time, folder, order or machine shows in it."""

import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.executable import run
from tools.build.executable import MAX_BYTES

pytestmark = pytest.mark.system
ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("build.py", "pyproject.toml", "README.md", "LICENSE", "tools", "diffx")


def built_in(folder: Path) -> bytes:
    """Copy the sources to `folder` and build there, with the downloads that are already here."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored, copy_function=shutil.copy)
        else:
            shutil.copy(ROOT / name, folder / name)
    (folder / "docs" / "protocol").mkdir(parents=True)
    shutil.copy(ROOT / "docs/protocol/openapi.yaml", folder / "docs/protocol")
    work = folder / ".build"
    work.mkdir()
    for entry in (ROOT / ".build").iterdir():
        if entry.name.startswith(("env-", "wheels")):
            (work / entry.name).symlink_to(entry)
    outcome = run([sys.executable, "build.py", "--no-web"], cwd=folder)
    assert outcome.code == 0, outcome.stdout + outcome.stderr
    return (folder / "dist" / "diffx").read_bytes()


def test_two_builds_in_two_folders_are_byte_identical(tmp_path: Path) -> None:
    first = built_in(tmp_path / "one")
    second = built_in(tmp_path / "another" / "much deeper")

    assert first == second


def test_no_folder_of_this_machine_is_in_it(executable: Path) -> None:
    places = re.compile("|".join(map(re.escape, (str(ROOT), sys.prefix))).encode())
    with zipfile.ZipFile(executable) as archive:
        names = [
            name
            for name in archive.namelist()
            if not name.startswith("native/") and places.search(archive.read(name))
        ]

    assert names == []


def test_it_is_small(executable: Path) -> None:
    assert executable.stat().st_size <= MAX_BYTES


def test_what_only_serves_those_who_compile_is_left_out(executable: Path) -> None:
    with zipfile.ZipFile(executable) as archive:
        names = archive.namelist()
        libraries = archive.read("native/index").decode()

    assert not [name for name in names if "dist-info" in name or "pycparser" in name]
    assert not [line for line in libraries.splitlines() if "\tcffi/" in line or ".pyi" in line]


def test_every_module_has_its_compiled_form_beside_it(executable: Path) -> None:
    with zipfile.ZipFile(executable) as archive:
        names = set(archive.namelist())

    sources = {name for name in names if name.startswith("diffx") and name.endswith(".py")}
    assert sources
    assert {f"{name}c" for name in sources} <= names


def test_the_licences_of_what_is_bundled_are_in_it(executable: Path) -> None:
    with zipfile.ZipFile(executable) as archive:
        licences = {name for name in archive.namelist() if name.startswith("licenses/")}

    packages = {name.split("/")[1] for name in licences}
    assert packages == {"diffx", "pygit2", "cffi"}
