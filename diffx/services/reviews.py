"""Reviewing: comment, answer, resolve, place threads, mark files, export and import (8, 9.2)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from diffx.clock import Clock, NewId
from diffx.records import (
    DraftRecord,
    FileTexts,
    MarksRecord,
    ReviewCounts,
    ThreadChanges,
    ThreadTexts,
)
from diffx.review.comments import (
    Anchor,
    Author,
    Lines,
    Reply,
    ReplyId,
    Resolution,
    Retry,
    Thread,
    ThreadId,
    ThreadStatus,
    check_body,
    edited,
    hunk_around,
    order,
    quote_lines,
    quote_patch,
    reopened,
    replied,
    resolved,
)
from diffx.review.exported import ImportedReply, ImportedThread
from diffx.review.linediff import split_lines
from diffx.review.model import ContextId, Digest, FileId, Millis, OwnerId, Scope
from diffx.review.port import SeenThread
from diffx.services.changes import Change, Changes
from diffx.services.places import PlaceCache, Placed, View
from diffx.services.reviewstore import Imported, ReviewStore

Bulk = Literal["all", "open", "resolved", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewComment:
    """What a writer asks for; the quoted code comes from what is stored."""

    scope: Scope
    file: FileId | None
    lines: Lines | None
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThreads:
    """Every thread that one scope of one context shows, in one order for all readers."""

    threads: tuple[SeenThread, ...]
    review: int
    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What may be done with a stored review, and by whom. Every change is announced (10.6)."""

    store: ReviewStore
    changes: Changes
    now: Clock
    new_id: NewId
    places: PlaceCache = field(default_factory=PlaceCache)

    def threads(
        self, owner: OwnerId, context: ContextId, scope: Scope, *, ported: bool = True
    ) -> SeenThreads:
        """Return the threads of a context, each where it stands in this scope (8.2, 9.2)."""
        record = self.store.threads(owner, context, scope, self.now())
        given = (*record.own, *(record.earlier if ported else ()))
        view = View(context, scope, record)
        seen = self._seen(owner, view, given)
        return SeenThreads(
            threads=tuple(sorted(seen, key=lambda each: order(each.thread))),
            review=record.review,
            cursor=record.cursor,
        )

    def thread(
        self, owner: OwnerId, context: ContextId, scope: Scope, thread: ThreadId
    ) -> SeenThread:
        """Return one thread of the context's stream, as this scope shows it."""
        found = self.store.find_thread(owner, context, thread, self.now())
        record = self.store.threads(owner, context, scope, self.now())
        return self._seen(owner, View(context, scope, record), [found])[0]

    def changed(
        self,
        owner: OwnerId,
        cursor: int,
        *,
        context: ContextId | None = None,
        but: Author | None = None,
        limit: int = 100,
    ) -> ThreadChanges:
        """Return what anybody but `but` has written or changed since a cursor; none is missed."""
        return self.store.changed_threads(
            owner, cursor, self.now(), context=context, but=but, limit=limit
        )

    def counts(self, owner: OwnerId, context: ContextId) -> ReviewCounts:
        return self.store.counts(owner, context, self.now())

    def comment(
        self,
        owner: OwnerId,
        context: ContextId,
        comment: NewComment,
        by: Author,
        *,
        key: str | None = None,
    ) -> Thread:
        """Start a thread; the same key by the same author starts it once."""
        now = self.now()
        anchor, quote, hunk = self._anchor(owner, context, comment, now)
        thread = Thread(
            id=ThreadId(self.new_id()),
            context=context,
            anchor=anchor,
            author=by,
            body=check_body(comment.body),
            created_at=now,
            updated_at=now,
            sequence=0,
            quote=quote,
            hunk=hunk,
        )
        retry = _retry(by, key, thread.body)
        stored = self.store.add_thread(owner, context, thread, now, retry=retry)
        self._announce(owner, context)
        return stored

    def reply(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: ThreadId,
        body: str,
        by: Author,
        *,
        key: str | None = None,
    ) -> Thread:
        """Answer in a thread, which opens it again."""
        now = self.now()
        answer = Reply(id=ReplyId(self.new_id()), author=by, body=check_body(body), created_at=now)
        return self._change(
            owner,
            context,
            thread,
            lambda found: replied(found, answer),
            by,
            _retry(by, key, answer.body),
        )

    def edit(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: ThreadId,
        *,
        body: str | None = None,
        status: ThreadStatus | None = None,
    ) -> Thread:
        """Change what the account said in a thread, or its state."""
        now, by = self.now(), Author()
        said = None if body is None else check_body(body)

        def change(found: Thread) -> Thread:
            if said is not None:
                found = edited(found, said, by, now)
            if status == "resolved":
                return resolved(found, by, now, None)
            return reopened(found, now) if status == "open" else found

        return self._change(owner, context, thread, change, by)

    def resolve(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: ThreadId,
        by: Author,
        *,
        resolution: Resolution | None = None,
        note: str | None = None,
    ) -> Thread:
        """Resolve a thread, with a note if there is one to make; again changes nothing (8.2)."""
        now = self.now()
        said = None if note is None or not note.strip() else check_body(note, "note")
        answer = (
            None
            if said is None
            else Reply(id=ReplyId(self.new_id()), author=by, body=said, created_at=now)
        )

        def change(found: Thread) -> Thread:
            if found.status == "resolved":
                return found
            noted = found if answer is None else replied(found, answer)
            return resolved(noted, by, now, resolution)

        return self._change(owner, context, thread, change, by)

    def delete(self, owner: OwnerId, context: ContextId, thread: ThreadId) -> None:
        self.store.delete_threads(owner, context, [thread], self.now())
        self._announce(owner, context)

    def delete_many(self, owner: OwnerId, context: ContextId, scope: Scope, which: Bulk) -> int:
        """Delete the threads written on this context, all or by status (8.5).

        `stale` are those this scope shows, earlier ones included, whose file has changed.
        """
        shown = self.threads(owner, context, scope).threads
        if which == "stale":
            ids = [each.thread.id for each in shown if each.applicability == "stale"]
        else:
            ids = [each.thread.id for each in shown if not each.ported]
        status: ThreadStatus | None = which if which in ("open", "resolved") else None
        count = self.store.delete_threads(
            owner, context, ids, self.now(), status=status, seen_before=True
        )
        if count:
            self._announce(owner, context)
        return count

    def bring_in(
        self, owner: OwnerId, context: ContextId, imported: Sequence[ImportedThread]
    ) -> tuple[int, int]:
        """Import threads: how many are new, how many were known; again adds nothing (8.4)."""
        given = [self._imported(context, each) for each in imported]
        new, known = self.store.import_threads(owner, context, given, self.now())
        self._announce(owner, context)
        return new, known

    def marks(self, owner: OwnerId, context: ContextId, scope: Scope) -> MarksRecord:
        return self.store.marks(owner, context, scope, self.now())

    def mark(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId, seen: Digest
    ) -> None:
        """Mark a file as reviewed, as it was seen; 409 if it is not that (8.3)."""
        self.store.mark(owner, context, scope, (file, seen), self.now())
        self._announce(owner, context)

    def unmark(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId | None = None
    ) -> None:
        """Take back one mark, or all of a scope."""
        self.store.unmark(owner, context, scope, file, self.now())
        self._announce(owner, context)

    def drafts(self, owner: OwnerId, context: ContextId) -> tuple[DraftRecord, ...]:
        return self.store.drafts(owner, context, self.now())

    def keep_draft(
        self, owner: OwnerId, context: ContextId, key: str, body: str, retry: str
    ) -> None:
        """Keep what is being written. Nobody is told: no one else reads it."""
        now = self.now()
        draft = DraftRecord(key=key, body=body, retry=retry, written_at=now)
        self.store.keep_draft(owner, context, draft, now)

    def drop_draft(self, owner: OwnerId, context: ContextId, key: str) -> None:
        """Forget a draft that was sent or thrown away; there need be none."""
        self.store.drop_draft(owner, context, key, self.now())

    def mark_hunk(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        hunk: tuple[FileId, int],
        seen: Digest,
    ) -> None:
        """Mark one hunk as reviewed; the last one of a file marks the file (8.3)."""
        self.store.mark_hunk(owner, context, scope, hunk, seen, self.now())
        self._announce(owner, context)

    def unmark_hunk(
        self, owner: OwnerId, context: ContextId, scope: Scope, hunk: tuple[FileId, int]
    ) -> None:
        """Take back one hunk's mark; a reviewed file's other hunks stay reviewed."""
        self.store.unmark_hunk(owner, context, scope, hunk, self.now())
        self._announce(owner, context)

    def preferences(self, owner: OwnerId) -> dict[str, Any]:
        return self.store.preferences(owner)

    def set_preferences(self, owner: OwnerId, preferences: dict[str, Any]) -> None:
        self.store.set_preferences(owner, preferences)

    def _change(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: ThreadId,
        change: Callable[[Thread], Thread],
        by: Author,
        retry: Retry | None = None,
    ) -> Thread:
        found = self.store.change_thread(
            owner, context, thread, change, self.now(), by=by, retry=retry
        )
        self._announce(owner, context)
        return found

    def _announce(self, owner: OwnerId, context: ContextId) -> None:
        self.changes.announce(Change(kind="review", owner=owner, context=context))

    def _anchor(
        self, owner: OwnerId, context: ContextId, comment: NewComment, now: Millis
    ) -> tuple[Anchor, bytes | None, bytes | None]:
        """Return where a comment stands, with the code and the hunk it is about."""
        if comment.file is None:
            return Anchor(scope=comment.scope), None, None
        texts = self.store.file_texts(owner, context, comment.scope, comment.file, now)
        anchor = Anchor(
            scope=comment.scope,
            file=comment.file,
            path=texts.listed.path,
            lines=comment.lines,
            fingerprint=texts.listed.fingerprint,
        )
        if comment.lines is None:
            return anchor, None, None
        quote = _quote(texts, comment.lines)
        return anchor, quote, hunk_around(texts.patch or b"", comment.lines)

    def _imported(self, context: ContextId, given: ImportedThread) -> Imported:
        now = self.now()
        closed = given.status == "resolved"
        thread = Thread(
            id=ThreadId(self.new_id()),
            context=context,
            anchor=given.anchor,
            author=given.author,
            body=given.body,
            created_at=given.created_at,
            updated_at=now,
            sequence=0,
            quote=given.quote,
            hunk=given.hunk,
            status=given.status,
            resolution=given.resolution,
            resolved_at=now if closed else None,
            resolved_by=given.author if closed else None,
        )
        replies = tuple((each.origin, self._imported_reply(each)) for each in given.replies)
        return ThreadId(given.origin), thread, replies

    def _imported_reply(self, given: ImportedReply) -> Reply:
        return Reply(
            id=ReplyId(self.new_id()),
            author=given.author,
            body=given.body,
            created_at=given.created_at,
        )

    def _seen(self, owner: OwnerId, view: View, threads: Sequence[Thread]) -> list[SeenThread]:
        """Place threads, computing only what no earlier reading of this content has."""
        known: dict[ThreadId, Placed] = {}
        unknown: list[Thread] = []
        for thread in threads:
            if view.at_home(thread) or thread.anchor.file is None:
                continue
            placed = self.places.get((thread.id, view.record.revision))
            if placed is None:
                unknown.append(thread)
            else:
                known[thread.id] = placed
        for thread, placed in self._placed(owner, view, unknown):
            known[thread.id] = placed
            self.places.put((thread.id, view.record.revision), placed)
        return [view.seen(thread, known.get(thread.id)) for thread in threads]

    def _placed(
        self, owner: OwnerId, view: View, threads: Sequence[Thread]
    ) -> Iterator[tuple[Thread, Placed]]:
        now = self.now()
        lost = [thread for thread in threads if view.file_of(thread) is None]
        if lost and view.record.files:
            view.follow(self.store.successors(owner, view.context, view.scope, lost, now))
        files = [(thread, view.file_of(thread)) for thread in threads]
        wanted = [
            (thread, file.id)
            for thread, file in files
            if file is not None and thread.anchor.lines is not None
        ]
        texts: dict[ThreadId, ThreadTexts] = {}
        if wanted:
            texts = self.store.thread_texts(owner, view.context, view.scope, wanted, now)
        for thread in threads:
            yield thread, view.place(thread, texts.get(thread.id))


def _quote(texts: FileTexts, lines: Lines) -> bytes:
    """Return the code that a comment is about, from the full side or else from the patch."""
    side = texts.contents.before if lines.side == "old" else texts.contents.after
    if side is not None and side.text is not None:
        return quote_lines(split_lines(side.text), lines)
    return quote_patch(texts.patch or b"", lines)


def _retry(by: Author, key: str | None, words: str) -> Retry | None:
    """Keep the keys of different writers apart."""
    if key is None:
        return None
    session = "" if by.session is None else f"{by.session.harness}:{by.session.session_id}"
    return Retry(f"key:{by.kind}:{session}:{key}", words)
