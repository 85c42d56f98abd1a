"""Gitattributes of a path, read as git's attr.c does but without git (2.9, 2.11)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from diffx.collector.rules.patterns import Pattern, parse_pattern

State = str | None
"""'set', 'unset', a value, or None for an explicit '!attr'."""

_MAX_LINE: Final = 2048  # attr.c, ATTR_MAX_LINE_LENGTH
_NAME: Final = re.compile(rb"[-A-Za-z0-9_.]+")
_BLANKS: Final = b" \t\r\n"
_ESCAPES: Final = {b"a": 7, b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9, b"v": 11}
_QUOTED: Final = re.compile(rb'"((?:[^"\\]|\\.)*)"(.*)', re.DOTALL)
_ESCAPED: Final = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AttributesFile:
    """The lines of one file, in order: a pattern with what it says; and the macros it defines."""

    lines: tuple[tuple[Pattern, tuple[tuple[str, State], ...]], ...] = ()
    macros: tuple[tuple[str, tuple[tuple[str, State], ...]], ...] = ()


def parse_attributes(content: bytes, *, fold: bool, macros: bool) -> AttributesFile:
    """Read a gitattributes file; macros count at the top of the checkout only."""
    lines: list[tuple[Pattern, tuple[tuple[str, State], ...]]] = []
    defined: list[tuple[str, tuple[tuple[str, State], ...]]] = []
    for raw in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = raw.partition(b"\0")[0].lstrip(_BLANKS)
        if not line or line.startswith(b"#") or len(raw) >= _MAX_LINE:
            continue
        pattern, rest = _head(line)
        states = _states(rest)
        if states is None:
            continue
        if pattern.startswith(b"[attr]") and len(pattern) > len(b"[attr]"):
            name = pattern.removeprefix(b"[attr]")
            if macros and _NAME.fullmatch(name):
                defined.append((name.decode("ascii"), states))
        elif pattern and not pattern.startswith(b"!"):
            lines.append((parse_pattern(pattern, fold=fold), states))
    return AttributesFile(tuple(lines), tuple(defined))


def _head(line: bytes) -> tuple[bytes, bytes]:
    quoted = _QUOTED.fullmatch(line)
    if quoted is not None:
        return _ESCAPED.sub(_unescaped, quoted[1]), quoted[2]
    pattern, *rest = re.split(rb"[ \t\r\n]+", line, maxsplit=1)
    return pattern, rest[0] if rest else b""


def _unescaped(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    if len(escape) == 3:
        return bytes([int(escape, 8)])
    return bytes([_ESCAPES[escape]]) if escape in _ESCAPES else escape


def _states(text: bytes) -> tuple[tuple[str, State], ...] | None:
    """Read `a -b !c d=e`; a line with a name that is none says nothing."""
    states: list[tuple[str, State]] = []
    for word in text.split():
        name, equals, value = word.partition(b"=")
        state: State = value.decode("utf-8", "backslashreplace") if equals else "set"
        if name[:1] in (b"-", b"!"):
            state = "unset" if name[:1] == b"-" else None
            name = name[1:]
        if not _NAME.fullmatch(name) or name.startswith(b"-"):
            return None
        states.append((name.decode("ascii"), state))
    return tuple(states)


_BUILT_IN: Final = AttributesFile(
    macros=(("binary", (("diff", "unset"), ("merge", "unset"), ("text", "unset"))),)
)


class AttributeRules:
    """Answers for any path, reading each folder's file once.

    `read` returns the content of the .gitattributes in a folder (b"" the top, else with a
    trailing slash), None where there is none; `info` that of info/attributes.
    """

    def __init__(
        self, read: Callable[[bytes], bytes | None], info: bytes | None, *, fold: bool
    ) -> None:
        self._read = read
        self._fold = fold
        self._files: dict[bytes, AttributesFile] = {}
        self._info = parse_attributes(info or b"", fold=fold, macros=True)
        self._macros: dict[str, Sequence[tuple[str, State]]] = {}
        for file in (_BUILT_IN, self._file(b""), self._info):
            self._macros.update(file.macros)

    def of(self, path: bytes) -> Mapping[str, str]:
        """Return what is specified for a file."""
        decided: dict[str, State] = {}
        self._apply(self._info, path, decided)
        end = len(path)
        while (end := path.rfind(b"/", 0, end)) >= 0:
            self._apply(self._file(path[: end + 1]), path[end + 1 :], decided)
        self._apply(self._file(b""), path, decided)
        return {name: state for name, state in decided.items() if state is not None}

    def _file(self, folder: bytes) -> AttributesFile:
        found = self._files.get(folder)
        if found is None:
            content = self._read(folder) or b""
            found = parse_attributes(content, fold=self._fold, macros=folder == b"")
            self._files[folder] = found
        return found

    def _apply(self, file: AttributesFile, path: bytes, decided: dict[str, State]) -> None:
        for pattern, states in reversed(file.lines):
            if pattern.matches(path, False):
                self._decide(states, decided)

    def _decide(self, states: Sequence[tuple[str, State]], decided: dict[str, State]) -> None:
        """Take what is not decided yet; the last word on a line wins, and a set macro expands."""
        for name, state in reversed(states):
            if name in decided:
                continue
            decided[name] = state
            if state == "set" and name in self._macros:
                self._decide(self._macros[name], decided)
