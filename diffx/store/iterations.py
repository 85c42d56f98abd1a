"""The contexts of a stream in their order, verdicts on them, and what comparing two needs (9)."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from diffx.errors import InvalidError, TooLargeError
from diffx.records import (
    ComparisonInput,
    FileTexts,
    IterationRecord,
    ThreadTexts,
    VerdictRecord,
)
from diffx.review.comments import MAX_VERDICTS, Thread, ThreadId, Verdict
from diffx.review.compare import Contents, ListedFile
from diffx.review.model import ContextId, FileId, Millis, OwnerId, Scope
from diffx.store import (
    addresses,
    bases,
    catalog,
    entries,
    listing,
    renames,
    snapshots,
    threads,
)
from diffx.store.bases import Base
from diffx.store.renames import Renames

# Oldest first, by the last collection that found each; arrival breaks ties (6.3).
SELECT_ITERATIONS: Final = """
    SELECT o.context, c.id, max(o.collected_at, coalesce(max(s.collected_at), 0)) AS collected,
           o.stored_at, o.head, t.head = o.context
      FROM observation AS o
      JOIN context AS c ON c.number = o.context
      JOIN stream AS t ON t.number = o.stream
      LEFT JOIN submission AS s ON s.context = o.context
     WHERE o.stream = :stream AND o.expires_at > :now
     GROUP BY o.context
     ORDER BY collected, o.recency
"""
SELECT_SCOPES: Final = """
    SELECT context, scope, diff, revision, files, additions, deletions, binary, renames_limited
      FROM scope
     WHERE context IN (SELECT value FROM json_each(?))
     ORDER BY number
"""
SELECT_VERDICTS: Final = """
    SELECT context, verdict, summary, finished_at
      FROM verdict
     WHERE context IN (SELECT value FROM json_each(?))
     ORDER BY number
"""
INSERT_VERDICT: Final = """
    INSERT INTO verdict (context, verdict, summary, finished_at)
    VALUES (?, ?, ?, ?)
"""
COUNT_VERDICTS: Final = "SELECT count(*) FROM verdict WHERE context = ?"
DELETE_VERDICTS: Final = "DELETE FROM verdict WHERE context = ?"


class _Place(NamedTuple):
    """One scope of one context."""

    context: int
    scope: int
    revision: str
    base: Base


def find(tx: sqlite3.Connection, number: int, now: Millis) -> tuple[IterationRecord, ...]:
    """Return the live contexts of a context's stream, oldest first."""
    stream = threads.stream_of(tx, number)
    rows = tx.execute(SELECT_ITERATIONS, {"stream": stream, "now": now}).fetchall()
    numbers = json.dumps([row[0] for row in rows])
    scopes: dict[int, list[Any]] = {row[0]: [] for row in rows}
    for context, *rest in tx.execute(SELECT_SCOPES, (numbers,)):
        scopes[context].append(snapshots.scope_record(tuple(rest)))
    verdicts: dict[int, list[VerdictRecord]] = {row[0]: [] for row in rows}
    for context, verdict, summary, finished_at in tx.execute(SELECT_VERDICTS, (numbers,)):
        verdicts[context].append(
            VerdictRecord(verdict=verdict, summary=summary, finished_at=finished_at)
        )
    sessions = catalog.sessions_of(tx, numbers)
    return tuple(
        IterationRecord(
            context=ContextId(name),
            collected_at=collected,
            stored_at=stored_at,
            head=head,
            latest=bool(latest),
            scopes=tuple(scopes[context]),
            sessions=tuple(sessions[context]),
            verdicts=tuple(verdicts[context]),
        )
        for context, name, collected, stored_at, head, latest in rows
    )


def finish(
    tx: sqlite3.Connection, number: int, verdict: Verdict, summary: str | None, now: Millis
) -> None:
    (count,) = tx.execute(COUNT_VERDICTS, (number,)).fetchone()
    if count >= MAX_VERDICTS:
        raise TooLargeError(f"this review was finished {count} times; that is all it keeps")
    tx.execute(INSERT_VERDICT, (number, verdict, summary, now))


def forget(tx: sqlite3.Connection, number: int) -> None:
    tx.execute(DELETE_VERDICTS, (number,))


def file_texts(
    tx: sqlite3.Connection, number: int, context: ContextId, scope: Scope, file: FileId
) -> FileTexts | None:
    """Return all that is stored of one file, None where the scope does not have it."""
    scope_number, _ = listing.scope_number(tx, number, context, scope)
    listed = listing.find(tx, scope_number, [file]).get(file)
    entry = entries.find(tx, scope_number, file)
    if listed is None or entry is None:
        return None
    return FileTexts(
        listed=listed,
        contents=renames.contents(tx, scope_number, file) or Contents(before=None, after=None),
        patch=entries.patch(tx, entry).text,
    )


