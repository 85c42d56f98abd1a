"""The iterations of a review: which there are, what changed between two, which are finished (9)."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from diffx.clock import Clock
from diffx.records import ComparisonInput, FileMissingError, IterationRecord
from diffx.review.comments import Verdict, check_body
from diffx.review.compare import COMPARE_STEPS, Contents, compare_each
from diffx.review.compared import Compared, ComparedFile, collect
from diffx.review.model import ContextId, FileId, Millis, OwnerId, Scope
from diffx.services.changes import Change, Changes
from diffx.services.once import Once

LIGHT_BYTES: Final = 256 << 10
"""Texts to compare beyond which it is done in another process."""
LIGHT_STEPS: Final = 400_000  # some tenths of a second, whatever the texts are like
_CACHED: Final = 16
_CACHED_BYTES: Final = 64 << 20

Heavy = Callable[[Callable[[ComparisonInput], Compared], ComparisonInput], Compared]
"""Runs a task away from the serving process."""


class IterationStore(Protocol):
    """What iterations need from storage; errors are those of reading a context."""

    def iterations(
        self, owner: OwnerId, context: ContextId, now: Millis
    ) -> tuple[IterationRecord, ...]: ...

    def comparison_key(
        self, owner: OwnerId, contexts: tuple[ContextId, ContextId], scope: Scope, now: Millis
    ) -> str: ...

    def comparison(
        self, owner: OwnerId, contexts: tuple[ContextId, ContextId], scope: Scope, now: Millis
    ) -> ComparisonInput: ...

    def finish(
        self,
        owner: OwnerId,
        context: ContextId,
        verdict: Verdict,
        summary: str | None,
        now: Millis,
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamView:
    """A stream's iterations, oldest first, and the two that are compared by default (9.3).

    `since` is None where the account finished none, or finished the latest.
    """

    iterations: tuple[IterationRecord, ...]
    since: ContextId | None

    @property
    def latest(self) -> ContextId | None:
        return self.iterations[-1].context if self.iterations else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Iterations:
    """Compare what is stored; heavy comparisons run elsewhere, once for each pair of contents."""

    store: IterationStore
    changes: Changes
    now: Clock
    heavy: Heavy
    cache: "ComparisonCache" = field(default_factory=lambda: ComparisonCache())
    once: Once[Compared] = field(default_factory=Once)

    def list(self, owner: OwnerId, context: ContextId) -> StreamView:
        found = self.store.iterations(owner, context, self.now())
        finished = [each.context for each in found if each.verdicts]
        since = finished[-1] if finished and finished[-1] != found[-1].context else None
        return StreamView(iterations=found, since=since)

    def compare(
        self, owner: OwnerId, old: ContextId, new: ContextId, scope: Scope
    ) -> tuple[str, Compared]:
        """Say what became of every file, with the name of this result (9.1).

        Whoever asks for a comparison that is being made gets that one.
        """
        key = self.key(owner, old, new, scope)
        known = self.cache.get(key)
        if known is None:
            asked = (owner, old, new, scope)  # a failure names contexts, so nobody else's
            known = self.once.make(asked, lambda: self._compare(owner, (old, new), scope))
        return key, known

    def _compare(
        self, owner: OwnerId, contexts: tuple[ContextId, ContextId], scope: Scope
    ) -> Compared:
        given = self.store.comparison(owner, contexts, scope, self.now())
        known = self.cache.get(given.key)  # it may have been finished a moment ago
        if known is not None:
            return known
        if _size(given) <= LIGHT_BYTES:
            found = compare_input(given, steps=LIGHT_STEPS)
        else:
            found = self.heavy(compare_input, given)
        self.cache.put(given.key, found)
        return found

    def key(self, owner: OwnerId, old: ContextId, new: ContextId, scope: Scope) -> str:
        """Name a comparison: equal names mean equal results, for as long as both are there."""
        return self.store.comparison_key(owner, (old, new), scope, self.now())

    def compare_file(
        self, owner: OwnerId, old: ContextId, new: ContextId, scope: Scope, file: FileId
    ) -> tuple[str, ComparedFile]:
        """Say what became of one file, by its id in the new context, else in the old."""
        key, (found,) = self.compare_files(owner, old, new, scope, (file,))
        return key, found

    def compare_files(
        self,
        owner: OwnerId,
        old: ContextId,
        new: ContextId,
        scope: Scope,
        files: Sequence[FileId],
    ) -> tuple[str, tuple[ComparedFile, ...]]:
        """Say what became of some files, in the order in which they are asked for."""
        key, found = self.compare(owner, old, new, scope)
        there = {each.id: each for each in found.files}
        for file in files:
            if file not in there:
                raise FileMissingError(f"neither context has a file {file} in scope {scope}")
        return key, tuple(there[file] for file in files)

    def finish(
        self, owner: OwnerId, context: ContextId, verdict: Verdict, summary: str | None
    ) -> None:
        """Record a finished review; the next comparison starts from this context (9.3)."""
        said = None if summary is None or not summary.strip() else check_body(summary, "summary")
        self.store.finish(owner, context, verdict, said, self.now())
        self.changes.announce(Change(kind="review", owner=owner, context=context))


class ComparisonCache:
    """The last comparisons, by what was compared; nothing in it belongs to an owner."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Compared, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Compared | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: str, comparison: Compared) -> None:
        size = comparison.room
        with self._lock:
            if key in self._kept or size > _CACHED_BYTES:
                return
            self._kept[key] = (comparison, size)
            self._bytes += size
            while len(self._kept) > _CACHED or self._bytes > _CACHED_BYTES:
                _, (_, freed) = self._kept.popitem(last=False)
                self._bytes -= freed


def compare_input(given: ComparisonInput, *, steps: int = COMPARE_STEPS) -> Compared:
    """Compare what storage read; a function of a module, so that another process can do it."""
    files = compare_each(given.pairs, given.old, given.new, same_base=given.same_base, steps=steps)
    return collect(files, same_base=given.same_base)


def _size(given: ComparisonInput) -> int:
    """Return how much text there is to compare."""
    return sum(
        _text_size(contents) for side in (given.old, given.new) for contents in side.values()
    )


def _text_size(contents: Contents) -> int:
    sides = (contents.before, contents.after)
    return sum(len(side.text) for side in sides if side is not None and side.text is not None)
