"""Git's glob matching (wildmatch.c), decided in time proportional to pattern times text.

Patterns come from files of the repository, so none may take exponential time.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

_SLASH: Final = 0x2F


class _Star(NamedTuple):
    """Any run of bytes; a single star under path rules stops at a slash."""

    crosses: bool


class _Set(NamedTuple):
    """One byte out of 256."""

    members: frozenset[int]


def compile_glob(pattern: bytes, *, paths: bool, fold: bool) -> Callable[[bytes], bool]:
    """Return a matcher of whole texts.

    Under `paths` neither `*`, `?` nor a set matches a slash and `**` has its meaning; `fold`
    ignores the case of ASCII letters, as git does under core.ignoreCase.
    """
    tokens = _Parser(pattern, paths=paths, fold=fold).tokens()

    def matches(text: bytes) -> bool:
        return _matches(tokens, text.lower() if fold else text)

    return matches


_ALL: Final = frozenset(range(256))
_NO_SLASH: Final = _ALL - {_SLASH}


class _Step(NamedTuple):
    """One token; `skip` is where matching may also go on, for the slash of `**/`."""

    token: _Star | _Set | None
    optional_slash: bool = False


class _Parser:
    def __init__(self, pattern: bytes, *, paths: bool, fold: bool) -> None:
        self._pattern = pattern
        self._paths = paths
        self._fold = fold
        self._at = 0

    def tokens(self) -> list[_Step]:
        steps: list[_Step] = []
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            if char == 0x2A:  # *
                steps.append(self._stars())
            elif char == 0x3F:  # ?
                self._at += 1
                steps.append(_Step(_Set(_NO_SLASH if self._paths else _ALL)))
            elif char == 0x5B:  # [
                steps.append(_Step(self._set()))
            else:
                steps.append(_Step(self._literal()))
        return steps

    def _literal(self) -> _Set | None:
        char = self._pattern[self._at]
        self._at += 1
        if char == 0x5C:  # a backslash takes the next byte as it is; at the end it matches nothing
            if self._at >= len(self._pattern):
                return None
            char = self._pattern[self._at]
            self._at += 1
        return _Set(frozenset({_lower(char) if self._fold else char}))

    def _stars(self) -> _Step:
        pattern, start = self._pattern, self._at
        while self._at < len(pattern) and pattern[self._at] == 0x2A:
            self._at += 1
        if not self._paths:
            return _Step(_Star(crosses=True))
        if self._at - start == 1:
            return _Step(_Star(crosses=False))
        rest = pattern[self._at : self._at + 2]
        opens = start == 0 or pattern[start - 1] == _SLASH
        closes = rest[:1] in (b"", b"/") or rest == b"\\/"
        if not (opens and closes):
            return _Step(_Star(crosses=False))
        # `**/` also matches nothing at all, and then its slash is not there either.
        return _Step(_Star(crosses=True), optional_slash=rest[:1] == b"/")

    def _set(self) -> _Set | None:
        """Read a bracket expression; a malformed one matches nothing and ends the pattern."""
        members = self._members()
        if members is None:
            self._at = len(self._pattern)
            return None
        return _Set(members - {_SLASH} if self._paths else members)

    def _members(self) -> frozenset[int] | None:
        pattern = self._pattern
        self._at += 1
        negated = pattern[self._at : self._at + 1] in (b"!", b"^")
        self._at += negated
        found: set[int] = set()
        previous = 0
        first = True
        while True:
            if self._at >= len(pattern):
                return None
            char = pattern[self._at]
            if char == 0x5D and not first:  # ]
                break
            first = False
            previous_or_none = self._member(char, previous, found)
            if previous_or_none is None:
                return None
            previous = previous_or_none
            self._at += 1
        self._at += 1
        if self._fold:
            # git looks a folded text up in the set as written, and ranges in both cases.
            found -= set(range(0x41, 0x5B))
        return _ALL - found if negated else frozenset(found)

    def _member(self, char: int, previous: int, found: set[int]) -> int | None:
        """Take one item of a set and return what a following '-' would start from."""
        pattern, at = self._pattern, self._at
        following = pattern[at + 1 : at + 2]
        if char == 0x5C:
            if not following:
                return None
            self._at += 1
            found.add(pattern[self._at])
            return pattern[self._at]
        if char == 0x2D and previous and following not in (b"", b"]"):
            return self._range(previous, found)
        if char == 0x5B and following == b":":
            return self._named(found)
        found.add(char)
        return char

    def _range(self, low: int, found: set[int]) -> int | None:
        pattern = self._pattern
        self._at += 1
        if pattern[self._at] == 0x5C:
            self._at += 1
            if self._at >= len(pattern):
                return None
        covered = range(low, pattern[self._at] + 1)
        found.update(covered)
        if self._fold:
            found.update(_lower(char) for char in covered)
        return 0

    def _named(self, found: set[int]) -> int | None:
        """Read `[:name:]`; without its end the bracket is an ordinary member."""
        pattern, start = self._pattern, self._at + 2
        end = pattern.find(b"]", start)
        if end < 0:
            return None
        if end - start < 1 or pattern[end - 1] != 0x3A:
            found.add(0x5B)
            return 0x5B
        members = _CLASSES.get(pattern[start : end - 1])
        if members is None:
            return None
        found.update(members)
        if self._fold and pattern[start : end - 1] == b"upper":
            found.update(_CLASSES[b"lower"])
        self._at = end
        return 0


def _lower(char: int) -> int:
    return char + 32 if 0x41 <= char <= 0x5A else char


def _matches(steps: list[_Step], text: bytes) -> bool:
    """Follow every way through the pattern at once: the set of places it may have reached."""
    reached = _closure(steps, {0})
    for char in text:
        following: set[int] = set()
        for place in reached:
            if place == len(steps):
                continue
            token = steps[place].token
            if isinstance(token, _Star):
                if token.crosses or char != _SLASH:
                    following.add(place)
            elif token is not None and char in token.members:
                following.add(place + 1)
        if not following:
            return False
        reached = _closure(steps, following)
    return len(steps) in reached


def _closure(steps: list[_Step], places: set[int]) -> set[int]:
    """Add the places that are reached without taking a byte."""
    pending = list(places)
    while pending:
        place = pending.pop()
        if place == len(steps) or not isinstance(steps[place].token, _Star):
            continue
        beyond = {place + 1} | ({place + 2} if steps[place].optional_slash else set())
        for one in beyond - places:
            places.add(one)
            pending.append(one)
    return places


def _class(test: Callable[[int], bool]) -> frozenset[int]:
    return frozenset(char for char in range(128) if test(char))


_CLASSES: Final = {
    b"alnum": _class(lambda char: chr(char).isalnum()),
    b"alpha": _class(lambda char: chr(char).isalpha()),
    b"blank": frozenset(b" \t"),
    b"cntrl": _class(lambda char: char < 32 or char == 127),
    b"digit": frozenset(b"0123456789"),
    b"graph": _class(lambda char: 32 < char < 127),
    b"lower": _class(lambda char: chr(char).islower()),
    b"print": _class(lambda char: 32 <= char < 127),
    b"punct": _class(lambda char: 32 < char < 127 and not chr(char).isalnum()),
    b"space": frozenset(b" \t\n\v\f\r"),
    b"upper": _class(lambda char: chr(char).isupper()),
    b"xdigit": frozenset(b"0123456789abcdefABCDEF"),
}
