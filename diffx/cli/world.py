"""Everything a command may know of the outside, as one value; `main` builds the real one."""

import io
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from diffx.cli.streams import OutputError, silence
from diffx.clock import Clock, NewId
from diffx.errors import FailedError, InvalidError


class NoHomeError(FailedError):
    """Neither HOME nor the list of accounts names a home folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Environment, terminal, clock and randomness.

    `stdin` is a file descriptor, or None where the caller closed it. Output for programs goes to
    `stdout`; everything for people goes to `stderr`.
    """

    environment: Mapping[str, str]
    stdin: int | None
    stdout: TextIO
    stderr: TextIO
    now: Clock
    new_id: NewId

    def say(self, line: str) -> None:
        """Print one line for people; where standard error takes nothing, nobody is there to tell."""
        try:
            print(line, file=self.stderr, flush=True)
        except OSError:
            silence(self.stderr)

    def tell(self, *lines: str) -> None:
        """Print lines for programs, all at once; raises OutputError where they cannot go."""
        try:
            print(*lines, sep="\n", file=self.stdout, flush=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            silence(self.stdout)
            raise OutputError(error) from error

    def log_to_stderr(self, *, debug: bool) -> None:
        """Send log lines to people: warnings, or everything."""
        from diffx.cli import report

        report.begin(self.stderr, debug=debug)

    def folder(self) -> Path:
        """Return the current directory; one that was removed is an error in one line."""
        try:
            return Path.cwd()
        except FileNotFoundError:
            raise FailedError(
                "the current directory no longer exists; change to one that does, or name a PATH"
            ) from None

    def config_dir(self) -> Path:
        """Return the folder of the settings file and the source id."""
        return self._base("XDG_CONFIG_HOME", ".config") / "diffx"

    def state_dir(self) -> Path:
        """Return the folder of the database."""
        return self._base("XDG_STATE_HOME", ".local/state") / "diffx"

    def config_file(self, flag: str | None) -> Path:
        """Return the settings file: the flag, else DIFFX_CONFIG_PATH, else the usual place."""
        named = flag or self.environment.get("DIFFX_CONFIG_PATH")
        return Path(named) if named else self.config_dir() / "config.json"

    def config_file_to_read(self, flag: str | None) -> Path | None:
        """Return the settings file; None where none is named and no home could hold one.

        InvalidError for one that is named, by flag or variable, and is not there.
        A home that may not be entered (a service account's, a container's) counts as none, as
        it does for git.
        """
        try:
            file = self.config_file(flag)
        except NoHomeError:
            return None
        if flag or self.environment.get("DIFFX_CONFIG_PATH"):
            return _named_file(file)
        try:
            file.stat()
        except PermissionError as error:
            import logging

            logging.getLogger(__name__).info("no home that may be entered error=%s", error)
            return None
        except OSError:
            return file  # reading it says what is wrong, if it is more than missing
        return file

    def _base(self, variable: str, below_home: str) -> Path:
        named = self.environment.get(variable, "")
        # The XDG base directory specification: a relative value is invalid and is ignored.
        if named and Path(named).is_absolute():
            return Path(named)
        return self._home() / below_home

    def _home(self) -> Path:
        named = self.environment.get("HOME", "")
        if named:
            return Path(named)
        home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where this answers '~'
        if home.startswith("~"):
            raise NoHomeError("no home folder is known; set HOME, or use --state")
        return Path(home)


def real_world() -> World:
    """Describe the process that we are in."""
    from diffx.clock import random_id, system_clock

    if isinstance(sys.stdout, io.TextIOWrapper):
        # What a locale's encoding has no bytes for is escaped, as Python does on stderr anyway.
        sys.stdout.reconfigure(errors="backslashreplace")
    return World(
        environment=dict(os.environ),
        stdin=_stdin(),
        stdout=sys.stdout,
        stderr=sys.stderr,
        now=system_clock,
        new_id=random_id,
    )


def _stdin() -> int | None:
    if sys.stdin is None:
        return None
    try:
        os.fstat(0)
    except OSError:
        return None
    return 0


def _named_file(file: Path) -> Path:
    """Return a settings file that somebody named; what is not there cannot be meant (14)."""
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidError(f"{file}: there is no such settings file") from None
    except OSError:
        return file  # reading it says what is wrong
    return file
