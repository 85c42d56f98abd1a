"""Forget on purpose: deletion and expiry, down to the last text that nothing else needs."""

import json
import sqlite3
from typing import Final

from diffx.review.model import ContextId, Millis, OwnerId
from diffx.store import addresses, labels, reviews
from diffx.store.addresses import Fate

DAY_MS: Final = 86_400_000
FREE_PAGES_A_STEP: Final = 1_000
CONTEXTS_A_STEP: Final = 50
CHUNKS_A_STEP: Final = 500

SELECT_EXPIRED: Final = """
    SELECT context, owner
      FROM observation
     WHERE expires_at <= ?
     ORDER BY expires_at
     LIMIT 1
"""
DELETE_SCOPE_CHUNKS: Final = """
    DELETE FROM scope_chunk
     WHERE scope IN (SELECT number FROM scope WHERE context = ?)
 RETURNING chunk
"""
SELECT_UNUSED_CHUNKS: Final = """
    SELECT value
      FROM json_each(:chunks)
     WHERE NOT EXISTS (SELECT 1 FROM scope_chunk WHERE chunk = value)
"""
SELECT_BLOBS: Final = """
    SELECT patch, before, after
      FROM entry
     WHERE chunk = ?
"""
DELETE_ENTRIES: Final = "DELETE FROM entry WHERE chunk = ?"
DELETE_CHUNK_BLOB: Final = "DELETE FROM chunk_blob WHERE blob = ? AND chunk = ?"
DELETE_CHUNK: Final = "DELETE FROM chunk WHERE number = ?"
DELETE_UNUSED_BLOB: Final = """
    DELETE FROM blob
     WHERE number = :number
       AND NOT EXISTS (SELECT 1 FROM chunk_blob WHERE blob = :number)
"""
DELETE_SCOPES: Final = "DELETE FROM scope WHERE context = ?"
DELETE_OBSERVATION: Final = "DELETE FROM observation WHERE context = ? RETURNING stream"
STRIP_SUBMISSIONS: Final = "UPDATE submission SET provenance = NULL WHERE context = ?"
SET_FATE: Final = "UPDATE context SET fate = ? WHERE number = ?"


def delete(tx: sqlite3.Connection, owner: OwnerId, context: ContextId, now: Millis) -> None:
    """Delete a live context; its replay identities and stream head stay (7.2)."""
    end(tx, addresses.resolve(tx, owner, context, now), "deleted")


def prune_some(tx: sqlite3.Connection, now: Millis) -> list[OwnerId]:
    """End a few contexts past their retention; say whose they were, nobody's when all are done.

    Bounded, so that a publication need not wait for all of a long absence to be forgotten.
    """
    owners: list[OwnerId] = []
    chunks = 0
    while len(owners) < CONTEXTS_A_STEP and chunks < CHUNKS_A_STEP:
        row = tx.execute(SELECT_EXPIRED, (now,)).fetchone()
        if row is None:
            break
        context, owner = row
        chunks += end(tx, context, "expired")
        owners.append(OwnerId(owner))
    return owners


def end(tx: sqlite3.Connection, context: int, fate: Fate) -> int:
    """Remove an observation with all that only it needed, leaving its address and replays.

    Return how many chunks went with it.
    """
    chunks = {chunk for (chunk,) in tx.execute(DELETE_SCOPE_CHUNKS, (context,)).fetchall()}
    tx.execute(DELETE_SCOPES, (context,))
    gone = _sweep(tx, chunks)
    labels.detach(tx, context)
    reviews.end(tx, context, fate)
    (stream,) = tx.execute(DELETE_OBSERVATION, (context,)).fetchone()
    reviews.end_stream(tx, stream)
    tx.execute(STRIP_SUBMISSIONS, (context,))
    tx.execute(SET_FATE, (fate, context))
    return gone


def _sweep(tx: sqlite3.Connection, chunks: set[int]) -> int:
    """Delete those chunks that no scope has any more, then texts that no chunk has."""
    unused = tx.execute(SELECT_UNUSED_CHUNKS, {"chunks": json.dumps(sorted(chunks))}).fetchall()
    blobs: set[int] = set()
    for (chunk,) in unused:
        rows = tx.execute(SELECT_BLOBS, (chunk,)).fetchall()
        mine = {blob for row in rows for blob in row if blob is not None}
        tx.execute(DELETE_ENTRIES, (chunk,))
        tx.executemany(DELETE_CHUNK_BLOB, [(blob, chunk) for blob in sorted(mine)])
        tx.execute(DELETE_CHUNK, (chunk,))
        blobs |= mine
    tx.executemany(DELETE_UNUSED_BLOB, [{"number": blob} for blob in sorted(blobs)])
    return len(unused)
