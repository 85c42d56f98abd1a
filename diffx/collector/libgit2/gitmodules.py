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
    value, quoted, at, end = "", False, 0, 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == '"':
            quoted = not quoted
            continue
        if char in "#;" and not quoted:
            break
        if char == "\\" and at < len(text):
            char = {"n": "\n", "t": "\t"}.get(text[at], text[at])
            at += 1
        value += char
        if quoted or not char.isspace():
            end = len(value)  # blanks after this are not part of it
    return value[:end]
