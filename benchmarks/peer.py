"""How soon a reader sees the first diff, beside difit: goals 9, 10 and 11.

    python3 benchmarks/peer.py [--difit FOLDER] [--diffx dist/diffx] [--rounds N] [small medium ...]

Both are started in the same checkout and asked until they answer: difit for its one JSON with
everything in it (one scope, no untracked files), diffx for what its page asks first, the list of
all files with the patches of the first screen (three scopes, untracked files, contents and
hashes are stored by then). Every launch of diffx has an empty state. Without --difit the peer is
installed into a temporary folder; without --diffx the source beside this file is run.
"""

import argparse
import contextlib
import http.client
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.checkouts import NAMES, checkout  # noqa: E402 - see above
from benchmarks.runner import Goal, Subject, compare  # noqa: E402 - see above

DIFIT: Final = "difit@2.2.7"
FROM_SOURCE: Final = (
    "import sys;sys.path[:0]=[{root!r}];from diffx.__main__ import main;sys.exit(main())"
)
_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:(\d+)(/contexts/\S+)")
_LIMIT_S: Final = 120.0
_STEP_S: Final = 0.003

# Goal 9 and its fail by checkout; goals 10 and 11 are the same for all that they are judged on.
FIRST_DIFF: Final[Mapping[str, tuple[float, float]]] = {
    "small": (0.25, 0.4),
    "medium": (0.35, 0.5),
    "onebig": (0.40, 0.6),
    "large": (0.50, 0.8),
}
LISTS: Final = ("medium", "large")


@dataclass(slots=True)
class Seen:
    """What the launches of one program showed, beside the time: bytes sent and peak memory."""

    sizes: list[int] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)


class Running:
    """The one server that runs at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def launch(self, argv: Sequence[str], top: Path, stdin: int, stdout: int) -> int:
        """Start a server; return its process id."""
        self._process = subprocess.Popen(
            argv, cwd=top, stdin=stdin, stdout=stdout, stderr=stdout, start_new_session=True,
            text=True,
        )  # fmt: skip
        return self._process.pid

    def stop(self) -> None:
        """End the server that runs, with everything that it started."""
        process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> int:
    """Measure and judge; 0 where nothing fails."""
    args = arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="diffx-peer-") as work:
        difit = difit_command(args.difit or installed(Path(work)))
        diffx = diffx_command(args.diffx)
        return max(
            measure(name, checkout(args.folder, name), args.rounds, diffx, difit)
            for name in args.names or NAMES
        )


def arguments(words: str | None) -> argparse.Namespace:
    """Read what all comparisons with difit are asked with."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--difit", type=Path, help=f"a folder with {DIFIT} in node_modules")
    parser.add_argument("--diffx", type=Path, help="the executable")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "diffx-benchmarks"
    )
    return parser.parse_args()


def measure(name: str, top: Path, rounds: int, diffx: Sequence[str], difit: Sequence[str]) -> int:
    """Launch both in turns on one checkout."""
    print(f"== {name}")
    running, ours, theirs = Running(), Seen(), Seen()
    report = compare(
        [
            Subject("difit", lambda: _run_difit(running, difit, top, theirs), running.stop),
            Subject("diffx", lambda: _run_diffx(running, diffx, top, ours), running.stop),
        ],
        rounds=rounds,
    )
    running.stop()
    report.judge(Goal("9", "launch to first diff", "diffx", "difit", *FIRST_DIFF[name]))
    code = report.show()
    if name in LISTS:
        code = max(code, judge("10", "bytes of the list", ours.sizes, theirs.sizes, (0.05, 0.1)))
    return max(code, judge("11", "peak memory", ours.peaks, theirs.peaks, (0.4, 0.6)))


def judge(
    number: str, what: str, ours: list[int], theirs: list[int], limits: tuple[float, float]
) -> int:
    ratio = max(ours) / max(theirs)
    goal, fail = limits
    verdict = "ok" if ratio <= goal else "FAIL" if ratio > fail else "over goal"
    print(
        f"goal {number:>3} {what}: {ratio:.3f} ({max(ours)} / {max(theirs)})"
        f" (goal {goal}, fail {fail}) {verdict}"
    )
    return 1 if verdict == "FAIL" else 0


