"""The executable starts anywhere a file can be started (case C10)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import diffx
from tests.support.executable import Outcome, pythons, run

pytestmark = pytest.mark.system
VERSION = Outcome(0, f"diffx {diffx.__version__}\n", "")
PORT = Outcome(0, "port=0\n", "")
SHADOWS = ("json", "sqlite3", "pygit2", "typing", "os", "diffx", "diffx_launcher", "importlib")


@pytest.fixture
def shadows(tmp_path: Path) -> Path:
    """A folder of the user's whose files are named like modules."""
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the user was imported')")
    return tmp_path


@pytest.mark.parametrize("python", pythons())
def test_it_runs_on_each_supported_python(executable: Path, python: str) -> None:
    assert run([python, executable, "--version"]) == VERSION
    assert run([python, "-I", "-S", executable, "--version"]) == VERSION
    assert run([python, "-I", "-S", executable, "--help"]).code == 0


def test_it_runs_by_itself(executable: Path) -> None:
    assert run([executable, "--version"]) == VERSION


def test_a_copy_elsewhere_needs_nothing_of_this_repository(
    executable: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "a b" / "my diffx"
    copy.parent.mkdir()
    shutil.copy(executable, copy)
    (tmp_path / "link").symlink_to(copy)

    assert run([copy, "--version"], cwd=tmp_path) == VERSION
    assert run(["a b/my diffx", "--version"], cwd=tmp_path) == VERSION
    assert run([tmp_path / "link", "--version"]) == VERSION
    assert run([sys.executable, tmp_path / "link", "--version"]) == VERSION


def test_it_is_found_on_path(executable: Path, tmp_path: Path) -> None:
    path = f"{executable.parent}{os.pathsep}{os.environ['PATH']}"

    assert run(["sh", "-c", "diffx --version"], cwd=tmp_path, env={"PATH": path}) == VERSION


def test_files_named_like_modules_are_never_imported(executable: Path, shadows: Path) -> None:
    assert run([executable, "--version"], cwd=shadows) == VERSION
    assert run([executable, "config", "set", "port", "0"], cwd=shadows).code == 0
    assert run([executable, "config", "get"], cwd=shadows) == PORT
    assert run([sys.executable, executable, "config", "get"], cwd=shadows) == PORT


def test_pythonpath_does_not_reach_it(executable: Path, tmp_path: Path) -> None:
    # Python itself honours the variable before a program can object; so no names that it loads.
    (tmp_path / "json.py").write_text("raise SystemExit('a file of the user was imported')")
    env = {"PYTHONPATH": str(tmp_path)}

    assert run([executable, "config", "set", "port", "0"], env=env).code == 0
    assert run([executable, "config", "get"], env=env) == PORT
    assert run([sys.executable, executable, "config", "get"], env=env) == PORT


@pytest.mark.parametrize(
    "home", ["/proc/1/no-home", "/dev/null", ""], ids=["impossible", "a file", "empty"]
)
def test_no_home_is_needed_to_answer(executable: Path, home: str) -> None:
    env = {"HOME": home, "XDG_CACHE_HOME": home}

    assert run([executable, "--version"], env=env) == VERSION


def test_a_current_folder_that_is_gone_does_not_matter(executable: Path, tmp_path: Path) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && '{executable}' --version"

    outcome = run(["sh", "-c", script], cwd=tmp_path)

    # On stderr, some shells remark on the folder before they start anything.
    assert (outcome.code, outcome.stdout) == (VERSION.code, VERSION.stdout)


def test_a_reader_that_has_read_enough_is_no_traceback(executable: Path) -> None:
    pipe, other = os.pipe()
    os.close(pipe)
    try:
        done = subprocess.run(
            [executable, "--help"], stdout=other, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(other)

    assert done.stderr == b""


def test_without_python_one_line_says_what_is_missing(executable: Path, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")

    outcome = run(["/bin/sh", executable, "--version"], env={"PATH": str(tmp_path)})

    assert outcome.code == 127
    assert outcome.stderr == "diffx: needs Python 3.11 or newer as python3\n"
