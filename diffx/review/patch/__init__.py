"""Read a patch in any of its forms: git's, mail, logs, combined, coloured, plain.

Bytes as received → `received` (encoding, colour, line ends, mail) → `series` (files, one by one)
→ `hunks` and `figures` (one file's own standard patch) → `render` (as text again). Pure: bytes
in, frozen values out.

The names here are what every reader of one file's patch needs. Whole streams come from stdin
alone, so `series.parse` is imported from where it is: nobody else waits for the parser to load.
"""

from diffx.review.patch.figures import measure
from diffx.review.patch.hunks import hunks
from diffx.review.patch.model import (
    MAX_FILE_PATCH_BYTES,
    MAX_FILES,
    MAX_PATCH_BYTES,
    Commit,
    Figures,
    Hunk,
    Line,
    ParsedFile,
    PatchError,
    PatchTooLargeError,
    Series,
    SubmoduleMove,
)

__all__ = [
    "MAX_FILES",
    "MAX_FILE_PATCH_BYTES",
    "MAX_PATCH_BYTES",
    "Commit",
    "Figures",
    "Hunk",
    "Line",
    "ParsedFile",
    "PatchError",
    "PatchTooLargeError",
    "Series",
    "SubmoduleMove",
    "hunks",
    "measure",
]
