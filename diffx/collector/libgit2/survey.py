"""A Survey without git: gather index, trees and files, and let `libgit2_walk` join them."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, Self

from diffx.collector.contents.worktree import Worktree
from diffx.collector.gitexe.indexbytes import index_stamp, read_index
from diffx.collector.libgit2.checkoutscan import Scan, is_repository, scan
from diffx.collector.libgit2.files import Files, FileSettings, Objects, WorkSide
from diffx.collector.libgit2.gitmodules import parse_gitmodules
from diffx.collector.libgit2.indexfile import IndexEntry, parse_index
from diffx.collector.libgit2.indexview import IndexView
from diffx.collector.libgit2.trees import Difference, Node, TreeSide, compare_tree
from diffx.collector.libgit2.walk import (
    Changes,
    Pair,
    all_pairs,
    staged_pairs,
    unstaged_pairs,
)
from diffx.collector.repository import Change, Layout, MovingError, SubmoduleState, Survey
from diffx.collector.rules.attributes import AttributeRules
from diffx.collector.rules.ignores import Ignores, parse_ignores
from diffx.errors import FailedError
from diffx.review.model import CommitId, GitPath, Scope

_MAX_DEPTH: Final = 8
_MAX_RULES_BYTES: Final = 16 << 20


class Lookup(Objects, Protocol):
    """What a walk asks of the repository that it walks."""

    layout: Layout
    settings: FileSettings
    filters: frozenset[str]
    ignore_rules: Mapping[str, str]
    """`submodule.<name>.ignore` of the configuration."""
    excludes: Sequence[bytes]
    """The contents of info/exclude and core.excludesFile, the one that counts first."""
    info_attributes: bytes | None

    def tree_of(self, commit: CommitId) -> str:
        """Return a commit's tree."""
        ...

    def head(self) -> CommitId | None:
        """Return HEAD's commit as it is now."""
        ...

    def checkpoint(self) -> None:
        """Raise when the collection has taken too long."""
        ...

    def dirt(self, folder: Path, depth: int) -> tuple[bool, bool]:
        """Return whether a submodule's checkout has modified, and untracked, content."""
        ...


