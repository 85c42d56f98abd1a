"""Read stored manifests back as values, whole or only the blocks that hold certain files."""

import base64
import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from diffx.records import Deflated, FileMissingError
from diffx.review.compare import ListedFile
from diffx.review.model import ContextId, Digest, FileId, GitPath, Scope

SELECT_SCOPE_NUMBER: Final = """
    SELECT number, diff, revision
      FROM scope
     WHERE context = :context AND scope = :scope
"""
SELECT_LISTINGS: Final = """
    SELECT c.listing, c.size, c.adler
      FROM scope_chunk AS sc
      JOIN chunk AS c ON c.number = sc.chunk
     WHERE sc.scope = ?
     ORDER BY sc.position
"""
SELECT_LISTINGS_OF: Final = """
    SELECT c.listing, c.size, c.adler
      FROM scope_chunk AS sc
      JOIN chunk AS c ON c.number = sc.chunk
     WHERE sc.scope = :scope
       AND EXISTS (SELECT 1 FROM entry AS e
                    WHERE e.chunk = sc.chunk
                      AND e.file IN (SELECT value FROM json_each(:files)))
     ORDER BY sc.position
"""


def scope_number(
    tx: sqlite3.Connection, number: int, context: ContextId, scope: Scope
) -> tuple[int, str]:
    """Return a scope's row number and revision."""
    row = tx.execute(SELECT_SCOPE_NUMBER, {"context": number, "scope": scope}).fetchone()
    if row is None:
        raise FileMissingError(f"context {context} has no scope {scope}")
    return int(row[0]), str(row[2])


def files(tx: sqlite3.Connection, scope: int) -> tuple[ListedFile, ...]:
    """Return every file of a scope, in manifest order."""
    return tuple(_listed(tx.execute(SELECT_LISTINGS, (scope,))))


def find(tx: sqlite3.Connection, scope: int, wanted: Iterable[FileId]) -> dict[FileId, ListedFile]:
    """Return those files that the scope has, reading only the blocks they are in."""
    names = set(wanted)
    rows = tx.execute(SELECT_LISTINGS_OF, {"scope": scope, "files": json.dumps(sorted(names))})
    return {file.id: file for file in _listed(rows) if file.id in names}


def shapes(part: Deflated) -> list[dict[str, Any]]:
    """Inflate one block's listing to the shapes that clients get."""
    found: list[dict[str, Any]] = json.loads(b"[" + part.text() + b"]")
    return found


def _listed(rows: Iterable[tuple[bytes, int, int]]) -> Iterator[ListedFile]:
    for data, size, adler in rows:
        for shape in shapes(Deflated(data=data, size=size, adler=adler)):
            yield listed_file(shape)


def listed_file(shape: dict[str, Any]) -> ListedFile:
    """Return the value of a stored ChangedFile shape; its bytes come back exactly (2.6)."""
    fingerprint = shape["fingerprint"]
    old_path = shape["oldPath"]
    return ListedFile(
        id=FileId(shape["id"]),
        path=_path(shape["path"], shape.get("pathBytes")),
        old_path=None if old_path is None else _path(old_path, shape.get("oldPathBytes")),
        status=shape["status"],
        fingerprint=None if fingerprint is None else Digest(fingerprint),
        old_mode=shape["oldMode"],
        new_mode=shape["newMode"],
    )


def _path(shown: str, raw: str | None) -> GitPath:
    return GitPath(shown.encode("utf-8") if raw is None else base64.b64decode(raw))
