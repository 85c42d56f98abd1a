"""One walk without git: the index, two trees and the files, joined into a Survey (2.4).

Never a tree against the working tree: that would hash every file. What differs between base and
index, and between index and files, together say what `all` is.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from diffx.collector.gitexe.output import MAX_HELD_BYTES
from diffx.collector.libgit2.files import GITLINK, Files, Objects, Side, WorkSide
from diffx.collector.libgit2.indexfile import IndexEntry
from diffx.collector.libgit2.indexview import IndexView
from diffx.collector.libgit2.patchtext import write_patch
from diffx.collector.libgit2.renames import Lone, pair_renames
from diffx.collector.libgit2.trees import Difference, Node
from diffx.collector.repository import Change, PatchText
from diffx.review.model import GitPath, Status

Checkpoint = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Pair:
    """One path that differs in one scope; None is an absent side."""

    path: GitPath
    old: Side | None
    new: Side | None
    old_path: GitPath | None = None
    similarity: int | None = None
    conflict: bool = False

    @property
    def status(self) -> Status:
        if self.conflict:
            return "U"
        if self.old_path is not None:
            return "R"
        if self.old is None:
            return "A"
        if self.new is None:
            return "D"
        return "M" if self.old.mode[:3] == self.new.mode[:3] else "T"


Work = Mapping[GitPath, WorkSide | None]
"""The working tree's side of each path that is not as the index has it."""


def staged_pairs(view: IndexView, differences: Sequence[Difference]) -> list[Pair]:
    """Return HEAD against the index, without what is in conflict."""
    return [
        Pair(one.path, one.old, one.new) for one in differences if one.path not in view.conflicts
    ]


def unstaged_pairs(view: IndexView, work: Work) -> list[Pair]:
    """Return the index against the files; a conflict is compared with our side (stage 2)."""
    pairs = []
    for path, new in sorted(work.items()):
        entry = view.entries.get(path)
        if entry is None:
            entry = view.conflicts[path].get(2)
        # An intended file is new; one that is gone again is deleted, though it never was there.
        is_new = entry is None or (entry.intent_to_add and new is not None)
        old = None if entry is None or is_new else _node(entry)
        if (old is not None or new is not None) and not _is_same(old, new):
            if path in view.conflicts and old is None:
                continue  # nothing to compare with: only the mark remains
            pairs.append(Pair(path, old, new, conflict=path in view.conflicts))
    return pairs


def all_pairs(
    view: IndexView,
    differences: Sequence[Difference],
    work: Work,
    pinned: frozenset[GitPath] = frozenset(),
) -> list[Pair]:
    """Return the base against the files.

    A file that is only intended is no part of the index, but one that git does not look at is
    what the index has for it: an empty file.
    """
    based = {one.path: one for one in differences}
    intended = {path for path in pinned if view.entries[path].intent_to_add}
    pairs: list[Pair] = []
    for path in sorted(based.keys() | work.keys() | intended):
        one = based.get(path)
        entry = view.entries.get(path)
        if one is not None:
            old: Node | None = one.old
        else:
            old = None if entry is None or entry.intent_to_add else _node(entry)
        new: Side | None = work.get(path, one.new if one is not None else None)
        if path in intended:
            new = _node(view.entries[path])
        if (old is not None or new is not None) and not _is_same(old, new):
            pairs.append(Pair(path, old, new))
    return pairs


def _node(entry: IndexEntry) -> Node:
    return Node(f"{entry.mode:06o}", entry.oid)


def _is_same(old: Side | None, new: Side | None) -> bool:
    if old is None or new is None:
        return False
    return old.mode == new.mode and old.oid is not None and old.oid == new.oid


