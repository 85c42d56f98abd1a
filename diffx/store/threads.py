"""Threads in SQLite: rows to values and back, found through a context's stream (8.1, 9.2)."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from diffx.errors import TooLargeError
from diffx.records import ThreadChanges, ThreadMissingError
from diffx.review.comments import (
    MAX_REVIEW_BYTES,
    MAX_THREADS,
    Anchor,
    Author,
    Lines,
    Reply,
    ReplyId,
    Thread,
    ThreadId,
)
from diffx.review.model import (
    ContextId,
    Digest,
    FileId,
    GitPath,
    Millis,
    OwnerId,
    Scope,
    Session,
)

NEXT_SEQUENCE: Final = """
    INSERT INTO reviewer (owner, sequence, preferences)
    VALUES (?, 1, '{}')
    ON CONFLICT (owner) DO UPDATE SET sequence = sequence + 1
 RETURNING sequence
"""
SELECT_SEQUENCE: Final = "SELECT sequence FROM reviewer WHERE owner = ?"
# Threads show on the whole stream, so every context of it looks different now.
TOUCH_STREAM: Final = "UPDATE observation SET review = :sequence WHERE stream = :stream"

_COLUMNS: Final = """
    SELECT t.number, t.id, c.id, t.scope, t.file, t.path, t.side, t.first_line, t.last_line,
           t.fingerprint, t.quote, t.hunk, t.author, t.body, t.created_at, t.updated_at,
           t.edited_at, t.status, t.resolution, t.resolved_at, t.resolved_by, t.sequence
      FROM thread AS t
      JOIN context AS c ON c.number = t.context
"""
SELECT_OWN: Final = _COLUMNS + "     WHERE t.context = :context ORDER BY t.number"
# `collected` places a thread in time even after its own context has ended.
SELECT_EARLIER: Final = (
    _COLUMNS
    + """
     WHERE t.stream = :stream AND t.context <> :context AND t.status = 'open'
       AND t.collected <= :collected
     ORDER BY t.number
"""
)
SELECT_BY_ID: Final = _COLUMNS + "     WHERE t.stream = :stream AND t.id = :thread"
SELECT_BY_RETRY: Final = _COLUMNS + "     WHERE t.stream = :stream AND t.retry = :retry"
_CHOSEN: Final = "     WHERE t.number IN (SELECT value FROM json_each(?))"
SELECT_CHOSEN: Final = _COLUMNS + _CHOSEN
SELECT_CHANGES: Final = """
    SELECT h.thread, max(h.sequence)
      FROM thread_change AS h
      JOIN thread AS t ON t.number = h.thread
     WHERE h.owner = :owner AND h.sequence > :cursor AND h.speaker <> :but
       AND (:stream IS NULL OR t.stream = :stream)
       AND EXISTS (SELECT 1 FROM observation AS o
                    WHERE o.stream = t.stream AND o.expires_at > :now)
     GROUP BY h.thread
     ORDER BY max(h.sequence)
     LIMIT :limit
"""
SELECT_REPLIES: Final = """
    SELECT thread, id, author, body, created_at, edited_at
      FROM reply
     WHERE thread IN (SELECT value FROM json_each(?))
     ORDER BY number
"""
SELECT_LAST_COLLECTED: Final = """
    SELECT max(o.collected_at, coalesce(max(s.collected_at), 0))
      FROM observation AS o
      LEFT JOIN submission AS s ON s.context = o.context
     WHERE o.context = ?
"""
SELECT_STREAM: Final = "SELECT stream FROM observation WHERE context = ?"
MEASURE_STREAM: Final = "SELECT count(*), coalesce(sum(size), 0) FROM thread WHERE stream = ?"
ADD_SIZE: Final = "UPDATE thread SET size = size + ? WHERE number = ?"
COUNT_BY_STATUS: Final = """
    SELECT status, count(*)
      FROM thread
     WHERE context = :context
        OR (stream = :stream AND status = 'open' AND collected <= :collected)
     GROUP BY status
"""
COUNT_BY_FILE: Final = """
    SELECT file, count(*)
      FROM thread
     WHERE file IS NOT NULL AND scope = :scope
       AND (context = :context
            OR (stream = :stream AND status = 'open' AND collected <= :collected))
     GROUP BY file
