"""Which untracked paths git would hide: .gitignore, info/exclude, core.excludesFile (2.8)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from diffx.collector.rules.patterns import Pattern, parse_pattern

_MARK: Final = b"\xef\xbb\xbf"


def parse_ignores(content: bytes, *, fold: bool) -> tuple[Pattern, ...]:
    """Read a file of ignore patterns, in its order."""
    patterns: list[Pattern] = []
    for line in content.removeprefix(_MARK).split(b"\n"):
        # C strings: git sees nothing behind a NUL.
        text = line.removesuffix(b"\r").partition(b"\0")[0]
        if line and not line.startswith(b"#"):
            patterns.append(parse_pattern(_without_trailing_spaces(text), fold=fold))
    return tuple(patterns)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Cut spaces at the end; a backslash keeps the one after it."""
    end, at = 0, 0
    while at < len(line):
        if line[at : at + 1] == b"\\":
            at += 1
            if at >= len(line):
                return line
            end = at + 1
        elif line[at : at + 1] != b" ":
            end = at + 1
        at += 1
    return line[:end]


@dataclass(frozen=True, slots=True)
class Ignores:
    """The rules that hold in one folder: its own, those of the folders above, then the others.

    The last pattern that matches decides, and deeper files are asked first. A folder that is
    ignored is never entered, so nothing below it can be brought back.
    """

    folder: bytes
    own: tuple[Pattern, ...]
    above: "Ignores | None"
    others: Sequence[tuple[Pattern, ...]] = ()

    def within(self, folder: bytes, patterns: Iterable[Pattern]) -> "Ignores":
        """Return the rules of a folder below this one."""
        own = tuple(patterns)
        return Ignores(folder, own, self, self.others) if own else self

    def hides(self, path: bytes, *, is_folder: bool) -> bool:
        """Say whether git ignores the path, whose folder is not ignored."""
        rules: Ignores | None = self
        while rules is not None:
            found = _last_match(rules.own, path[len(rules.folder) :], is_folder)
            if found is not None:
                return not found.negative
            rules = rules.above
        for patterns in self.others:
            found = _last_match(patterns, path, is_folder)
            if found is not None:
                return not found.negative
        return False


def _last_match(patterns: Sequence[Pattern], path: bytes, is_folder: bool) -> Pattern | None:
    for pattern in reversed(patterns):
        if pattern.matches(path, is_folder):
            return pattern
    return None
