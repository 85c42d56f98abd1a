"""The store: every promise of storage as one method, and each method one transaction."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from diffx.clock import NewId, random_id
from diffx.ingestion.identity import identify
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
    Receipt,
    SearchedPage,
    StoredContents,
    StoredImage,
    StoredText,
    StoreFigures,
)
from diffx.review.model import ContextId, DiffId, FileId, Millis, OwnerId, Scope, Submission
from diffx.store import (
    blobs,
    catalog,
    chunks,
    location,
    observations,
    retention,
    reviews,
    schema,
    search,
    snapshots,
)
from diffx.store.chunks import Prepared
from diffx.store.connections import Connections, Trace
from diffx.store.observations import Publication

DEFAULT_RETENTION_DAYS: Final = 7

SELECT_STATE_ID: Final = "SELECT id FROM state"
GIVE_BACK_PAGES: Final = f"PRAGMA incremental_vacuum({retention.FREE_PAGES_A_STEP})"


class Store:
    """One database, owned by this process, usable from any thread.

    Every read is scoped to an owner and to a time: another owner's context is missing, one past
    its retention is gone, whatever is on disk.
    """

    def __init__(
        self,
        connections: Connections,
        *,
        new_id: NewId,
        retention_days: int,
        at_close: Callable[[], None],
    ) -> None:
        self._connections = connections
        self._new_id = new_id
        self._retention_ms = retention_days * retention.DAY_MS
        self._at_close = at_close
        self.reviews: Final = reviews.ReviewStore(connections)
        with connections.read() as tx:
            (self._state_id,) = tx.execute(SELECT_STATE_ID).fetchone()

    @property
    def state_id(self) -> str:
        """The database's own identity, made with it and never changed (4.4)."""
        return str(self._state_id)

    def publish(
        self, owner: OwnerId, submission: Submission, now: Millis, *, arrival: int | None = None
    ) -> Receipt:
        """Store a submission whole (6.1), or say where it is already (4.3, 6.2).

        Raises SubmissionReusedError where its id came with other content, ContextDeletedError or
        ContextExpiredError where it is an exact retry and its context has ended.
        """
        publication = Publication(
            owner=owner,
            submission=submission,
            identity=identify(submission),
            now=now,
            expires_at=Millis(now + self._retention_ms),
            arrival=arrival,
        )
        with self._connections.read() as tx:
            receipt = observations.known(tx, publication)
            if receipt is not None:
                return receipt
            lacking, names = observations.prepare(tx, publication)
        observations.check_texts(submission)
        # Compressing takes longest, so it happens before anyone has to wait for the writer.
        prepared = Prepared(
            listings={digest: chunks.listing(block.files) for digest, block in lacking.items()},
            texts=blobs.pack_all(submission.observation.texts, names),
        )
        with self._connections.write() as tx:
            return observations.publish(tx, publication, prepared, self._new_id)

    def find(self, owner: OwnerId, query: ContextQuery, now: Millis) -> ContextPage:
        with self._connections.read() as tx:
            return catalog.find(tx, owner, query, now)

    def groups(self, owner: OwnerId, query: ContextQuery, now: Millis) -> CatalogGroups:
        with self._connections.read() as tx:
            return catalog.groups(tx, owner, query, now)

    def get(self, owner: OwnerId, context: ContextId, now: Millis) -> ContextRecord:
        with self._connections.read() as tx:
            return catalog.get(tx, owner, context, now)

    def delete(self, owner: OwnerId, context: ContextId, now: Millis) -> None:
        """Delete a context and all that only it needed (7.2)."""
        with self._connections.write() as tx:
            retention.delete(tx, owner, context, now)
        self._give_back_pages()

    def manifest(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> ManifestRecord:
        with self._connections.read() as tx:
            return snapshots.manifest(tx, owner, context, scope, now)

    def packed_manifest(
        self, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
    ) -> PackedManifest:
        """Return a manifest as it is stored, for clients that inflate it themselves."""
        with self._connections.read() as tx:
            return snapshots.packed_manifest(tx, owner, context, scope, now)

    def patch(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        now: Millis,
    ) -> StoredText:
        with self._connections.read() as tx:
            return snapshots.patch(tx, owner, context, diff, scope, file, now)

    def contents(
        self,
        owner: OwnerId,
        context: ContextId,
        diff: DiffId,
        scope: Scope,
        file: FileId,
        now: Millis,
    ) -> StoredContents:
        with self._connections.read() as tx:
            return snapshots.contents(tx, owner, context, diff, scope, file, now)

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
    ) -> StoredImage:
        with self._connections.read() as tx:
            return snapshots.image(tx, owner, context, diff, scope, file, now, side=side)

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
    ) -> PatchPage:
        with self._connections.read() as tx:
            return snapshots.patches(
                tx,
                owner,
                context,
                diff,
                scope,
                now,
                files=files,
                cursor=cursor,
                limit=limit,
                max_bytes=max_bytes,
            )

    def searched(
        self,
        owner: OwnerId,
        context: ContextId,
        scope: Scope,
        start: FilePlace,
        now: Millis,
        *,
        max_bytes: int,
    ) -> SearchedPage:
        with self._connections.read() as tx:
            return search.page(tx, owner, context, scope, start, now, max_bytes=max_bytes)

    def figures(self) -> StoreFigures:
        with self._connections.read() as tx:
            return catalog.figures(tx)

    def prune(self, now: Millis) -> Pruned:
        """Forget every context past its retention, a few in each transaction (6.4).

        Others publish and read in between; stopped half-way, it has forgotten some wholly.
        """
        owners: list[OwnerId] = []
        while True:
            with self._connections.write() as tx:
                some = retention.prune_some(tx, now)
            if not some:
                break
            owners += some
        if owners:
            self._give_back_pages()
        return Pruned(contexts=len(owners), owners=tuple(sorted(set(owners))))

    def close(self) -> None:
        """Wait for running transactions, close the database, then let go of it."""
        try:
            self._connections.close()
        finally:
            self._at_close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _give_back_pages(self) -> None:
        """Shrink the file a step at a time and fold the log in, so that nothing old stays there."""
        with self._connections.outside() as conn:
            (free,) = conn.execute("PRAGMA freelist_count").fetchone()
        for _ in range(0, free, retention.FREE_PAGES_A_STEP):
            with self._connections.outside() as conn:
                # Not execute(): this pragma frees one page a step, and has no rows to fetch.
                conn.executescript(GIVE_BACK_PAGES)
        with self._connections.outside() as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def checked_place(path: Path) -> Path:
    """Return where the database is, links followed; refuse what is not ours, untouched (12.5).

    At most its folder is made, so this may be asked before anything appears beside the file.
    """
    path = location.resolved(path)
    location.check_place(path)
    location.is_ours(path)
    return path


def open_store(
    path: Path | None,
    *,
    new_id: NewId = random_id,
    retention_days: int = DEFAULT_RETENTION_DAYS,
    trace: Trace | None = None,
) -> Store:
    """Open the database at `path`, making it if it is not there; None keeps it in memory.

    The caller owns it until `close`: StoreInUseError says that another process does.
    SchemaMismatchError, StorePlaceError, StoreReadOnlyError and StoreDamagedError refuse a file
    and leave it byte for byte as it was (12.5).
    """
    schema.check_sqlite()
    with contextlib.ExitStack() as stack:
        if path is not None:
            # Looked at before even the lock file appears beside it, and again under the lock.
            path = checked_place(path)
            stack.enter_context(location.owned(path))
            if not location.is_ours(path):
                location.make(path, new_id)
        connections = Connections(path, new_id, trace)
        stack.callback(connections.close)
        owned = contextlib.ExitStack()
        store = Store(
            connections, new_id=new_id, retention_days=retention_days, at_close=owned.close
        )
        # Only now: a database that cannot be read must be let go of again.
        owned.callback(stack.pop_all().close)
        return store
