"""One walk over index and working tree: three diffs and a listing, all git processes at once.

The plumbing commands are used, not `git diff`: that one refreshes the index file when it finds
touched files, and reads more of the user's settings.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.contents.worktree import Worktree
from diffx.collector.gitexe.blobs import missing_objects
from diffx.collector.gitexe.madeindex import Indexed, made_index
from diffx.collector.gitexe.output import DIFF_FLAGS, DiffReader, changes, listed_changes
from diffx.collector.gitexe.process import Git, GitFailedError, Job, Word
from diffx.collector.gitexe.submodules import (
    Submodules,
    gitlinks,
    may_have_gitlinks,
    pinned_paths,
)
from diffx.collector.repository import Change, Layout, MovingError, ObjectFormat, Survey
from diffx.review.model import CommitId, GitPath, Scope

Trouble = Literal["special-file", "unreadable", "not-fetched", "unsettled"]

_LISTING_FLAGS: Final = (
    "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=dirty", "--no-relative", "--ita-invisible-in-index",
)  # fmt: skip
_RENAMES_CUT: Final = "rename detection was skipped"
_DETOURS: Final = 4
_MAX_EXCLUDES_BYTES: Final = 1 << 20
_MAX_INDEX_BYTES: Final = 1 << 30
_SPLIT: Final = b"link"
"""The mark of a split index; a file's name may hold it too, which costs a look at the folder."""
_STAGES: Final[Mapping[frozenset[int], str]] = {
    frozenset({1}): "DD",
    frozenset({2}): "AU",
    frozenset({1, 2}): "UD",
    frozenset({3}): "UA",
    frozenset({1, 3}): "DU",
    frozenset({2, 3}): "AA",
    frozenset({1, 2, 3}): "UU",
}


class StumbledError(MovingError):
    """git ended in the middle, over something that is not there any more to be found."""

    attempts = 10


class _Diff(NamedTuple):
    """A diff under way: which command it is, and what reads it."""

    words: tuple[Word, ...]
    reader: DiffReader
    job: Job


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

    @property
    def index(self) -> bytes:
        """The index file as it was when the walk began."""
        return self._index

    def finish(self, base: CommitId | None) -> Survey:
        compared = self._compared(base)
        has_links = may_have_gitlinks(self._index)
        listing = None
        if has_links or compared is not self._unstaged:
            listing = self._git.start("ls-files", "-v", "-z")
        links = gitlinks(self._git) if has_links else {}
        pinned = self._pinned(listing)
        states = self._asker.states(links, pinned)
        diffs: dict[Scope, _Diff] = {
            "unstaged": self._unstaged, "staged": self._staged, "all": compared,
        }  # fmt: skip
        self._git.require(self._others)
        found: dict[Scope, list[Change]] = {}
        for scope, diff in diffs.items():  # the longest last: it runs while the others are read
            if scope == "all" and diff is self._unstaged:
                found[scope] = list(found["unstaged"])
                continue
            self._git.wait(diff.job)
            found[scope] = self._changes(diff)
        still = self._git.start("rev-parse", "-q", "--verify", "HEAD^{commit}")
        for on_disk in ("all", "unstaged"):
            kept = [one for one in found[on_disk] if one.path not in self._asker.ignored]
            found[on_disk] = kept
        untracked, nested = _others(self._others.out)
        returned = self._returned(found["all"], untracked)
        conflicts = self._conflicts(found["staged"])
        self._require_same(still)
        return Survey(
            changes={scope: tuple(listed) for scope, listed in found.items()},
            untracked=untracked,
            returned=returned,
            pinned=pinned.intersection(one.path for one in found["all"]),
            nested=nested,
            conflicts=conflicts,
            submodules=states,
            filters=self._asker.filters,
            renames_limited=frozenset(
                scope for scope, diff in diffs.items() if _RENAMES_CUT in diff.job.error_text
            ),
        )

    def _compared(self, base: CommitId | None) -> _Diff:
        """Start the diff of the base with the files.

        Where the base is HEAD and nothing is staged, index and base are the same, and so are
        the diffs of either with the files: one of them is enough. Not where entries may be only
        intended, which the index is then said not to have: a version 2 index has none.
        """
        if base == self._head and _is_without_flags(self._index):
            self._git.wait(self._staged.job)
            if self._staged.job.ok and not self._staged.reader.entries:
                return self._unstaged
        return self._diff("diff-index", self._tree(base))

    def _pinned(self, listing: Job | None) -> frozenset[GitPath]:
        """Where no diff but the unstaged one is made, no pinned entry is listed."""
        if listing is None:
            return frozenset()
        self._git.require(listing)
        return pinned_paths(listing.out)

    def _require_same(self, still: Job) -> None:
        self._git.wait(still)
        head = still.out.strip().decode("ascii") or None
        if head != self._head or index_stamp(self._layout) != self._index_stamp:
            raise MovingError(
                f"HEAD or the index of {self._layout.top} kept changing while it was collected;"
                " try again when what works on it has finished"
            )

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

    def _diff(self, *words: Word) -> _Diff:
        return start_diff(self._git, words)

    def _changes(self, diff: _Diff) -> list[Change]:
        if diff.job.ok:
            diff.reader.finish()
            return changes(diff.reader)
        return _around_trouble(self._git, self._root, diff)

    def _conflicts(self, staged: Sequence[Change]) -> dict[GitPath, str]:
        if not any(change.status == "U" for change in staged):
            return {}
        stages: dict[GitPath, set[int]] = {}
        for record in self._git.ask("ls-files", "-u", "-z").split(b"\0")[:-1]:
            meta, _, path = record.partition(b"\t")
            stages.setdefault(GitPath(path), set()).add(int(meta[-1:]))
        return {path: _STAGES[frozenset(found)] for path, found in stages.items()}


