"""Keep a test away from the network, from the user's files and from the user's settings."""

import ipaddress
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

THREAD_GRACE_S: Final = 3.0
_DROPPED_PREFIXES: Final = ("GIT_", "DIFFX_", "XDG_", "PYTHON", "SSH_")
_FIXED: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
# asyncio's child watcher keeps one per live child process (Playwright's driver); it is not ours.
_FOREIGN_THREADS: Final = ("waitpid-", "asyncio_", "pydevd", "pytest_timeout")


class NetworkUsedError(BaseException):
    """A test reached for another machine. Not an Exception, so that no code swallows it."""


class NetworkGuard:
    """Refuse every connection that leaves this machine; from Python or from any C library.

    An audit hook cannot be removed again, so there is one for the whole run.
    """

    def __init__(self) -> None:
        self.violations: list[str] = []

    def install(self) -> None:
        sys.addaudithook(self.watch)

    def watch(self, event: str, args: tuple[object, ...]) -> None:
        if event in ("socket.connect", "socket.sendto"):
            self._connect(args[1])
        elif event == "socket.getaddrinfo":
            _resolve(args[0])

    def _connect(self, address: object) -> None:
        # A UNIX socket's address is a path: never another machine.
        if not isinstance(address, tuple) or _is_local(address[0]):
            return
        self.violations.append(repr(address))
        raise NetworkUsedError(f"a test tried to reach {address!r}; only loopback is allowed")


GUARD: Final = pytest.StashKey[NetworkGuard]()


def _resolve(host: object) -> None:
    """Answer as a machine without a name server does; numbers need no lookup."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if not isinstance(name, str) or _is_local(name) or _is_number(name):
        return
    raise socket.gaierror(socket.EAI_NONAME, f"name lookups are off in tests: {name}")


def _is_local(host: object) -> bool:
    if not isinstance(host, str) or host in ("", "localhost"):
        return True
    return _is_number(host) and ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def private_environment(inherited: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return an environment whose user owns nothing but `home`, with no Git or diffx settings."""
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith(_DROPPED_PREFIXES) and not name.lower().endswith("_proxy")
    }
    return (
        kept
        | _FIXED
        | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_STATE_HOME": str(home / ".local/state"),
        }
    )


@contextmanager
def environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """Make `wanted` the whole environment of this process, and put the old one back."""
    before = dict(os.environ)
    _become(wanted)
    try:
        yield
    finally:
        _become(before)


def _become(wanted: Mapping[str, str]) -> None:
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def threads_left(before: set[threading.Thread]) -> list[str]:
    """Wait briefly for threads that are ending; return the names of those that stay."""
    deadline = time.monotonic() + THREAD_GRACE_S
    for thread in _new_threads(before):
        thread.join(max(0.0, deadline - time.monotonic()))
    return sorted(thread.name for thread in _new_threads(before))


def _new_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    return [
        thread
        for thread in threading.enumerate()
        if thread not in before and not thread.name.startswith(_FOREIGN_THREADS)
    ]
