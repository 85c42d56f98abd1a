"""What `--debug` tells of a run: enough to understand a fault from afar, and no secret (issue 10).

Each line begins with the milliseconds since the first could be written, so that the time between
two lines is what the step between them took.
"""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TextIO

from diffx import __file__ as package
from diffx import __version__, config
from diffx.cli.streams import printable
from diffx.errors import DiffxError
from diffx.review.model import Comparison, Observation

log = logging.getLogger(__name__)

_PLAIN: Final = "diffx: %(levelname)s %(name)s %(message)s"
_TIMED: Final = "diffx: %(relativeCreated)6.0f ms %(levelname)s %(name)s %(message)s"


class _Printable(logging.Formatter):
    """Escapes control characters line by line: names in messages come from repositories (2.6)."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(map(printable, super().format(record).split("\n")))


def begin(stream: TextIO, *, debug: bool) -> None:
    """Send log lines to a stream: warnings, or everything with the time."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Printable(_TIMED if debug else _PLAIN))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG if debug else logging.WARNING)
    if debug:
        system = os.uname()
        log.debug(
            "diffx=%s from=%s python=%s at=%s system=%s",
            __version__,
            Path(package).parent,
            sys.version.split()[0],
            sys.executable,
            f"{system.sysname} {system.release} {system.machine}",
        )


def settings(given: config.Settings, *, file: object, environment: Mapping[str, str]) -> None:
    """Tell which settings take part and where each comes from; a secret is masked (14)."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    log.debug("settings file=%s", file)
    for key, value in sorted(given.values.items()):
        log.debug("setting %s=%s from=%s", key, config.shown(key, value), given.origins[key])
    shown = ("LANG", "LC_ALL", "SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
    there = [name for name in shown if environment.get(name)]
    log.debug("environment set=%s", ",".join(there) or "none of interest")


def observation(found: Observation) -> None:
    """Tell what was collected, in numbers."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    log.debug("compared %s", _comparison(found.comparison))
    for snapshot in found.snapshots:
        files = snapshot.files
        withheld = [f.patch.reason for f in files if f.patch.blob is None and f.patch.reason]
        counts = {reason: withheld.count(reason) for reason in sorted(set(withheld))}
        log.debug(
            "scope=%s files=%d additions=%d deletions=%d patches_withheld=%s",
            snapshot.scope,
            len(files),
            sum(file.additions or 0 for file in files),
            sum(file.deletions or 0 for file in files),
            counts or 0,
        )
    log.debug(
        "collected texts=%d bytes=%d content_hash=%s",
        len(found.texts),
        sum(map(len, found.texts.values())),
        "none" if found.content_hash is None else found.content_hash[:12],
    )


def failure(error: BaseException) -> None:
    """Tell where an error came from that is otherwise one line."""
    log.debug(
        "it failed here", exc_info=error if isinstance(error, DiffxError | OSError) else None
    )


def _comparison(made: Comparison) -> str:
    why = f" because={made.fallback}" if made.fallback else ""
    return (
        f"policy={made.policy} kind={made.kind} base={made.base_ref} commit={made.base_commit} "
        f"merge_base={made.merge_base}{why}"
    )
