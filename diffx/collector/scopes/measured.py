"""Patches on their way into the observation: measured once, budgeted, shared by scopes."""

from typing import Final, NamedTuple

from diffx.collector.contents.budget import TEXT_BYTES, Budget
from diffx.collector.contents.text import encoding_of
from diffx.collector.repository import PatchText
from diffx.review.model import BlobId, Encoding, FilePatch, Rows, WithheldReason
from diffx.review.patch import measure

_UNCOUNTED: Final = frozenset(
    {"filtered", "unsettled", "unreadable", "special-file", "not-fetched", "too-large"}
)


class Measured(NamedTuple):
    """A patch with its figures; `blob` names its text at the budget, `reason` says why none."""

    size: int = 0
    blob: BlobId | None = None
    reason: WithheldReason | None = None
    encoding: Encoding = "utf-8"
    additions: int | None = 0
    deletions: int | None = 0
    rows: Rows | None = None
    binary: bool = False

    def final(self, budget: Budget) -> FilePatch:
        """Return the patch as it is stored; call it when the budget has seen everything."""
        reason = self.reason
        if self.blob is not None:
            reason = budget.reason(self.blob)
        return FilePatch(
            size=self.size,
            blob=None if reason is not None else self.blob,
            reason=reason,
            encoding=self.encoding,
        )


class Patches:
    """Measures patches and offers their texts; the same change is measured once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._known: dict[tuple[object, ...], Measured] = {}

    def take(self, patch: PatchText, key: tuple[object, ...] | None) -> Measured:
        """Take a patch. Equal keys name equal changes; None stands for one that is not known."""
        known = self._known.get(key) if key is not None else None
        if known is None:
            known = self._measured(patch)
            if key is not None:
                self._known[key] = known
        return known

    def _measured(self, patch: PatchText) -> Measured:
        if patch.binary:
            return Measured(reason="binary", additions=None, deletions=None, binary=True)
        if patch.text is None:
            return Measured(
                size=patch.size,
                reason="too-large" if patch.size > TEXT_BYTES else "budget",
                additions=patch.additions,
                deletions=patch.deletions,
            )
        figures = measure(patch.text)
        return Measured(
            size=patch.size,
            blob=self._budget.offer_patch(patch.text),
            encoding=encoding_of(patch.text),
            additions=figures.additions,
            deletions=figures.deletions,
            rows=figures.rows,
        )


def without_patch(reason: WithheldReason) -> Measured:
    """Return what stands for a patch that was not made; its lines are unknown or nought."""
    lines = None if reason in _UNCOUNTED else 0
    return Measured(reason=reason, additions=lines, deletions=lines)