"""
INSERT_THREAD: Final = """
    INSERT INTO thread (
           id, owner, stream, context, collected, scope, file, path, side, first_line, last_line,
           fingerprint, quote, hunk, author, body, created_at, updated_at, edited_at, status,
           resolution, resolved_at, resolved_by, sequence, size, retry)
    VALUES (:id, :owner, :stream, :context, :collected, :scope, :file, :path, :side,
           :first_line, :last_line, :fingerprint, :quote, :hunk, :author, :body, :created_at, :updated_at,
           :edited_at, :status, :resolution, :resolved_at, :resolved_by, :sequence, :size,
           :retry)
 RETURNING number
"""
UPDATE_THREAD: Final = """
    UPDATE thread
       SET body = :body, updated_at = :updated_at, edited_at = :edited_at, status = :status,
           resolution = :resolution, resolved_at = :resolved_at, resolved_by = :resolved_by,
           sequence = :sequence
     WHERE number = :number
"""
INSERT_REPLY: Final = """
    INSERT INTO reply (id, thread, author, body, created_at, edited_at, retry)
    VALUES (:id, :thread, :author, :body, :created_at, :edited_at, :retry)
"""
INSERT_CHANGE: Final = """
    INSERT INTO thread_change (owner, sequence, thread, speaker)
    VALUES (?, ?, ?, ?)
"""
DELETE_CHANGES: Final = "DELETE FROM thread_change WHERE thread = ?"
SELECT_REPLY_BY_RETRY: Final = "SELECT body FROM reply WHERE thread = ? AND retry = ?"
DELETE_REPLIES: Final = "DELETE FROM reply WHERE thread = ?"
DELETE_THREAD: Final = "DELETE FROM thread WHERE number = ?"
SELECT_OF_CONTEXT: Final = "SELECT number, owner FROM thread WHERE context = ?"
SELECT_OF_LOST_STREAM: Final = """
    SELECT number
      FROM thread
     WHERE stream = :stream
       AND NOT EXISTS (SELECT 1 FROM observation WHERE stream = :stream)
"""


def next_sequence(tx: sqlite3.Connection, owner: OwnerId) -> int:
    """Number one change of an owner's review; later changes have greater numbers."""
    (sequence,) = tx.execute(NEXT_SEQUENCE, (owner,)).fetchone()
    return int(sequence)


def cursor(tx: sqlite3.Connection, owner: OwnerId) -> int:
    row = tx.execute(SELECT_SEQUENCE, (owner,)).fetchone()
    return 0 if row is None else int(row[0])


def stream_of(tx: sqlite3.Connection, context: int) -> int:
    (stream,) = tx.execute(SELECT_STREAM, (context,)).fetchone()
    return int(stream)


def last_collected(tx: sqlite3.Connection, context: int) -> int:
    """Return when a context was last what a collection found: its place in the stream (6.3)."""
    (collected,) = tx.execute(SELECT_LAST_COLLECTED, (context,)).fetchone()
    return int(collected)


def own(tx: sqlite3.Connection, context: int) -> list[Thread]:
    return from_rows(tx, tx.execute(SELECT_OWN, {"context": context}).fetchall())


def earlier(tx: sqlite3.Connection, context: int) -> list[Thread]:
    """Return the open threads of the iterations before this one."""
    return from_rows(tx, tx.execute(SELECT_EARLIER, _shown(tx, context)).fetchall())


def find(tx: sqlite3.Connection, context: int, thread: ThreadId) -> tuple[int, Thread]:
    """Return a thread of the context's stream with its row number."""
    values = {"stream": stream_of(tx, context), "thread": thread}
    row = tx.execute(SELECT_BY_ID, values).fetchone()
    if row is None:
        raise ThreadMissingError(f"there is no comment {thread} here")
    return int(row[0]), from_rows(tx, [row])[0]


def by_retry(tx: sqlite3.Connection, stream: int, retry: str) -> tuple[int, Thread] | None:
    """Return the thread that this very request made before."""
    row = tx.execute(SELECT_BY_RETRY, {"stream": stream, "retry": retry}).fetchone()
    return None if row is None else (int(row[0]), from_rows(tx, [row])[0])


