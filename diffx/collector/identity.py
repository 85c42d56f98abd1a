"""What makes two changes, and two observations, the same (3.5, 3.6). Pure.

The hashed bytes are a list of fields, each with its length before it, so that no two different
lists have the same bytes. They are identity: a change here makes everything look new.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from diffx.review.model import Digest, GitPath, Side, Snapshot, Status

_FILE: Final = b"diffx file 1"
_CONTENT: Final = b"diffx content 1"


def fingerprint(
    *,
    path: GitPath,
    old_path: GitPath | None,
    status: Status,
    old_mode: str | None,
    new_mode: str | None,
    before: Side | None,
    after: Side | None,
) -> Digest | None:
    """Name a change: equal names mean the same change, in any scope or observation (3.6).

    None where a side's full content is unknown, because then nothing proves it the same.
    """
    if _is_unknown(before) or _is_unknown(after):
        return None
    return _digest(
        [
            _FILE,
            path,
            old_path,
            status.encode(),
            _text(old_mode),
            _text(new_mode),
            _text(None if before is None else before.digest),
            _text(None if after is None else after.digest),
        ]
    )


def content_hash(snapshots: Iterable[Snapshot]) -> Digest | None:
    """Name everything that was collected, whatever the budget kept (3.5).

    None where any part could not be read in full. Which scope a change is in counts, times do
    not, and neither does the order of the snapshots.
    """
    parts: list[bytes | None] = [_CONTENT]
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.scope):
        parts += [snapshot.scope.encode(), str(len(snapshot.files)).encode()]
        for file in snapshot.files:
            if file.fingerprint is None:
                return None
            parts.append(file.fingerprint.encode())
            parts.append(_text(file.conflict))
            parts.append(b"repository" if file.repository else None)
    return _digest(parts)


def _is_unknown(side: Side | None) -> bool:
    return side is not None and side.digest is None


def _text(value: str | None) -> bytes | None:
    return None if value is None else value.encode()


def _digest(parts: Iterable[bytes | None]) -> Digest:
    encoded = [b"-" if part is None else b"%d:%b" % (len(part), part) for part in parts]
    return Digest(hashlib.sha256(b"".join(encoded)).hexdigest())