class Changes:
    """Turns pairs into Changes: renames found, every patch made once and shared by the scopes."""

    def __init__(self, files: Files, objects: Objects, checkpoint: Checkpoint) -> None:
        self._files = files
        self._objects = objects
        self._checkpoint = checkpoint
        self._made: dict[Change, PatchText | None] = {}
        self._held = 0
        self._largest: list[tuple[int, int, Change]] = []

    def with_renames(self, pairs: Sequence[Pair]) -> tuple[list[Pair], bool]:
        """Join deletions and additions that are one file; say whether the search was cut."""
        lone = [pair for pair in pairs if not pair.conflict]
        gone = {pair.path: pair for pair in lone if _is_rename_end(pair.old, pair.new)}
        come = {pair.path: pair for pair in lone if _is_rename_end(pair.new, pair.old)}
        if not gone or not come:
            return list(pairs), False
        sides = {path: pair.old for path, pair in gone.items()}
        sides |= {path: pair.new for path, pair in come.items()}

        def content(file: Lone) -> tuple[bytes, bool] | None:
            self._checkpoint()
            side = sides[file.path]
            data = None if side is None else self._files.content(file.path, side)
            return None if data is None else (data, self._files.is_text(file.path, data))

        found = pair_renames(_lone(gone, sides), _lone(come, sides), content)
        sources = {source for source, _ in found.found.values()}
        joined = []
        for pair in pairs:
            if pair.path in found.found:
                source, similarity = found.found[pair.path]
                pair = replace(pair, old=gone[source].old, old_path=source, similarity=similarity)
            if pair.path not in sources or pair.path in found.found:
                joined.append(pair)
        return joined, found.limited

    def make(self, pairs: Sequence[Pair]) -> list[Change]:
        """Return the pairs as Changes, their patches made; `settle` gives the final ones."""
        return [self._change(pair) for pair in pairs]

    def settle(self, changes: Sequence[Change]) -> list[Change]:
        """Put the patches in, once all scopes were made and memory has been bounded."""
        return [
            change._replace(patch=self._made[change]) if change in self._made else change
            for change in changes
        ]

    def _change(self, pair: Pair) -> Change:
        self._checkpoint()
        change = Change(
            path=pair.path,
            status=pair.status,
            old_path=pair.old_path,
            old_mode=pair.old.mode if pair.old else None,
            new_mode=pair.new.mode if pair.new else None,
            old_oid=pair.old.oid if pair.old else None,
            new_oid=pair.new.oid if pair.new else None,
            trouble=pair.new.trouble if isinstance(pair.new, WorkSide) else None,
        )
        if change.trouble is not None:
            return change
        return self._with_patch(pair, change)

    def _with_patch(self, pair: Pair, change: Change) -> Change:
        if change not in self._made:
            old_path = pair.old_path or pair.path
            old = self._files.patch_side(old_path, pair.old) if pair.old else None
            new = self._files.patch_side(pair.path, pair.new) if pair.new else None
            if (pair.old and old is None) or (pair.new and new is None):
                # A moving file has no content now; an object that is missing was never fetched.
                absent = isinstance(pair.old, Node) and old is None
                absent = absent or (isinstance(pair.new, Node) and new is None)
                return change._replace(trouble="not-fetched" if absent else None, new_oid=None)
            patch = write_patch(old, new, self._objects.hunks, similarity=pair.similarity)
            change = change._replace(new_oid=new.oid if new else None)
            self._hold(change, patch)
        return change

    def _hold(self, change: Change, patch: PatchText | None) -> None:
        """Keep within memory by giving up the largest texts; the budget would not take them."""
        if change in self._made:
            return
        self._made[change] = patch
        if patch is None or patch.text is None:
            return
        self._held += patch.size
        heapq.heappush(self._largest, (-patch.size, len(self._made), change))
        while self._held > MAX_HELD_BYTES:
            size, _, given_up = heapq.heappop(self._largest)
            self._held += size
            self._made[given_up] = _counted(self._made[given_up])


def _counted(patch: PatchText | None) -> PatchText | None:
    if patch is None or patch.text is None:
        return patch
    hunks = patch.text[patch.text.find(b"\n@@ ") :]
    return patch._replace(
        text=None,
        additions=None if patch.binary else hunks.count(b"\n+"),
        deletions=None if patch.binary else hunks.count(b"\n-"),
    )


def _is_rename_end(here: Side | None, there: Side | None) -> bool:
    if here is None or here.oid is None or there is not None:
        return False
    # git compares a submodule's checkout as the line that stands for it, and finds nothing like it.
    return not (isinstance(here, WorkSide) and here.mode == GITLINK)


def _lone(pairs: Mapping[GitPath, Pair], sides: Mapping[GitPath, Side | None]) -> list[Lone]:
    found = []
    for path in pairs:
        side = sides[path]
        if side is not None and side.oid is not None:
            found.append(Lone(path, side.mode, side.oid))
    return found