def changed(
    tx: sqlite3.Connection,
    owner: OwnerId,
    after: int,
    now: Millis,
    *,
    stream: int | None,
    but: Author | None,
    limit: int,
) -> ThreadChanges:
    """Return the threads that anybody but `but` changed behind a cursor, oldest change first."""
    values = {
        "owner": owner,
        "cursor": after,
        "now": now,
        "stream": stream,
        "but": "" if but is None else _speaker(but),
        "limit": limit + 1,
    }
    rows = tx.execute(SELECT_CHANGES, values).fetchall()
    page = dict(rows[:limit])
    listed = tx.execute(SELECT_CHOSEN, (json.dumps(list(page)),)).fetchall()
    listed.sort(key=lambda row: page[row[0]])
    more = len(rows) > limit
    return ThreadChanges(
        threads=tuple(from_rows(tx, listed)),
        cursor=rows[limit - 1][1] if more else max(after, cursor(tx, owner)),
        more=more,
    )


def counts(tx: sqlite3.Connection, context: int) -> dict[str, int]:
    """Count the threads that a context shows, by status."""
    return dict(tx.execute(COUNT_BY_STATUS, _shown(tx, context)).fetchall())


def file_counts(tx: sqlite3.Connection, context: int, scope: Scope) -> dict[str, int]:
    """Count the threads that a scope shows on each path: its own, and open ones from before."""
    return dict(tx.execute(COUNT_BY_FILE, _shown(tx, context) | {"scope": scope}).fetchall())


def insert(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: int,
    thread: Thread,
    retry: str | None,
) -> Thread:
    """Store a new thread, without replies, on a context, and show it on the whole stream."""
    stream = stream_of(tx, context)
    size = size_of(thread.body, thread.quote, thread.hunk)
    _check_room(tx, stream, size)
    sequence = next_sequence(tx, owner)
    anchor, lines = thread.anchor, thread.anchor.lines
    (number,) = tx.execute(
        INSERT_THREAD,
        _state(thread, sequence)
        | {
            "id": thread.id,
            "owner": owner,
            "stream": stream,
            "context": context,
            "collected": last_collected(tx, context),
            "scope": anchor.scope,
            "file": anchor.file,
            "path": anchor.path,
            "side": None if lines is None else lines.side,
            "first_line": None if lines is None else lines.start,
            "last_line": None if lines is None else lines.end,
            "fingerprint": anchor.fingerprint,
            "quote": thread.quote,
            "hunk": thread.hunk,
            "author": from_author(thread.author),
            "created_at": thread.created_at,
            "size": size,
            "retry": retry,
        },
    ).fetchone()
    tx.execute(INSERT_CHANGE, (owner, sequence, number, _speaker(thread.author)))
    tx.execute(TOUCH_STREAM, {"sequence": sequence, "stream": stream})
    return find(tx, context, thread.id)[1]


def update(tx: sqlite3.Connection, owner: OwnerId, number: int, thread: Thread, by: Author) -> int:
    """Store what a thread has become and number the change; replies are stored beside it."""
    sequence = next_sequence(tx, owner)
    tx.execute(UPDATE_THREAD, _state(thread, sequence) | {"number": number})
    tx.execute(INSERT_CHANGE, (owner, sequence, number, _speaker(by)))
    return sequence


def touch(tx: sqlite3.Connection, context: int, sequence: int) -> None:
    """Let every context of the stream look changed."""
    tx.execute(TOUCH_STREAM, {"sequence": sequence, "stream": stream_of(tx, context)})


def insert_reply(
    tx: sqlite3.Connection, stream: int, thread: int, reply: Reply, *, retry: str | None
) -> None:
    grow(tx, stream, thread, size_of(reply.body))
    tx.execute(
        INSERT_REPLY,
        {
            "id": reply.id,
            "thread": thread,
            "author": from_author(reply.author),
            "body": reply.body,
            "created_at": reply.created_at,
            "edited_at": reply.edited_at,
            "retry": retry,
        },
    )


def replied_before(tx: sqlite3.Connection, thread: int, retry: str) -> str | None:
    """Return what the reply says that this very request made before."""
    row = tx.execute(SELECT_REPLY_BY_RETRY, (thread, retry)).fetchone()
    return None if row is None else str(row[0])


def delete(tx: sqlite3.Connection, numbers: Iterable[int]) -> None:
    rows = [(number,) for number in numbers]
    tx.executemany(DELETE_REPLIES, rows)
    tx.executemany(DELETE_CHANGES, rows)
    tx.executemany(DELETE_THREAD, rows)


def forget_context(tx: sqlite3.Connection, context: int) -> None:
    """Delete the threads that were written on a context, for all that show them (7.2)."""
    rows = tx.execute(SELECT_OF_CONTEXT, (context,)).fetchall()
    if rows:
        delete(tx, [number for number, _ in rows])
        touch(tx, context, next_sequence(tx, rows[0][1]))


