"""How one local instance is found, asked and replaced (11.3).

Beside the database lies a private descriptor that says where the owner's control listener is.
Both ends prove that they know the descriptor's key without sending it, so neither a process that
inherited a dead owner's port nor a user who only sees the port can speak for an instance. The
listener knows two verbs, `status` and `shutdown`. A process id in the descriptor is for people:
nothing is ever done to a process because of it.

    owner  -> greeting nonce
    client -> verb nonce proof(verb)
    owner  -> proof("reply") JSON
"""

import hmac
import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from diffx.errors import ConflictError
from diffx.files import exclusive, private_directory, write_private
from diffx.review.model import Millis

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 3.0
_MAX_LINE: Final = 4096
_GREETING: Final = "diffx-control-1"


class InstanceRunningError(ConflictError):
    """Another instance owns the database and was not to be replaced."""

    code = "instance_running"


class InstanceUnreachableError(ConflictError):
    """The database is owned by a process that does not answer; it is reported, never killed."""

    code = "instance_unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """Where an instance listens for control, and what a person may want to know of it."""

    port: int
    key: str
    pid: int
    url: str
    started_at: Millis


def descriptor_path(database: Path) -> Path:
    return database.with_name(database.name + ".instance")


@contextmanager
def starting(database: Path) -> Iterator[None]:
    """Hold the lock under which instances of one database start and replace each other."""
    private_directory(database.parent)
    with exclusive(database.with_name(database.name + ".starting")):
        yield


def find(database: Path) -> Descriptor | None:
    """Return the live instance of a database, proven over its control listener, or None.

    A descriptor whose instance is dead, or whose port now belongs to somebody else, is None.
    """
    descriptor = _read(descriptor_path(database))
    if descriptor is None or _ask(descriptor, "status") is None:
        return None
    return descriptor


def shut_down(descriptor: Descriptor) -> None:
    """Ask an instance to stop; it has accepted when this returns, and may still be stopping."""
    if _ask(descriptor, "shutdown") is None:
        log.info("instance stopped answering before it was asked pid=%d", descriptor.pid)


class Control:
    """The owner's end: answers `status` and `shutdown` on a loopback port until closed."""

    def __init__(self, *, on_shutdown: Callable[[], None]) -> None:
        self._key = secrets.token_hex(32)
        self._on_shutdown = on_shutdown
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=8)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="diffx-control")
        self._thread.start()

    def describe(self, *, url: str, started_at: Millis) -> Descriptor:
        port = int(self._socket.getsockname()[1])
        return Descriptor(
            port=port, key=self._key, pid=os.getpid(), url=url, started_at=started_at
        )

    def close(self) -> None:
        """Stop answering; returns when the thread has ended."""
        self._closing.set()
        with suppress(OSError):
            # accept() on another thread is not woken by close(); a connection always wakes it.
            socket.create_connection(self._socket.getsockname(), _TIMEOUT_S).close()
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError as error:
                log.warning("control connection failed error=%s", error.strerror)
                self._closing.wait(0.1)
                continue
            with connection, suppress(OSError, ValueError):
                connection.settimeout(_TIMEOUT_S)
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        greeting = secrets.token_hex(16)
        with connection.makefile("rw", encoding="ascii", newline="\n") as stream:
            stream.write(f"{_GREETING} {greeting}\n")
            stream.flush()
            verb, nonce, proof = stream.readline(_MAX_LINE).split()
            if not hmac.compare_digest(proof, _proof(self._key, verb, greeting, nonce)):
                return
            if verb not in ("status", "shutdown"):
                return
            body = json.dumps({"pid": os.getpid()})
            stream.write(f"{_proof(self._key, 'reply', greeting, nonce)} {body}\n")
            stream.flush()
        if verb == "shutdown":
            self._on_shutdown()


def announce(database: Path, descriptor: Descriptor) -> None:
    """Write the descriptor, readable by its owner alone."""
    text = json.dumps(asdict(descriptor))
    write_private(descriptor_path(database), text.encode("ascii"))


def withdraw(database: Path, descriptor: Descriptor) -> None:
    """Remove the descriptor if it is still this instance's."""
    if _read(descriptor_path(database)) == descriptor:
        descriptor_path(database).unlink(missing_ok=True)


def _read(path: Path) -> Descriptor | None:
    try:
        raw = json.loads(path.read_bytes())
        return Descriptor(
            port=int(raw["port"]),
            key=str(raw["key"]),
            pid=int(raw["pid"]),
            url=str(raw["url"]),
            started_at=Millis(int(raw["started_at"])),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        # A half-understood descriptor proves nothing; the database's own lock still protects it.
        log.info("ignoring descriptor path=%s error=%s", path, error)
        return None


def _ask(descriptor: Descriptor, verb: str) -> dict[str, object] | None:
    """Speak one verb; None unless the other end proved that it is the instance."""
    try:
        address = ("127.0.0.1", descriptor.port)
        with socket.create_connection(address, _TIMEOUT_S) as connection:
            connection.settimeout(_TIMEOUT_S)
            with connection.makefile("rw", encoding="ascii", newline="\n") as stream:
                return _converse(descriptor.key, verb, stream.readline, stream.write, stream.flush)
    except (OSError, ValueError, OverflowError):
        return None


def _converse(
    key: str,
    verb: str,
    read: Callable[[int], str],
    write: Callable[[str], object],
    flush: Callable[[], None],
) -> dict[str, object] | None:
    magic, greeting = read(_MAX_LINE).split()
    if magic != _GREETING:
        return None
    nonce = secrets.token_hex(16)
    write(f"{verb} {nonce} {_proof(key, verb, greeting, nonce)}\n")
    flush()
    proof, body = read(_MAX_LINE).split(" ", 1)
    if not hmac.compare_digest(proof, _proof(key, "reply", greeting, nonce)):
        return None
    answer = json.loads(body)
    return answer if isinstance(answer, dict) else None


def _proof(key: str, word: str, greeting: str, nonce: str) -> str:
    message = f"{word} {greeting} {nonce}".encode("ascii")
    return hmac.new(key.encode("ascii"), message, "sha256").hexdigest()
