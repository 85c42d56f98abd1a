"""The little of a .gitmodules file that collection needs, read without git."""

import re
from typing import Final

_SECTION: Final = re.compile(r'\s*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]\s*(.*)')
_SETTING: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")


def parse_gitmodules(content: bytes) -> dict[str, dict[str, str]]:
    """Return each submodule's settings by its name, keys in lower case; the last value wins."""
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        section = _SECTION.fullmatch(line)
        if section is not None:
            current = found.setdefault(re.sub(r"\\(.)", r"\1", section[1]), {})
            line = section[2]
        elif line.lstrip().startswith("["):
            current = None
        setting = _SETTING.fullmatch(line)
        if setting is not None and current is not None:
            current[setting[1].lower()] = _value(setting[2])
    return found


def _value(text: str) -> str:
    """Read a value: a comment ends it, quotes protect, a backslash takes the next character."""
    value, quoted, at = "", False, 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            at += 1
            value += {"n": "\n", "t": "\t"}.get(text[at], text[at])
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            value += char
        at += 1
    return value.strip()
