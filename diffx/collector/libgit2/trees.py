"""Compare tree objects with the index, and with each other, entering only what differs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from diffx.errors import FailedError
from diffx.review.model import GitPath

TREE_MODE: Final = "040000"


class Node(NamedTuple):
    """A mode as git prints it, and an object id."""

    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One path that differs; None is an absent side."""

    path: GitPath
    old: Node | None
    new: Node | None


@dataclass(frozen=True, slots=True)
class Folder:
    """What one folder holds on the new side. `tree` is its tree object where that is known."""

    files: Mapping[bytes, Node]
    folders: frozenset[bytes]
    tree: str | None = None


_NOTHING: Final = Folder({}, frozenset())

ReadTree = Callable[[str], bytes]


class DamagedTreeError(FailedError):
    """A tree object is not what git writes."""


def parse_tree(data: bytes) -> dict[bytes, Node]:
    """Read a tree object."""
    found: dict[bytes, Node] = {}
    at = 0
    try:
        while at < len(data):
            space = data.index(b" ", at)
            end = data.index(b"\0", space)
            mode = _canonical(int(data[at:space], 8))
            found[data[space + 1 : end]] = Node(mode, data[end + 1 : end + 21].hex())
            at = end + 21
    except ValueError as error:
        raise DamagedTreeError("the repository has a damaged tree; run `git fsck`") from error
    return found


def _canonical(mode: int) -> str:
    """Return the mode that git makes of what old tools stored (cache.h, canon_mode)."""
    kind = mode & 0o170000
    if kind == 0o100000:
        return "100755" if mode & 0o100 else "100644"
    return {0o120000: "120000", 0o040000: TREE_MODE}.get(kind, "160000")


class TreeSide:
    """A tree object as the new side of a comparison."""

    def __init__(self, read: ReadTree, tree: str | None) -> None:
        self._read = read
        self._trees = {b"": tree}

    def folder(self, path: bytes) -> Folder:
        """Return a folder; those above it were asked for before."""
        tree = self._trees[path]
        if tree is None:
            return _NOTHING
        nodes = parse_tree(self._read(tree))
        folders = {name: node.oid for name, node in nodes.items() if node.mode == TREE_MODE}
        self._trees.update({path + name + b"/": oid for name, oid in folders.items()})
        files = {name: node for name, node in nodes.items() if node.mode != TREE_MODE}
        return Folder(files, frozenset(folders), tree)


def compare_tree(
    read: ReadTree, tree: str | None, folder_of: Callable[[bytes], Folder]
) -> list[Difference]:
    """Return what differs between a tree and the new side, in path order.

    `folder_of` gives the new side's folder by its path (with a trailing slash, b"" the top).
    """
    found: list[Difference] = []
    pending: list[tuple[bytes, str | None, Folder]] = [(b"", tree, folder_of(b""))]
    while pending:
        path, old_tree, new = pending.pop()
        if old_tree is not None and old_tree == new.tree:
            continue
        old = parse_tree(read(old_tree)) if old_tree is not None else {}
        found += _files(path, old, new)
        for name in {name for name in old if old[name].mode == TREE_MODE} | new.folders:
            node = old.get(name)
            inner = path + name + b"/"
            below = folder_of(inner) if name in new.folders else _NOTHING
            is_tree = node is not None and node.mode == TREE_MODE
            pending.append((inner, node.oid if node and is_tree else None, below))
    return sorted(found, key=lambda one: one.path)


def _files(folder: bytes, old: Mapping[bytes, Node], new: Folder) -> Iterator[Difference]:
    for name, node in old.items():
        if node.mode != TREE_MODE and new.files.get(name) != node:
            yield Difference(GitPath(folder + name), node, new.files.get(name))
    for name, node in new.files.items():
        before = old.get(name)
        if before is None or before.mode == TREE_MODE:
            yield Difference(GitPath(folder + name), None, node)
