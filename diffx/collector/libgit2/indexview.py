"""The index as a walk needs it: by path, by folder, and as the new side of a tree comparison."""

from collections.abc import Mapping
from typing import Final

from diffx.collector.libgit2.checkoutscan import Tracked
from diffx.collector.libgit2.indexfile import Index, IndexEntry
from diffx.collector.libgit2.trees import Folder, Node
from diffx.review.model import GitPath

CONFLICTS: Final[Mapping[frozenset[int], str]] = {
    frozenset({1}): "DD",
    frozenset({2}): "AU",
    frozenset({1, 2}): "UD",
    frozenset({3}): "UA",
    frozenset({1, 3}): "DU",
    frozenset({2, 3}): "AA",
    frozenset({1, 2, 3}): "UU",
}
_EMPTY: Final[Mapping[bytes, Node]] = {}


class IndexView:
    """Entries by path; conflicts apart, each with its stages."""

    def __init__(self, index: Index, *, fold: bool) -> None:
        self.entries: dict[GitPath, IndexEntry] = {}
        self.conflicts: dict[GitPath, dict[int, IndexEntry]] = {}
        self._trees = index.trees
        self._nodes: dict[bytes, dict[bytes, Node]] = {}
        self._folders: dict[bytes, set[bytes]] = {b"": set()}
        names: dict[bytes, dict[bytes, str]] = {}
        modes: dict[int, str] = {}
        for entry in index.entries:
            mode = modes.setdefault(entry.mode, f"{entry.mode:06o}")
            above, slash, name = entry.path.rpartition(b"/")
            folder = above + slash
            if folder not in names:
                names[folder] = {}
                self._nodes[folder] = {}
                self._add_folder(folder)
            names[folder][name] = mode
            if entry.stage:
                self.conflicts.setdefault(entry.path, {})[entry.stage] = entry
                continue
            self.entries[entry.path] = entry
            if not entry.intent_to_add:  # git's index does not have those yet
                self._nodes[folder][name] = Node(mode, entry.oid)
        folded = frozenset(path.lower() for path in self.entries) if fold else None
        self.tracked = Tracked(names, frozenset(self._folders), folded)

    def conflict_letters(self) -> dict[GitPath, str]:
        """Return git's two letters for each unmerged path."""
        return {path: CONFLICTS[frozenset(stages)] for path, stages in self.conflicts.items()}

    def folder(self, path: bytes) -> Folder:
        """Return what the index would write as this folder's tree."""
        return Folder(
            self._nodes.get(path, _EMPTY), frozenset(self._folders[path]), self._trees.get(path)
        )

    def _add_folder(self, folder: bytes) -> None:
        """Enter a folder, and those above it, into their parents."""
        while folder:
            above, slash, name = folder[:-1].rpartition(b"/")
            parent = above + slash
            self._folders.setdefault(folder, set())
            inside = self._folders.setdefault(parent, set())
            if name in inside:
                return
            inside.add(name)
            folder = parent
