"""Connections to one database: one writer, a few readers, and an end that leaves none behind."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from diffx.clock import NewId
from diffx.store import schema
from diffx.store.failures import StoreClosedError, StoreFailedError, explain

BUSY_MS: Final = 5_000
_WRITER_CACHE_KIB: Final = 16_000
_READER_CACHE_KIB: Final = 4_000
_IDLE_READERS: Final = 8
_LOG_LIMIT_BYTES: Final = 32 << 20


Trace = Callable[[str], None]
"""Told every SQL statement just before it runs."""


class Connections:
    """Every access to the database goes through `write` or `read`; both are one transaction.

    Threads may share it. Writers wait for each other; readers see the last committed state and
    wait for nobody. In memory there is one connection, so there readers wait too.
    """

    def __init__(self, path: Path | None, new_id: NewId, trace: Trace | None = None) -> None:
        self._name = "the database in memory" if path is None else str(path)
        self._path = path
        self._trace = trace
        self._writing = threading.RLock()
        self._changed = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._busy_readers = 0
        self._closed = False
        with self._explained():
            self._writer = self._connect(_open_writer)
            if path is None:
                schema.create(self._writer, new_id())

    @property
    def name(self) -> str:
        return self._name

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Commit what the block did, durably, or nothing of it."""
        with self._writing, self._explained():
            self._refuse_closed()
            tx = self._writer
            tx.execute("BEGIN IMMEDIATE")
            try:
                yield tx
                tx.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back already, as it does when the disk is full.
                if tx.in_transaction:
                    tx.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Let the block see one state of the database throughout."""
        with self._explained(), self._reader() as tx:
            tx.execute("BEGIN")
            try:
                yield tx
            finally:
                if tx.in_transaction:
                    tx.execute("ROLLBACK")

    @contextlib.contextmanager
    def outside(self) -> Iterator[sqlite3.Connection]:
        """Give the writer for a pragma that cannot run inside a transaction."""
        with self._writing, self._explained():
            self._refuse_closed()
            yield self._writer

    def close(self) -> None:
        """Wait for transactions to end, then close everything; later ones are refused."""
        with self._writing:
            if self._closed:
                return
            self._closed = True
            with self._changed:
                self._changed.wait_for(lambda: self._busy_readers == 0)
                idle, self._idle = self._idle, []
            for each in idle:
                each.close()
            # The last connection to close folds the log into the file and removes it.
            self._writer.close()

    @contextlib.contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        if self._path is None:
            with self._writing:
                self._refuse_closed()
                yield self._writer
            return
        reader = self._take()
        try:
            yield reader
        finally:
            self._give_back(reader)

    def _take(self) -> sqlite3.Connection:
        with self._changed:
            self._refuse_closed()
            self._busy_readers += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect(_open_reader)
        except BaseException:
            self._one_less()
            raise

    def _give_back(self, reader: sqlite3.Connection) -> None:
        with self._changed:
            keep = not self._closed and len(self._idle) < _IDLE_READERS
            if keep:
                self._idle.append(reader)
        if not keep:
            reader.close()
        self._one_less()

    def _one_less(self) -> None:
        with self._changed:
            self._busy_readers -= 1
            self._changed.notify_all()

    def _connect(self, prepare: Callable[[sqlite3.Connection, bool], None]) -> sqlite3.Connection:
        # A connection is used by one thread at a time, but not always by the same one.
        target = ":memory:" if self._path is None else str(self._path)
        conn = sqlite3.connect(
            target, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            prepare(conn, self._path is None)
            conn.set_trace_callback(self._trace)
        except BaseException:
            conn.close()
            raise
        return conn

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            told = explain(error, self._name)
            if told is None:
                raise
            raise told from error

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosedError(f"{self._name} is closed; the server is stopping")


def _open_writer(conn: sqlite3.Connection, memory: bool) -> None:
    if not memory:
        (mode,) = conn.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreFailedError(
                f"write-ahead logging does not work there (mode {mode});"
                " choose a local folder with --state"
            )
        conn.execute(f"PRAGMA journal_size_limit = {_LOG_LIMIT_BYTES}")
        conn.execute("PRAGMA synchronous = FULL")
    conn.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
    conn.execute("PRAGMA foreign_keys = ON")
    conn.execute("PRAGMA temp_store = MEMORY")
    # What was deleted on purpose is overwritten, not only unlinked (7.2).
    conn.execute("PRAGMA secure_delete = ON")


def _open_reader(conn: sqlite3.Connection, _memory: bool) -> None:
    conn.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
    conn.execute("PRAGMA temp_store = MEMORY")
    conn.execute("PRAGMA query_only = ON")
