"""Settings that are on or off, as git reads them (config.c, git_parse_maybe_bool)."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(0x[0-9a-f]+|[0-9]+)[kmg]?", re.ASCII)


def is_on(value: str | None, *, default: bool) -> bool:
    """Read a value; None is a setting that is not there. What git would call an error is off."""
    if value is None:
        return default
    word = value.lower()
    if word in ("true", "yes", "on"):
        return True
    number = _NUMBER.fullmatch(word)
    return number is not None and bool(number[1].strip("0x"))