class Libgit2Walk:
    """One walk; everything happens in `finish`, for nothing here runs beside anything."""

    def __init__(
        self, lookup: Lookup, root: int, head: CommitId | None, *, depth: int = 0
    ) -> None:
        self._lookup = lookup
        self._root = root
        self._head = head
        self._depth = depth
        self._base: CommitId | None = None
        self._stamp = index_stamp(lookup.layout)
        data = read_index(lookup.layout)
        self._index_ns = self._stamp[2] if self._stamp else 0
        self.view = IndexView(
            parse_index(data, str(lookup.layout.git_dir / "index")),
            fold=lookup.settings.ignore_case,
        )

    def against(self, base: CommitId | None) -> Self:
        self._base = base
        return self

    def finish(self) -> Survey:
        with Worktree(self._root) as worktree:
            found = self._scan(worktree)
            files = files_of(self._lookup, worktree, self.view)
            pinned = self._pinned(found)
            work, ignored = self._work(files, found, pinned)
            states = self._submodules(found, ignored | pinned)
            survey = self._survey(files, found, work, states, base=self._base, pinned=pinned)
        self._require_same()
        listed = (change.path for change in survey.changes["all"])
        return survey._replace(pinned=pinned.intersection(listed))

    def is_dirty(self) -> tuple[bool, bool]:
        """Return whether there is modified, and untracked, content; makes no patches."""
        with Worktree(self._root) as worktree:
            found = self._scan(worktree)
            files = files_of(self._lookup, worktree, self.view)
            pinned = self._pinned(found)
            work, ignored = self._work(files, found, pinned)
            inner = self._submodules(found, ignored | pinned).values()
            # As git joins them (submodule.c): inner untracked files are untracked ones out here.
            modified = bool(
                unstaged_pairs(self.view, work)
                or self.view.conflicts
                or self._differences(self._head)
                or any(state.modified_content for state in inner)
            )
            loose = any(state.untracked_content for state in inner)
        return modified, bool(found.untracked or found.nested or loose)

    def _scan(self, worktree: Worktree) -> Scan:
        fold = self._lookup.settings.ignore_case
        others = [parse_ignores(content, fold=fold) for content in self._lookup.excludes]
        rules = Ignores(b"", (), None, others)
        top = self._lookup.layout.top
        tracked = replace(self.view.tracked, stored_rules=self._stored_rules)
        return scan(top, worktree, tracked, rules, self._lookup.checkpoint)

    def _stored_rules(self, path: GitPath) -> bytes | None:
        """Return a .gitignore that a sparse checkout left out (dir.c)."""
        entry = self.view.entries.get(path)
        return self._lookup.read(entry.oid) if entry is not None and entry.skip_worktree else None

    def _differences(self, commit: CommitId | None) -> list[Difference]:
        tree = None if commit is None else self._lookup.tree_of(commit)
        return compare_tree(_tree_reader(self._lookup), tree, self.view.folder)

    def _work(
        self, files: Files, found: Scan, pinned: frozenset[GitPath]
    ) -> tuple[dict[GitPath, WorkSide | None], frozenset[GitPath]]:
        """Return the files' side of every path that is not as the index has it."""
        ignored = self._ignored()
        work: dict[GitPath, WorkSide | None] = {}
        for path, entry in self.view.entries.items():
            if path in ignored or path in pinned:
                continue
            stamp = found.stamps.get(path)
            clean = stamp is not None and files.is_untouched(entry, stamp, self._index_ns)
            if clean and not entry.intent_to_add:
                continue
            self._lookup.checkpoint()
            side = files.side(entry, stamp)
            if entry.intent_to_add or side != WorkSide(f"{entry.mode:06o}", entry.oid):
                work[path] = side
        for path, stages in self.view.conflicts.items():
            ours = stages.get(2) or next(iter(stages.values()))
            work[path] = files.side(ours, found.stamps.get(path))
        return work, ignored

    def _pinned(self, found: Scan) -> frozenset[GitPath]:
        """Return the entries that git takes for what is on disk, whatever is there."""
        sparse = self._lookup.settings.sparse
        # In a sparse checkout a file that is there after all counts (sparse-index.c).
        return frozenset(
            path
            for path, entry in self.view.entries.items()
            if entry.assume_valid
            or (entry.skip_worktree and not (sparse and path in found.stamps))
        )

    def _survey(
        self,
        files: Files,
        found: Scan,
        work: Mapping[GitPath, WorkSide | None],
        states: Mapping[GitPath, SubmoduleState],
        *,
        base: CommitId | None,
        pinned: frozenset[GitPath],
    ) -> Survey:
        staged = self._differences(self._head)
        based = staged if base == self._head else self._differences(base)
        made = Changes(files, self._lookup, self._lookup.checkpoint)
        pairs: dict[Scope, list[Pair]] = {
            "all": all_pairs(self.view, based, work, pinned),
            "staged": staged_pairs(self.view, staged),
            "unstaged": unstaged_pairs(self.view, work),
        }
        returned: frozenset[GitPath] = frozenset()
        changes: dict[Scope, list[Change]] = {}
        limited: set[Scope] = set()
        for scope, listed in pairs.items():
            joined, cut = made.with_renames(listed)
            if cut:
                limited.add(scope)
            if scope == "all":
                joined, returned = _returned(joined, files, found.untracked)
            changes[scope] = made.make(joined)
        # Before the marks are there: one may look like a change that has a patch.
        changes = {scope: made.settle(listed) for scope, listed in changes.items()}
        _mark_conflicts(self.view, changes, staged, work)
        return Survey(
            changes={scope: tuple(listed) for scope, listed in changes.items()},
            untracked=tuple(found.untracked),
            returned=returned,
            nested=tuple(found.nested),
            conflicts=self.view.conflict_letters(),
            submodules=states,
            filters=self._lookup.filters,
            modes_count=self._lookup.settings.filemode,
            renames_limited=frozenset(limited),
        )

    def _rules(self) -> dict[GitPath, str]:
        """Return each submodule's `ignore` setting; configuration wins over .gitmodules."""
        entry = self.view.entries.get(GitPath(b".gitmodules"))
        with Worktree(self._root) as worktree:
            look = worktree.look(GitPath(b".gitmodules"), keep=_MAX_RULES_BYTES)
        content = look.data if look.kind == "regular" else None
        if content is None and entry is not None and look.kind == "missing":
            content = self._lookup.read(entry.oid)
        rules = {}
        for name, values in parse_gitmodules(content or b"").items():
            rule = self._lookup.ignore_rules.get(name) or values.get("ignore")
            if rule is not None and "path" in values:
                rules[GitPath(values["path"].encode("utf-8", "surrogateescape"))] = rule
        return rules

    def _links(self) -> dict[GitPath, IndexEntry]:
        return {path: one for path, one in self.view.entries.items() if one.mode == 0o160000}

    def _ignored(self) -> frozenset[GitPath]:
        links = self._links()
        if not links:
            return frozenset()
        return frozenset(path for path, rule in self._rules().items() if rule == "all")

    def _submodules(
        self, found: Scan, passed_over: frozenset[GitPath]
    ) -> dict[GitPath, SubmoduleState]:
        links = self._links()
        if not links or self._depth >= _MAX_DEPTH:
            return {}
        rules = self._rules()
        states: dict[GitPath, SubmoduleState] = {}
        for path, entry in links.items():
            rule = rules.get(path, "none")
            folder = self._lookup.layout.top / os.fsdecode(path)
            if path not in found.stamps or path in passed_over or rule == "dirty":
                continue
            if not is_repository(folder):
                continue
            modified, untracked = self._lookup.dirt(folder, self._depth + 1)
            untracked = untracked and rule != "untracked"
            if modified or untracked:
                states[path] = SubmoduleState(
                    commit=CommitId(entry.oid),
                    modified_content=modified,
                    untracked_content=untracked,
                )
        return states

    def _require_same(self) -> None:
        layout = self._lookup.layout
        if self._lookup.head() != self._head or index_stamp(layout) != self._stamp:
            raise MovingError(
                f"HEAD or the index of {layout.top} kept changing while it was collected;"
                " try again when what works on it has finished"
            )


