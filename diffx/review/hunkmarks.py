"""What a reviewed hunk is recognised by, wherever it stands in a file (8.3). Pure."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NewType

from diffx.errors import MissingError
from diffx.review.model import FileId, Millis
from diffx.review.patch.hunks import spans

HunkKey = NewType("HunkKey", bytes)
"""A hunk by its lines: 16 bytes, equal where a reader would see the same."""

KEY_BYTES: Final = 16
_DOMAIN: Final = b"diffx hunk 1"


class HunkMissingError(MissingError):
    """The file's patch has no hunk of this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkMark:
    """A hunk that was reviewed, of a file that is not reviewed as a whole.

    `hunk` counts from 0 in the stored patch. `carried` says that the same lines were reviewed
    elsewhere: in another iteration, scope or checkout of the repository.
    """

    file: FileId
    hunk: int
    marked_at: Millis
    carried: bool = False


def hunk_keys(patch: bytes) -> tuple[HunkKey, ...]:
    """Name each hunk of a file's patch by its changed lines and those around them.

    Line numbers and the words behind them do not count, so a hunk that only moved keeps its
    name. Of several hunks with the very same lines each has a name of its own, by its turn.
    """
    met: Counter[bytes] = Counter()
    keys = []
    for span in spans(patch):
        lines = hashlib.sha256(patch[span.body : span.end]).digest()
        name = hashlib.sha256(b"%b %d %b" % (_DOMAIN, met[lines], lines)).digest()
        met[lines] += 1
        keys.append(HunkKey(name[:KEY_BYTES]))
    return tuple(keys)


def carried_hunks(
    file: FileId, keys: Sequence[HunkKey], seen: Mapping[HunkKey, Millis]
) -> list[HunkMark]:
    """Return the marks that a changed file starts with: those hunks that were seen as they are."""
    return [
        HunkMark(file=file, hunk=number, marked_at=seen[key], carried=True)
        for number, key in enumerate(keys)
        if key in seen
    ]


def check_hunk(keys: Sequence[HunkKey], number: int) -> HunkKey:
    """Return the key of a hunk by its number."""
    if number >= len(keys):
        raise HunkMissingError(f"this file has {len(keys)} hunks and none of number {number}")
    return keys[number]