def start_diff(git: Git, words: tuple[Word, ...], paths: Sequence[Word] = ()) -> _Diff:
    reader = DiffReader()
    command, *rest = words
    job = git.start(command, *DIFF_FLAGS, *rest, "--", *paths, sink=reader.feed)
    return _Diff(words, reader, job)


def finish_diff(git: Git, root: int, diff: _Diff) -> tuple[list[Change], bool]:
    """Return a diff's changes, and whether the rename search was cut."""
    git.wait(diff.job)
    cut = _RENAMES_CUT in diff.job.error_text
    if diff.job.ok:
        diff.reader.finish()
        return changes(diff.reader), cut
    return _around_trouble(git, root, diff), cut


def _others(output: bytes) -> tuple[tuple[GitPath, ...], tuple[GitPath, ...]]:
    """Split what is untracked into files and nested repositories (these end in a slash)."""
    names = output.split(b"\0")[:-1]
    files = tuple(GitPath(name) for name in names if not name.endswith(b"/"))
    nested = tuple(GitPath(name[:-1]) for name in names if name.endswith(b"/"))
    return files, nested


def _around_trouble(git: Git, root: int, diff: _Diff) -> list[Change]:
    """Make the patches again without the paths that git stumbled over.

    It ends with status 128 at the first file that is a pipe, cannot be read or is gone again,
    and at the first object that a partial clone lacks; one such path must not empty the list.
    """
    trouble: dict[GitPath, Trouble] = {}
    for _ in range(_DETOURS):
        listed = _listed(git, diff.words)
        found = _worktree_trouble(root, listed) | _missing_objects(git, listed)
        found = found or _named(diff.job, listed)
        if not found:
            break
        trouble |= found
        again = _without(git, diff.words, trouble)
        if again is None:  # too many to name them all
            return [one._replace(trouble=trouble.get(one.path, "not-fetched")) for one in listed]
        git.wait(again.job)
        if again.job.ok:
            again.reader.finish()
            # Whatever else was listed and has no patch now was only touched.
            told = [
                one._replace(trouble=trouble[one.path]) for one in listed if one.path in trouble
            ]
            return sorted([*changes(again.reader), *told], key=lambda change: change.path)
        diff = again._replace(words=diff.words)
    raise StumbledError(str(git.failure(diff.job)))


def _listed(git: Git, words: tuple[Word, ...]) -> list[Change]:
    command, *rest = words
    reader = DiffReader()
    git.require(git.start(command, *_LISTING_FLAGS, *rest, "--", sink=reader.feed))
    return listed_changes(reader)


def _without(
    git: Git, words: tuple[Word, ...], trouble: Mapping[GitPath, Trouble]
) -> _Diff | None:
    """Start a diff without some paths; None where a command line cannot name them all."""
    excludes = [b":(top,exclude,literal)" + path for path in trouble]
    if sum(map(len, excludes)) > _MAX_EXCLUDES_BYTES:
        return None
    return start_diff(git, words, [b":(top)", *excludes])


def _named(job: Job, listed: Sequence[Change]) -> dict[GitPath, Trouble]:
    """Find the file that git names in its last words; by now it may be as it should again."""
    words = job.error_text.encode("utf-8", "surrogateescape")
    named = [change.path for change in listed if words.find(change.path) >= 0]
    return {max(named, key=len): "unsettled"} if named else {}


def _worktree_trouble(root: int, listed: Sequence[Change]) -> dict[GitPath, Trouble]:
    trouble: dict[GitPath, Trouble] = {}
    with Worktree(root) as worktree:
        for change in listed:
            if change.new_mode in (None, "160000") or change.new_oid is not None:
                continue
            kind = worktree.look(change.path, keep=0).kind
            if kind == "special":
                trouble[change.path] = "special-file"
            elif kind == "unreadable":
                trouble[change.path] = "unreadable"
    return trouble


def _missing_objects(git: Git, listed: Sequence[Change]) -> dict[GitPath, Trouble]:
    """Find the objects that a partial clone did not fetch."""
    wanted = {
        oid
        for change in listed
        for oid, mode in ((change.old_oid, change.old_mode), (change.new_oid, change.new_mode))
        if oid is not None and mode != "160000"
    }
    if not wanted:
        return {}
    missing = missing_objects(git, wanted)
    return {
        change.path: "not-fetched"
        for change in listed
        if change.old_oid in missing or change.new_oid in missing
    }


def index_stamp(layout: Layout) -> tuple[int, ...] | None:
    """Return what changes when the index file does; None while there is no index."""
    try:
        found = (layout.git_dir / "index").stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_index(layout: Layout) -> bytes:
    """Return the index file's bytes, with those that a split index shares; empty if none."""
    try:
        index = read_git_file(layout.git_dir / "index", most=_MAX_INDEX_BYTES)
        if _SPLIT in index:
            for file in layout.git_dir.glob("sharedindex.*"):
                index += read_git_file(file, most=_MAX_INDEX_BYTES)
        return index
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise GitFailedError(
            f"cannot read {error.filename}: {error.strerror}; if it is damaged, delete it and"
            " run `git reset`"
        ) from error


def _is_without_flags(index: bytes) -> bool:
    """Say whether no entry can have more flags than assume-unchanged (gitformat-index)."""
    return not index or (index[:8] == b"DIRC\0\0\0\2" and _SPLIT not in index)


def empty_tree(object_format: ObjectFormat) -> CommitId:
    """Return the empty tree's id; git knows it without storing it."""
    return _EMPTY_TREES[object_format]


_EMPTY_TREES: Final[Mapping[ObjectFormat, CommitId]] = {
    "sha1": CommitId("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    "sha256": CommitId("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
}
