"""Which texts and images an observation carries, and why the others stay behind (2.10)."""

import hashlib
import heapq
from collections.abc import Mapping
from typing import Final

from diffx.review.model import BlobId, WithheldReason

TOTAL_BYTES: Final = 16 << 20
TEXT_BYTES: Final = 2 << 20


_PATCHES, _CONTENTS, _IMAGES = range(3)


class Budget:
    """Takes every patch first, then contents, then images, and keeps the smallest that fit.

    Offer all patches, then all contents, then all images; what is kept does not depend on the
    order within each. A text offered twice counts once. At no time are more bytes held than the limit plus
    the text being offered, however many are.
    """

    def __init__(self, *, total: int = TOTAL_BYTES, per_text: int = TEXT_BYTES) -> None:
        self._left = total
        self._per_text = per_text
        self._kept: dict[BlobId, bytes] = {}
        self._withheld: dict[BlobId, WithheldReason] = {}
        self._largest: list[tuple[int, str, BlobId]] = []
        self._stage = _PATCHES

    def offer_patch(self, text: bytes, blob: BlobId | None = None) -> BlobId:
        """Offer a patch; every patch comes before the first content."""
        self._enter(_PATCHES)
        return self._offer(text, blob)

    def offer_content(self, text: bytes, blob: BlobId | None = None) -> BlobId:
        """Offer one side's readable text; `blob` saves hashing it again."""
        self._enter(_CONTENTS)
        return self._offer(text, blob)

    def offer_image(self, data: bytes, blob: BlobId | None = None) -> BlobId:
        """Offer the bytes of an image: they take only what every text has left."""
        self._enter(_IMAGES)
        return self._offer(data, blob)

    def reason(self, blob: BlobId) -> WithheldReason | None:
        """Say why an offered text stays behind; None when it is kept. Final once all is offered."""
        return self._withheld.get(blob)

    @property
    def texts(self) -> Mapping[BlobId, bytes]:
        """The texts that are kept."""
        return self._kept

    def _enter(self, stage: int) -> None:
        if stage < self._stage:
            raise ValueError("patches are budgeted before any contents, images last (2.10)")
        if stage > self._stage:
            self._stage = stage
            self._largest = []  # from here on nothing of an earlier stage is given up

    def _offer(self, text: bytes, blob: BlobId | None) -> BlobId:
        name = blob or BlobId(hashlib.sha256(text).hexdigest())
        if name in self._kept or self._withheld.get(name) == "too-large":
            return name
        if len(text) > self._per_text:
            self._withheld[name] = "too-large"
            return name
        self._keep(name, text)
        return name

    def _keep(self, name: BlobId, text: bytes) -> None:
        """Keep a text, then give up the largest ones until the rest fits.

        Equal to sorting everything by size first: what was given up once could only come back
        if something smaller had gone, and nothing smaller goes before it. Ties break by name.
        """
        self._withheld.pop(name, None)
        self._kept[name] = text
        self._left -= len(text)
        heapq.heappush(self._largest, (-len(text), _descending(name), name))
        while self._left < 0:
            _, _, given_up = heapq.heappop(self._largest)
            self._left += len(self._kept.pop(given_up))
            self._withheld[given_up] = "budget"


_COMPLEMENT: Final = str.maketrans("0123456789abcdef", "fedcba9876543210")


def _descending(name: BlobId) -> str:
    """Turn a hex name so that the greatest sorts first."""
    return name.translate(_COMPLEMENT)
