"""Standard streams that are closed, full or left early: one line, and an exit code of ours (issue 10)."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.repositories import Checkout
from tests.support.viewer import COMMAND, environment, without_progress

pytestmark = pytest.mark.system

FULL: Final = Path("/dev/full")
PRINTING: Final = (
    "--version",
    "--help",
    "help",
    ". --version",
    "completion bash",
    "config get port",
    "config --help",
    ". --no-browser --state memory --print",
)


def sh(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which $DIFFX is the program."""
    script = line.replace("$DIFFX", shlex.join(COMMAND))
    return subprocess.run(
        ["sh", "-c", script],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    made = Checkout.init(tmp_path / "it")
    made.write("a.txt", "one\n")
    subprocess.run([*COMMAND, "config", "set", "port", "0"], env=environment(), check=True)
    return made.top


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", PRINTING)
def test_a_full_standard_output_is_one_line_and_exit_1(checkout: Path, words: str) -> None:
    done = sh(f"exec $DIFFX {words} > /dev/full", checkout)

    assert done.returncode == 1
    assert (
        without_progress(done.stderr)
        == "diffx: cannot write to standard output: No space left on device\n"
    )


@pytest.mark.parametrize("words", PRINTING)
def test_a_closed_standard_output_is_one_line_and_exit_1(checkout: Path, words: str) -> None:
    done = sh(f"exec $DIFFX {words} >&-", checkout)

    assert done.returncode == 1
    assert (
        without_progress(done.stderr) == "diffx: cannot write to standard output: it is closed\n"
    )


@pytest.mark.parametrize("words", ["--help", "completion bash", "config --help"])
def test_a_reader_who_has_read_enough_hears_nothing(checkout: Path, words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*COMMAND, *words.split()],
            cwd=checkout,
            env=environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(write)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_viewer_without_a_standard_output_serves_and_ends_cleanly(
    checkout: Path, tmp_path: Path, closed: str
) -> None:
    """A launcher may close everything; then no file of ours may get the number of a stream."""
    started = f"$DIFFX --no-browser --state {tmp_path}/s.db {closed} & echo $!; wait $!; echo $?"
    shell = subprocess.Popen(
        ["sh", "-c", started.replace("$DIFFX", shlex.join(COMMAND))],
        cwd=checkout,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert shell.stdout is not None and shell.stderr is not None
        pid = int(shell.stdout.readline())
        asked = sh(f"until $DIFFX comments --state {tmp_path}/s.db; do sleep 0.2; done", checkout)
        numbers = {str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in (0, 1, 2)}
        os.kill(pid, 15)
        code, said = shell.communicate(timeout=120)
    finally:
        shell.kill()
        shell.communicate()

    assert (asked.returncode, code) == (0, "0\n")
    assert [
        name for name in numbers if "state" in name or "s.db" in name or "socket" in name
    ] == []
    assert ("the review is at http://" in said) == (closed == ">&-")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_standard_error_stops_nothing(checkout: Path) -> None:
    done = sh("exec $DIFFX config get host 2> /dev/full", checkout)
    listed = sh("exec $DIFFX config get 2> /dev/full", checkout)

    assert done.returncode == 1
    assert (listed.returncode, listed.stdout) == (0, "port=0\n")
