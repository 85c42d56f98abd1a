"""Binary patches: skipped by their structure, so that base-85 data is never taken for lines."""

import re
from typing import Final

START: Final = re.compile(rb"GIT binary patch\r?\n")
_BLOCK: Final = re.compile(rb"(?:literal|delta) \d+\r?\n")
# A data line is a length letter and groups of five digits; every header line has a blank in it.
_DATA_END: Final = re.compile(
    rb"\n(?![A-Za-z](?:[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{5}){1,13}\r?\n)"
)
_BLANK: Final = re.compile(rb"\r?\n")
DIFFER: Final = re.compile(rb"(?:Binary files|Files) [^\n]*differ\r?(?:\n|\Z)")
DAMAGE: Final = "its binary patch is cut short"


def blocks_end(data: bytes, at: int) -> tuple[int, bool]:
    """Return where the blocks behind `GIT binary patch` end, and whether they are complete.

    The first block leads forward, a second one (which may be missing) leads back.
    """
    complete = False
    for _ in range(2):
        block = _BLOCK.match(data, at)
        if block is None:
            break
        last = _DATA_END.search(data, block.end() - 1)
        at = len(data) if last is None else last.end()
        blank = _BLANK.match(data, at)
        complete = blank is not None
        at = at if blank is None else blank.end()
        if not complete:
            break
    return at, complete
