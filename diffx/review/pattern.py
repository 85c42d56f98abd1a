"""Regular expressions that take time in proportion to the text, whatever the expression.

Python's `re` goes back and tries again, which a few characters of input can make last for hours,
and nothing can interrupt it. Here an expression becomes a set of places that are all advanced
together, one character at a time; combinations of places that were met are remembered.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from diffx.errors import InvalidError

MAX_PLACES: Final = 400
MAX_REPEAT: Final = 100
MAX_SPANS: Final = 100
"""Matches reported of one line; a line with more has been found anyway."""
_MAX_DEPTH: Final = 20
_MAX_REMEMBERED: Final = 20_000
_MAX_TRIES: Final = 20_000
"""Characters looked at beyond a line's length to tell where its matches begin."""

Test = Callable[[str], bool]


def is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_CLASSES: Final[dict[str, Test]] = {
    "d": str.isdecimal,
    "w": is_word,
    "s": str.isspace,
    "D": lambda char: not char.isdecimal(),
    "W": lambda char: not is_word(char),
    "S": lambda char: not char.isspace(),
}
_ESCAPES: Final[dict[str, str]] = {"t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_START: Final = "^"
_END: Final = "$"


class PatternError(InvalidError):
    """An expression that is broken, or asks for what cannot be done in one pass."""

    def __init__(self, message: str) -> None:
        super().__init__(f"the regular expression {message}", field="q")


@dataclass(slots=True)
class _Place:
    """Where a match may be: behind it a character is tested, or it leads on at once."""

    test: Test | None = None
    anchor: str = ""
    following: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    """A set of places, and where each character leads from it."""

    places: frozenset[int]
    accepts: bool
    accepts_at_end: bool
    after: dict[str, "_State"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the expression: where it begins, and the places that lead out of it."""

    first: int
    ends: tuple[int, ...]


class Pattern:
    """One compiled expression. Not for several threads at once.

    `work` counts what was done, in steps that all take about as long.
    """

    def __init__(self, expression: str, *, case: bool) -> None:
        self._fold = not case
        self._places = _Compiler(expression, fold=not case)
        self.work = 0
        self._forget()

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return where the expression matches: leftmost, then longest, never empty."""
        text = _lowered(line) if self._fold else line
        self.work += len(text) + 1
        if not self._matches(text):
            return []
        found: list[tuple[int, int]] = []
        at, tries = 0, 0
        while at < len(text) and len(found) < MAX_SPANS:
            end, looked = self._longest(text, at)
            tries += looked
            if end > at:
                found.append((at, end))
            at = max(end, at + 1)
            if tries > _MAX_TRIES + len(text):
                # It matches, and saying exactly where would take too long: the rest, then.
                found.append((at, len(text)))
                break
        self.work += tries
        return [span for span in found if span[0] < span[1]]

    def _matches(self, text: str) -> bool:
        state = self._searching
        if state.accepts:
            return True
        for char in text:
            following = state.after.get(char)
            state = self._step(state, char, again=True) if following is None else following
            if state.accepts:
                return True
        return state.accepts_at_end

    def _longest(self, text: str, start: int) -> tuple[int, int]:
        state = self._at_start if start == 0 else self._inside
        end = start
        at = start
        while at < len(text) and state.places:
            char = text[at]
            following = state.after.get(char)
            state = self._step(state, char, again=False) if following is None else following
            at += 1
            if state.accepts:
                end = at
        if at == len(text) and state.accepts_at_end:
            end = at
        return end, at - start + 1

    def _step(self, state: _State, char: str, *, again: bool) -> _State:
        """Work out where a character leads, and remember it."""
        places = self._places.items
        reached: set[int] = set()
        for place in state.places:
            test = places[place].test
            if test is not None and test(char):
                reached.update(places[place].following)
        self.work += len(state.places)
        if again:
            reached.add(self._places.first)
        following = self._state(self._closure(reached, anchors=""), again=again)
        self._remembered += 1
        if self._remembered > _MAX_REMEMBERED:
            self._forget()
        state.after[char] = following
        return following

    def _closure(self, entered: Iterable[int], *, anchors: str) -> frozenset[int]:
        """Add every place that is reached without a character."""
        places = self._places.items
        found: set[int] = set()
        waiting = list(entered)
        while waiting:
            place = waiting.pop()
            if place in found:
                continue
            found.add(place)
            one = places[place]
            if one.test is None and (not one.anchor or one.anchor in anchors):
                waiting.extend(one.following)
        return frozenset(found)

    def _state(self, places: frozenset[int], *, again: bool) -> _State:
        known = self._known.get((places, again))
        if known is None:
            last = self._places.last
            at_end = last in places or last in self._closure(places, anchors=_END)
            known = _State(places, last in places, at_end)
            self._known[places, again] = known
        return known

    def _forget(self) -> None:
        self._known: dict[tuple[frozenset[int], bool], _State] = {}
        self._remembered = 0
        first = [self._places.first]
        beginning = self._closure(first, anchors=_START)
        self._searching = self._state(beginning, again=True)
        self._at_start = self._state(beginning, again=False)
        self._inside = self._state(self._closure(first, anchors=""), again=False)


class _Compiler:
    """From an expression to its places. `first` is where matches begin, `last` where they end."""

    def __init__(self, expression: str, *, fold: bool) -> None:
        self._text = expression
        self._at = 0
        self._depth = 0
        self._fold = fold
        self.items: list[_Place] = []
        part = self._alternatives()
        if self._at < len(expression):
            raise PatternError(f"has a ) too many, at character {self._at + 1}")
        self.first: Final = part.first
        self.last: Final = self._add()
        self._lead(part.ends, self.last)

    def _add(self, test: Test | None = None, anchor: str = "") -> int:
        if len(self.items) >= MAX_PLACES:
            raise PatternError("is too large; say it with less repetition")
        self.items.append(_Place(test, anchor))
        return len(self.items) - 1

    def _lead(self, ends: Iterable[int], to: int) -> None:
        for end in ends:
            self.items[end].following.append(to)

    def _next(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else ""

    def _take(self, expected: str) -> bool:
        if not self._text.startswith(expected, self._at):
            return False
        self._at += len(expected)
        return True

    def _alternatives(self) -> _Part:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        if len(parts) == 1:
            return parts[0]
        fork = self._add()
        self.items[fork].following.extend(part.first for part in parts)
        return _Part(fork, tuple(end for part in parts for end in part.ends))

    def _sequence(self) -> _Part:
        start = self._add()
        ends: tuple[int, ...] = (start,)
        while self._next() not in ("", "|", ")"):
            begin = self._at
            part = self._repeated(self._atom(), begin)
            self._lead(ends, part.first)
            ends = part.ends
        return _Part(start, ends)

    def _atom(self) -> _Part:
        char = self._next()
        if char in ("*", "+", "?", "{"):
            raise PatternError(f"repeats nothing, at character {self._at + 1}")
        self._at += 1
        if char == "(":
            return self._group()
        if char in (_START, _END):
            return self._single(self._add(anchor=char))
        return self._single(self._add(self._test(char)))

    def _single(self, place: int) -> _Part:
        return _Part(place, (place,))

    def _group(self) -> _Part:
        if self._next() == "?" and not self._take("?:"):
            raise PatternError("uses (?…), of which only (?:…) is understood")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise PatternError("is nested too deeply")
        part = self._alternatives()
        self._depth -= 1
        if not self._take(")"):
            raise PatternError("lacks a )")
        return part

    def _test(self, char: str) -> Test:
        if char == ".":
            return lambda _char: True
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        return _is_char(char.lower() if self._fold else char)

    def _escape(self) -> Test:
        char = self._next()
        self._at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _ESCAPES:
            return _is_char(_ESCAPES[char])
        if not char or char.isalnum():
            raise PatternError(f"uses \\{char}, which is not understood")
        return _is_char(char)

    def _set(self) -> Test:
        negated = self._take("^")
        tests: list[Test] = []
        while True:
            if self._at >= len(self._text):
                raise PatternError("lacks a ]")
            if tests and self._take("]"):
                break
            tests.append(self._member())
        if negated:
            return lambda char: not any(test(char) for test in tests)
        return lambda char: any(test(char) for test in tests)

    def _member(self) -> Test:
        low = self._next()
        self._at += 1
        if low == "\\":
            return self._escape()
        rest = self._text[self._at : self._at + 2]
        if len(rest) < 2 or rest[0] != "-" or rest[1] in ("]", "\\"):
            return _is_char(low.lower() if self._fold else low)
        high = rest[1]
        self._at += 2
        if high < low:
            raise PatternError(f"has a range from {low} back to {high}")
        if self._fold:
            return lambda char: low <= char <= high or low <= char.upper() <= high
        return lambda char: low <= char <= high

    def _repeated(self, part: _Part, begin: int) -> _Part:
        end = self._at
        times = self._times()
        if times is None:
            return part
        least, most = times
        if self._next() and self._next() in "*+?{":
            raise PatternError("repeats a repetition; put it in parentheses")
        after = self._at
        parts = [part]
        for _ in range(1, least if most is None else most):
            self._at = begin
            parts.append(self._atom())
            assert self._at == end
        self._at = after
        return self._chain(parts, least, endless=most is None)

    def _chain(self, parts: list[_Part], least: int, *, endless: bool) -> _Part:
        start, out = self._add(), self._add()
        ends: tuple[int, ...] = (start,)
        for number, part in enumerate(parts):
            if number >= least:
                self._lead(ends, out)
            self._lead(ends, part.first)
            ends = part.ends
        if endless:
            self._lead(ends, parts[-1].first)
        self._lead(ends, out)
        return _Part(start, (out,))

    def _times(self) -> tuple[int, int | None] | None:
        """Read a repetition: least and most, None for no bound; None where there is none."""
        for sign, times in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return times
        if not self._take("{"):
            return None
        close = self._text.find("}", self._at)
        low, comma, high = self._text[self._at : max(close, self._at)].partition(",")
        self._at = close + 1
        if close < 0 or not _is_number(low) or not (high == "" or _is_number(high)):
            raise PatternError("has a { that is no repetition; write \\{ for the character")
        least = int(low)
        most = least if not comma else int(high) if high else None
        if most == 0 or (most is not None and most < least):
            raise PatternError(f"repeats from {least} to {most} times")
        if max(least, most or 0) > MAX_REPEAT:
            raise PatternError(f"repeats more than {MAX_REPEAT} times")
        return least, most


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 6


def _is_char(wanted: str) -> Test:
    return lambda char: char == wanted


def _lowered(line: str) -> str:
    """Lower a line without moving its columns: a few letters become two when lowered."""
    lowered = line.lower()
    if len(lowered) == len(line):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in line)
