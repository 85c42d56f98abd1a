"""Start the real viewer as a process, and talk to what it serves."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

ROOT: Final = Path(__file__).resolve().parents[2]
COMMAND: Final = (sys.executable, "-m", "diffx")
# A bound for one that hangs, not a measurement: machines that test are slow and noisy.
_READY_S: Final = 120.0
# What is said of work that takes longer than a second, as it may on such a machine.
_PROGRESS: Final = re.compile(
    r"^diffx: (?:opening the checkout|comparing files|reading contents"
    r"|(?:the repository|files) changed while [^\n]*)\n",
    re.MULTILINE,
)


def without_progress(said: str) -> str:
    """Return what was said to people whatever the speed of the machine."""
    return _PROGRESS.sub("", said)


def environment() -> dict[str, str]:
    """The isolated environment of the test, with this checkout importable."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@dataclass(slots=True)
class Viewer:
    """A running viewer and the address it printed."""

    process: subprocess.Popen[bytes]
    url: str

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def context(self) -> str:
        return self.url.rsplit("/", 1)[1]

    def get(self, path: str) -> Any:
        """Return the JSON at a path below /api/v2."""
        with urllib.request.urlopen(f"{self.origin}/api/v2{path}", timeout=60) as answer:
            return json.loads(answer.read())

    def manifest(self, scope: str = "all") -> Any:
        return self.get(f"/contexts/{self.context}/diffs/current?scope={scope}")

    def answers(self) -> bool:
        try:
            self.get("/health")
        except (OSError, urllib.error.URLError):
            return False
        return True

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit code and what was said on stderr."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=_READY_S)
        return self.process.returncode, without_progress(errors.decode())


@contextlib.contextmanager
def viewing(
    *arguments: str | Path,
    stdin: bytes | int = subprocess.DEVNULL,
    cwd: Path | None = None,
    command: Sequence[str] = COMMAND,
) -> Iterator[Viewer]:
    """Run the viewer until the block ends; it has printed its address when the block begins."""
    process = subprocess.Popen(
        [*command, *map(str, arguments), "--no-browser"],
        stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(),
    )
    try:
        if isinstance(stdin, bytes):
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
            process.stdin = None
        yield Viewer(process=process, url=_address(process))
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def refused(
    *arguments: str | Path, stdin: int = subprocess.DEVNULL, cwd: Path | None = None
) -> tuple[int, str]:
    """Run a viewer that must not come up; return its exit code and stderr."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments), "--no-browser"],
        stdin=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(),
        timeout=_READY_S,
        check=False,
    )
    assert done.stdout == b"", "an address was printed although nothing came up"
    return done.returncode, without_progress(done.stderr.decode())


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    until = time.monotonic() + _READY_S
    line = b""
    while not line.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            raise AssertionError("the viewer printed no address in time")
        byte = os.read(process.stdout.fileno(), 1)
        if not byte:
            _, errors = process.communicate()
            raise AssertionError(f"the viewer ended: {errors.decode()}")
        line += byte
    return line.decode().strip()
