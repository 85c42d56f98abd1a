"""Publish an observation: everything of it in one transaction, or nothing (6.1)."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from diffx.clock import NewId
from diffx.errors import InvalidError
from diffx.ingestion.identity import Block, Identity, ScopeIdentity
from diffx.records import Receipt, SubmissionReusedError, Totals
from diffx.review.model import BlobId, ContextId, Millis, OwnerId, Snapshot, Submission
from diffx.store import addresses, blobs, chunks, documents, entries, labels, reviews
from diffx.store.chunks import ChunkWriter, Prepared

SELECT_SUBMISSION: Final = """
    SELECT s.payload, c.id, c.fate, o.expires_at
      FROM submission AS s
      JOIN context AS c ON c.number = s.context
      LEFT JOIN observation AS o ON o.context = c.number
     WHERE s.owner = :owner AND s.source_id = :source_id AND s.submission_id = :submission_id
"""
SELECT_SAME_CONTENT: Final = """
    SELECT o.context, c.id, o.stream
      FROM observation AS o
      JOIN context AS c ON c.number = o.context
     WHERE o.owner = :owner AND o.content = :content AND o.expires_at > :now
     ORDER BY o.context DESC
     LIMIT 1
"""
NEXT_NUMBER: Final = "UPDATE state SET sequence = sequence + 1 RETURNING sequence"
INSERT_CONTEXT: Final = """
    INSERT INTO context (id, owner, fate)
    VALUES (?, ?, 'live')
 RETURNING number
"""
# The greatest (collection time, arrival) ever seen is the head, whatever became of it (6.3).
ADVANCE_STREAM: Final = """
    INSERT INTO stream (owner, key, collected, arrival, head)
    VALUES (:owner, :key, :collected, :arrival, :context)
    ON CONFLICT (owner, key) DO UPDATE
       SET collected = excluded.collected, arrival = excluded.arrival, head = excluded.head
     WHERE (excluded.collected, excluded.arrival) > (stream.collected, stream.arrival)
"""
SELECT_STREAM: Final = "SELECT number FROM stream WHERE owner = :owner AND key = :key"
INSERT_OBSERVATION: Final = """
    INSERT INTO observation (
           context, owner, stream, content, recency, collected_at, stored_at, expires_at,
           source_id, source_kind, repository_key, checkout_key, branch_id, head,
           comparison, provenance, files)
    VALUES (:context, :owner, :stream, :content, :recency, :collected_at, :stored_at, :expires_at,
           :source_id, :source_kind, :repository_key, :checkout_key, :branch_id, :head,
           :comparison, :provenance, :files)
"""
REFRESH_OBSERVATION: Final = """
    UPDATE observation
       SET recency = :recency, stored_at = :stored_at, expires_at = :expires_at
     WHERE context = :context
"""
INSERT_SUBMISSION: Final = """
    INSERT INTO submission (
           owner, source_id, submission_id, payload, context, collected_at, stored_at, provenance)
    VALUES (:owner, :source_id, :submission_id, :payload, :context, :collected_at, :stored_at,
           :provenance)
"""
INSERT_SCOPE: Final = """
    INSERT INTO scope (
           context, scope, diff, revision, files, additions, deletions, binary, renames_limited)
    VALUES (:context, :scope, :diff, :revision, :files, :additions, :deletions, :binary,
           :renames_limited)
 RETURNING number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One submission on its way into the database."""

    owner: OwnerId
    submission: Submission
    identity: Identity
    now: Millis
    expires_at: Millis
    arrival: int | None
    """The queue's place in the line; None takes the next (6.3)."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    arrival: int
    recency: int


def check_texts(submission: Submission) -> None:
    """Refuse files that name texts the submission does not bring.

    The gate has checked it (4.2); again here, because a stored text of that name, another
    owner's perhaps, would be taken for it (6.5).
    """
    observation = submission.observation
    named = {
        name
        for snapshot in observation.snapshots
        for file in snapshot.files
        for name in entries.names(file)
    }
    lacking = named.difference(observation.texts)
    if lacking:
        raise InvalidError(
            f"{len(lacking)} texts are named and not sent, {min(lacking)} for one", field="texts"
        )


def known(tx: sqlite3.Connection, publication: Publication) -> Receipt | None:
    """Return the first answer to a submission that was here before (4.3).

    Other content under its id is SubmissionReusedError; a context that ended is not brought
    back: ContextDeletedError or ContextExpiredError.
    """
    submission = publication.submission
    row = tx.execute(
        SELECT_SUBMISSION,
        {
            "owner": publication.owner,
            "source_id": submission.observation.source_id,
            "submission_id": submission.id,
        },
    ).fetchone()
    if row is None:
        return None
    payload, context, fate, expires_at = row
    if payload != publication.identity.payload:
        raise SubmissionReusedError(
            f"submission {submission.id} was already sent with other content;"
            " collect again under a new id"
        )
    error = addresses.ended(context, fate, expires_at, publication.now)
    if error is not None:
        raise error
    return Receipt(context=context, replayed=True)


def prepare(
    tx: sqlite3.Connection, publication: Publication
) -> tuple[dict[bytes, Block], list[BlobId]]:
    """Say which chunks and texts the publication would have to store, as things are now."""
    if _same_content(tx, publication) is not None:
        return {}, []
    wanted = (block for scope in publication.identity.scopes for block in scope.blocks)
    lacking = chunks.missing(tx, wanted)
    return lacking, blobs.missing(tx, chunks.texts_of(lacking.values()))


