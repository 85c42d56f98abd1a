"""Texts by content: compressed, once per database, reachable only through an owner's context (6.5).

A blob lives while a chunk of files refers to it (`chunk_blob`), a chunk while a scope does.
Nothing here finds a text by its hash for a reader: that would answer "does anybody have this?".
"""

import sqlite3
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from diffx.review.model import BlobId
from diffx.review.picture import recognise

MIN_DEFLATED: Final = 128
_LEVEL: Final = 1  # 6 makes a twelfth less and takes half as long again
_BATCH_BYTES: Final = 256 << 10
_THREADS: Final = 2
_WORTH_A_THREAD_BYTES: Final = 1 << 20

SELECT_NUMBER: Final = "SELECT number FROM blob WHERE hash = ?"
SELECT_TEXT: Final = "SELECT hash, deflated, data FROM blob WHERE number = ?"
INSERT_BLOB: Final = """
    INSERT INTO blob (number, hash, size, deflated, data)
    VALUES (?, ?, ?, ?, ?)
"""
SELECT_LAST: Final = "SELECT coalesce(max(number), 0) FROM blob"


@dataclass(frozen=True, slots=True)
class Packed:
    """A text as it is stored."""

    size: int
    deflated: bool
    data: bytes


def pack(text: bytes) -> Packed:
    """Deflate where that makes it smaller; an image is packed already."""
    if len(text) >= MIN_DEFLATED and recognise(text) is None:
        data = zlib.compress(text, _LEVEL)
        if len(data) < len(text):
            return Packed(len(text), True, data)
    return Packed(len(text), False, text)


def pack_all(texts: Mapping[BlobId, bytes], names: Iterable[BlobId]) -> dict[BlobId, Packed]:
    """Deflate many texts; large amounts on two cores, as zlib lets go of the interpreter."""
    wanted = list(names)
    packed: dict[BlobId, Packed] = {}
    batches = iter(_batches(texts, wanted))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                batch = next(batches, None)
            if batch is None:
                return
            done = {name: pack(texts[name]) for name in batch}
            packed.update(done)

    threads = []
    if sum(len(texts[name]) for name in wanted) >= _WORTH_A_THREAD_BYTES:
        threads = [
            threading.Thread(target=work, name=f"pack-{number}") for number in range(1, _THREADS)
        ]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    return packed


def _batches(texts: Mapping[BlobId, bytes], names: Sequence[BlobId]) -> Iterable[list[BlobId]]:
    batch: list[BlobId] = []
    size = 0
    for name in names:
        batch.append(name)
        size += len(texts[name])
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def missing(tx: sqlite3.Connection, names: Iterable[BlobId]) -> list[BlobId]:
    """Return those that are not stored."""
    return [
        name
        for name in names
        if tx.execute(SELECT_NUMBER, (bytes.fromhex(name),)).fetchone() is None
    ]


def read(tx: sqlite3.Connection, number: int) -> tuple[BlobId, bytes]:
    """Return a stored text with its name."""
    digest, deflated, data = tx.execute(SELECT_TEXT, (number,)).fetchone()
    return BlobId(digest.hex()), zlib.decompress(data) if deflated else data
