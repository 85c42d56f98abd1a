"""Reviews: threads, marks, verdicts, comparisons and preferences; each method one transaction."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from diffx.records import (
    ComparisonInput,
    DraftRecord,
    FileMissingError,
    FileTexts,
    IterationRecord,
    MarksRecord,
    ReviewCounts,
    ThreadChanges,
    ThreadMissingError,
    ThreadsRecord,
    ThreadTexts,
)
from diffx.review.comments import Author, Reply, Retry, Thread, ThreadId, ThreadStatus, Verdict
from diffx.review.model import ContextId, Digest, FileId, Millis, Observation, OwnerId, Scope
from diffx.store import (
    addresses,
    drafts,
    hunkmarks,
    imported,
    iterations,
    listing,
    marks,
    threads,
)
from diffx.store.addresses import Fate
from diffx.store.connections import Connections
from diffx.store.renames import Renames

SELECT_REVIEW: Final = "SELECT review FROM observation WHERE context = ?"
SELECT_PREFERENCES: Final = "SELECT preferences FROM reviewer WHERE owner = ?"
UPSERT_PREFERENCES: Final = """
    INSERT INTO reviewer (owner, sequence, preferences)
    VALUES (:owner, 0, :preferences)
    ON CONFLICT (owner) DO UPDATE SET preferences = excluded.preferences
