"""What contexts are found by: the labels and agent sessions of all their submissions (7.1).

A label is stored once per owner and joined to contexts, so that free text is looked for in the
distinct values and not in every context.
"""

import sqlite3
from collections.abc import Iterator
from typing import Final, Literal

from diffx.review.model import Observation, OwnerId, Session

LabelKind = Literal[
    "repository",
    "branch",
    "worktree",
    "hostname",
    "source",
    "run",
    # Only free text looks at these (3.7).
    "remote",
    "path",
    "trigger",
    "directory",
    "collector",
]

INSERT_LABEL: Final = """
    INSERT INTO label (owner, kind, value, folded)
    VALUES (:owner, :kind, :value, :folded)
    ON CONFLICT (owner, kind, value) DO NOTHING
"""
JOIN_LABEL: Final = """
    INSERT OR IGNORE INTO context_label (label, context)
    SELECT number, :context
      FROM label
     WHERE owner = :owner AND kind = :kind AND value = :value
"""
# The newest collection that gives a name wins; one without a name takes nothing away.
INSERT_SESSION: Final = """
    INSERT INTO session (owner, harness, session_id, name, named_at, folded)
    VALUES (:owner, :harness, :session_id, :name, :named_at, :folded)
    ON CONFLICT (owner, harness, session_id) DO UPDATE
       SET name = excluded.name, named_at = excluded.named_at, folded = excluded.folded
     WHERE excluded.name IS NOT NULL
       AND (session.name IS NULL OR excluded.named_at >= session.named_at)
"""
JOIN_SESSION: Final = """
    INSERT OR IGNORE INTO context_session (session, context)
    SELECT number, :context
      FROM session
     WHERE owner = :owner AND harness = :harness AND session_id = :session_id
"""
DELETE_CONTEXT_LABELS: Final = """
    DELETE FROM context_label
     WHERE context = ?
 RETURNING label
"""
DELETE_LABEL: Final = """
    DELETE FROM label
     WHERE number = :number
       AND NOT EXISTS (SELECT 1 FROM context_label WHERE label = :number)
"""
DELETE_CONTEXT_SESSIONS: Final = """
    DELETE FROM context_session
     WHERE context = ?
 RETURNING session
"""
DELETE_SESSION: Final = """
    DELETE FROM session
     WHERE number = :number
       AND NOT EXISTS (SELECT 1 FROM context_session WHERE session = :number)
"""


def attach(tx: sqlite3.Connection, owner: OwnerId, context: int, observation: Observation) -> None:
    """Make a context findable by everything that one submission says about itself."""
    for kind, value in _labels(observation):
        row = {"owner": owner, "kind": kind, "value": value, "folded": value.casefold()}
        tx.execute(INSERT_LABEL, row)
        tx.execute(JOIN_LABEL, row | {"context": context})
    session = observation.provenance.session
    if session is not None:
        name = session.name
        session_row: dict[str, str | int | None] = {
            "owner": owner,
            "harness": storable(session.harness),
            "session_id": storable(session.session_id),
            "name": None if name is None else storable(name),
            "named_at": observation.collected_at,
            "folded": _folded(session),
            "context": context,
        }
        tx.execute(INSERT_SESSION, session_row)
        tx.execute(JOIN_SESSION, session_row)


def detach(tx: sqlite3.Connection, context: int) -> None:
    """Forget what a context was found by, and the labels that no other context has."""
    for join, delete in (
        (DELETE_CONTEXT_LABELS, DELETE_LABEL),
        (DELETE_CONTEXT_SESSIONS, DELETE_SESSION),
    ):
        numbers = tx.execute(join, (context,)).fetchall()
        tx.executemany(delete, [{"number": number} for (number,) in numbers])


def _labels(observation: Observation) -> Iterator[tuple[LabelKind, str]]:
    provenance = observation.provenance
    said: tuple[tuple[LabelKind, str | None], ...] = (
        ("repository", observation.repository_key),
        ("repository", provenance.repository_name),
        ("branch", provenance.branch),
        ("worktree", provenance.worktree_name),
        ("hostname", provenance.hostname),
        ("source", observation.source_id),
        ("run", provenance.run_id),
        ("remote", provenance.remote_url),
        ("path", provenance.root),
        ("trigger", provenance.trigger),
        ("directory", provenance.trigger_directory),
        ("collector", provenance.collector_version),
    )
    for kind, value in said:
        if value:
            yield kind, storable(value)


def storable(text: str) -> str:
    """Return a label as SQLite can hold it: what is no UTF-8 arrives with half characters."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _folded(session: Session) -> str:
    # A newline keeps a word from matching across two of them.
    return storable(
        "\n".join((session.harness, session.session_id, session.name or ""))
    ).casefold()
