"""Reviewed hunks in SQLite: rows for files that are not reviewed as a whole (8.3).

A reviewed file has no rows, because all its hunks are: whoever marks the last one marks the file.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from diffx.records import FileMissingError
from diffx.review import marks as rules
from diffx.review.hunkmarks import HunkKey, HunkMark, carried_hunks, check_hunk, hunk_keys
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
from diffx.store import entries, listing, marks

SELECT_HUNKS: Final = """
    SELECT file, hunk, marked_at, carried
      FROM hunk_mark
     WHERE context = :context AND scope = :scope
     ORDER BY file, hunk
"""
COUNT_HUNKS: Final = """
    SELECT count(*)
      FROM hunk_mark
     WHERE context = :context AND scope = :scope AND file = :file
"""
INSERT_HUNK: Final = """
    INSERT INTO hunk_mark (context, scope, file, hunk, key, marked_at, carried)
    VALUES (:context, :scope, :file, :hunk, :key, :marked_at, :carried)
    ON CONFLICT (context, scope, file, hunk) DO UPDATE
       SET marked_at = excluded.marked_at, carried = excluded.carried
     WHERE hunk_mark.carried AND NOT excluded.carried
"""
DELETE_HUNK: Final = """
    DELETE FROM hunk_mark
     WHERE context = :context AND file = :file AND key = :key AND (scope = :scope OR carried)
"""
SELECT_KEY: Final = """
    SELECT key
      FROM hunk_mark
     WHERE context = :context AND scope = :scope AND file = :file AND hunk = :hunk
"""
SELECT_FILE_MARKS: Final = """
    SELECT scope, marked_at
      FROM mark
     WHERE context = :context AND file = :file AND fingerprint = :fingerprint
       AND (scope = :scope OR carried)
"""
SELECT_FINGERPRINT: Final = """
    SELECT fingerprint
      FROM mark
     WHERE context = :context AND scope = :scope AND file = :file
"""
# What was seen of files by hunks, and their last version that was seen as a whole, in each scope.
SELECT_SEEN_HUNKS: Final = """
    SELECT h.file, h.key, max(h.marked_at)
      FROM observation AS o
      JOIN hunk_mark AS h ON h.context = o.context
     WHERE o.owner = :owner AND o.repository_key = :repository AND o.expires_at > :now
       AND o.context <> :context AND h.marked_at >= :since AND h.file IN (SELECT value FROM json_each(:files))
     GROUP BY h.file, h.key
"""
SELECT_SEEN_FILES: Final = """
    SELECT m.file, s.number, max(m.marked_at)
      FROM observation AS o
      JOIN mark AS m ON m.context = o.context
      JOIN scope AS s ON s.context = m.context AND s.scope = m.scope
     WHERE o.owner = :owner AND o.repository_key = :repository AND o.expires_at > :now
       AND o.context <> :context AND m.marked_at >= :since AND m.file IN (SELECT value FROM json_each(:files))
     GROUP BY m.file, m.scope
"""
SELECT_CARRIED: Final = """
    SELECT 1
      FROM hunk_mark
     WHERE context = :context AND file = :file AND scope <> :scope AND carried
     LIMIT 1
"""
DELETE_CARRIED: Final = """
    DELETE FROM hunk_mark
     WHERE context = :context AND file = :file AND scope <> :scope AND carried AND key = :key
"""

Place = tuple[FileId, int]
"""A hunk of a scope: its file, and its number in the stored patch."""


def carry(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: int,
    observation: Observation,
    now: Millis,
    *,
    since: int = 0,
) -> bool:
    """Give the changed files of a context those hunks that were reviewed before (8.3).

    Say if there were any.
    """
    wanted: list[tuple[Scope, ChangedFile]] = []
    for snapshot in observation.snapshots:
        known = marks.marked(tx, context, snapshot.scope)
        wanted += [
            (snapshot.scope, file)
            for file in snapshot.files
            if file.patch.blob is not None and file.id not in known
        ]
    values = {
        "owner": owner,
        "repository": observation.repository_key,
        "now": now,
        "context": context,
        "since": since,
        "files": json.dumps(sorted({file.id for _, file in wanted})),
    }
    seen = _seen(tx, values)
    for scope, file in wanted:
        if file.id not in seen or file.patch.blob is None:
            continue
        keys = hunk_keys(observation.texts[file.patch.blob])
        _insert(tx, (context, scope), keys, carried_hunks(file.id, keys, seen[file.id]))
    return bool(seen)


def find(tx: sqlite3.Connection, context: int, scope: Scope) -> tuple[HunkMark, ...]:
    """Return the reviewed hunks of a scope, by file and number."""
    return tuple(
        HunkMark(file=FileId(file), hunk=hunk, marked_at=Millis(marked_at), carried=bool(carried))
        for file, hunk, marked_at, carried in tx.execute(
            SELECT_HUNKS, {"context": context, "scope": scope}
        )
    )


def mark(
    tx: sqlite3.Connection,
    number: int,
    context: ContextId,
    scope: Scope,
    place: Place,
    *,
    seen: Digest,
    now: Millis,
) -> None:
    """Mark one hunk as it was seen, and the same lines in the context's other scopes.

    The last hunk of a file marks the file. A hunk of a reviewed file is reviewed already.
    """
    file, hunk = place
    scopes = dict(tx.execute(marks.SELECT_SCOPES, (number,)).fetchall())
    if scope not in scopes:
        raise FileMissingError(f"context {context} has no scope {scope}")
    listed = listing.find(tx, scopes[scope], [file]).get(file)
    if listed is None:
        raise FileMissingError(f"context {context} has no file {file}")
    rules.check_seen(listed.fingerprint, seen)
    keys = _keys(tx, scopes[scope], file)
    key = check_hunk(keys, hunk)
    if _is_marked(tx, number, scope, file):
        return
    _insert(tx, (number, scope), keys, [HunkMark(file=file, hunk=hunk, marked_at=now)])
    _reach(tx, number, scope, file, {key: now})
    (count,) = tx.execute(
        COUNT_HUNKS, {"context": number, "scope": scope, "file": file}
    ).fetchone()
    if count == len(keys):
        marks.mark(tx, number, context, scope, (file, seen), now)


def spread(tx: sqlite3.Connection, number: int, scope: Scope, file: FileId, now: Millis) -> None:
    """Let a file that was just marked count for its lines in the context's other scopes."""
    scopes = dict(tx.execute(marks.SELECT_SCOPES, (number,)).fetchall())
    if any(
        name != scope
        and entries.find(tx, scope_number, file) is not None
        and not _is_marked(tx, number, name, file)
        for name, scope_number in scopes.items()
    ):
        _reach(tx, number, scope, file, dict.fromkeys(_keys(tx, scopes[scope], file), now))


