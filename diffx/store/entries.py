"""The private half of a changed file: which stored texts are its patch and its sides.

The public half is the chunk's listing. An ordinary text file is its blobs and nothing else;
`detail` says the rest where something was withheld, is not UTF-8, or has another digest.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from diffx.records import StoredContents, StoredSide, StoredText
from diffx.review.model import BlobId, ChangedFile, Encoding, FilePatch, Side, WithheldReason
from diffx.store import blobs


class Entry(NamedTuple):
    """A row of `entry` without its key. Blobs by number."""

    patch: int | None
    before: int | None
    after: int | None
    detail: str | None


SELECT_ENTRY: Final = """
    SELECT e.patch, e.before, e.after, e.detail
      FROM scope_chunk AS sc
      JOIN entry AS e ON e.chunk = sc.chunk AND e.file = :file
     WHERE sc.scope = :scope
"""


def names(file: ChangedFile) -> Iterator[BlobId]:
    """Name the texts of a file."""
    for part in (file.patch, file.before, file.after):
        if part is not None and part.blob is not None:
            yield part.blob


def entry(
    file: ChangedFile, numbers: Mapping[BlobId, int], texts: Mapping[BlobId, bytes]
) -> Entry:
    """Return the row for a file whose texts are stored under these numbers."""

    def number(part: FilePatch | Side | None) -> int | None:
        return None if part is None or part.blob is None else numbers[part.blob]

    return Entry(
        patch=number(file.patch),
        before=number(file.before),
        after=number(file.after),
        detail=_detail(file, texts),
    )


def find(tx: sqlite3.Connection, scope: int, file: str) -> Entry | None:
    """Return the entry of a file in a scope, by its id."""
    row = tx.execute(SELECT_ENTRY, {"scope": scope, "file": file}).fetchone()
    return None if row is None else Entry(*row)


def patch(tx: sqlite3.Connection, found: Entry) -> StoredText:
    """Return the patch of a file, or why there is none."""
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    if found.detail is not None:
        _, reason, encoding = json.loads(found.detail)["patch"]
    if reason is not None:
        return StoredText(reason=reason, encoding=encoding)
    if found.patch is None:  # nothing to show and nothing withheld: an empty patch
        return StoredText(text=b"", encoding=encoding)
    name, text = blobs.read(tx, found.patch)
    return StoredText(text=text, encoding=encoding, blob=name)


def contents(tx: sqlite3.Connection, found: Entry) -> StoredContents:
    """Return both sides of a file, or why they are withheld."""
    detail: dict[str, Any] = {} if found.detail is None else json.loads(found.detail)
    return StoredContents(
        before=_side(tx, found.before, detail.get("before")),
        after=_side(tx, found.after, detail.get("after")),
    )


def _side(
    tx: sqlite3.Connection, number: int | None, detail: list[Any] | None
) -> StoredSide | None:
    if number is None and detail is None:
        return None
    name, text = (None, None) if number is None else blobs.read(tx, number)
    if detail is None:
        return StoredSide(size=len(text or b""), encoding="utf-8", text=text, blob=name)
    size, _digest, reason, encoding = detail
    return StoredSide(size=size, encoding=encoding, text=text, reason=reason, blob=name)


def _detail(file: ChangedFile, texts: Mapping[BlobId, bytes]) -> str | None:
    sides = {"before": file.before, "after": file.after}
    ordinary = _is_plain_patch(file.patch, texts) and all(
        side is None or _is_plain_side(side, texts) for side in sides.values()
    )
    if ordinary:
        return None
    said: dict[str, object] = {
        "patch": [file.patch.size, file.patch.reason, file.patch.encoding],
    }
    for key, side in sides.items():
        if side is not None:
            said[key] = [side.size, side.digest, side.reason, side.encoding]
    return json.dumps(said, separators=(",", ":"))


def _is_plain_patch(part: FilePatch, texts: Mapping[BlobId, bytes]) -> bool:
    if part.reason is not None or part.encoding != "utf-8":
        return False
    return part.size == (0 if part.blob is None else len(texts[part.blob]))


def _is_plain_side(part: Side, texts: Mapping[BlobId, bytes]) -> bool:
    if part.blob is None or part.reason is not None or part.encoding != "utf-8":
        return False
    return str(part.digest) == str(part.blob) and part.size == len(texts[part.blob])
