"""What reviewing needs from storage: see `reviews.py`, which uses it."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from diffx.records import (
    DraftRecord,
    FileTexts,
    MarksRecord,
    ReviewCounts,
    ThreadChanges,
    ThreadsRecord,
    ThreadTexts,
)
from diffx.review.comments import (
    Author,
    Reply,
    Retry,
    Thread,
    ThreadId,
    ThreadStatus,
)
from diffx.review.model import ContextId, Digest, FileId, Millis, OwnerId, Scope

Imported = tuple[ThreadId, Thread, tuple[tuple[str, Reply], ...]]


class ReviewStore(Protocol):
    """What reviewing needs from storage, in whole steps; errors are those of reading a context."""

    def threads(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> ThreadsRecord: ...

    def thread_texts(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        wanted: Iterable[tuple[Thread, FileId]],
        now: Millis,
    ) -> dict[ThreadId, ThreadTexts]: ...

    def successors(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        wanted: Iterable[Thread],
        now: Millis,
    ) -> dict[ThreadId, FileId]: ...

    def file_texts(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId, now: Millis
    ) -> FileTexts: ...

    def find_thread(
        self, owner: OwnerId, context: ContextId, thread: ThreadId, now: Millis
    ) -> Thread: ...

    def changed_threads(
        self,
        owner: OwnerId,
        cursor: int,
        now: Millis,
        *,
        context: ContextId | None = None,
        but: Author | None = None,
        limit: int = 100,
    ) -> ThreadChanges: ...

    def counts(self, owner: OwnerId, context: ContextId, now: Millis) -> ReviewCounts: ...

    def add_thread(
        self,
        owner: OwnerId,
        context: ContextId,
        thread: Thread,
        now: Millis,
        *,
        retry: Retry | None = None,
    ) -> Thread: ...

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
    ) -> Thread: ...

    def import_threads(
        self, owner: OwnerId, context: ContextId, given: Iterable[Imported], now: Millis
    ) -> tuple[int, int]: ...

    def delete_threads(
        self,
        owner: OwnerId,
        context: ContextId,
        ids: Iterable[ThreadId],
        now: Millis,
        *,
        status: ThreadStatus | None = None,
        seen_before: bool = False,
    ) -> int: ...

    def marks(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> MarksRecord: ...

    def mark(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        seen: tuple[FileId, Digest],
        now: Millis,
    ) -> None: ...

    def unmark(
        self, owner: OwnerId, context: ContextId, scope: Scope, file: FileId | None, now: Millis
    ) -> None: ...

    def drafts(
        self, owner: OwnerId, context: ContextId, now: Millis
    ) -> tuple[DraftRecord, ...]: ...

    def keep_draft(
        self, owner: OwnerId, context: ContextId, draft: DraftRecord, now: Millis
    ) -> None: ...

    def drop_draft(self, owner: OwnerId, context: ContextId, key: str, now: Millis) -> None: ...

    def mark_hunk(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        hunk: tuple[FileId, int],
        seen: Digest,
        now: Millis,
    ) -> None: ...

    def unmark_hunk(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        hunk: tuple[FileId, int],
        now: Millis,
    ) -> None: ...

    def preferences(self, owner: OwnerId) -> dict[str, Any]: ...

    def set_preferences(self, owner: OwnerId, preferences: dict[str, Any]) -> None: ...
