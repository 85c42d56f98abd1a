"""Git LFS pointers, computed in process: what `git lfs clean` would store (2.9)."""

import re
from typing import Final

from diffx.review.model import Digest

MAX_POINTER_BYTES: Final = 1024
"""git-lfs reads no more than this when it looks for a pointer (lfs/pointer.go, blobSizeCutoff)."""

_POINTER: Final = re.compile(
    rb"version https?://(?:git-lfs\.github\.com/spec/v1|hawser\.github\.com/spec/v1"
    rb"|git-media\.io/v/2)\n"
    rb"(?:ext-[0-9]-\w+ sha256:[0-9a-f]{64}\n)*"
    rb"oid sha256:([0-9a-f]{64})\n"
    rb"size (0|[1-9][0-9]{0,18})\n?"
)


def parse_lfs_pointer(data: bytes) -> tuple[Digest, int] | None:
    """Return the object and size that a pointer names; None for anything else."""
    if len(data) >= MAX_POINTER_BYTES:
        return None
    found = _POINTER.fullmatch(data)
    if found is None:
        return None
    return Digest(found[1].decode("ascii")), int(found[2])


def lfs_pointer(digest: Digest, size: int) -> bytes:
    """Return the pointer that git-lfs writes for a content; an empty file is its own pointer."""
    if size == 0:
        return b""
    return (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n".encode()
    )


def lfs_clean(digest: Digest, size: int, data: bytes | None) -> bytes:
    """Return what `git lfs clean` makes of a working-tree file.

    A file that is a pointer already (its object was never fetched) passes through unchanged.
    """
    if data is not None and parse_lfs_pointer(data) is not None:
        return data
    return lfs_pointer(digest, size)
