"""Read stored scopes: manifests, patches and full contents, always through an owner's context."""

import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Final, Literal

from diffx.errors import InvalidError
from diffx.records import (
    FileMissingError,
    ManifestRecord,
    PackedManifest,
    PatchEntry,
    PatchPage,
    ScopeRecord,
    StoredContents,
    StoredImage,
    StoredText,
    Totals,
)
from diffx.review.model import ContextId, DiffId, FileId, Millis, OwnerId, Scope
from diffx.store import addresses, entries, overlay
from diffx.store.entries import Entry

SELECT_SCOPE: Final = """
    SELECT number, scope, diff, revision, files, additions, deletions, binary, renames_limited
      FROM scope
     WHERE context = :context AND scope = :scope
"""
SELECT_CHUNKS: Final = """
    SELECT position, chunk
      FROM scope_chunk
     WHERE scope = :scope AND position >= :position
     ORDER BY position
"""
SELECT_PATCHES: Final = """
    SELECT e.file, coalesce(b.size, 0), e.chunk, e.position, e.patch, e.before, e.after, e.ordinary
      FROM entry AS e
      LEFT JOIN blob AS b ON b.number = e.patch
     WHERE e.chunk = :chunk AND e.position > :after
     ORDER BY e.position
"""
SELECT_CHOSEN_PATCHES: Final = """
    SELECT e.file, coalesce(b.size, 0), e.chunk, e.position, e.patch, e.before, e.after, e.ordinary
      FROM entry AS e
      LEFT JOIN blob AS b ON b.number = e.patch
     WHERE e.chunk = :chunk AND e.position > :after
       AND e.file IN (SELECT value FROM json_each(:files))
     ORDER BY e.position
"""
SELECT_KNOWN_FILES: Final = """
    SELECT e.file
      FROM scope_chunk AS sc
      JOIN entry AS e ON e.chunk = sc.chunk
     WHERE sc.scope = :scope AND e.file IN (SELECT value FROM json_each(:files))
"""


def scope_record(row: tuple[Scope, str, str, int, int, int, int, int]) -> ScopeRecord:
    """Return the record of a row of `scope`, from its column `scope` on."""
    scope, diff, revision, files, additions, deletions, binary, renames_limited = row
    return ScopeRecord(
        scope=scope,
        diff=DiffId(diff),
        revision=revision,
        totals=Totals(files=files, additions=additions, deletions=deletions, binary=binary),
        renames_limited=bool(renames_limited),
    )


def packed_manifest(
    tx: sqlite3.Connection, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
) -> PackedManifest:
    """Return a scope's files with what the account has made of them."""
    place = addresses.resolve(tx, owner, context, now)
    number, record = _scope(tx, place, context, scope)
    files = overlay.manifest(tx, place, number, scope)
    return PackedManifest(context=context, scope=record, files=files)


def manifest(
    tx: sqlite3.Connection, owner: OwnerId, context: ContextId, scope: Scope, now: Millis
) -> ManifestRecord:
    packed = packed_manifest(tx, owner, context, scope, now)
    return ManifestRecord(context=context, scope=packed.scope, files_json=packed.files.text())


def patch(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    diff: DiffId,
    scope: Scope,
    file: FileId,
    now: Millis,
) -> StoredText:
    number = _diff(tx, owner, context, diff, scope, now)
    return entries.patch(tx, _entry(tx, number, context, file))


def contents(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    diff: DiffId,
    scope: Scope,
    file: FileId,
    now: Millis,
) -> StoredContents:
    number = _diff(tx, owner, context, diff, scope, now)
    return entries.contents(tx, _entry(tx, number, context, file))


def image(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    diff: DiffId,
    scope: Scope,
    file: FileId,
    now: Millis,
    *,
    side: Literal["before", "after"],
) -> StoredImage:
    number = _diff(tx, owner, context, diff, scope, now)
    return entries.image(tx, _entry(tx, number, context, file), side)


def patches(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    diff: DiffId,
    scope: Scope,
    now: Millis,
    *,
    files: tuple[FileId, ...],
    cursor: str | None,
    limit: int,
    max_bytes: int,
) -> PatchPage:
    """Return a page of patches in manifest order: at least one, then as many as fit."""
    number = _diff(tx, owner, context, diff, scope, now)
    chosen = json.dumps(files) if files else None
    if chosen is not None:
        _refuse_unknown(tx, number, context, files, chosen)
    found: list[PatchEntry] = []
    size, last = 0, (0, -1)
    for place, row_size, file, entry in _walk(tx, number, _place(cursor), chosen):
        if found and (len(found) >= limit or size + row_size > max_bytes):
            return PatchPage(patches=tuple(found), next_cursor=f"{last[0]}.{last[1]}")
        found.append(PatchEntry(file=file, patch=entries.patch(tx, entry)))
        size, last = size + row_size, place
    return PatchPage(patches=tuple(found), next_cursor=None)


def _walk(
    tx: sqlite3.Connection, scope: int, place: tuple[int, int], chosen: str | None
) -> Iterator[tuple[tuple[int, int], int, str, Entry]]:
    """Yield the entries of a scope behind a place: where, the patch's size, the file, the row."""
    statement = SELECT_PATCHES if chosen is None else SELECT_CHOSEN_PATCHES
    rest = tx.execute(SELECT_CHUNKS, {"scope": scope, "position": place[0]}).fetchall()
    for position, chunk in rest:
        after = place[1] if position == place[0] else -1
        rows = tx.execute(statement, {"chunk": chunk, "after": after, "files": chosen}).fetchall()
        for file, size, *row in rows:
            entry = Entry(*row)
            yield (position, entry.position), size, file, entry


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return (0, -1)
    match = re.fullmatch(r"(\d{1,9})\.(\d{1,9})", cursor, re.ASCII)
    if match is None:
        raise InvalidError("this cursor was not given out by diffx", field="cursor")
    return (int(match[1]), int(match[2]))


def _refuse_unknown(
    tx: sqlite3.Connection,
    scope: int,
    context: ContextId,
    files: tuple[FileId, ...],
    chosen: str,
) -> None:
    rows = tx.execute(SELECT_KNOWN_FILES, {"scope": scope, "files": chosen})
    unknown = set(files).difference(file for (file,) in rows)
    if unknown:
        raise FileMissingError(f"context {context} has no file {min(unknown)}")


def _diff(
    tx: sqlite3.Connection,
    owner: OwnerId,
    context: ContextId,
    diff: DiffId,
    scope: Scope,
    now: Millis,
) -> int:
    number, record = _scope(tx, addresses.resolve(tx, owner, context, now), context, scope)
    if record.diff != diff:
        raise FileMissingError(f"context {context} has no diff {diff} of scope {scope}")
    return number


def _scope(
    tx: sqlite3.Connection, context: int, name: ContextId, scope: Scope
) -> tuple[int, ScopeRecord]:
    row = tx.execute(SELECT_SCOPE, {"context": context, "scope": scope}).fetchone()
    if row is None:
        raise FileMissingError(f"context {name} has no scope {scope}")
    return row[0], scope_record(row[1:])


def _entry(tx: sqlite3.Connection, scope: int, context: ContextId, file: FileId) -> Entry:
    found = entries.find(tx, scope, file)
    if found is None:
        raise FileMissingError(f"context {context} has no file {file}")
    return found
