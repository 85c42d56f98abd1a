"""What is loaded is what is paid for: the module sets of the shortest commands, and of a server."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.executable import run
from tools.build.executable import INSTANT

pytestmark = pytest.mark.system
REPORT = (
    "import atexit, json, sys;"
    "out = sys.stdout;"
    "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr));"
)
ROOT = Path(__file__).resolve().parents[3]
# In sys.modules whatever a Python program does; json and atexit are the test's own.
EVERYWHERE = "import atexit, json, sys, zipimport, os"


def modules(script: str) -> set[str]:
    outcome = run([sys.executable, "-I", "-S", "-c", script], cwd=Path("/"))
    assert outcome.code == 0, outcome.stderr
    return set(json.loads(outcome.stderr.splitlines()[-1]))


def loaded(script: str) -> set[str]:
    """Return what `script` loads beyond what the test's own instruments do."""
    return modules(REPORT + script) - modules(REPORT + EVERYWHERE)


def start(root: Path, word: str) -> set[str]:
    return loaded(
        f"sys.argv = ['diffx', {word!r}]; sys.path.insert(0, {str(root)!r});"
        "from diffx.__main__ import main; main()"
    )


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version_loads_nothing_but_itself(executable: Path, word: str) -> None:
    assert start(executable, word) == {"diffx", "diffx.__main__"}
    assert start(ROOT, word) == {"diffx", "diffx.__main__"}


def test_help_loads_its_text_and_nothing_else(executable: Path) -> None:
    expected = {"diffx", "diffx.__main__", "diffx.cli", "diffx.cli.usage"}

    assert start(executable, "--help") == expected


def test_the_launcher_loads_nothing(executable: Path) -> None:
    script = f"sys.path.insert(0, {str(executable)!r}); import diffx_launcher"

    assert loaded(script) == {"diffx_launcher"}


def test_what_the_shortest_commands_load_is_stored_in_the_executable(executable: Path) -> None:
    for word in ("--version", "--help"):
        for module in start(executable, word):
            folder = module.replace(".", "/")
            assert {f"{folder}.pyc", f"{folder}/__init__.pyc"} & INSTANT


@pytest.mark.parametrize("package", ["server.local", "httpapi.routes", "store", "services"])
def test_a_server_never_loads_libgit2(package: str) -> None:
    found = loaded(f"sys.path.insert(0, {str(ROOT)!r}); import diffx.{package}")

    assert f"diffx.{package}" in found
    assert not {"pygit2", "cffi", "_cffi_backend"} & found
