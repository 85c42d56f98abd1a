"""Say what is going on, and run commands that can be read along."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tools.build.project import ROOT, BuildError

_WIDTH: Final = 78


def banner(title: str) -> None:
    print(f"\n=== {title} {'=' * max(3, _WIDTH - len(title))}", flush=True)


def note(text: str) -> None:
    print(f"build.py: {text}", flush=True)


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run a command with its output on ours; return its exit code."""
    words = [str(word) for word in argv]
    print(f"$ {shlex.join(words)}", flush=True)
    try:
        return subprocess.run(
            words, cwd=cwd, env=env, check=False, stdin=subprocess.DEVNULL
        ).returncode
    except OSError as error:
        raise BuildError(f"cannot start {words[0]}: {error.strerror}") from error


def must(
    argv: Sequence[str | Path],
    *,
    remedy: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run a command that has to succeed; its output is shown only if it does not."""
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        raise BuildError(f"cannot start {words[0]}: {error.strerror}; {remedy}") from error
    if done.returncode:
        print(f"$ {shlex.join(words)}")
        sys.stdout.flush()
        sys.stdout.buffer.write(done.stdout)
        raise BuildError(f"{Path(words[0]).name} ended with {done.returncode}; {remedy}")


def output(argv: Sequence[str | Path]) -> str | None:
    """Return what a command prints, or None if it is not there or fails."""
    try:
        done = subprocess.run(
            [str(word) for word in argv], check=False, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def with_path(*folders: Path) -> dict[str, str]:
    """Return our environment with `folders` in front of PATH."""
    path = os.pathsep.join([*map(str, folders), os.environ.get("PATH", os.defpath)])
    return os.environ | {"PATH": path}
