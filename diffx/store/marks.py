"""Reviewed marks in SQLite, and how a new observation starts with them (8.3)."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from diffx.records import FileMissingError, MarksRecord
from diffx.review import marks as rules
from diffx.review.marks import ChangedSince, Mark
from diffx.review.model import (
    ChangedFile,
    ContextId,
    Digest,
    FileId,
    Millis,
    Observation,
    OwnerId,
    Scope,
)
from diffx.store import listing, threads
from diffx.store.renames import Renames

SELECT_MARKS: Final = """
    SELECT file, fingerprint, marked_at, carried
      FROM mark
     WHERE context = :context AND scope = :scope
     ORDER BY file
"""
# The last review of each path in the stream before; the bare columns follow the lone max().
SELECT_EARLIER: Final = """
    SELECT m.file, c.id, m.fingerprint, max(m.marked_at)
      FROM observation AS o
      JOIN mark AS m ON m.context = o.context AND m.scope = :scope
      JOIN context AS c ON c.number = o.context
     WHERE o.stream = :stream AND o.expires_at > :now
       AND o.recency < (SELECT recency FROM observation WHERE context = :context)
     GROUP BY m.file
"""
SELECT_REVIEWED: Final = """
    SELECT m.fingerprint, max(m.marked_at)
      FROM observation AS o
      JOIN mark AS m ON m.context = o.context
     WHERE o.owner = :owner AND o.repository_key = :repository AND o.expires_at > :now
       AND o.context <> :context AND m.marked_at >= :since
     GROUP BY m.fingerprint
"""
SELECT_STORED_AT: Final = "SELECT stored_at FROM observation WHERE context = ?"
INSERT_MARK: Final = """
    INSERT INTO mark (context, scope, file, fingerprint, marked_at, carried)
    VALUES (:context, :scope, :file, :fingerprint, :marked_at, :carried)
    ON CONFLICT (context, scope, file) DO UPDATE
       SET fingerprint = excluded.fingerprint, marked_at = excluded.marked_at,
           carried = excluded.carried
     WHERE mark.carried OR NOT excluded.carried
"""
DELETE_MARK: Final = """
    DELETE FROM mark
     WHERE context = :context
       AND file = :file
       AND (scope = :scope
            OR (carried AND fingerprint = (SELECT fingerprint FROM mark
                                            WHERE context = :context AND scope = :scope
                                              AND file = :file)))
"""
DELETE_MARKS: Final = "DELETE FROM mark WHERE context = ?"
DELETE_HUNKS: Final = "DELETE FROM hunk_mark WHERE context = ?"
SELECT_TOUCHED: Final = """
    SELECT file FROM mark WHERE context = :context AND scope = :scope
     UNION
    SELECT file FROM hunk_mark WHERE context = :context AND scope = :scope
"""
# A mark on a whole file stands for its hunks; taking it back takes all that was seen of the file.
DELETE_FILE_HUNKS: Final = """
    DELETE FROM hunk_mark
     WHERE context = :context AND scope = :scope AND file = :file
"""
SELECT_SCOPES: Final = "SELECT scope, number FROM scope WHERE context = ?"
SELECT_SAME_SCOPE: Final = """
    SELECT s.number
      FROM context AS c
      JOIN scope AS s ON s.context = c.number
     WHERE c.id = :context AND s.scope = (SELECT scope FROM scope WHERE number = :scope)
"""
TOUCH: Final = "UPDATE observation SET review = :sequence WHERE context = :context"
SELECT_REVIEW: Final = "SELECT review FROM observation WHERE context = ?"


def carry(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: int,
    observation: Observation,
    now: Millis,
    *,
    since: int = 0,
) -> bool:
    """Give a context the marks that its files have in live contexts (8.3); say if there were any."""
    values = {
        "owner": owner,
        "repository": observation.repository_key,
        "now": now,
        "context": context,
        "since": since,
    }
    reviewed: dict[Digest, Millis] = dict(tx.execute(SELECT_REVIEWED, values).fetchall())
    rows = [
        _row(context, snapshot.scope, mark)
        for snapshot in observation.snapshots
        for mark in rules.carried(map(_seen, snapshot.files), reviewed)
    ]
    tx.executemany(INSERT_MARK, rows)
    tx.executemany(DELETE_FILE_HUNKS, rows)
    return bool(rows)


def stored_at(tx: sqlite3.Connection, context: int) -> int:
    (found,) = tx.execute(SELECT_STORED_AT, (context,)).fetchone()
    return int(found)


def find(
    tx: sqlite3.Connection,
    renames: Renames,
    number: int,
    context: ContextId,
    scope: Scope,
    now: Millis,
) -> MarksRecord:
    """Return a scope's marks, and which files changed since the last iteration they were in."""
    scope_number, _ = listing.scope_number(tx, number, context, scope)
    values: dict[str, object] = {"context": number, "scope": scope}
    found = tuple(
        Mark(
            file=FileId(file),
            fingerprint=Digest(fingerprint),
            marked_at=Millis(marked_at),
            carried=bool(carried),
        )
        for file, fingerprint, marked_at, carried in tx.execute(SELECT_MARKS, values)
    )
    (review,) = tx.execute(SELECT_REVIEW, (number,)).fetchone()
    changed = _changed(tx, values | {"stream": threads.stream_of(tx, number), "now": now}, found)
    current = listing.find(tx, scope_number, [each.file for each in changed])
    lost = [each for each in changed if each.file not in current]
    renamed = _renamed(tx, renames, scope_number, lost)
    if renamed:
        changed += renamed
        current |= listing.find(tx, scope_number, [each.file for each in renamed])
    fingerprints = {file: listed.fingerprint for file, listed in current.items()}
    marked = {mark.file for mark in found}
    return MarksRecord(
        marks=found,
        changed=tuple(rules.changed_since(changed, fingerprints, marked)),
        review=review,
    )