def thread_texts(
    tx: sqlite3.Connection, number: int, scope: int, wanted: Iterable[tuple[Thread, FileId]]
) -> dict[ThreadId, ThreadTexts]:
    """Return the texts to place threads by: the side each was written on, and the file's here."""
    found: dict[ThreadId, ThreadTexts] = {}
    read: dict[tuple[int, FileId], Contents | None] = {}

    def contents(place: int | None, file: FileId | None) -> Contents | None:
        if place is None or file is None:
            return None
        if (place, file) not in read:
            read[place, file] = renames.contents(tx, place, file)
        return read[place, file]

    for thread, file in wanted:
        lines = thread.anchor.lines
        if lines is not None:
            origin = contents(_origin(tx, thread), thread.anchor.file)
            target = contents(scope, file)
            found[thread.id] = ThreadTexts(
                origin=_side(origin, lines.side), target=_side(target, lines.side)
            )
    return found


def comparison(
    tx: sqlite3.Connection,
    owner: OwnerId,
    contexts: tuple[ContextId, ContextId],
    scope: Scope,
    now: Millis,
) -> ComparisonInput:
    """Read what comparing two contexts needs: both manifests, and contents where they differ."""
    old, new = (_place(tx, owner, context, scope, now) for context in contexts)
    same_stream = old.base.stream == new.base.stream
    if not same_stream and (
        old.base.repository is None or old.base.repository != new.base.repository
    ):
        raise InvalidError(
            "only contexts of one repository can be compared", field="otherContextId"
        )
    same_base = bases.same(tx, old.scope, new.scope)
    files = listing.files(tx, old.scope), listing.files(tx, new.scope)
    paired = renames.paired(tx, (old.scope, new.scope), files, same_base=same_base)
    return ComparisonInput(
        key=_key(old, new, same_base),
        same_base=same_base,
        pairs=tuple(paired),
        old=_all_contents(tx, old.scope, [pair.old for pair in paired if not pair.same]),
        new=_all_contents(tx, new.scope, [pair.new for pair in paired if not pair.same]),
    )


def successors(
    tx: sqlite3.Connection, known: Renames, scope: int, wanted: Iterable[Thread]
) -> dict[ThreadId, FileId]:
    """Say which file of a scope the file of each thread has become, renamed any number of times.

    Nothing is said of threads whose own scope is no longer stored.
    """
    found: dict[ThreadId, FileId] = {}
    names: dict[int, Mapping[FileId, FileId]] = {}  # many threads are of one scope
    for thread in wanted:
        origin = _origin(tx, thread)
        file = thread.anchor.file
        if origin is None or file is None:
            continue
        if origin not in names:
            names[origin] = known.between(tx, origin, scope)
        if file in names[origin]:
            found[thread.id] = names[origin][file]
    return found


def comparison_key(
    tx: sqlite3.Connection,
    owner: OwnerId,
    contexts: tuple[ContextId, ContextId],
    scope: Scope,
    now: Millis,
) -> str:
    """Name a comparison without reading any file of it."""
    old, new = (_place(tx, owner, context, scope, now) for context in contexts)
    return _key(old, new, bases.same(tx, old.scope, new.scope))


def _key(old: _Place, new: _Place, same_base: bool) -> str:
    text = f"{old.revision}.{new.revision}.{same_base:d}"
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def _place(
    tx: sqlite3.Connection, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
) -> _Place:
    number = addresses.resolve(tx, owner, context, now)
    scope_number, revision = listing.scope_number(tx, number, context, scope)
    return _Place(number, scope_number, revision, bases.of(tx, number))


def _origin(tx: sqlite3.Connection, thread: Thread) -> int | None:
    """Return the scope that a thread was written on, if it is still stored.

    An imported one was written elsewhere, on what nobody here has seen.
    """
    if thread.author.kind == "import":
        return None
    row = tx.execute(SELECT_ORIGIN, (thread.context, thread.anchor.scope)).fetchone()
    return None if row is None else int(row[0])


SELECT_ORIGIN: Final = """
    SELECT s.number
      FROM context AS c
      JOIN scope AS s ON s.context = c.number
     WHERE c.id = ? AND s.scope = ?
"""


def _all_contents(
    tx: sqlite3.Connection, scope: int, files: Iterable[ListedFile | None]
) -> dict[FileId, Contents]:
    found: dict[FileId, Contents] = {}
    for file in files:
        if file is not None:
            stored = renames.contents(tx, scope, file.id)
            if stored is not None:
                found[file.id] = stored
    return found


def _side(contents: Contents | None, side: str) -> bytes | None:
    if contents is None:
        return None
    content = contents.before if side == "old" else contents.after
    return None if content is None else content.text
