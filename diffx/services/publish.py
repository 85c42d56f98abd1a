"""Publish one submission: one whole step of storage, then a hint to live views (6.1)."""

from dataclasses import dataclass
from typing import Protocol

from diffx.clock import Clock
from diffx.records import Receipt
from diffx.review.model import Millis, OwnerId, Submission
from diffx.services.changes import Change, Changes


class PublicationStore(Protocol):
    """What publishing needs from storage: one step that happens whole or not at all."""

    def publish(self, owner: OwnerId, submission: Submission, now: Millis) -> Receipt: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """The one door through which observations become visible."""

    store: PublicationStore
    changes: Changes
    now: Clock

    def publish(self, owner: OwnerId, submission: Submission) -> Receipt:
        """Store the submission, or return what its first delivery stored (4.3)."""
        receipt = self.store.publish(owner, submission, self.now())
        if not receipt.replayed:
            self.changes.announce(Change(kind="catalog", owner=owner, context=receipt.context))
        if receipt.reused:
            # A state that returns shows what was said and reviewed meanwhile (8.3, 9.2).
            self.changes.announce(Change(kind="review", owner=owner, context=receipt.context))
        return receipt
