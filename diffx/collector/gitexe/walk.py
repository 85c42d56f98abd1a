"""One walk over index and working tree: three diffs and a listing, all git processes at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Self

from diffx.collector.gitexe.diffing import Diff, explained, finish_diff, start_diff
from diffx.collector.gitexe.headfile import head_on_disk
from diffx.collector.gitexe.indexbytes import (
    index_stamp,
    may_have_gitlinks,
    may_have_intended,
    may_have_pinned,
    read_index,
)
from diffx.collector.gitexe.madeindex import Indexed, made_index
from diffx.collector.gitexe.process import Git, GitFailedError, Job, Word
from diffx.collector.gitexe.submodules import Submodules, gitlinks, pinned_paths
from diffx.collector.repository import (
    Change,
    Layout,
    MovingError,
    ObjectFormat,
    SubmoduleState,
    Survey,
)
from diffx.review.model import CommitId, GitPath, Scope

_STAGES: Final[Mapping[frozenset[int], str]] = {
    frozenset({1}): "DD",
    frozenset({2}): "AU",
    frozenset({1, 2}): "UD",
    frozenset({3}): "UA",
    frozenset({1, 3}): "DU",
    frozenset({2, 3}): "AA",
    frozenset({1, 2, 3}): "UU",
}


class GitWalk:
    """The processes of one walk. They run while the caller does something else with git."""

    def __init__(
        self, git: Git, root: int, layout: Layout, head: CommitId | None, asker: Submodules
    ) -> None:
        self._git = git
        self._root = root
        self._layout = layout
        self._head = head
        self._asker = asker
        self._index_stamp = index_stamp(layout)
        self._index = read_index(layout)
        # Stage 2 is ours: a conflict is shown as what the merge made of our side.
        self._unstaged = self._diff("diff-files", "-2")
        self._staged = self._diff("diff-index", "--cached", self._tree(head))
        self._others = git.start("ls-files", "-o", "--exclude-standard", "-z")
        self._compared: Diff | None = None
        self._listing: Job | None = None

    @property
    def index(self) -> bytes:
        """The index file as it was when the walk began."""
        return self._index

    def against(self, base: CommitId | None) -> Self:
        if base != self._head:
            self._compared = self._diff("diff-index", self._tree(base))
            self._list_pinned()
        return self

    def finish(self) -> Survey:
        compared = self._compared or self._compared_with_head()
        pinned, states = self._flags_and_submodules(compared)
        self._git.require(self._others)
        found: dict[Scope, list[Change]] = {}
        limited: set[Scope] = set()
        # The longest last: it runs while the others are read.
        for scope, diff in self._diffs(compared):
            if scope == "all" and diff is self._unstaged:
                listed, cut = list(found["unstaged"]), "unstaged" in limited
            else:
                listed, cut = finish_diff(self._git, self._root, diff)
            found[scope] = listed
            if cut:
                limited.add(scope)
        for on_disk in ("all", "unstaged"):
            kept = [one for one in found[on_disk] if one.path not in self._asker.ignored]
            found[on_disk] = kept
        untracked, nested = _others(self._others.out)
        returned = self._returned(found["all"], untracked)
        conflicts = self._conflicts(found["staged"])
        self._require_same()
        return Survey(
            changes={scope: tuple(listed) for scope, listed in found.items()},
            untracked=untracked,
            returned=returned,
            pinned=pinned.intersection(one.path for one in found["all"]),
            nested=nested,
            conflicts=conflicts,
            submodules=states,
            filters=self._asker.filters,
            modes_count=self._asker.modes_count,
            renames_limited=frozenset(limited),
        )

    def _diffs(self, compared: Diff) -> Iterator[tuple[Scope, Diff]]:
        yield "unstaged", self._unstaged
        yield "staged", self._staged
        yield "all", compared

    def _compared_with_head(self) -> Diff:
        """Return the diff of HEAD with the files, which may be the unstaged one.

        Where nothing is staged, index and HEAD are the same, and so are the diffs of either with
        the files: one of them is enough. Not where entries may be only intended, which the index
        is then said not to have.
        """
        if not may_have_intended(self._index):
            self._git.wait(self._staged.job)
            if self._staged.job.ok and not self._staged.reader.entries:
                return self._unstaged
        self._list_pinned()
        return self._diff("diff-index", self._tree(self._head))

    def _list_pinned(self) -> None:
        if may_have_pinned(self._index, self._layout.object_format):
            self._listing = self._git.start("ls-files", "-v", "-z")

    def _flags_and_submodules(
        self, compared: Diff
    ) -> tuple[frozenset[GitPath], Mapping[GitPath, SubmoduleState]]:
        """Ask which entries are pinned, where that can matter, and what submodules hold.

        Where no diff but the unstaged one is made, no pinned entry is listed.
        """
        has_links = may_have_gitlinks(self._index)
        if has_links and compared is self._unstaged:
            self._list_pinned()
        try:
            links = gitlinks(self._git) if has_links else {}
            if self._listing is not None:
                self._git.require(self._listing)
        except GitFailedError as error:  # a sparse index, whose trees are not here
            raise explained(self._git, error) from error
        pinned = frozenset() if self._listing is None else pinned_paths(self._listing.out)
        return pinned, self._asker.states(links, pinned)

    def _require_same(self) -> None:
        if self._has_moved() or index_stamp(self._layout) != self._index_stamp:
            raise MovingError(
                f"HEAD or the index of {self._layout.top} kept changing while it was collected;"
                " try again when what works on it has finished"
            )

    def _has_moved(self) -> bool:
        if self._head is not None and head_on_disk(self._layout) == self._head:
            return False
        still = self._git.run("rev-parse", "-q", "--verify", "HEAD^{commit}")
        return (still.out.strip().decode("ascii") or None) != self._head

    def _returned(
        self, compared: list[Change], untracked: Sequence[GitPath]
    ) -> frozenset[GitPath]:
        """Compare what the base has, the index no longer, and the working tree still.

        To git such a file is deleted and untracked at once; to a reader of `all` it is a change
        of one file, or none. One git compares them all, with an index that still has them, as
        `git rm -r --cached` may have taken thousands. `compared` is corrected in place.
        """
        on_disk = set(untracked)
        gone = {
            one.path: Indexed(one.path, one.old_mode, one.old_oid)
            for one in compared
            if one.status == "D" and one.path in on_disk and one.old_mode and one.old_oid
        }
        if gone:
            found = {one.path: one for one in self._compared_again(gone.values())}
            corrected = (found.get(one.path) if one.path in gone else one for one in compared)
            compared[:] = [one for one in corrected if one is not None]
        return frozenset(gone)

    def _compared_again(self, entries: Iterable[Indexed]) -> list[Change]:
        with made_index(entries, self._layout.object_format) as index:
            git = self._git.with_index(index)
            try:
                return finish_diff(git, self._root, start_diff(git, ("diff-files",)))[0]
            finally:
                git.close()

    def _tree(self, commit: CommitId | None) -> str:
        return commit or empty_tree(self._layout.object_format)

    def _diff(self, *words: Word) -> Diff:
        return start_diff(self._git, words)

    def _conflicts(self, staged: Sequence[Change]) -> dict[GitPath, str]:
        if not any(change.status == "U" for change in staged):
            return {}
        stages: dict[GitPath, set[int]] = {}
        for record in self._git.ask("ls-files", "-u", "-z").split(b"\0")[:-1]:
            meta, _, path = record.partition(b"\t")
            stages.setdefault(GitPath(path), set()).add(int(meta[-1:]))
        return {path: _STAGES[frozenset(found)] for path, found in stages.items()}


def _others(output: bytes) -> tuple[tuple[GitPath, ...], tuple[GitPath, ...]]:
    """Split what is untracked into files and nested repositories (these end in a slash)."""
    names = output.split(b"\0")[:-1]
    files = tuple(GitPath(name) for name in names if not name.endswith(b"/"))
    nested = tuple(GitPath(name[:-1]) for name in names if name.endswith(b"/"))
    return files, nested


def empty_tree(object_format: ObjectFormat) -> CommitId:
    """Return the empty tree's id; git knows it without storing it."""
    return _EMPTY_TREES[object_format]


_EMPTY_TREES: Final[Mapping[ObjectFormat, CommitId]] = {
    "sha1": CommitId("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    "sha256": CommitId("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
}
