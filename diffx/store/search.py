"""Read the texts of a scope one after the other, for whoever looks through all of them."""

import sqlite3
from typing import Final

from diffx.records import Deflated, FilePlace, SearchedFile, SearchedPage
from diffx.review.model import ContextId, Millis, OwnerId, Scope
from diffx.store import addresses, entries, listing
from diffx.store.entries import Entry

SELECT_BLOCKS: Final = """
    SELECT sc.position, c.number, c.listing, c.size, c.adler
      FROM scope_chunk AS sc
      JOIN chunk AS c ON c.number = sc.chunk
     WHERE sc.scope = :scope AND sc.position >= :block
     ORDER BY sc.position
"""
SELECT_ENTRIES: Final = """
    SELECT chunk, position, patch, before, after, ordinary
      FROM entry
     WHERE chunk = :chunk AND position >= :position
     ORDER BY position
"""


def page(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    scope: Scope,
    start: FilePlace,
    now: Millis,
    *,
    max_bytes: int,
) -> SearchedPage:
    """Return files from `start` on in manifest order: one, then as many as fit the bytes."""
    place = addresses.resolve(tx, owner, context, now)
    number, _ = listing.scope_number(tx, place, context, scope)
    found: list[SearchedFile] = []
    size = 0
    blocks = tx.execute(SELECT_BLOCKS, {"scope": number, "block": start.block})
    for block, chunk, data, length, adler in blocks:
        shapes = listing.shapes(Deflated(data=data, size=length, adler=adler))
        first = start.position if block == start.block else 0
        for row in tx.execute(SELECT_ENTRIES, {"chunk": chunk, "position": first}):
            entry = Entry(*row)
            here = FilePlace(block, entry.position)
            if size > max_bytes:
                return SearchedPage(files=tuple(found), following=here)
            one = _searched(tx, here, entry, shapes[entry.position])
            found.append(one)
            size += len(one.patch.text or b"") + len(one.after or b"")
    return SearchedPage(files=tuple(found), following=None)


def _searched(
    tx: sqlite3.Connection, place: FilePlace, entry: Entry, shape: dict[str, object]
) -> SearchedFile:
    listed = listing.listed_file(shape)
    after = entries.contents(tx, entry._replace(before=None)).after
    return SearchedFile(
        place=place,
        file=listed.id,
        path=str(shape["path"]),
        old_path=None if shape["oldPath"] is None else str(shape["oldPath"]),
        patch=entries.patch(tx, entry),
        after=None if after is None else after.text,
    )
