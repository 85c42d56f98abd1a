"""The full contents of both sides: read once each, hashed whole, kept as far as the budget goes."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from diffx.collector.contents.budget import TEXT_BYTES, Budget
from diffx.collector.contents.lfs import parse_lfs_pointer
from diffx.collector.contents.text import Readable, is_binary, readable
from diffx.collector.contents.worktree import Look, Stamp, Worktree
from diffx.collector.gitexe.process import DeadlineError
from diffx.collector.repository import Blob
from diffx.review.model import (
    BlobId,
    Digest,
    Encoding,
    GitPath,
    Image,
    LfsObject,
    Side,
    WithheldReason,
)
from diffx.review.noise import HEAD_BYTES
from diffx.review.picture import Picture, recognise

KEEP: Final = TEXT_BYTES
_LARGE_SHARE: Final = 0.6
"""How much of the time that is left may be spent before very large files are given up."""


class Content(NamedTuple):
    """One side's content.

    Exactly one of `blob` (its readable text, on the shelf) and `reason` is None. `head` is its
    beginning, for what is recognised by looks. A `picture` is on the shelf under its digest.
    """

    size: int | None
    digest: Digest | None
    blob: BlobId | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    head: bytes | None = None
    binary: bool = False
    picture: Picture | None = None
    lfs: LfsObject | None = None


class Shelf:
    """Holds readable texts and images until every patch has had its turn at the budget (2.10).

    It holds each in a budget of the same size, so it never gives up what would have fitted into
    what the patches leave.
    """

    def __init__(self) -> None:
        self._held = Budget()
        self._images = Budget()
        self._sides: dict[int, tuple[Content, Side]] = {}

    def put(
        self,
        *,
        size: int,
        digest: Digest,
        data: bytes | None,
        declared: str | None = None,
    ) -> Content:
        """Take a content that was read; `data` is None where it was too large to hold."""
        if data is None:
            return Content(size=size, digest=digest, reason="too-large")
        found = readable(data, declared=declared)
        binary = is_binary(data)
        head = data[:HEAD_BYTES]
        if not isinstance(found, Readable):
            picture = recognise(data) if found == "binary" else None
            if picture is not None:
                self._images.offer_image(data, BlobId(digest))
            return Content(
                size=size, digest=digest, reason=found, head=head, binary=binary, picture=picture
            )
        same = BlobId(digest) if found.text is data else None
        return Content(
            size=size,
            digest=digest,
            blob=self._held.offer_content(found.text, same),
            encoding=found.encoding,
            head=head,
            binary=binary,
            lfs=_lfs_object(data),
        )

    def move_to(self, budget: Budget) -> None:
        """Offer everything that is held to the observation's own budget."""
        for blob, text in self._held.texts.items():
            budget.offer_content(text, blob)
        for blob, data in self._images.texts.items():
            budget.offer_image(data, blob)

    def side(self, content: Content, budget: Budget) -> Side:
        """Return the side as it is stored; call it when the budget has seen everything."""
        known = self._sides.get(id(content))
        if known is not None:
            return known[1]
        blob, reason = content.blob, content.reason
        if blob is not None:
            reason = self._held.reason(blob) or budget.reason(blob)
        side = Side(
            size=content.size,
            digest=content.digest,
            blob=None if reason is not None else blob,
            reason=reason,
            encoding=content.encoding,
            image=self._image(content, budget),
            lfs=content.lfs,
        )
        self._sides[id(content)] = (content, side)
        return side

    def _image(self, content: Content, budget: Budget) -> Image | None:
        if content.picture is None or content.digest is None:
            return None
        blob = BlobId(content.digest)
        reason = self._images.reason(blob) or budget.reason(blob)
        return Image(
            media_type=content.picture.media_type,
            width=content.picture.width,
            height=content.picture.height,
            blob=None if reason is not None else blob,
            reason=reason,
        )


def _lfs_object(data: bytes) -> LfsObject | None:
    found = parse_lfs_pointer(data)
    return None if found is None else LfsObject(oid=found[0], size=found[1])


class Patience:
    """How long reading may take: one very large file less long than all files together.

    A file that would use up the time is given up with its size alone; a tree that does is a
    failure. Both limits are times of `time.monotonic`.
    """

    def __init__(self, top: Path, *, deadline: float) -> None:
        self._top = top
        self._deadline = deadline
        self._large_until = time.monotonic() + (deadline - time.monotonic()) * _LARGE_SHARE

    def check(self) -> None:
        if time.monotonic() > self._deadline:
            raise DeadlineError(
                f"reading the changed files of {self._top} took too long; ignore what makes"
                " them so many or so large, and try again"
            )

    def check_large(self) -> None:
        """Called between the pieces of a large file."""
        if time.monotonic() > self._large_until:
            raise _TooSlowError


class _TooSlowError(Exception):
    """One file is so large that reading it would leave no time for the others."""


def read_worktree(
    root: int, paths: Iterable[GitPath], patience: Patience
) -> Iterator[tuple[GitPath, Look]]:
    """Look at each path once, in sorted order, holding on to what the budget could take."""
    with Worktree(root) as worktree:
        for path in sorted(paths):
            patience.check()
            try:
                look = worktree.look(path, keep=KEEP, checkpoint=patience.check_large)
            except _TooSlowError:
                stamp = worktree.stamp(path)
                size = None if stamp is None else stamp.size
                look = Look(kind="regular", mode=_mode(stamp), size=size, stamp=stamp)
            yield path, look


def _mode(stamp: Stamp | None) -> str:
    return "100755" if stamp is not None and stamp.mode & 0o100 else "100644"


def of_look(look: Look, shelf: Shelf, declared: str | None) -> Content | None:
    """Return a working-tree file's content; None where there is no file."""
    if look.unsettled:
        return Content(size=look.size, digest=None, reason="unsettled")
    if look.digest is not None and look.size is not None:
        return shelf.put(size=look.size, digest=look.digest, data=look.data, declared=declared)
    if look.kind == "regular":
        return Content(size=look.size, digest=None, reason="too-large")
    if look.kind == "special":
        return Content(size=None, digest=None, reason="special-file")
    if look.kind == "unreadable":
        return Content(size=look.size, digest=None, reason="unreadable")
    return None


def of_blob(blob: Blob, shelf: Shelf) -> Content:
    if blob.size is None or blob.digest is None:
        return Content(size=None, digest=None, reason="not-fetched")
    content = shelf.put(size=blob.size, digest=blob.digest, data=blob.data)
    return content if content.binary == blob.binary else content._replace(binary=blob.binary)
