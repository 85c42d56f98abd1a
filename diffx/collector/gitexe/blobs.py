"""Read `git cat-file --batch` as it arrives; whatever the size, little of it is held."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from diffx.collector.contents.text import is_binary
from diffx.collector.gitexe.process import Git, Job
from diffx.collector.repository import Blob
from diffx.review.model import Digest

SNIFFED_BYTES: Final = 8000


class BlobReader:
    """Takes the output in pieces; finished objects queue up in `ready`."""

    def __init__(self, keep: int) -> None:
        self.ready: deque[Blob] = deque()
        self.keep = keep
        self._buffer = bytearray()
        self._oid = ""
        self._size = -1
        self._left = 0
        self._binary = False
        self._digest = hashlib.sha256()

    def feed(self, piece: bytes) -> None:
        self._buffer += piece
        while self._step():
            pass

    def _step(self) -> bool:
        if self._size < 0:
            return self._read_header()
        if self._size <= self.keep:
            return self._read_whole()
        return self._read_part()

    def _read_header(self) -> bool:
        end = self._buffer.find(b"\n")
        if end < 0:
            return False
        words = self._buffer[:end].decode("ascii").split(" ")
        del self._buffer[: end + 1]
        if len(words) == 3:
            self._oid, self._size = words[0], int(words[2])
            self._left, self._digest = self._size, hashlib.sha256()
        else:  # "<id> missing"
            self.ready.append(Blob(oid=words[0], size=None, digest=None, data=None))
        return True

    def _read_whole(self) -> bool:
        size = self._size
        if len(self._buffer) <= size:  # content and the line end after it
            return False
        data = bytes(self._buffer[:size])
        del self._buffer[: size + 1]
        self._finish(hashlib.sha256(data).hexdigest(), data, is_binary(data))
        return True

    def _read_part(self) -> bool:
        part = self._buffer[: self._left]
        if self._left == self._size:
            if len(part) < min(SNIFFED_BYTES, self._size):
                return False
            self._binary = is_binary(bytes(part[:SNIFFED_BYTES]))
        self._digest.update(part)
        self._left -= len(part)
        del self._buffer[: len(part)]
        if self._left or not self._buffer:
            return False
        del self._buffer[:1]
        self._finish(self._digest.hexdigest(), None, self._binary)
        return True

    def _finish(self, digest: str, data: bytes | None, binary: bool) -> None:
        found = Blob(
            oid=self._oid, size=self._size, digest=Digest(digest), data=data, binary=binary
        )
        self.ready.append(found)
        self._size = -1


def read_blobs(git: Git, oids: Iterable[str], *, keep: int) -> Iterator[Blob]:
    """Start to read each object once, whatever is missing."""
    wanted = list(oids)
    if not wanted:
        return iter(())
    reader = BlobReader(keep)
    return _arriving(git, _start(git, wanted, reader), reader, wanted)


def _start(git: Git, oids: Iterable[str], reader: BlobReader) -> Job:
    asked = "".join(f"{oid}\n" for oid in oids).encode("ascii")
    return git.start("cat-file", "--batch", "--buffer", stdin=asked, sink=reader.feed)


def _arriving(git: Git, job: Job, reader: BlobReader, wanted: list[str]) -> Iterator[Blob]:
    answered: set[str] = set()
    for blob in _ready(git, job, reader):
        answered.add(blob.oid)
        yield blob
    if job.ok:
        return
    left = [oid for oid in wanted if oid not in answered]
    missing = missing_objects(git, left)
    if not missing:
        raise git.failure(job)
    for oid in missing:
        yield Blob(oid=oid, size=None, digest=None, data=None)
    again = BlobReader(reader.keep)
    job = _start(git, [oid for oid in left if oid not in missing], again)
    yield from _ready(git, job, again)
    git.require(job)


def _ready(git: Git, job: Job, reader: BlobReader) -> Iterator[Blob]:
    while job.code is None:
        git.pump_until(lambda: bool(reader.ready) or job.code is not None)
        while reader.ready:
            yield reader.ready.popleft()


def missing_objects(git: Git, oids: Iterable[str]) -> set[str]:
    """Return the objects that are not here, without asking git to look for them.

    In a partial clone git ends at the first one that it may not fetch, whatever the question;
    only the list of everything that is here can be had.
    """
    missing = set(oids)
    tail = b""

    def cross_off(piece: bytes) -> None:
        nonlocal tail
        *lines, tail = (tail + piece).split(b"\n")
        missing.difference_update(map(bytes.decode, lines))

    words = ("--batch-all-objects", "--batch-check=%(objectname)", "--unordered", "--buffer")
    git.require(git.start("cat-file", *words, sink=cross_off))
    return missing