"""


Imported = tuple[ThreadId, Thread, tuple[tuple[str, Reply], ...]]
"""A thread as it will be here, and its replies, each with the id it had where it comes from."""


class ReviewStore:
    """The mutable half of the store, over the same database as the observations.

    Every method is scoped to an owner and a time, and raises what reading the context would.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._renames = Renames()

    def threads(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> ThreadsRecord:
        with self._connections.read() as tx:
            number = addresses.resolve(tx, owner, context, now)
            scope_number, revision = listing.scope_number(tx, number, context, scope)
            own, earlier = threads.own(tx, number), threads.earlier(tx, number)
            on_files = any(each.anchor.file is not None for each in (*own, *earlier))
            (review,) = tx.execute(SELECT_REVIEW, (number,)).fetchone()
            return ThreadsRecord(
                own=tuple(own),
                earlier=tuple(earlier),
                files=listing.files(tx, scope_number) if on_files else (),
                revision=revision,
                review=review,
                cursor=threads.cursor(tx, owner),
            )

    def thread_texts(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        wanted: Iterable[tuple[Thread, FileId]],
        now: Millis,
    ) -> dict[ThreadId, ThreadTexts]:
        """Return what is stored of the texts that threads are placed by (9.2).

        `wanted` names, for each thread of this owner, the file of this scope it is looked for in.
        """
        with self._connections.read() as tx:
            number = addresses.resolve(tx, owner, context, now)
            scope_number, _ = listing.scope_number(tx, number, context, scope)
            return iterations.thread_texts(tx, number, scope_number, wanted)

    def successors(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        wanted: Iterable[Thread],
        now: Millis,
    ) -> dict[ThreadId, FileId]:
        """Return which file of this scope the file of each thread has become (9.2)."""
        with self._connections.read() as tx:
            number = addresses.resolve(tx, owner, context, now)
            scope_number, _ = listing.scope_number(tx, number, context, scope)
            return iterations.successors(tx, self._renames, scope_number, wanted)

    def file_texts(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId, now: Millis
    ) -> FileTexts:
        with self._connections.read() as tx:
            number = addresses.resolve(tx, owner, context, now)
            found = iterations.file_texts(tx, number, context, scope, file)
        if found is None:
            raise FileMissingError(f"context {context} has no file {file}")
        return found

    def find_thread(
        self, owner: OwnerId, context: ContextId, thread: ThreadId, now: Millis
    ) -> Thread:
        with self._connections.read() as tx:
            return threads.find(tx, addresses.resolve(tx, owner, context, now), thread)[1]

    def changed_threads(
        self,
        owner: OwnerId,
        cursor: int,
        now: Millis,
        *,
        context: ContextId | None = None,
        but: Author | None = None,
        limit: int = 100,
    ) -> ThreadChanges:
        """Return what others than `but` changed behind a cursor, in one stream or in all."""
        with self._connections.read() as tx:
            stream = None
            if context is not None:
                stream = threads.stream_of(tx, addresses.resolve(tx, owner, context, now))
            return threads.changed(tx, owner, cursor, now, stream=stream, but=but, limit=limit)

    def counts(self, owner: OwnerId, context: ContextId, now: Millis) -> ReviewCounts:
        with self._connections.read() as tx:
            found = threads.counts(tx, addresses.resolve(tx, owner, context, now))
        return ReviewCounts(open=found.get("open", 0), resolved=found.get("resolved", 0))

    def add_thread(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: Thread,
        now: Millis,
        *,
        retry: Retry | None = None,
    ) -> Thread:
        """Store a new thread; with a retry key, what that key made before comes back (8.2).

        KeyReusedError where that says something else.
        """
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            if retry is not None:
                known = threads.by_retry(tx, threads.stream_of(tx, number), retry.key)
                if known is not None:
                    if known[1].edited_at is None:
                        retry.check(known[1].body)
                    return known[1]
            return threads.insert(tx, owner, number, thread, retry and retry.key)

    def change_thread(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: ThreadId,
        change: Callable[[Thread], Thread],
        now: Millis,
        *,
        by: Author,
        retry: Retry | None = None,
    ) -> Thread:
        """Apply a rule to a thread as it is now; what changes nothing leaves no trace.

        With a retry key a reply is added once, however often it is sent; KeyReusedError where
        the key was kept for another one.
        """
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            row, found = threads.find(tx, number, thread)
            said = None if retry is None else threads.replied_before(tx, row, retry.key)
            if retry is not None and said is not None:
                retry.check(said)
                return found
            changed = change(found)
            if changed == found:
                return found
            _save(tx, owner, number, (row, found, changed), by, retry and retry.key)
            return threads.find(tx, number, thread)[1]

    def import_threads(
        self,
        owner: OwnerId,
        context: ContextId,
        given: Iterable[Imported],
        now: Millis,
    ) -> tuple[int, int]:
        """Add what is not here yet: return how many threads were new and how many known.

        A thread or reply is known by its id: its own here, or the one it was imported under.
        """
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            taken = [
                imported.take_over(tx, owner, number, (origin, thread), replies)
                for origin, thread, replies in given
            ]
            if any(changed for _, changed in taken):
                threads.touch(tx, number, threads.next_sequence(tx, owner))
        new = sum(1 for is_new, _ in taken if is_new)
        return new, len(taken) - new

    def delete_threads(
        self,
        owner: OwnerId,
        context: ContextId,
        ids: Iterable[ThreadId],
        now: Millis,
        *,
        status: ThreadStatus | None = None,
        seen_before: bool = False,
    ) -> int:
        """Delete those threads, if they still have the status; return how many there were.

        With `seen_before` the ids come from an earlier reading, and one may be gone since.
        """
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            rows = []
            for each in ids:
                try:
                    row, found = threads.find(tx, number, each)
                except ThreadMissingError:
                    if seen_before:
                        continue
                    raise
                if status is None or found.status == status:
                    rows.append(row)
            if rows:
                threads.delete(tx, rows)
                threads.touch(tx, number, threads.next_sequence(tx, owner))
        return len(rows)

    def marks(self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis) -> MarksRecord:
        with self._connections.read() as tx:
            number = addresses.resolve(tx, owner, context, now)
            found = marks.find(tx, self._renames, number, context, scope, now)
            return replace(found, hunks=hunkmarks.find(tx, number, scope))

    def mark(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        seen: tuple[FileId, Digest],
        now: Millis,
    ) -> None:
        """Mark a file as reviewed; FingerprintChangedError where it is not what was seen."""
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            marks.mark(tx, number, context, scope, seen, now)
            hunkmarks.spread(tx, number, scope, seen[0], now)
            marks.touch(tx, number, threads.next_sequence(tx, owner))

    def unmark(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId | None, now: Millis
    ) -> None:
        """Take back the mark of a file, or of all files of a scope."""
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            listing.scope_number(tx, number, context, scope)
            files = marks.touched(tx, number, scope) if file is None else (file,)
            gone = 0
            for each in files:
                hunkmarks.withdraw(tx, number, scope, each)
                gone += marks.unmark(tx, number, scope, each)
            if gone:
                marks.touch(tx, number, threads.next_sequence(tx, owner))

    def drafts(self, owner: OwnerId, context: ContextId, now: Millis) -> tuple[DraftRecord, ...]:
        with self._connections.read() as tx:
            return drafts.find(tx, addresses.resolve(tx, owner, context, now))

    def keep_draft(
        self, owner: OwnerId, context: ContextId, draft: DraftRecord, now: Millis
    ) -> None:
        """Keep what is being written; DraftsFullError where that would be too many."""
        with self._connections.write() as tx:
            drafts.keep(tx, addresses.resolve(tx, owner, context, now), draft)

    def drop_draft(self, owner: OwnerId, context: ContextId, key: str, now: Millis) -> None:
        with self._connections.write() as tx:
            drafts.drop(tx, addresses.resolve(tx, owner, context, now), key)

    def mark_hunk(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        hunk: tuple[FileId, int],
        seen: Digest,
        now: Millis,
    ) -> None:
        """Mark one hunk as reviewed, of a file as it was seen; the last one marks the file."""
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            hunkmarks.mark(tx, number, context, scope, hunk, seen=seen, now=now)
            marks.touch(tx, number, threads.next_sequence(tx, owner))

    def unmark_hunk(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        hunk: tuple[FileId, int],
        now: Millis,
    ) -> None:
        """Take back the mark of one hunk; the others of a reviewed file stay reviewed."""
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            if hunkmarks.unmark(tx, number, context, scope, hunk):
                marks.touch(tx, number, threads.next_sequence(tx, owner))

    def finish(
        self,
        owner: OwnerId,
        context: ContextId,
        verdict: Verdict,
        summary: str | None,
        now: Millis,
    ) -> None:
        """Record that the account finished reviewing a context, and how."""
        with self._connections.write() as tx:
            number = addresses.resolve(tx, owner, context, now)
            iterations.finish(tx, number, verdict, summary, now)
            marks.touch(tx, number, threads.next_sequence(tx, owner))

    def iterations(
        self, owner: OwnerId, context: ContextId, now: Millis
    ) -> tuple[IterationRecord, ...]:
        with self._connections.read() as tx:
            return iterations.find(tx, addresses.resolve(tx, owner, context, now), now)

    def comparison_key(
        self, owner: OwnerId, contexts: tuple[ContextId, ContextId], scope: Scope, now: Millis
    ) -> str:
        """Name what comparing two contexts gives: equal names, equal results."""
        with self._connections.read() as tx:
            return iterations.comparison_key(tx, owner, contexts, scope, now)

    def comparison(
        self, owner: OwnerId, contexts: tuple[ContextId, ContextId], scope: Scope, now: Millis
    ) -> ComparisonInput:
        with self._connections.read() as tx:
            return iterations.comparison(tx, owner, contexts, scope, now)

    def preferences(self, owner: OwnerId) -> dict[str, Any]:
        with self._connections.read() as tx:
            row = tx.execute(SELECT_PREFERENCES, (owner,)).fetchone()
        found: dict[str, Any] = {} if row is None else json.loads(row[0])
        return found

    def set_preferences(self, owner: OwnerId, preferences: dict[str, Any]) -> None:
        text = json.dumps(preferences, separators=(",", ":"))
        with self._connections.write() as tx:
            tx.execute(UPSERT_PREFERENCES, {"owner": owner, "preferences": text})


def begin(
    tx: sqlite3.Connection, owner: OwnerId, context: int, observation: Observation, now: Millis
) -> None:
    """Give a new context what the reviews before it know, inside its publication (8.3)."""
    if observation.repository_key is not None:
        marks.carry(tx, owner, context, observation, now)
        hunkmarks.carry(tx, owner, context, observation, now)


def begin_again(
    tx: sqlite3.Connection, owner: OwnerId, context: int, observation: Observation, now: Millis
) -> None:
    """Let a context that is collected again know what was reviewed since it was last (6.2, 8.3).

    Before that, what was taken back here stays taken back. Called before it is stored anew.
    """
    if observation.repository_key is None:
        return
    since = marks.stored_at(tx, context)
    files = marks.carry(tx, owner, context, observation, now, since=since)
    hunks = hunkmarks.carry(tx, owner, context, observation, now, since=since)
    if files or hunks:
        marks.touch(tx, context, threads.next_sequence(tx, owner))


def end(tx: sqlite3.Connection, context: int, fate: Fate) -> None:
    """Forget a context's review, before its observation goes; threads stay with their stream.

    A context that is deleted takes along the threads that were written on it (7.2, 9.2).
    """
    marks.forget(tx, context)
    drafts.forget(tx, context)
    iterations.forget(tx, context)
    if fate == "deleted":
        threads.forget_context(tx, context)


def end_stream(tx: sqlite3.Connection, stream: int) -> None:
    """Forget the threads of a stream, if its last context has gone (6.4)."""
    threads.forget_stream(tx, stream)


def _save(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: int,
    change: tuple[int, Thread, Thread],
    by: Author,
    retry: str | None,
) -> None:
    row, before, after = change
    stream = threads.stream_of(tx, context)
    threads.grow(tx, stream, row, threads.size_of(after.body) - threads.size_of(before.body))
    sequence = threads.update(tx, owner, row, after, by)
    for reply in after.replies[len(before.replies) :]:
        threads.insert_reply(tx, stream, row, reply, retry=retry)
    threads.touch(tx, context, sequence)
