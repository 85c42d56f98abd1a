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

SELECT_CHUNK: Final = "SELECT number FROM chunk WHERE digest = ?"
SELECT_LAST_CHUNK: Final = "SELECT coalesce(max(number), 0) FROM chunk"
INSERT_CHUNK: Final = """
    INSERT INTO chunk (number, digest, size, adler, listing)
    VALUES (?, ?, ?, ?, ?)
"""
INSERT_ENTRY: Final = """
    INSERT INTO entry (chunk, file, position, patch, before, after, detail)
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
    shapes = [changed_file_shape(file) for file in files]
    return Deflated.of(json.dumps(shapes, separators=(",", ":")).encode("ascii")[1:-1])


def missing(tx: sqlite3.Connection, wanted: Iterable[Block]) -> dict[bytes, Block]:
    """Return the blocks that are not stored, by digest."""
    return {
        block.digest: block
        for block in wanted
        if tx.execute(SELECT_CHUNK, (block.digest,)).fetchone() is None
    }


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
        self._chunks: dict[bytes, int] = {}
        self._blobs: dict[BlobId, int] = {}
        self._last_chunk = int(tx.execute(SELECT_LAST_CHUNK).fetchone()[0])
        self._last_blob = int(tx.execute(blobs.SELECT_LAST).fetchone()[0])

    def write(self, scope: int, cut: Sequence[Block]) -> None:
        """Give a stored scope its chunks, in order, storing those that are new."""
        numbers = [self._chunk(block) for block in cut]
        self._tx.executemany(
            INSERT_SCOPE_CHUNK,
            [(scope, position, number) for position, number in enumerate(numbers)],
        )

    def _chunk(self, block: Block) -> int:
        known = self._chunks.get(block.digest)
        if known is not None:
            return known
        found = self._tx.execute(SELECT_CHUNK, (block.digest,)).fetchone()
        number = self._insert(block) if found is None else int(found[0])
        self._chunks[block.digest] = number
        return number

    def _insert(self, block: Block) -> int:
        self._last_chunk += 1
        number = self._last_chunk
        public = self._prepared.listings.get(block.digest) or listing(block.files)
        self._tx.execute(
            INSERT_CHUNK, (number, block.digest, public.size, public.adler, public.data)
        )
        names = dict.fromkeys(name for file in block.files for name in entries.names(file))
        self._write_blobs(names)
        self._tx.executemany(
            INSERT_ENTRY,
            [
                (number, file.id, position, *entries.entry(file, self._blobs, self._texts))
                for position, file in enumerate(block.files)
            ],
        )
        self._tx.executemany(
            INSERT_CHUNK_BLOB, [(blob, number) for blob in sorted({self._blobs[n] for n in names})]
        )
        return number

    def _write_blobs(self, names: Iterable[BlobId]) -> None:
        new = []
        for name in names:
            if name in self._blobs:
                continue
            digest = bytes.fromhex(name)
            found = self._tx.execute(blobs.SELECT_NUMBER, (digest,)).fetchone()
            if found is not None:
                self._blobs[name] = found[0]
                continue
            self._last_blob += 1
            self._blobs[name] = self._last_blob
            packed = self._prepared.texts.get(name) or blobs.pack(self._texts[name])
            new.append((self._last_blob, digest, packed.size, packed.deflated, packed.data))
        self._tx.executemany(blobs.INSERT_BLOB, new)


def manifest(tx: sqlite3.Connection, scope: int) -> Deflated:
    """Return the listing of a scope as a JSON array, joined without being inflated."""
    parts = [_OPEN]
    for data, size, adler in tx.execute(SELECT_LISTINGS, (scope,)):
        if len(parts) > 1:
            parts.append(_COMMA)
        parts.append(Deflated(data=data, size=size, adler=adler))
    parts.append(_CLOSE)
    return Deflated.join(*parts)
