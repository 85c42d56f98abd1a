"""A Python that the executable has no byte code for compiles each module once, not at every start."""

import sys
from pathlib import Path

import pytest

from tests.support.executable import Outcome, pythons, run

pytestmark = pytest.mark.system
OTHERS = [
    python for python in pythons() if f"{sys.version_info[0]}.{sys.version_info[1]}" not in python
]
PORT = Outcome(0, "port=0\n", "")
FORGE = """
import marshal, sys, zlib
file, mark = sys.argv[1], 26
data = open(file, "rb").read()
codes = marshal.loads(data[mark:])
codes["diffx.cli.settings"] = marshal.dumps(compile("import os; os.write(2, b'kept'); os._exit(0)", "x", "exec"))
data = data[:18] + b"%08x" % zlib.crc32(new := marshal.dumps(codes)) + new
open(file, "wb").write(data)
"""


def kept(home: Path) -> list[Path]:
    return sorted((home / ".cache" / "diffx" / "code").glob("*"))


@pytest.mark.skipif(not OTHERS, reason="there is one Python here")
@pytest.mark.parametrize("python", OTHERS or [""])
def test_what_one_start_compiled_the_next_one_uses(
    executable: Path, home: Path, python: str
) -> None:
    start: list[str | Path] = [python, "-I", "-S", executable, "config"]
    assert run([*start, "set", "port", "0"]).code == 0
    (file,) = kept(home)
    assert run([*start, "get"]) == PORT

    # Code that does something else proves that it is what runs.
    assert run([python, "-c", FORGE, file]).code == 0
    assert run([*start, "get"]).stderr == "kept"

    file.chmod(0o666)  # now anybody may have written it
    assert run([*start, "get"]) == PORT
    file.unlink()
    assert run([*start, "get"]) == PORT
    assert kept(home) == [file]


ASK_A_WORKER = """
import os, sys
sys.path[:0] = [sys.argv[1]]
from diffx import bytecode
bytecode.use()
from diffx.review.linediff import split_lines
from diffx.services.worker import Elsewhere
print(len(Elsewhere().run(split_lines, b"one\\ntwo\\n")), flush=True)
os._exit(0)  # what is kept now, the worker has kept
"""


@pytest.mark.skipif(not OTHERS, reason="there is one Python here")
def test_a_worker_process_shares_what_is_kept(executable: Path, home: Path) -> None:
    outcome = run([OTHERS[0], "-I", "-S", "-c", ASK_A_WORKER, executable])

    assert (outcome.code, outcome.stdout) == (0, "2\n")
    assert len(kept(home)) == 1


@pytest.mark.skipif(not OTHERS, reason="there is one Python here")
def test_the_python_that_built_it_keeps_nothing(executable: Path, home: Path) -> None:
    assert run([executable, "config", "set", "port", "0"]).code == 0

    assert kept(home) == []


@pytest.mark.skipif(not OTHERS, reason="there is one Python here")
@pytest.mark.parametrize("cache", ["/proc/1/none", "/dev/null", "relative"])
def test_a_cache_that_cannot_be_written_changes_nothing(executable: Path, cache: str) -> None:
    start: list[str | Path] = [OTHERS[0], "-I", "-S", executable, "config"]

    assert run([*start, "set", "port", "0"], env={"XDG_CACHE_HOME": cache}).code == 0
    assert run([*start, "get"], env={"XDG_CACHE_HOME": cache}) == PORT