def survey_between(lookup: Lookup, root: int, base: CommitId | None, tip: CommitId) -> Survey:
    """Compare two commits; attributes are read from the checkout, as git reads them."""
    read = _tree_reader(lookup)
    tree = None if base is None else lookup.tree_of(base)
    differences = compare_tree(read, tree, TreeSide(read, lookup.tree_of(tip)).folder)
    with Worktree(root) as worktree:
        view = IndexView(
            parse_index(read_index(lookup.layout), str(lookup.layout.git_dir / "index")),
            fold=lookup.settings.ignore_case,
        )
        made = Changes(files_of(lookup, worktree, view), lookup, lookup.checkpoint)
        pairs = [Pair(one.path, one.old, one.new) for one in differences]
        joined, cut = made.with_renames(pairs)
        changes = tuple(made.settle(made.make(joined)))
    return Survey(
        changes={"all": changes},
        filters=lookup.filters,
        renames_limited=frozenset({"all"} if cut else ()),
    )


def files_of(lookup: Lookup, worktree: Worktree, view: IndexView) -> Files:
    """Return the files of a checkout, under its own attributes."""

    def stored(path: GitPath) -> bytes | None:
        entry = view.entries.get(path)
        return None if entry is None else lookup.read(entry.oid)

    rules = attribute_rules(lookup, worktree, view)
    top, settings = lookup.layout.top, lookup.settings
    return Files(top, worktree, lookup, rules=rules, settings=settings, stored=stored)


def attribute_rules(lookup: Lookup, worktree: Worktree, view: IndexView) -> AttributeRules:
    """Return the attributes of a checkout: a folder's file, or where it is gone the index's.

    Not outside a sparse cone: git leaves those alone, for no file in such a folder is there.
    """

    def read(folder: bytes) -> bytes | None:
        path = GitPath(folder + b".gitattributes")
        look = worktree.look(path, keep=_MAX_RULES_BYTES)
        if look.kind == "missing":
            entry = view.entries.get(path)
            if entry is None or (entry.skip_worktree and lookup.settings.cone):
                return None
            return lookup.read(entry.oid)
        return look.data if look.kind == "regular" else None

    return AttributeRules(read, lookup.info_attributes, fold=lookup.settings.ignore_case)


def _tree_reader(lookup: Lookup) -> Callable[[str], bytes]:
    def read(oid: str) -> bytes:
        lookup.checkpoint()
        data = lookup.read(oid)
        if data is None:
            raise FailedError(
                f"{lookup.layout.top} lacks the tree {oid}; run `git fsck`, or fetch it"
            )
        return data

    return read


def _returned(
    pairs: Sequence[Pair], files: Files, untracked: Sequence[GitPath]
) -> tuple[list[Pair], frozenset[GitPath]]:
    """Compare with the base what left the index and is still there: one change, or none."""
    there = set(untracked)
    kept: list[Pair] = []
    returned: set[GitPath] = set()
    for pair in pairs:
        if pair.new is not None or pair.path not in there or not isinstance(pair.old, Node):
            kept.append(pair)
            continue
        returned.add(pair.path)
        side = files.returned_side(pair.path, pair.old)
        if side is not None and (side.mode, side.oid) != (pair.old.mode, pair.old.oid):
            kept.append(Pair(pair.path, pair.old, side))
    return kept, frozenset(returned)


def _mark_conflicts(
    view: IndexView,
    changes: Mapping[Scope, list[Change]],
    staged: Sequence[Difference],
    work: Mapping[GitPath, WorkSide | None],
) -> None:
    """Enter each conflict into staged and unstaged, as git's plumbing does."""
    if not view.conflicts:
        return
    heads: dict[GitPath, Node | None] = {one.path: one.old for one in staged}
    compared = {one.path: one for one in changes["unstaged"]}
    for path in view.conflicts:
        old, new = heads.get(path), work.get(path)
        changes["staged"].append(
            Change(
                path=path,
                status="U",
                old_mode=old.mode if old else None,
                old_oid=old.oid if old else None,
            )
        )
        if path not in compared:
            changes["unstaged"].append(
                Change(path=path, status="U", new_mode=new.mode if new else None)
            )
    for scope in ("staged", "unstaged"):
        changes[scope].sort(key=lambda change: change.path)
