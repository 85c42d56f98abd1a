"""Manifests in content-defined chunks, so that a turn of an agent costs what it changed.

A chunk is one block of `ingestion.identity`: the public listing of its files, ready to send, and
their private entries. It is stored once, whoever's scope it is part of.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from diffx.ingestion.identity import Block
from diffx.ingestion.wire import changed_file_shape
from diffx.records import Deflated
from diffx.review.model import BlobId, ChangedFile
from diffx.store import blobs, entries
from diffx.store.blobs import Packed
from diffx.store.pages import page_order

SELECT_CHUNK: Final = "SELECT number FROM chunk WHERE digest = ?"
SELECT_LAST_CHUNK: Final = "SELECT coalesce(max(number), 0) FROM chunk"
INSERT_CHUNK: Final = """
    INSERT INTO chunk (number, digest, size, adler, listing, details)
    VALUES (?, ?, ?, ?, ?, ?)
"""
INSERT_ENTRY: Final = """
    INSERT INTO entry (chunk, file, position, patch, before, after, ordinary)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
INSERT_CHUNK_BLOB: Final = "INSERT INTO chunk_blob (blob, chunk) VALUES (?, ?)"
INSERT_SCOPE_CHUNK: Final = """
    INSERT INTO scope_chunk (scope, position, chunk)
    VALUES (?, ?, ?)
"""
SELECT_LISTINGS: Final = """
    SELECT c.listing, c.size, c.adler
      FROM scope_chunk AS sc
      JOIN chunk AS c ON c.number = sc.chunk
     WHERE sc.scope = ?
     ORDER BY sc.position
"""

_OPEN: Final = Deflated.of(b"[")
_COMMA: Final = Deflated.of(b",")
_CLOSE: Final = Deflated.of(b"]")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What could be made before the transaction: nothing here is needed, all of it saves time."""

    listings: Mapping[bytes, Deflated] = field(default_factory=dict)
    texts: Mapping[BlobId, Packed] = field(default_factory=dict)


def listing(files: Iterable[ChangedFile]) -> Deflated:
    """Return the files' public shapes as JSON, without the array's brackets."""
    return packed([changed_file_shape(file) for file in files])


def packed(shapes: Sequence[object]) -> Deflated:
    """Write public shapes as a listing: JSON without the array's brackets."""
    return Deflated.of(json.dumps(shapes, separators=(",", ":")).encode("ascii")[1:-1])


def missing(tx: sqlite3.Connection, wanted: Iterable[Block]) -> dict[bytes, Block]:
    """Return the blocks that are not stored, by digest."""
    return {
        block.digest: block
        for block in wanted
        if tx.execute(SELECT_CHUNK, (block.digest,)).fetchone() is None
    }


def texts_of(cut: Iterable[Block]) -> dict[BlobId, None]:
    """Name the texts of blocks, each once, in their order."""
    return dict.fromkeys(
        name for block in cut for file in block.files for name in entries.names(file)
    )


class ChunkWriter:
    """Store the chunks of one publication, inside its transaction.

    Row numbers are given out here: there is one writer, and asking SQLite for each of fifteen
    thousand would take longer than writing them.
    """

    def __init__(
        self, tx: sqlite3.Connection, texts: Mapping[BlobId, bytes], prepared: Prepared
    ) -> None:
        self._tx = tx
        self._texts = texts
        self._prepared = prepared
        self._blobs: dict[BlobId, int] = {}

    def store(self, cut: Sequence[Block]) -> None:
        """Store the chunks among these that are new, and of their texts those that are new."""
        new = missing(self._tx, cut)
        self._store_texts(texts_of(new.values()))
        last = int(self._tx.execute(SELECT_LAST_CHUNK).fetchone()[0])
        for number, block in enumerate(new.values(), last + 1):
            self._insert(number, block)

    def attach(self, scope: int, cut: Sequence[Block]) -> None:
        """Give a stored scope its chunks, in order."""
        rows = []
        for position, block in enumerate(cut):
            (number,) = self._tx.execute(SELECT_CHUNK, (block.digest,)).fetchone()
            rows.append((scope, position, number))
        self._tx.executemany(INSERT_SCOPE_CHUNK, rows)

    def _insert(self, number: int, block: Block) -> None:
        public = self._prepared.listings.get(block.digest) or listing(block.files)
        details = entries.details(block.files, self._texts)
        packed = entries.pack_details(details)
        self._tx.execute(
            INSERT_CHUNK, (number, block.digest, public.size, public.adler, public.data, packed)
        )
        self._tx.executemany(
            INSERT_ENTRY,
            [
                (number, file.id, position, *entries.blobs_of(file, self._blobs), not detail)
                for position, (file, detail) in enumerate(zip(block.files, details, strict=True))
            ],
        )
        kept = sorted({self._blobs[name] for name in texts_of([block])})
        self._tx.executemany(INSERT_CHUNK_BLOB, [(blob, number) for blob in kept])

    def _store_texts(self, names: Iterable[BlobId]) -> None:
        new: list[tuple[BlobId, int]] = []
        packed: dict[BlobId, Packed] = {}
        for name in names:
            found = self._tx.execute(blobs.SELECT_NUMBER, (bytes.fromhex(name),)).fetchone()
            if found is not None:
                self._blobs[name] = found[0]
                continue
            packed[name] = self._prepared.texts.get(name) or blobs.pack(self._texts[name])
            new.append((name, len(packed[name].data)))
        last = int(self._tx.execute(blobs.SELECT_LAST).fetchone()[0])
        rows = []
        for number, name in enumerate(page_order(new), last + 1):
            self._blobs[name] = number
            text = packed[name]
            rows.append((number, bytes.fromhex(name), text.size, text.deflated, text.data))
        self._tx.executemany(blobs.INSERT_BLOB, rows)


def manifest(tx: sqlite3.Connection, scope: int) -> Deflated:
    """Return the listing of a scope as a JSON array, joined without being inflated."""
    return array(
        Deflated(data=data, size=size, adler=adler)
        for data, size, adler in tx.execute(SELECT_LISTINGS, (scope,))
    )


def array(listings: Iterable[Deflated]) -> Deflated:
    """Join listings to one JSON array."""
    parts = [_OPEN]
    for part in listings:
        if len(parts) > 1:
            parts.append(_COMMA)
        parts.append(part)
    parts.append(_CLOSE)
    return Deflated.join(*parts)