def forget_stream(tx: sqlite3.Connection, stream: int) -> None:
    """Delete the threads of a stream that has no context left (6.4)."""
    rows = tx.execute(SELECT_OF_LOST_STREAM, {"stream": stream}).fetchall()
    delete(tx, [number for (number,) in rows])


def from_author(author: Author) -> str:
    session = author.session
    values = {
        "kind": author.kind,
        "name": author.name,
        "harness": None if session is None else session.harness,
        "session": None if session is None else session.session_id,
        "session_name": None if session is None else session.name,
    }
    known = {key: value for key, value in values.items() if value is not None}
    return json.dumps(known, separators=(",", ":"))


def _speaker(author: Author) -> str:
    """Name who speaks, whatever a session is called meanwhile."""
    session = author.session
    if session is None:
        return author.kind
    return json.dumps([author.kind, session.harness, session.session_id])


def to_author(text: str) -> Author:
    values = json.loads(text)
    session = None
    if "session" in values:
        session = Session(
            harness=values["harness"],
            session_id=values["session"],
            name=values.get("session_name"),
        )
    return Author(kind=values["kind"], name=values.get("name"), session=session)


def grow(tx: sqlite3.Connection, stream: int, thread: int, size: int) -> None:
    """Let a thread take so much more room, if its stream has it."""
    if size > 0:
        _check_room(tx, stream, size)
    tx.execute(ADD_SIZE, (size, thread))


def _check_room(tx: sqlite3.Connection, stream: int, size: int) -> None:
    count, total = tx.execute(MEASURE_STREAM, (stream,)).fetchone()
    if count >= MAX_THREADS or total + size > MAX_REVIEW_BYTES:
        raise TooLargeError(
            f"this review holds {count} comments of {total >> 10} KiB, and takes no more: "
            "delete resolved ones"
        )


def size_of(*parts: str | bytes | None) -> int:
    return sum(
        len(part.encode("utf-8") if isinstance(part, str) else part)
        for part in parts
        if part is not None
    )


def _shown(tx: sqlite3.Connection, context: int) -> dict[str, int | str]:
    """Return what says which threads a context shows: its own, and its stream's before it."""
    return {
        "context": context,
        "stream": stream_of(tx, context),
        "collected": last_collected(tx, context),
    }


def _state(thread: Thread, sequence: int) -> dict[str, object]:
    return {
        "body": thread.body,
        "updated_at": thread.updated_at,
        "edited_at": thread.edited_at,
        "status": thread.status,
        "resolution": thread.resolution,
        "resolved_at": thread.resolved_at,
        "resolved_by": None if thread.resolved_by is None else from_author(thread.resolved_by),
        "sequence": sequence,
    }


def from_rows(tx: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> list[Thread]:
    replies: dict[int, list[Reply]] = {row[0]: [] for row in rows}
    for number, name, author, body, created_at, edited_at in tx.execute(
        SELECT_REPLIES, (json.dumps(list(replies)),)
    ):
        replies[number].append(
            Reply(
                id=ReplyId(name),
                author=to_author(author),
                body=body,
                created_at=created_at,
                edited_at=edited_at,
            )
        )
    return [_thread(row, replies[row[0]]) for row in rows]


def _thread(row: tuple[Any, ...], replies: list[Reply]) -> Thread:
    (
        _number, name, context, scope, file, path, side, first, last, fingerprint, quote, hunk, author,
        body, created_at, updated_at, edited_at, status, resolution, resolved_at, resolved_by,
        sequence,
    ) = row  # fmt: skip
    return Thread(
        id=ThreadId(name),
        context=ContextId(context),
        anchor=Anchor(
            scope=scope,
            file=None if file is None else FileId(file),
            path=None if path is None else GitPath(path),
            lines=None if side is None else Lines(side=side, start=first, end=last),
            fingerprint=None if fingerprint is None else Digest(fingerprint),
        ),
        author=to_author(author),
        body=body,
        created_at=created_at,
        updated_at=updated_at,
        sequence=sequence,
        quote=quote,
        hunk=hunk,
        edited_at=edited_at,
        status=status,
        resolution=resolution,
        resolved_at=resolved_at,
        resolved_by=None if resolved_by is None else to_author(resolved_by),
        replies=tuple(replies),
    )
