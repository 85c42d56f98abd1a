"""What an owner may see: contexts, and the stored snapshots behind them."""

from dataclasses import dataclass
from typing import Literal, Protocol

from diffx.clock import Clock
from diffx.records import (
    CatalogGroups,
    ContextPage,
    ContextQuery,
    ContextRecord,
    FilePlace,
    ManifestRecord,
    PackedManifest,
    PatchPage,
    Pruned,
    SearchedPage,
    StoredContents,
    StoredImage,
    StoredText,
    StoreFigures,
)
from diffx.review.model import ContextId, DiffId, FileId, Millis, OwnerId, Scope
from diffx.services.changes import Change, Changes


class CatalogStore(Protocol):
    """What the catalog needs from storage. Every call is scoped to an owner and enforces expiry.

    A context of another owner is ContextMissingError, a deleted one ContextDeletedError, one past
    its retention ContextExpiredError; a scope, diff or file that is not there FileMissingError,
    an image that was not stored ImageMissingError.
    """

    def find(self, owner: OwnerId, query: ContextQuery, now: Millis) -> ContextPage: ...

    def get(self, owner: OwnerId, context: ContextId, now: Millis) -> ContextRecord: ...

    def delete(self, owner: OwnerId, context: ContextId, now: Millis) -> None: ...

    def manifest(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> ManifestRecord: ...

    def patch(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        now: Millis,
    ) -> StoredText: ...

    def contents(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        now: Millis,
    ) -> StoredContents: ...

    def image(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        now: Millis,
        *,
        side: Literal["before", "after"],
    ) -> StoredImage: ...

    def patches(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        now: Millis,
        *,
        files: tuple[FileId, ...] = (),
        cursor: str | None = None,
        limit: int = 100,
        max_bytes: int = 2 << 20,
    ) -> PatchPage: ...

    def packed_manifest(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> PackedManifest: ...

    def searched(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        start: FilePlace,
        now: Millis,
        *,
        max_bytes: int,
    ) -> SearchedPage: ...

    def groups(self, owner: OwnerId, query: ContextQuery, now: Millis) -> CatalogGroups: ...

    def prune(self, now: Millis) -> Pruned: ...

    def figures(self) -> StoreFigures: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The owner's view of stored reviews."""

    store: CatalogStore
    changes: Changes
    now: Clock

    def find(self, owner: OwnerId, query: ContextQuery) -> ContextPage:
        return self.store.find(owner, query, self.now())

    def get(self, owner: OwnerId, context: ContextId) -> ContextRecord:
        return self.store.get(owner, context, self.now())

    def delete(self, owner: OwnerId, context: ContextId) -> None:
        """Delete a context and its review; its replay identity and stream head stay (7.2)."""
        self.store.delete(owner, context, self.now())
        self.changes.announce(Change(kind="catalog", owner=owner, context=context))
        # Later iterations showed the threads that were written on it, and what it had reviewed.
        self.changes.announce(Change(kind="review", owner=owner, context=context))

    def manifest(self, owner: OwnerId, context: ContextId, scope: Scope) -> ManifestRecord:
        return self.store.manifest(owner, context, scope, self.now())

    def patch(
        self, owner: OwnerId, context: ContextId, diff: DiffId, scope: Scope, file: FileId
    ) -> StoredText:
        return self.store.patch(owner, context, diff, scope, file, self.now())

    def contents(
        self, owner: OwnerId, context: ContextId, diff: DiffId, scope: Scope, file: FileId
    ) -> StoredContents:
        return self.store.contents(owner, context, diff, scope, file, self.now())

    def image(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        *,
        side: Literal["before", "after"],
    ) -> StoredImage:
        """Return one side's own bytes, where it is an image and was stored."""
        return self.store.image(owner, context, diff, scope, file, self.now(), side=side)

    def patches(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        *,
        files: tuple[FileId, ...] = (),
        cursor: str | None = None,
        limit: int = 100,
    ) -> PatchPage:
        return self.store.patches(
            owner, context, diff, scope, self.now(), files=files, cursor=cursor, limit=limit
        )

    def packed_manifest(self, owner: OwnerId, context: ContextId, scope: Scope) -> PackedManifest:
        """Return the manifest still deflated, for a client that inflates it itself."""
        return self.store.packed_manifest(owner, context, scope, self.now())

    def searched(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        start: FilePlace,
        *,
        max_bytes: int,
    ) -> SearchedPage:
        """Return the texts of some files, for `services.search`."""
        return self.store.searched(owner, context, scope, start, self.now(), max_bytes=max_bytes)

    def groups(self, owner: OwnerId, query: ContextQuery) -> CatalogGroups:
        """Return the repositories and filter values that a picker starts from (7.1)."""
        return self.store.groups(owner, query, self.now())

    def prune(self) -> Pruned:
        """Forget what outlived its retention (6.4); run it at start and hourly."""
        pruned = self.store.prune(self.now())
        for owner in pruned.owners:
            self.changes.announce(Change(kind="catalog", owner=owner))
        return pruned

    def figures(self) -> StoreFigures:
        return self.store.figures()
