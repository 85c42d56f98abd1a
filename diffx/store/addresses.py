"""A context's address outlives what it named, so that its end can be told apart (7.2)."""

import sqlite3
from typing import Final, Literal

from diffx.errors import DiffxError
from diffx.records import ContextDeletedError, ContextExpiredError, ContextMissingError
from diffx.review.model import ContextId, Millis, OwnerId

Fate = Literal["live", "deleted", "expired"]

SELECT_ADDRESS: Final = """
    SELECT c.number, c.fate, o.expires_at
      FROM context AS c
      LEFT JOIN observation AS o ON o.context = c.number
     WHERE c.id = :context AND c.owner = :owner
"""


def resolve(tx: sqlite3.Connection, owner: OwnerId, context: ContextId, now: Millis) -> int:
    """Return the number of a context that this owner may read now, or say why not (6.4, 12.3)."""
    row = tx.execute(SELECT_ADDRESS, {"owner": owner, "context": context}).fetchone()
    if row is None:
        raise ContextMissingError(f"there is no context {context}")
    number, fate, expires_at = row
    error = ended(context, fate, expires_at, now)
    if error is not None:
        raise error
    return int(number)


def ended(
    context: ContextId, fate: Fate, expires_at: Millis | None, now: Millis
) -> DiffxError | None:
    """Return how a context ended, None while it lives."""
    if fate == "deleted":
        return ContextDeletedError(f"context {context} was deleted")
    # Expiry holds from its very millisecond on, whether or not pruning has come by.
    if fate == "expired" or expires_at is None or expires_at <= now:
        return ContextExpiredError(f"context {context} outlived its retention")
    return None
