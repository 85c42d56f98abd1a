"""The full contents of both sides: read once each, hashed whole, kept as far as the budget goes."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from diffx.collector.budget import TEXT_BYTES, Budget
from diffx.collector.contents import Look, Worktree
from diffx.collector.repository import Blob
from diffx.collector.text import Readable, is_binary, readable
from diffx.review.model import BlobId, Digest, Encoding, GitPath, Side, WithheldReason
from diffx.review.noise import HEAD_BYTES

KEEP: Final = TEXT_BYTES


class Content(NamedTuple):
    """One side's content.

    Exactly one of `blob` (its readable text, on the shelf) and `reason` is None. `head` is its
    beginning, for what is recognised by looks.
    """

    size: int | None
    digest: Digest | None
    blob: BlobId | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    head: bytes | None = None
    binary: bool = False


class Shelf:
    """Holds readable texts until every patch has had its turn at the budget (2.10).

    It is a budget of the same size itself, so it never gives up a text that would have fitted
    into what the patches leave.
    """

    def __init__(self) -> None:
        self._held = Budget()
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
            return Content(size=size, digest=digest, reason=found, head=head, binary=binary)
        same = BlobId(digest) if found.text is data else None
        return Content(
            size=size,
            digest=digest,
            blob=self._held.offer_content(found.text, same),
            encoding=found.encoding,
            head=head,
            binary=binary,
        )

    def move_to(self, budget: Budget) -> None:
        """Offer everything that is held to the observation's own budget."""
        for blob, text in self._held.texts.items():
            budget.offer_content(text, blob)

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
        )
        self._sides[id(content)] = (content, side)
        return side


def read_worktree(root: int, paths: Iterable[GitPath]) -> Iterator[tuple[GitPath, Look]]:
    """Look at each path once, in sorted order, holding on to what the budget could take."""
    with Worktree(root) as worktree:
        for path in sorted(paths):
            yield path, worktree.look(path, keep=KEEP)


def of_look(look: Look, shelf: Shelf, declared: str | None) -> Content | None:
    """Return a working-tree file's content; None where there is no file."""
    if look.unsettled:
        return Content(size=look.size, digest=None, reason="unsettled")
    if look.digest is not None and look.size is not None:
        return shelf.put(size=look.size, digest=look.digest, data=look.data, declared=declared)
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
