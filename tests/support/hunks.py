"""Files whose changes are hunks of their own."""

import difflib

from tests.support.observations import Change, change

BLOCKS = 4
LINES = [f"line {n}\n" for n in range(BLOCKS * 20)]


def edited(*blocks: str | None, before: str = "".join(LINES)) -> Change:
    """Change the middle of each block to a text, None leaves it: one hunk for each text."""
    lines = before.splitlines(keepends=True)
    for number, text in enumerate(blocks):
        if text is not None:
            lines[number * 20 + 10] = f"{text}\n"
    after = "".join(lines)
    diff = difflib.unified_diff(before.splitlines(keepends=True), lines, n=3)
    return change("a.py", after, before=before, patch="".join(diff))
