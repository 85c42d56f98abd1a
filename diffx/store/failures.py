"""What can go wrong with a database file, said in one line each."""

import sqlite3
from typing import Final

from diffx.errors import BusyError, DiffxError, FailedError


class StoreFailedError(FailedError):
    """The database cannot do its work; the message says why and what to do."""


class SchemaMismatchError(StoreFailedError):
    """The file is foreign, older or newer; it was not touched (12.5)."""


class StorePlaceError(StoreFailedError):
    """A database cannot live there: a folder, a network file system, no permission."""


class StoreDamagedError(StoreFailedError):
    """The file is not what was written to it."""


class StoreFullError(StoreFailedError):
    """The disk, or the account's share of it, is full; nothing of the step was stored."""


class StoreReadOnlyError(StoreFailedError):
    """The file or its folder may not be written."""


class StoreClosedError(StoreFailedError):
    """The database was closed while the server stops."""


class StoreInUseError(BusyError):
    """Another process owns the database (11.3, 12.4)."""


def explain(error: sqlite3.Error, name: str) -> DiffxError | None:
    """Return the error for a person, or None where SQLite's complaint is a bug of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    make = _BY_CODE.get(code & 0xFF)
    return None if make is None else make[0](make[1].format(name=name, error=error))


_BY_CODE: Final[dict[int, tuple[type[DiffxError], str]]] = {
    sqlite3.SQLITE_BUSY: (
        StoreInUseError,
        "{name} is locked by another program; close it and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreReadOnlyError,
        "{name} cannot be written: make the file and its folder writable,"
        " or choose another with --state",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreFailedError,
        "{name}: reading or writing failed ({error}); check the disk",
    ),
    sqlite3.SQLITE_CORRUPT: (
        StoreDamagedError,
        "{name} is damaged ({error}); move it away, or restore a copy of it",
    ),
    sqlite3.SQLITE_NOTADB: (
        StoreDamagedError,
        "{name} is damaged ({error}); move it away, or restore a copy of it",
    ),
    sqlite3.SQLITE_FULL: (
        StoreFullError,
        "{name}: the disk is full; free some space and try again, nothing was stored",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        StorePlaceError,
        "{name} cannot be opened ({error}); check that its folder exists and is yours",
    ),
    sqlite3.SQLITE_PERM: (StoreReadOnlyError, "{name} may not be opened ({error})"),
}
