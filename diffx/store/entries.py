"""The private half of a changed file: which stored blobs are its patch and its sides.

The public half is the chunk's listing. An ordinary text file is its blobs and nothing else; the
chunk's details say the rest where something was withheld, is not UTF-8, or has another digest.
Where a side is a stored image, its blob is the image's own bytes and its detail ends with the type.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from diffx.records import (
    ImageMissingError,
    StoredContents,
    StoredImage,
    StoredSide,
    StoredText,
)
from diffx.review.model import BlobId, ChangedFile, Encoding, FilePatch, Side, WithheldReason
from diffx.store import blobs


class Entry(NamedTuple):
    """A row of `entry`: blobs by number, and where the rest is said."""

    chunk: int
    position: int
    patch: int | None
    before: int | None
    after: int | None
    ordinary: int


SELECT_ENTRY: Final = """
    SELECT e.chunk, e.position, e.patch, e.before, e.after, e.ordinary
      FROM scope_chunk AS sc
      JOIN entry AS e ON e.chunk = sc.chunk AND e.file = :file
     WHERE sc.scope = :scope
"""
SELECT_DETAILS: Final = "SELECT details FROM chunk WHERE number = ?"

Detail = dict[str, list[Any]]
_PLAIN_DETAIL: Final = 4


def names(file: ChangedFile) -> Iterator[BlobId]:
    """Name the texts and images of a file."""
    for part in (file.patch, file.before, file.after):
        name = None if part is None else _blob(part)
        if name is not None:
            yield name


def blobs_of(
    file: ChangedFile, numbers: Mapping[BlobId, int]
) -> tuple[int | None, int | None, int | None]:
    """Return the numbers of a file's patch, before and after blobs."""

    def number(part: FilePatch | Side | None) -> int | None:
        name = None if part is None else _blob(part)
        return None if name is None else numbers[name]

    return number(file.patch), number(file.before), number(file.after)


def details(files: Iterable[ChangedFile], texts: Mapping[BlobId, bytes]) -> list[Detail | None]:
    """Return what is not plain from each file's blobs, None for an ordinary text file."""
    return [_detail(file, texts) for file in files]


def pack_details(said: list[Detail | None]) -> bytes | None:
    if not any(said):
        return None
    return zlib.compress(json.dumps(said, separators=(",", ":")).encode("ascii"))


def find(tx: sqlite3.Connection, scope: int, file: str) -> Entry | None:
    """Return the entry of a file in a scope, by its id."""
    row = tx.execute(SELECT_ENTRY, {"scope": scope, "file": file}).fetchone()
    return None if row is None else Entry(*row)


def patch(tx: sqlite3.Connection, found: Entry) -> StoredText:
    """Return the patch of a file, or why there is none."""
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    if not found.ordinary:
        _, reason, encoding = _said(tx, found)["patch"]
    if reason is not None:
        return StoredText(reason=reason, encoding=encoding)
    if found.patch is None:  # nothing to show and nothing withheld: an empty patch
        return StoredText(text=b"", encoding=encoding)
    name, text = blobs.read(tx, found.patch)
    return StoredText(text=text, encoding=encoding, blob=name)


def contents(tx: sqlite3.Connection, found: Entry) -> StoredContents:
    """Return both sides of a file, or why they are withheld."""
    detail = {} if found.ordinary else _said(tx, found)
    return StoredContents(
        before=_side(tx, found.before, detail.get("before")),
        after=_side(tx, found.after, detail.get("after")),
    )


def image(tx: sqlite3.Connection, found: Entry, side: Literal["before", "after"]) -> StoredImage:
    """Return the image that one side of a file is."""
    number = found.before if side == "before" else found.after
    detail = None if found.ordinary else _said(tx, found).get(side)
    if number is None or detail is None or len(detail) <= _PLAIN_DETAIL:
        raise ImageMissingError(f"no image is stored for the side {side!r} of this file")
    name, data = blobs.read(tx, number)
    return StoredImage(media_type=detail[_PLAIN_DETAIL], data=data, blob=name)


def _blob(part: FilePatch | Side) -> BlobId | None:
    if part.blob is None and isinstance(part, Side) and part.image is not None:
        return part.image.blob
    return part.blob


def _said(tx: sqlite3.Connection, found: Entry) -> Detail:
    (packed,) = tx.execute(SELECT_DETAILS, (found.chunk,)).fetchone()
    said: list[Detail] = json.loads(zlib.decompress(packed))
    return said[found.position]


def _side(
    tx: sqlite3.Connection, number: int | None, detail: list[Any] | None
) -> StoredSide | None:
    if number is None and detail is None:
        return None
    if detail is not None and len(detail) > _PLAIN_DETAIL:
        number = None  # an image: no text to read
    name, text = (None, None) if number is None else blobs.read(tx, number)
    if detail is None:
        return StoredSide(size=len(text or b""), encoding="utf-8", text=text, blob=name)
    size, _digest, reason, encoding = detail[:_PLAIN_DETAIL]
    return StoredSide(size=size, encoding=encoding, text=text, reason=reason, blob=name)


def _detail(file: ChangedFile, texts: Mapping[BlobId, bytes]) -> Detail | None:
    sides = {"before": file.before, "after": file.after}
    ordinary = _is_plain_patch(file.patch, texts) and all(
        side is None or _is_plain_side(side, texts) for side in sides.values()
    )
    if ordinary:
        return None
    said: Detail = {"patch": [file.patch.size, file.patch.reason, file.patch.encoding]}
    for key, side in sides.items():
        if side is not None:
            said[key] = [side.size, side.digest, side.reason, side.encoding]
            if side.image is not None and side.image.blob is not None:
                said[key].append(side.image.media_type)
    return said


def _is_plain_patch(part: FilePatch, texts: Mapping[BlobId, bytes]) -> bool:
    if part.reason is not None or part.encoding != "utf-8":
        return False
    return part.size == (0 if part.blob is None else len(texts[part.blob]))


def _is_plain_side(part: Side, texts: Mapping[BlobId, bytes]) -> bool:
    if part.blob is None or part.reason is not None or part.encoding != "utf-8":
        return False
    return str(part.digest) == str(part.blob) and part.size == len(texts[part.blob])
