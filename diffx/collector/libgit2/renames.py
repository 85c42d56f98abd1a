"""Pair deleted with added files as git's diffcore-rename.c does, within a bounded search (2.7)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from diffx.review.model import GitPath

MAX_PAIRS: Final = 40_000
"""How many pairs are compared by content; beyond it only exact and same-name pairs are found."""

_MAX_SCORE: Final = 60_000
_MINIMUM: Final = 30_000
_MINIMUM_BY_NAME: Final = 45_000
_CANDIDATES: Final = 4
_MAX_SEEN: Final = 1000
_REGULAR: Final = "100"
_CHUNK: Final = re.compile(rb"[^\n]{64}|[^\n]{0,63}\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Lone:
    """A file that exists on one side only."""

    path: GitPath
    mode: str
    oid: str

    @property
    def name(self) -> bytes:
        return self.path.rpartition(b"/")[2]


@dataclass(frozen=True, slots=True)
class Pairs:
    """For each new path its old one and the similarity in percent; `limited` if the search was cut."""

    found: Mapping[GitPath, tuple[GitPath, int]]
    limited: bool = False


def pair_renames(
    sources: Sequence[Lone],
    targets: Sequence[Lone],
    content: Callable[[Lone], tuple[bytes, bool] | None],
) -> Pairs:
    """Pair each target with at most one source; both come in path order.

    `content` returns what is compared and whether it is text; None where it cannot be had.
    """
    search = _Search(list(sources), list(targets), content)
    search.exact()
    if search.sources and search.targets:
        search.by_name()
    limited = len(search.sources) * len(search.targets) > MAX_PAIRS
    if search.sources and search.targets and not limited:
        search.by_content()
    return Pairs(search.found, limited)


class _Search:
    def __init__(
        self,
        sources: list[Lone],
        targets: list[Lone],
        content: Callable[[Lone], tuple[bytes, bool] | None],
    ) -> None:
        self.sources = sources
        self.targets = targets
        self.found: dict[GitPath, tuple[GitPath, int]] = {}
        self._content = content
        self._seen: dict[GitPath, _Measured | None] = {}

    def _take(self, source: Lone, target: Lone, score: int) -> None:
        self.found[target.path] = (source.path, score * 100 // _MAX_SCORE)

    def _drop_paired(self, used: set[GitPath]) -> None:
        self.sources = [source for source in self.sources if source.path not in used]
        self.targets = [target for target in self.targets if target.path not in self.found]
        self._seen = {}

    def exact(self) -> None:
        """Pair equal contents, first those that keep their name."""
        by_oid: dict[str, list[Lone]] = {}
        for source in self.sources:
            by_oid.setdefault(source.oid, []).append(source)
        used: set[GitPath] = set()
        for target in self.targets:
            fit = [
                source
                for source in by_oid.get(target.oid, ())
                if source.path not in used and _may_pair(source, target)
            ]
            if fit:
                same_name = (source for source in fit if source.name == target.name)
                source = next(same_name, fit[0])
                used.add(source.path)
                self._take(source, target, _MAX_SCORE)
        self._drop_paired(used)

    def by_name(self) -> None:
        """Pair files whose name is the only one of its kind on both sides."""
        from_name = _unique(self.sources)
        to_name = _unique(self.targets)
        used: set[GitPath] = set()
        for source in self.sources:
            target = to_name.get(source.name)
            if target is None or from_name.get(source.name) is None:
                continue
            score = self._score(source, target)
            if score >= _MINIMUM_BY_NAME:
                used.add(source.path)
                self._take(source, target, score)
        self._drop_paired(used)

    def by_content(self) -> None:
        """Compare every pair left; the best go first, each file once."""
        candidates: list[tuple[int, bool, Lone, Lone]] = []
        for target in self.targets:
            candidates += self._best_for(target)
        # Stable, as git's sort is: ties stay in the order of the targets.
        candidates.sort(key=lambda one: (one[0], one[1]), reverse=True)
        used: set[GitPath] = set()
        for score, _, source, target in candidates:
            if score < _MINIMUM:
                break
            if target.path not in self.found and source.path not in used:
                used.add(source.path)
                self._take(source, target, score)

    def _best_for(self, target: Lone) -> list[tuple[int, bool, Lone, Lone]]:
        """Keep the four best sources in git's places: each newcomer replaces the worst."""
        best: list[tuple[int, bool, Lone, Lone] | None] = [None] * _CANDIDATES
        for source in self.sources:
            score = self._score(source, target)
            this = (score, source.name == target.name, source, target)
            worst = 0
            for place in range(1, _CANDIDATES):
                if _rank(best[place]) < _rank(best[worst]):
                    worst = place
            if _rank(this) > _rank(best[worst]):
                best[worst] = this
        return [one for one in best if one is not None]

    def _score(self, source: Lone, target: Lone) -> int:
        if not (source.mode.startswith(_REGULAR) and target.mode.startswith(_REGULAR)):
            return 0
        one, other = self._measured(source), self._measured(target)
        if one is None or other is None:
            return 0
        largest, smallest = max(one.size, other.size), min(one.size, other.size)
        # Too different in size to be similar: the files need not be compared.
        if largest * (_MAX_SCORE - _MINIMUM) < (largest - smallest) * _MAX_SCORE or not largest:
            return 0
        fewer, more = sorted((one.chunks, other.chunks), key=len)
        copied = sum(
            min(count, more[chunk]) * len(chunk) for chunk, count in fewer.items() if chunk in more
        )
        return copied * _MAX_SCORE // largest

    def _measured(self, file: Lone) -> "_Measured | None":
        if file.path not in self._seen:
            if len(self._seen) >= _MAX_SEEN:
                self._seen.clear()
            found = self._content(file)
            self._seen[file.path] = (
                None if found is None else _Measured(len(found[0]), Counter(_chunks(*found)))
            )
        return self._seen[file.path]


class _Measured(NamedTuple):
    """A file's size, and how often each of its chunks occurs."""

    size: int
    chunks: Counter[bytes]


def _chunks(data: bytes, is_text: bool) -> Iterable[bytes]:
    """Cut content as diffcore-delta.c does: lines, in pieces of 64 bytes, CRLF of text as LF."""
    return _CHUNK.findall(data.replace(b"\r\n", b"\n") if is_text else data)


def _may_pair(source: Lone, target: Lone) -> bool:
    both_regular = source.mode.startswith(_REGULAR) and target.mode.startswith(_REGULAR)
    return both_regular or source.mode == target.mode


def _unique(files: Sequence[Lone]) -> dict[bytes, Lone]:
    counts = Counter(file.name for file in files)
    return {file.name: file for file in files if counts[file.name] == 1}


def _rank(candidate: tuple[int, bool, Lone, Lone] | None) -> tuple[int, bool]:
    return (-1, False) if candidate is None else candidate[:2]
