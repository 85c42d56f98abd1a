"""What a reader has begun to write about a context, in SQLite; it ends with the context."""

import sqlite3
from typing import Final

from diffx.records import DraftRecord, DraftsFullError
from diffx.review.model import Millis

MAX_DRAFTS: Final = 200

SELECT_DRAFTS: Final = """
    SELECT key, body, retry, written_at
      FROM draft
     WHERE context = ?
     ORDER BY key
"""
COUNT_OTHERS: Final = "SELECT count(*) FROM draft WHERE context = :context AND key <> :key"
UPSERT_DRAFT: Final = """
    INSERT INTO draft (context, key, body, retry, written_at)
    VALUES (:context, :key, :body, :retry, :written_at)
    ON CONFLICT (context, key) DO UPDATE
       SET body = excluded.body, retry = excluded.retry, written_at = excluded.written_at
"""
DELETE_DRAFT: Final = "DELETE FROM draft WHERE context = :context AND key = :key"
DELETE_DRAFTS: Final = "DELETE FROM draft WHERE context = ?"


def find(tx: sqlite3.Connection, number: int) -> tuple[DraftRecord, ...]:
    rows = tx.execute(SELECT_DRAFTS, (number,))
    return tuple(
        DraftRecord(key=key, body=body, retry=retry, written_at=Millis(written_at))
        for key, body, retry, written_at in rows
    )


def keep(tx: sqlite3.Connection, number: int, draft: DraftRecord) -> None:
    """Keep a draft in place of the one under the same key."""
    place = {"context": number, "key": draft.key}
    (others,) = tx.execute(COUNT_OTHERS, place).fetchone()
    if others >= MAX_DRAFTS:
        raise DraftsFullError(
            f"{MAX_DRAFTS} drafts are kept for one review; send or discard one of them first"
        )
    values = place | {"body": draft.body, "retry": draft.retry, "written_at": draft.written_at}
    tx.execute(UPSERT_DRAFT, values)


def drop(tx: sqlite3.Connection, number: int, key: str) -> None:
    tx.execute(DELETE_DRAFT, {"context": number, "key": key})


def forget(tx: sqlite3.Connection, number: int) -> None:
    tx.execute(DELETE_DRAFTS, (number,))
