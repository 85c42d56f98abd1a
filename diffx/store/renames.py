"""Which file of one scope is which of another, from what is stored of both (9.1, 9.2)."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from diffx.records import StoredSide
from diffx.review.compare import Content, Contents, ListedFile, Pair, may_have_moved, pairs
from diffx.review.model import FileId
from diffx.store import bases, entries, listing

_KEPT: Final = 256

SELECT_REVISION: Final = "SELECT revision FROM scope WHERE number = ?"


class Renames:
    """What files of earlier scopes are called in later ones, remembered by content.

    Scopes never change, so what was found once holds for as long as it is asked for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, bool], Mapping[FileId, FileId]] = OrderedDict()

    def between(self, tx: sqlite3.Connection, old: int, new: int) -> Mapping[FileId, FileId]:
        """Return the new name of each file that has another one there, renamed however often."""
        same_base = bases.same(tx, old, new)
        key = (_revision(tx, old), _revision(tx, new), same_base)
        with self._lock:
            known = self._kept.get(key)
        if known is not None:
            return known
        files = listing.files(tx, old), listing.files(tx, new)
        found = {
            pair.old.id: pair.new.id
            for pair in paired(tx, (old, new), files, same_base=same_base)
            if pair.old is not None and pair.new is not None and pair.renamed
        }
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def paired(
    tx: sqlite3.Connection,
    scopes: tuple[int, int],
    files: tuple[Sequence[ListedFile], Sequence[ListedFile]],
    *,
    same_base: bool,
) -> list[Pair]:
    """Pair the files of two scopes, reading the texts of those that may have moved."""
    found = pairs(*files)
    lone = [pair for pair in found if pair.old is None or pair.new is None]
    if not may_have_moved(lone):
        return found
    texts = {
        pair.id: (
            contents(tx, scopes[0], pair.id) if pair.new is None else None,
            contents(tx, scopes[1], pair.id) if pair.old is None else None,
        )
        for pair in lone
    }
    return pairs(*files, texts, same_base=same_base)


def contents(tx: sqlite3.Connection, scope: int, file: FileId) -> Contents | None:
    entry = entries.find(tx, scope, file)
    if entry is None:
        return None
    stored = entries.contents(tx, entry)
    return Contents(before=_content(stored.before), after=_content(stored.after))


def _content(side: StoredSide | None) -> Content | None:
    return None if side is None else Content(text=side.text, reason=side.reason)


def _revision(tx: sqlite3.Connection, scope: int) -> str:
    (found,) = tx.execute(SELECT_REVISION, (scope,)).fetchone()
    return str(found)