def withdraw(tx: sqlite3.Connection, number: int, scope: Scope, file: FileId) -> None:
    """Take back what a file's mark, soon to go, was carried to in the context's other scopes."""
    values = {"context": number, "scope": scope, "file": file}
    if tx.execute(SELECT_CARRIED, values).fetchone() is None:
        return
    scopes = dict(tx.execute(marks.SELECT_SCOPES, (number,)).fetchall())
    keys = _keys(tx, scopes[scope], file)
    tx.executemany(DELETE_CARRIED, [values | {"key": key} for key in keys])


def unmark(
    tx: sqlite3.Connection, number: int, context: ContextId, scope: Scope, place: Place
) -> bool:
    """Take one hunk's mark back, with what it was carried to in this context.

    A file that was reviewed is not any more, and its other hunks are. Say if there was a mark.
    """
    file, hunk = place
    scope_number, _ = listing.scope_number(tx, number, context, scope)
    values = {"context": number, "scope": scope, "file": file}
    row = tx.execute(SELECT_FINGERPRINT, values).fetchone()
    if row is not None:
        keys = _keys(tx, scope_number, file)
        check_hunk(keys, hunk)
        _open_file(tx, number, scope, (file, Digest(row[0])), keys)
    found = tx.execute(SELECT_KEY, values | {"hunk": hunk}).fetchone()
    if found is None:
        return False
    return tx.execute(DELETE_HUNK, values | {"key": found[0]}).rowcount > 0


def _open_file(
    tx: sqlite3.Connection,
    number: int,
    scope: Scope,
    was: tuple[FileId, Digest],
    keys: Sequence[HunkKey],
) -> None:
    """Turn a reviewed file, wherever its mark reached in this context, into reviewed hunks."""
    file, fingerprint = was
    values = {"context": number, "scope": scope, "file": file, "fingerprint": fingerprint}
    reached = tx.execute(SELECT_FILE_MARKS, values).fetchall()
    marks.unmark(tx, number, scope, file)
    for name, marked_at in reached:
        # Equal fingerprints are the same change, so the other scopes have the same hunks.
        made = [
            HunkMark(file=file, hunk=one, marked_at=marked_at, carried=name != scope)
            for one in range(len(keys))
        ]
        _insert(tx, (number, name), keys, made)


def _reach(
    tx: sqlite3.Connection, number: int, scope: Scope, file: FileId, seen: Mapping[HunkKey, Millis]
) -> None:
    """Carry hunks to those other scopes of a context in which the file is not reviewed."""
    for name, scope_number in tx.execute(marks.SELECT_SCOPES, (number,)).fetchall():
        if name != scope and not _is_marked(tx, number, name, file):
            here = _keys(tx, scope_number, file)
            _insert(tx, (number, name), here, carried_hunks(file, here, seen))


def _seen(
    tx: sqlite3.Connection, values: Mapping[str, object]
) -> dict[FileId, dict[HunkKey, Millis]]:
    seen: dict[FileId, dict[HunkKey, Millis]] = defaultdict(dict)
    for file, key, marked_at in tx.execute(SELECT_SEEN_HUNKS, values).fetchall():
        seen[file][HunkKey(key)] = marked_at
    for file, scope, marked_at in tx.execute(SELECT_SEEN_FILES, values).fetchall():
        for key in _keys(tx, scope, file):
            seen[file][key] = max(marked_at, seen[file].get(key, Millis(0)))
    return seen


def _keys(tx: sqlite3.Connection, scope: int, file: FileId) -> tuple[HunkKey, ...]:
    entry = entries.find(tx, scope, file)
    text = None if entry is None else entries.patch(tx, entry).text
    return () if text is None else hunk_keys(text)


def _is_marked(tx: sqlite3.Connection, context: int, scope: Scope, file: FileId) -> bool:
    values = {"context": context, "scope": scope, "file": file}
    return tx.execute(SELECT_FINGERPRINT, values).fetchone() is not None


def _insert(
    tx: sqlite3.Connection,
    where: tuple[int, Scope],
    keys: Sequence[HunkKey],
    made: Iterable[HunkMark],
) -> None:
    context, scope = where
    rows = [
        {
            "context": context,
            "scope": scope,
            "file": each.file,
            "hunk": each.hunk,
            "key": keys[each.hunk],
            "marked_at": each.marked_at,
            "carried": each.carried,
        }
        for each in made
    ]
    tx.executemany(INSERT_HUNK, rows)
