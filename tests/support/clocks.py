"""Clocks that a test moves, so that no test waits for a real one or is judged by it."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from diffx.collector.contents.worktree import FILE_CLOCK


class LeapingClock:
    """`time.monotonic`, but it leaps ahead when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real: Callable[[], float] = time.monotonic
        self._ahead_s = 0.0
        monkeypatch.setattr(time, "monotonic", self.monotonic)

    def monotonic(self) -> float:
        return self._real() + self._ahead_s

    def leap(self, seconds: float) -> None:
        self._ahead_s += seconds


def let_file_clock_pass(*files: Path) -> None:
    """Wait until a write to these files gets another time stamp than they have."""
    latest = max(file.lstat().st_ctime_ns for file in files)
    while time.clock_gettime_ns(FILE_CLOCK) <= latest:
        time.sleep(0.001)