def diffx_command(executable: Path | None) -> list[str]:
    """Return how diffx is started: the executable, or else the source beside this file."""
    python = [sys.executable, "-I", "-S"]
    if executable is not None:
        return [*python, str(executable.resolve())]
    return [*python, "-c", FROM_SOURCE.format(root=str(ROOT))]


def _run_diffx(running: Running, argv: Sequence[str], top: Path, seen: Seen) -> None:
    with diffx_serving(running, argv, top) as (pid, port, context):
        ask(port, f"/api/v2{context}/view")
        seen.sizes.append(ask(port, f"/api/v2{context}/diffs/current"))
        seen.peaks.append(_peak(pid))


@contextlib.contextmanager
def diffx_serving(
    running: Running, argv: Sequence[str], top: Path
) -> Iterator[tuple[int, int, str]]:
    """Serve a checkout from an empty state; yield process, port and the address of the review."""
    read, write = os.pipe()
    with os.fdopen(read) as lines, tempfile.TemporaryDirectory(prefix="diffx-peer-") as home:
        more = ["--no-browser", "--port", "0", "--state", f"{home}/state.db"]
        pid = running.launch([*argv, str(top), *more], top, subprocess.DEVNULL, write)
        os.close(write)
        found = next(match for line in lines if (match := _ADDRESS.search(line)))
        yield pid, int(found[1]), found[2]


def installed(work: Path) -> Path:
    """Install the peer into a folder, and return that."""
    command = ["npm", "install", "--silent", "--no-audit", "--prefix", str(work), DIFIT]
    subprocess.run(command, check=True)
    return work


def difit_command(folder: Path) -> list[str]:
    """Return how difit is started on a checkout, but for its port."""
    script = folder.resolve() / "node_modules/difit/dist/cli/index.js"
    return ["node", str(script), ".", "main", "--no-open", "--port"]


def _run_difit(running: Running, argv: Sequence[str], top: Path, seen: Seen) -> None:
    with difit_serving(running, argv, top) as (pid, port):
        seen.sizes.append(ask(port, "/api/diff"))
        seen.peaks.append(_peak(pid))


@contextlib.contextmanager
def difit_serving(running: Running, argv: Sequence[str], top: Path) -> Iterator[tuple[int, int]]:
    """Run difit on a terminal: from anything else it would read a diff.

    It asks whether to add untracked files to the index, which would change the checkout: no.
    """
    port = _free_port()
    ours, its = pty.openpty()
    done = threading.Event()
    answering = threading.Thread(target=_say_no, args=(ours, done))
    answering.start()
    try:
        yield running.launch([*argv, str(port)], top, its, its), port
    finally:
        done.set()
        answering.join()
        os.close(its)
        os.close(ours)


def _say_no(terminal: int, done: threading.Event) -> None:
    said = False
    while not done.is_set():
        if select.select([terminal], [], [], 0.02)[0]:
            text = os.read(terminal, 1 << 16)
            if not said and b"?" in text:
                os.write(terminal, b"n\r")
                said = True


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def ask(port: int, path: str) -> int:
    """Ask until there is an answer, as a browser would; return its size on the wire."""
    until = time.monotonic() + _LIMIT_S
    while time.monotonic() < until:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_LIMIT_S)
        try:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip, deflate"})
            answer = connection.getresponse()
            body = answer.read()
        except ConnectionError:
            time.sleep(_STEP_S)
            continue
        finally:
            connection.close()
        if answer.status == http.client.OK:
            return len(body)
        raise SystemExit(f"{path} answered {answer.status}")
    raise SystemExit(f"nothing answered {path} on port {port}")


def _peak(pid: int) -> int:
    """Return the most memory that a process had resident, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    sys.exit(main())