def mark(
    tx: sqlite3.Connection,
    number: int,
    context: ContextId,
    scope: Scope,
    wanted: tuple[FileId, Digest],
    now: Millis,
) -> None:
    """Mark a file as it was seen, and the very same change in the context's other scopes."""
    file, seen = wanted
    scopes = dict(tx.execute(SELECT_SCOPES, (number,)).fetchall())
    if scope not in scopes:
        raise FileMissingError(f"context {context} has no scope {scope}")
    listed = listing.find(tx, scopes[scope], [file]).get(file)
    if listed is None:
        raise FileMissingError(f"context {context} has no file {file}")
    rules.check_seen(listed.fingerprint, seen)
    for name, scope_number in scopes.items():
        here = listed if name == scope else listing.find(tx, scope_number, [file]).get(file)
        if here is not None and here.fingerprint == seen:
            made = Mark(file=file, fingerprint=seen, marked_at=now, carried=name != scope)
            tx.execute(INSERT_MARK, _row(number, name, made))
            tx.execute(DELETE_FILE_HUNKS, {"context": number, "scope": name, "file": file})


def unmark(tx: sqlite3.Connection, number: int, scope: Scope, file: FileId) -> bool:
    """Take back what was marked of a file, and its mark in the scopes it was carried to."""
    values = {"context": number, "scope": scope, "file": file}
    statements = (DELETE_MARK, DELETE_FILE_HUNKS)
    return sum(tx.execute(statement, values).rowcount for statement in statements) > 0


def touched(tx: sqlite3.Connection, number: int, scope: Scope) -> list[FileId]:
    """Return the files of a scope that are reviewed, or of which a hunk is."""
    rows = tx.execute(SELECT_TOUCHED, {"context": number, "scope": scope}).fetchall()
    return [FileId(file) for (file,) in rows]


def touch(tx: sqlite3.Connection, number: int, sequence: int) -> None:
    """Let a context look changed."""
    tx.execute(TOUCH, {"sequence": sequence, "context": number})


def forget(tx: sqlite3.Connection, number: int) -> None:
    tx.execute(DELETE_MARKS, (number,))
    tx.execute(DELETE_HUNKS, (number,))


def marked(tx: sqlite3.Connection, number: int, scope: Scope) -> set[str]:
    rows = tx.execute(SELECT_MARKS, {"context": number, "scope": scope})
    return {file for file, *_ in rows}


def _changed(
    tx: sqlite3.Connection, values: dict[str, object], found: tuple[Mark, ...]
) -> list[ChangedSince]:
    known = {mark.file for mark in found}
    return [
        ChangedSince(
            file=FileId(file),
            context=ContextId(context),
            fingerprint=Digest(fingerprint),
            marked_at=Millis(marked_at),
        )
        for file, context, fingerprint, marked_at in tx.execute(SELECT_EARLIER, values)
        if file not in known
    ]


def _renamed(
    tx: sqlite3.Connection, renames: Renames, scope: int, lost: Iterable[ChangedSince]
) -> list[ChangedSince]:
    """Return under their new names those files that are in the scope under another."""
    found = []
    for each in lost:
        row = tx.execute(SELECT_SAME_SCOPE, {"context": each.context, "scope": scope}).fetchone()
        became = None if row is None else renames.between(tx, row[0], scope).get(each.file)
        if became is not None:
            found.append(replace(each, file=became))
    return found


def _seen(file: ChangedFile) -> tuple[FileId, Digest | None]:
    return file.id, file.fingerprint


def _row(context: int, scope: str, each: Mark) -> dict[str, object]:
    return {
        "context": context,
        "scope": scope,
        "file": each.file,
        "fingerprint": each.fingerprint,
        "marked_at": each.marked_at,
        "carried": each.carried,
    }
