"""Stores for tests, one per storage that must keep the same promises."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from diffx.records import ContextQuery
from diffx.review.model import ContextId, DiffId, FileId, Millis, OwnerId, Scope
from diffx.store.database import Store, open_store

ME: Final = OwnerId("me")
OTHER: Final = OwnerId("other")
DAY: Final = 86_400_000
NOW: Final = Millis(1_000_000)

Opener = Callable[[Path], Store]

BACKENDS: Final[dict[str, Opener]] = {
    "memory": lambda _folder: open_store(None, new_id=counted_ids()),
    "file": lambda folder: open_store(folder / "state.db", new_id=counted_ids()),
}


def counted_ids(prefix: str = "id") -> Callable[[], str]:
    """Give out id-1, id-2 and so on."""
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def at(millis: int) -> Millis:
    return Millis(millis)


def diff_of(store: Store, context: ContextId, scope: Scope = "all", owner: OwnerId = ME) -> DiffId:
    record = store.get(owner, context, NOW)
    return next(each.diff for each in record.scopes if each.scope == scope)


def rows(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Ask a closed database file, leaving nothing beside it."""
    conn = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return conn.execute(statement, values).fetchall()
    finally:
        conn.close()


# What must hold in every database, at every moment between two transactions: a name for what
# would be wrong, and a query that finds it.
INVARIANTS: Final[dict[str, str]] = {
    "a text that no chunk needs": """
        SELECT number FROM blob
         WHERE number NOT IN (SELECT blob FROM chunk_blob)""",
    "a chunk that no scope has": """
        SELECT number FROM chunk
         WHERE number NOT IN (SELECT chunk FROM scope_chunk)""",
    "an entry whose text is not kept for it": """
        SELECT e.chunk, e.file
          FROM entry AS e, json_each(json_array(e.patch, e.before, e.after)) AS b
         WHERE b.value IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM chunk_blob AS k
                            WHERE k.blob = b.value AND k.chunk = e.chunk)""",
    "a kept text that is not there": """
        SELECT blob FROM chunk_blob
         WHERE blob NOT IN (SELECT number FROM blob)""",
    "a scope with other files than it says": """
        SELECT s.number FROM scope AS s
         WHERE s.files <> (SELECT count(*) FROM scope_chunk AS j
                             JOIN entry AS e ON e.chunk = j.chunk
                            WHERE j.scope = s.number)""",
    "a live address without an observation, or the reverse": """
        SELECT c.number FROM context AS c
         WHERE (c.fate = 'live') <> (c.number IN (SELECT context FROM observation))""",
    "a reviewed hunk of a file that is reviewed as a whole": """
        SELECT h.file FROM hunk_mark AS h
          JOIN mark AS m ON m.context = h.context AND m.scope = h.scope AND m.file = h.file""",
    "an observation without a scope": """
        SELECT context FROM observation
         WHERE context NOT IN (SELECT context FROM scope)""",
    "an observation without a submission, or a submission without a context": """
        SELECT context FROM observation
         WHERE context NOT IN (SELECT context FROM submission)
         UNION ALL
        SELECT context FROM submission
         WHERE context NOT IN (SELECT number FROM context)""",
    "a label or session that no context has": """
        SELECT number FROM label
         WHERE number NOT IN (SELECT label FROM context_label)
         UNION ALL
        SELECT number FROM session
         WHERE number NOT IN (SELECT session FROM context_session)""",
    "a thread or its change that no context can show": """
        SELECT number FROM thread
         WHERE stream NOT IN (SELECT stream FROM observation)
         UNION ALL
        SELECT thread FROM thread_change WHERE thread NOT IN (SELECT number FROM thread)""",
    "a stream whose head was never there": """
        SELECT number FROM stream WHERE head NOT IN (SELECT number FROM context)""",
}


def broken(conn: sqlite3.Connection) -> Iterator[str]:
    """Name every invariant that does not hold, SQLite's own included."""
    for name, query in INVARIANTS.items():
        if conn.execute(query).fetchone() is not None:
            yield name
    if conn.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        yield "the file itself is damaged"
    if conn.execute("PRAGMA foreign_key_check").fetchone() is not None:
        yield "a row that refers to nothing"


def unreadable(store: Store, owner: OwnerId, now: Millis) -> Iterator[str]:
    """Name every context whose parts cannot all be read."""
    for record in store.find(owner, ContextQuery(limit=200), now).contexts:
        for scope in record.scopes:
            manifest = store.manifest(owner, record.context, scope.scope, now)
            found = manifest.files_json.count(b'"fingerprint"')
            page = store.patches(owner, record.context, scope.diff, scope.scope, now, limit=10**6)
            for each in page.patches:
                store.contents(
                    owner, record.context, scope.diff, scope.scope, FileId(each.file), now
                )
            if found != scope.totals.files or len(page.patches) != found:
                yield f"{record.context} {scope.scope}"