def publish(
    tx: sqlite3.Connection, publication: Publication, prepared: Prepared, new_id: NewId
) -> Receipt:
    """Store a submission: a replay, a reuse (6.2) or a new context."""
    receipt = known(tx, publication)
    if receipt is not None:
        return receipt
    recency = _next_number(tx)
    arrival = publication.arrival
    places = _Arrival(recency if arrival is None else arrival, recency)
    same = _same_content(tx, publication)
    if same is None:
        number, context = _insert(tx, publication, places, prepared, new_id)
    else:
        number, context = same
        _refresh(tx, publication, places, number)
    _record(tx, publication, number)
    labels.attach(tx, publication.owner, number, publication.submission.observation)
    return Receipt(context=context, reused=same is not None)


def totals(snapshot: Snapshot) -> Totals:
    """Sum up one scope."""
    return Totals(
        files=len(snapshot.files),
        additions=sum(file.additions or 0 for file in snapshot.files),
        deletions=sum(file.deletions or 0 for file in snapshot.files),
        binary=sum(file.binary for file in snapshot.files),
    )


def _next_number(tx: sqlite3.Connection) -> int:
    (number,) = tx.execute(NEXT_NUMBER).fetchone()
    return int(number)


def _same_content(
    tx: sqlite3.Connection, publication: Publication
) -> tuple[int, ContextId] | None:
    content = publication.identity.content
    if content is None:
        return None
    row = tx.execute(
        SELECT_SAME_CONTENT,
        {"owner": publication.owner, "content": content, "now": publication.now},
    ).fetchone()
    return None if row is None else (row[0], ContextId(row[1]))


def _refresh(
    tx: sqlite3.Connection, publication: Publication, places: _Arrival, number: int
) -> None:
    _advance_stream(tx, publication, places, number)
    observation = publication.submission.observation
    reviews.begin_again(tx, publication.owner, number, observation, publication.now)
    tx.execute(
        REFRESH_OBSERVATION,
        {
            "context": number,
            "recency": places.recency,
            "stored_at": publication.now,
            "expires_at": publication.expires_at,
        },
    )


def _insert(
    tx: sqlite3.Connection,
    publication: Publication,
    places: _Arrival,
    prepared: Prepared,
    new_id: NewId,
) -> tuple[int, ContextId]:
    context = ContextId(new_id())
    (number,) = tx.execute(INSERT_CONTEXT, (context, publication.owner)).fetchone()
    stream = _advance_stream(tx, publication, places, number)
    observation = publication.submission.observation
    tx.execute(
        INSERT_OBSERVATION,
        {
            "context": number,
            "owner": publication.owner,
            "stream": stream,
            "content": publication.identity.content,
            "recency": places.recency,
            "collected_at": observation.collected_at,
            "stored_at": publication.now,
            "expires_at": publication.expires_at,
            "source_id": observation.source_id,
            "source_kind": observation.source_kind,
            "repository_key": observation.repository_key,
            "checkout_key": observation.checkout_key,
            "branch_id": observation.branch_id,
            "head": observation.head,
            "comparison": documents.from_comparison(observation.comparison),
            "provenance": documents.from_provenance(observation.provenance),
            "files": sum(len(snapshot.files) for snapshot in observation.snapshots),
        },
    )
    writer = ChunkWriter(tx, observation.texts, prepared)
    writer.store([block for scope in publication.identity.scopes for block in scope.blocks])
    for scope in publication.identity.scopes:
        writer.attach(_insert_scope(tx, number, scope, new_id), scope.blocks)
    reviews.begin(tx, publication.owner, number, observation, publication.now)
    return number, context


def _insert_scope(
    tx: sqlite3.Connection, context: int, scope: ScopeIdentity, new_id: NewId
) -> int:
    sums = totals(scope.snapshot)
    (number,) = tx.execute(
        INSERT_SCOPE,
        {
            "context": context,
            "scope": scope.snapshot.scope,
            "diff": new_id(),
            "revision": scope.revision,
            "files": sums.files,
            "additions": sums.additions,
            "deletions": sums.deletions,
            "binary": sums.binary,
            "renames_limited": scope.snapshot.renames_limited,
        },
    ).fetchone()
    return int(number)


def _advance_stream(
    tx: sqlite3.Connection, publication: Publication, places: _Arrival, context: int
) -> int:
    row = {
        "owner": publication.owner,
        "key": publication.identity.stream,
        "collected": publication.submission.observation.collected_at,
        "arrival": places.arrival,
        "context": context,
    }
    tx.execute(ADVANCE_STREAM, row)
    (number,) = tx.execute(SELECT_STREAM, row).fetchone()
    return int(number)


def _record(tx: sqlite3.Connection, publication: Publication, context: int) -> None:
    submission = publication.submission
    tx.execute(
        INSERT_SUBMISSION,
        {
            "owner": publication.owner,
            "source_id": submission.observation.source_id,
            "submission_id": submission.id,
            "payload": publication.identity.payload,
            "context": context,
            "collected_at": submission.observation.collected_at,
            "stored_at": publication.now,
            "provenance": documents.from_provenance(submission.observation.provenance),
        },
    )
