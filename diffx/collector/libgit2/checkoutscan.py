"""Walk a checkout's files once: the stamps of tracked ones, and what is untracked (2.8).

The same decisions as git's dir.c, made here because libgit2's ignore rules differ from git's.
"""

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from diffx.collector.contents.worktree import Entry, Stamp, Worktree
from diffx.collector.enrolment.metadata import read_bounded
from diffx.collector.rules.ignores import Ignores, parse_ignores
from diffx.review.model import GitPath

_IGNORE_FILE: Final = b".gitignore"
_MAX_RULES_BYTES: Final = 16 << 20
_GIT: Final = b".git"


@dataclass(slots=True)
class Scan:
    """What one walk saw. A tracked path that is not in `stamps` is not there."""

    stamps: dict[GitPath, Stamp] = field(default_factory=dict)
    untracked: list[GitPath] = field(default_factory=list)
    nested: list[GitPath] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tracked:
    """The index's names by folder: b"" is the top, others end in a slash."""

    names: Mapping[bytes, Mapping[bytes, str]]
    """Folder to name to mode (of any stage)."""
    folders: frozenset[bytes]
    """Every folder that has something tracked below it."""
    folded: frozenset[bytes] | None = None
    """Lower-case paths, under core.ignoreCase."""
    stored_rules: Callable[[GitPath], bytes | None] = lambda path: None
    """The content of a .gitignore that the index has and, being pinned, the disk need not."""


_NONE: Final[Mapping[bytes, str]] = {}


def scan(
    top: Path,
    worktree: Worktree,
    tracked: Tracked,
    rules: Ignores,
    checkpoint: Callable[[], None],
) -> Scan:
    """Walk the checkout; `rules` are those that hold above every .gitignore."""
    walk = _Walk(top, worktree, tracked, checkpoint)
    walk.run(rules)
    walk.found.untracked.sort()
    walk.found.nested.sort()
    return walk.found


class _Walk:
    def __init__(
        self, top: Path, worktree: Worktree, tracked: Tracked, checkpoint: Callable[[], None]
    ) -> None:
        self.found = Scan()
        self._top = top
        self._worktree = worktree
        self._tracked = tracked
        self._checkpoint = checkpoint
        self._fold = tracked.folded is not None
        self._pending: list[tuple[GitPath, Ignores, bool]] = []

    def run(self, rules: Ignores) -> None:
        self._pending.append((GitPath(b""), rules, False))
        while self._pending:
            self._checkpoint()
            folder, above, hidden = self._pending.pop()
            self._folder(folder, above, hidden=hidden)

    def _folder(self, folder: GitPath, rules: Ignores, *, hidden: bool) -> None:
        """Take one folder. In a hidden one, which is ignored, only what is tracked counts."""
        names = self._tracked.names.get(folder, _NONE)
        try:
            entries = list(self._worktree.entries(folder, names))
        except OSError:
            # git warns and goes on; files in a folder that may not be listed can still be there.
            self._stamp_each(folder, names)
            return
        if not hidden:
            is_there = any(entry.name == _IGNORE_FILE for entry in entries)
            rules = self._with_own(folder, rules, is_there=is_there)
        for entry in entries:
            if not self._is_git(entry.name):
                self._take(folder, entry, names, rules, hidden)

    def _with_own(self, folder: GitPath, rules: Ignores, *, is_there: bool) -> Ignores:
        path = GitPath(folder + _IGNORE_FILE)
        if not is_there:
            content = self._tracked.stored_rules(path)
        else:
            look = self._worktree.look(path, keep=_MAX_RULES_BYTES)
            content = look.data if look.kind == "regular" else None  # git follows no link here
        if content is None:
            return rules
        return rules.within(folder, parse_ignores(content, fold=self._fold))

    def _is_git(self, name: bytes) -> bool:
        return name == _GIT or (self._fold and name.lower() == _GIT)

    def _take(
        self,
        folder: GitPath,
        entry: Entry,
        names: Mapping[bytes, str],
        rules: Ignores,
        hidden: bool,
    ) -> None:
        path = GitPath(folder + entry.name)
        mode = names.get(entry.name)
        if entry.stamp is not None:
            self.found.stamps[path] = entry.stamp
        if entry.kind == "directory":
            if mode != "160000":
                self._take_folder(path, rules, hidden, is_tracked=mode is not None)
        elif mode is None and not hidden and entry.kind != "special":
            folded = self._tracked.folded
            known = folded is not None and path.lower() in folded
            if not known and not rules.hides(path, is_folder=False):
                self.found.untracked.append(path)

    def _take_folder(
        self, path: GitPath, rules: Ignores, hidden: bool, *, is_tracked: bool
    ) -> None:
        inside = GitPath(path + b"/")
        hidden = hidden or rules.hides(path, is_folder=True)
        if inside in self._tracked.folders:
            self._pending.append((inside, rules, hidden))
        elif hidden:
            return
        elif is_repository(self._top / os.fsdecode(path)):
            if not is_tracked:
                self.found.nested.append(path)
        else:
            self._pending.append((inside, rules, False))

    def _stamp_each(self, folder: GitPath, names: Mapping[bytes, str]) -> None:
        for name in names:
            path = GitPath(folder + name)
            found = self._worktree.stamp(path)
            if found is not None:
                self.found.stamps[path] = found
        for inner in self._tracked.folders:
            if inner and _parent(inner) == folder:
                self._pending.append((GitPath(inner), _NO_RULES, True))


_NO_RULES: Final = Ignores(b"", (), None)


def _parent(folder: bytes) -> bytes:
    above, slash, _ = folder[:-1].rpartition(b"/")
    return above + slash


def is_repository(folder: Path) -> bool:
    """Say whether git takes the folder for a repository of its own (setup.c).

    A `.git` that is neither a Git folder nor a file that leads to one makes no repository.
    """
    git = folder / ".git"
    try:
        found = git.stat()
        if stat.S_ISDIR(found.st_mode):
            return _is_git_folder(git)
        if not stat.S_ISREG(found.st_mode):
            return False
    except OSError:
        return False
    try:
        text = read_bounded(git)
    except OSError:
        return True  # a file that cannot be read: git would rather not look inside
    prefix, _, target = text.partition(b"gitdir: ")
    name = target.rstrip(b"\r\n")
    return not prefix and bool(name) and _is_git_folder(folder / os.fsdecode(name))


def _is_git_folder(git: Path) -> bool:
    try:
        if not _is_head(git / "HEAD"):
            return False
        common = git
        if (git / "commondir").exists():
            common = git / os.fsdecode(read_bounded(git / "commondir").rstrip(b"\r\n"))
        return all(os.access(common / name, os.X_OK) for name in ("objects", "refs"))
    except (OSError, ValueError):
        return False


def _is_head(head: Path) -> bool:
    if head.is_symlink():
        return str(head.readlink()).startswith("refs/")
    text = read_bounded(head)[:256]
    if text.startswith(b"ref:"):
        return text[4:].lstrip().startswith(b"refs/")
    oid = text[:40]
    return len(oid) == 40 and not oid.strip(b"0123456789abcdefABCDEF")
