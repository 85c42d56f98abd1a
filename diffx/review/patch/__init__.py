"""Read a patch in any of its forms: git's, mail, logs, combined, coloured, plain.

Bytes as received → `received` (encoding, colour, line ends, mail) → `series` (files, one by one)
→ `hunks` and `figures` (one file's own standard patch). Pure: bytes in, frozen values out.
"""

from diffx.review.patch.figures import measure
from diffx.review.patch.hunks import hunks
from diffx.review.patch.model import (
    MAX_FILE_PATCH_BYTES,
    MAX_PATCH_BYTES,
    Commit,
    Figures,
    Hunk,
    Line,
    ParsedFile,
    PatchError,
    Series,
    SubmoduleMove,
)
from diffx.review.patch.render import render
from diffx.review.patch.series import parse

__all__ = [
    "MAX_FILE_PATCH_BYTES",
    "MAX_PATCH_BYTES",
    "Commit",
    "Figures",
    "Hunk",
    "Line",
    "ParsedFile",
    "PatchError",
    "Series",
    "SubmoduleMove",
    "hunks",
    "measure",
    "parse",
    "render",
]
