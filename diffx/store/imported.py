"""Threads that come from an export: each once, however often it is read (8.4)."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from diffx.review.comments import Reply, Thread, ThreadId, replied
from diffx.review.model import OwnerId
from diffx.store import threads

_IMPORTED: Final = "import:"


def take_over(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: int,
    imported: tuple[ThreadId, Thread],
    replies: Iterable[tuple[str, Reply]],
) -> tuple[bool, bool]:
    """Import a thread and those of its replies that are not here yet.

    Return whether it was new, and whether anything was. Replies to a thread that is known are a
    change like any other: they are heard of, and open it unless it was resolved over there too.
    """
    origin, thread = imported
    stream = threads.stream_of(tx, context)
    here = _by_origin(tx, stream, origin)
    new = here is None
    if here is None:
        threads.insert(tx, owner, context, thread, f"{_IMPORTED}{origin}")
        here = threads.find(tx, context, thread.id)
    row, found = here
    mine = {reply.id for reply in found.replies}
    grown = found
    for name, reply in replies:
        retry = f"{_IMPORTED}{name}"
        if name not in mine and threads.replied_before(tx, row, retry) is None:
            grown = replied(grown, reply)
            threads.insert_reply(tx, stream, row, reply, retry=retry)
    if grown is not found and not new:
        shown = found if thread.status == "resolved" else grown
        threads.update(tx, owner, row, replace(shown, updated_at=thread.updated_at), thread.author)
    return new, new or grown is not found


def _by_origin(tx: sqlite3.Connection, stream: int, origin: ThreadId) -> tuple[int, Thread] | None:
    """Return a thread by its own id, or by the id that it was imported under."""
    row = tx.execute(threads.SELECT_BY_ID, {"stream": stream, "thread": origin}).fetchone()
    if row is None:
        return threads.by_retry(tx, stream, f"{_IMPORTED}{origin}")
    return int(row[0]), threads.from_rows(tx, [row])[0]
