"""Which contexts there are: one, a filtered page, or the groups that a picker starts from (7.1)."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from diffx.errors import InvalidError
from diffx.records import (
    CatalogGroups,
    ContextPage,
    ContextQuery,
    ContextRecord,
    FacetValue,
    RepositoryGroup,
    ScopeRecord,
    StoreFigures,
    SubmissionRecord,
)
from diffx.review.model import ContextId, Millis, OwnerId, Session, SubmissionId
from diffx.store import addresses, documents, filters, snapshots

MAX_PAGE: Final = 200

# The cross joins fix the order of the tables: along the index, so that a page costs a page.
_CONTEXTS: Final = """
    SELECT o.context, c.id, o.recency, o.source_id, o.source_kind, o.repository_key,
           o.checkout_key, o.branch_id, o.head, o.comparison, o.provenance, o.collected_at,
           o.stored_at, o.expires_at, s.head = o.context, o.review
      FROM observation AS o
      CROSS JOIN context AS c ON c.number = o.context
      CROSS JOIN stream AS s ON s.number = o.stream
"""
SELECT_CONTEXT: Final = f"""{_CONTEXTS}
     WHERE o.context = :context
"""
SELECT_PAGE: Final = f"""{_CONTEXTS}
     WHERE o.owner = :owner AND o.recency < :before AND o.expires_at > :now
"""
NEWEST_FIRST: Final = """
     ORDER BY o.recency DESC
     LIMIT :limit
"""
SELECT_MATCHING: Final = """
    SELECT o.context, o.recency, o.files > 0 AS changed, s.head = o.context AS latest,
           o.repository_key
      FROM observation AS o
      CROSS JOIN stream AS s ON s.number = o.stream
     WHERE o.owner = :owner AND o.expires_at > :now
"""
# `context` is of the row with the greatest recency: SQLite's bare columns follow its lone max().
SELECT_REPOSITORIES: Final = """
      SELECT g.repository_key, n.provenance, g.contexts, g.latest, g.changed, n.stored_at
        FROM (SELECT repository_key, count(*) AS contexts, sum(latest) AS latest,
                     sum(changed) AS changed, max(recency) AS recency, context
                FROM matching
               GROUP BY repository_key) AS g
        CROSS JOIN observation AS n ON n.context = g.context
       ORDER BY g.recency DESC
"""
# The plus keeps SQLite from trying every context with every label.
SELECT_FACETS: Final = """
      SELECT l.kind, l.value, count(*)
        FROM label AS l
        CROSS JOIN context_label AS j ON j.label = l.number
       WHERE l.owner = :owner AND l.kind IN ('hostname', 'branch', 'worktree')
         AND +j.context IN (SELECT context FROM matching)
       GROUP BY l.kind, l.value
       ORDER BY l.kind, count(*) DESC, l.value
"""

SELECT_SCOPES: Final = """
    SELECT context, scope, diff, revision, files, additions, deletions, binary, renames_limited
      FROM scope
     WHERE context IN (SELECT value FROM json_each(?))
     ORDER BY number
"""
SELECT_SESSIONS: Final = """
    SELECT j.context, n.harness, n.session_id, n.name
      FROM context_session AS j
      JOIN session AS n ON n.number = j.session
     WHERE j.context IN (SELECT value FROM json_each(?))
     ORDER BY n.number
"""
SELECT_SUBMISSIONS: Final = """
    SELECT submission_id, collected_at, stored_at, provenance
      FROM submission
     WHERE context = ?
     ORDER BY number
"""
COUNT_CONTEXTS: Final = "SELECT count(*) FROM observation"
COUNT_BYTES: Final = """
    SELECT page_count * page_size
      FROM pragma_page_count, pragma_page_size
