"""What this process uses, from the operating system and without dependencies."""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFigures:
    rss_bytes: int
    cpu_seconds: float
    threads: int


def process_figures() -> ProcessFigures:
    return ProcessFigures(
        rss_bytes=_resident_bytes(),
        cpu_seconds=time.process_time(),
        threads=threading.active_count(),
    )


def _resident_bytes() -> int:
    """Return resident memory now; its peak where the system tells no more; 0 where nothing."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return _peak_bytes()


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:  # Windows has no such figure in the standard library
        return 0
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # getrusage(2): KiB but on macOS
