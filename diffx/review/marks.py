"""Which files count as reviewed, from fingerprints alone (8.3)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from diffx.errors import ConflictError
from diffx.review.model import ContextId, Digest, FileId, Millis


class FingerprintChangedError(ConflictError):
    """The content that was seen is not the content that is stored."""

    code = "state_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A file that this account has reviewed, as it was then.

    `carried` says that the very same change was reviewed elsewhere: in another iteration, scope
    or checkout of the repository.
    """

    file: FileId
    fingerprint: Digest
    marked_at: Millis
    carried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSince:
    """A file that was reviewed in an earlier iteration and is something else now.

    `context` is where it was reviewed last, and what to compare with to see exactly the change.
    """

    file: FileId
    context: ContextId
    fingerprint: Digest
    marked_at: Millis


def carried(
    files: Iterable[tuple[FileId, Digest | None]], reviewed: Mapping[Digest, Millis]
) -> list[Mark]:
    """Return the marks that a new scope starts with: those files that were seen as they are."""
    return [
        Mark(file=file, fingerprint=fingerprint, marked_at=reviewed[fingerprint], carried=True)
        for file, fingerprint in files
        if fingerprint is not None and fingerprint in reviewed
    ]


def changed_since(
    earlier: Iterable[ChangedSince],
    current: Mapping[FileId, Digest | None],
    marked: Collection[FileId],
) -> list[ChangedSince]:
    """Return those files that were reviewed before and differ now, by the last review of each.

    A file reviewed as it is now is none, and neither is one whose mark was only taken back.
    """
    last: dict[FileId, ChangedSince] = {}
    for each in sorted(earlier, key=lambda one: (one.marked_at, one.context)):
        last[each.file] = each
    return [
        each
        for file, each in sorted(last.items())
        if file in current and file not in marked and current[file] != each.fingerprint
    ]


def check_seen(stored: Digest | None, seen: Digest) -> Digest:
    """Refuse to mark what was not seen: 409, the reader must look again."""
    if stored is None:
        raise FingerprintChangedError(
            "this file could not be read in full, so it cannot be told whether it was reviewed"
        )
    if stored != seen:
        raise FingerprintChangedError(
            "the stored file is not the one you saw; reload the review and look again"
        )
    return stored
