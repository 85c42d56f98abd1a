"""One line of a .gitignore or .gitattributes file, matched against a path as git's dir.c does."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from diffx.collector.rules.wildmatch import compile_glob

_SPECIAL: Final = re.compile(rb"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`matches` takes the path below the pattern's own folder, and whether it is a folder."""

    negative: bool
    matches: Callable[[bytes, bool], bool]


def parse_pattern(line: bytes, *, fold: bool) -> Pattern:
    """Read a pattern; `fold` is core.ignoreCase."""
    negative = line.startswith(b"!")
    pattern = line[negative:]
    folder_only = pattern.endswith(b"/")
    if folder_only:
        pattern = pattern[:-1]
    by_name = b"/" not in pattern
    match = _name_matcher(pattern, fold) if by_name else _path_matcher(pattern, fold)

    def matches(path: bytes, is_folder: bool) -> bool:
        if folder_only and not is_folder:
            return False
        return match(path.rpartition(b"/")[2] if by_name else path)

    return Pattern(negative, matches)


def _same(fold: bool) -> Callable[[bytes], bytes]:
    return bytes.lower if fold else bytes


def _name_matcher(pattern: bytes, fold: bool) -> Callable[[bytes], bool]:
    spelled = _same(fold)
    if not _SPECIAL.search(pattern):
        plain = spelled(pattern)
        return lambda name: spelled(name) == plain
    if pattern.startswith(b"*") and not _SPECIAL.search(pattern, 1):
        ending = spelled(pattern[1:])
        return lambda name: spelled(name).endswith(ending)
    return compile_glob(pattern, paths=False, fold=fold)


def _path_matcher(pattern: bytes, fold: bool) -> Callable[[bytes], bool]:
    spelled = _same(fold)
    special = _SPECIAL.search(pattern)
    prefix = pattern[: special.start()] if special else pattern
    rest = pattern[len(prefix) :]
    if pattern.startswith(b"/"):
        prefix = prefix[1:]
    plain = spelled(prefix)
    # git matches the part before the first wildcard by itself, and only the rest as a glob: so
    # in `a/b**` the stars stand at a beginning and cross slashes.
    glob = compile_glob(rest, paths=True, fold=fold)

    def matches(path: bytes) -> bool:
        if spelled(path[: len(plain)]) != plain:
            return False
        return glob(path[len(plain) :])

    return matches
