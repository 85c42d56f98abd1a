"""What scopes were compared with, and whether two of them with the very same state (9.1)."""

import json
import sqlite3
from typing import Final, NamedTuple

from diffx.store import listing

SELECT_BASE: Final = """
    SELECT repository_key, stream, source_kind, head, comparison, owner
      FROM observation
     WHERE context = ?
"""
SELECT_PLACE: Final = "SELECT context, scope FROM scope WHERE number = ?"


class Base(NamedTuple):
    """What an observation says of its repository and of what it was compared with."""

    repository: str | None
    stream: int
    kind: str
    head: str | None
    comparison: str
    owner: str


def of(tx: sqlite3.Connection, context: int) -> Base:
    return Base(*tx.execute(SELECT_BASE, (context,)).fetchone())


def same(tx: sqlite3.Connection, old: int, new: int) -> bool:
    """Say whether two scopes of one kind are known to have been compared with one state."""
    (one, scope), (two, other) = (
        tx.execute(SELECT_PLACE, (number,)).fetchone() for number in (old, new)
    )
    bases = of(tx, one), of(tx, two)
    if scope != other or "patch" in {each.kind for each in bases}:
        return False
    if scope == "all":
        said = [json.loads(each.comparison) for each in bases]
        commits = [each.get("merge_base") or each.get("base_commit") for each in said]
        return commits[0] is not None and commits[0] == commits[1]
    if bases[0].head is None or bases[0].head != bases[1].head:
        return False
    if scope == "staged":
        return True
    # The index is HEAD with what is staged.
    staged = [
        tx.execute(listing.SELECT_SCOPE_NUMBER, {"context": context, "scope": "staged"}).fetchone()
        for context in (one, two)
    ]
    return None not in staged and staged[0][2] == staged[1][2]