"""


def get(tx: sqlite3.Connection, owner: OwnerId, context: ContextId, now: Millis) -> ContextRecord:
    number = addresses.resolve(tx, owner, context, now)
    row = tx.execute(SELECT_CONTEXT, {"context": number}).fetchone()
    submissions = tuple(
        SubmissionRecord(
            id=SubmissionId(submission),
            collected_at=collected_at,
            stored_at=stored_at,
            provenance=documents.to_provenance(provenance),
        )
        for submission, collected_at, stored_at, provenance in tx.execute(
            SELECT_SUBMISSIONS, (number,)
        )
    )
    return _records(tx, [row], submissions)[0]


def find(tx: sqlite3.Connection, owner: OwnerId, query: ContextQuery, now: Millis) -> ContextPage:
    """Return one page; a context that is stored anew meanwhile moves up, never twice into view."""
    limit = query.limit
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidError(f"limit must be 1 to {MAX_PAGE}, not {limit}", field="limit")
    clauses, values = filters.clauses(query)
    statement = SELECT_PAGE + clauses + NEWEST_FIRST
    parameters = values | {
        "owner": owner,
        "now": now,
        "before": filters.before(query.cursor),
        "limit": limit + 1,
    }
    rows = tx.execute(statement, parameters).fetchall()
    page = rows[:limit]
    return ContextPage(
        contexts=tuple(_records(tx, page)),
        next_cursor=f"r{page[-1][2]}" if len(rows) > limit else None,
    )


def groups(
    tx: sqlite3.Connection, owner: OwnerId, query: ContextQuery, now: Millis
) -> CatalogGroups:
    """Return what a picker shows first; the page's limit and cursor play no part."""
    clauses, values = filters.clauses(query)
    matching = f"WITH matching AS MATERIALIZED ({SELECT_MATCHING}{clauses})"
    parameters = values | {"owner": owner, "now": now}
    repositories = tx.execute(matching + SELECT_REPOSITORIES, parameters).fetchall()
    facets: dict[str, list[FacetValue]] = defaultdict(list)
    for kind, value, count in tx.execute(matching + SELECT_FACETS, parameters):
        facets[kind].append(FacetValue(value=value, contexts=count))
    return CatalogGroups(
        repositories=tuple(
            RepositoryGroup(
                key=key,
                name=documents.to_provenance(newest).repository_name,
                contexts=contexts,
                latest=latest,
                changed=changed,
                stored_at=stored_at,
            )
            for key, newest, contexts, latest, changed, stored_at in repositories
        ),
        hostnames=tuple(facets["hostname"]),
        branches=tuple(facets["branch"]),
        worktrees=tuple(facets["worktree"]),
    )


def figures(tx: sqlite3.Connection) -> StoreFigures:
    (contexts,) = tx.execute(COUNT_CONTEXTS).fetchone()
    (database_bytes,) = tx.execute(COUNT_BYTES).fetchone()
    return StoreFigures(contexts=contexts, database_bytes=database_bytes)


def _records(
    tx: sqlite3.Connection,
    rows: Iterable[tuple[Any, ...]],
    submissions: tuple[SubmissionRecord, ...] = (),
) -> list[ContextRecord]:
    """Return the records of rows of `_CONTEXTS`, with their scopes and sessions."""
    listed = list(rows)
    numbers = json.dumps([row[0] for row in listed])
    scopes = _grouped(tx.execute(SELECT_SCOPES, (numbers,)))
    sessions = sessions_of(tx, numbers)
    return [
        _record(
            row,
            [snapshots.scope_record(each) for each in scopes[row[0]]],
            sessions[row[0]],
            submissions,
        )
        for row in listed
    ]


def _record(
    row: tuple[Any, ...],
    scopes: list[ScopeRecord],
    sessions: list[Session],
    submissions: tuple[SubmissionRecord, ...],
) -> ContextRecord:
    (
        _number, context, _recency, source_id, source_kind, repository_key, checkout_key,
        branch_id, head, comparison, provenance, collected_at, stored_at, expires_at, latest,
        review,
    ) = row  # fmt: skip
    return ContextRecord(
        context=context,
        source_id=source_id,
        source_kind=source_kind,
        repository_key=repository_key,
        checkout_key=checkout_key,
        branch_id=branch_id,
        head=head,
        comparison=documents.to_comparison(comparison),
        provenance=documents.to_provenance(provenance),
        collected_at=collected_at,
        stored_at=stored_at,
        expires_at=expires_at,
        latest=bool(latest),
        scopes=tuple(scopes),
        review=review,
        sessions=tuple(sessions),
        submissions=submissions,
    )


def sessions_of(tx: sqlite3.Connection, numbers: str) -> Mapping[int, list[Session]]:
    """Return which agent sessions observed each of these contexts, a JSON list of their numbers."""
    found: defaultdict[int, list[Session]] = defaultdict(list)
    for context, *row in tx.execute(SELECT_SESSIONS, (numbers,)):
        found[context].append(_session(tuple(row)))
    return found


def _session(row: tuple[Any, ...]) -> Session:
    harness, session_id, name = row
    return Session(harness=harness, session_id=session_id, name=name)


def _grouped(rows: Iterator[tuple[Any, ...]]) -> defaultdict[int, list[tuple[Any, ...]]]:
    """Group rows by their first column."""
    found: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for first, *rest in rows:
        found[first].append(tuple(rest))
    return found
