"""A stored manifest with what one account has made of it: reviewed files and comment counts.

Blocks that hold no such file are moved as they were stored; only the others are written anew.
"""

import json
import sqlite3
from typing import Final

from diffx.records import Deflated
from diffx.review.model import Scope
from diffx.store import chunks, listing, marks, threads

SELECT_LISTINGS: Final = """
    SELECT c.listing, c.size, c.adler,
           EXISTS (SELECT 1 FROM entry AS e
                    WHERE e.chunk = sc.chunk
                      AND e.file IN (SELECT value FROM json_each(:files)))
      FROM scope_chunk AS sc
      JOIN chunk AS c ON c.number = sc.chunk
     WHERE sc.scope = :scope
     ORDER BY sc.position
"""


def manifest(tx: sqlite3.Connection, context: int, number: int, scope: Scope) -> Deflated:
    """Return the files of a scope as a JSON array, with `reviewed` and `commentCount` as of now."""
    reviewed = marks.marked(tx, context, scope)
    counts = threads.file_counts(tx, context, scope)
    if not reviewed and not counts:
        return chunks.manifest(tx, number)
    values = {"scope": number, "files": json.dumps(sorted({*reviewed, *counts}))}
    parts = []
    for data, size, adler, touched in tx.execute(SELECT_LISTINGS, values):
        part = Deflated(data=data, size=size, adler=adler)
        parts.append(_reviewed(part, reviewed, counts) if touched else part)
    return chunks.array(parts)


def _reviewed(part: Deflated, reviewed: set[str], counts: dict[str, int]) -> Deflated:
    shapes = listing.shapes(part)
    for shape in shapes:
        shape["reviewed"] = shape["id"] in reviewed
        shape["commentCount"] = counts.get(shape["id"], 0)
    return chunks.packed(shapes)
