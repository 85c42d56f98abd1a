"""One diff by git as Changes: patches where they can be made, and a reason where not.

The plumbing commands are used, not `git diff`: that one refreshes the index file when it finds
touched files, and reads more of the user's settings.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from diffx.collector.contents.worktree import Worktree
from diffx.collector.gitexe.blobs import missing_objects
from diffx.collector.gitexe.output import DIFF_FLAGS, DiffReader, Entry, changes, listed_changes
from diffx.collector.gitexe.process import Git, GitFailedError, Job, NotForGitError, Word
from diffx.collector.repository import Change, MovingError
from diffx.review.model import GitPath

Trouble = Literal["special-file", "unreadable", "not-fetched", "unsettled"]

_LISTING_FLAGS: Final = (
    "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=dirty", "--no-relative", "--ita-invisible-in-index",
)  # fmt: skip
_RENAMES_CUT: Final = "rename detection was skipped"
_DETOURS: Final = 4
_MAX_EXCLUDES_BYTES: Final = 1 << 20
_IS_PARTIAL: Final = r"^(remote\..*\.(promisor|partialclonefilter)|extensions\.partialclone)$"


class StumbledError(MovingError):
    """git ended in the middle, over something that is not there any more to be found."""

    attempts = 10


class NotFetchedError(GitFailedError):
    """A partial clone lacks what the comparison itself needs, and nothing is ever fetched (2.2)."""


class Diff(NamedTuple):
    """A diff under way: which command it is, and what reads it."""

    words: tuple[Word, ...]
    reader: DiffReader
    job: Job


def start_diff(git: Git, words: tuple[Word, ...], paths: Sequence[Word] = ()) -> Diff:
    reader = DiffReader()
    command, *rest = words
    job = git.start(command, *DIFF_FLAGS, *rest, "--", *paths, sink=reader.feed)
    return Diff(words, reader, job)


def finish_diff(git: Git, root: int, diff: Diff) -> tuple[list[Change], bool]:
    """Return a diff's changes, and whether the rename search was cut."""
    git.wait(diff.job)
    cut = _RENAMES_CUT in diff.job.error_text
    if diff.job.ok:
        diff.reader.finish()
        if any(map(_is_taken_for_renamed, diff.reader.entries)):
            return _beside_conflicts(git, root, diff), cut
        return changes(diff.reader), cut
    try:
        return _around_trouble(git, root, diff), cut
    except GitFailedError as error:
        raise explained(git, error) from error


def _is_taken_for_renamed(entry: Entry) -> bool:
    """Say whether git has taken an unmerged file for a deleted one under a new name.

    The entry then has the name of what was deleted, and neither is told any more.
    """
    return entry.status == "U" and "000000" not in (entry.old_mode, entry.new_mode)


def _beside_conflicts(git: Git, root: int, diff: Diff) -> list[Change]:
    """Make the diff again: unmerged files by themselves, and what git looks for renames in."""
    plain = (*diff.words, "--no-renames")
    unmerged = [one.path for one in _listed(git, diff.words) if one.status == "U"]
    others = _without(git, diff.words, unmerged)
    if others is None:
        return finish_diff(git, root, start_diff(git, plain))[0]
    marked = start_diff(git, plain, [b":(top,literal)" + path for path in unmerged])
    found = [*finish_diff(git, root, others)[0], *finish_diff(git, root, marked)[0]]
    return sorted(found, key=lambda change: change.path)


def explained(git: Git, error: GitFailedError) -> GitFailedError:
    """Say what a partial clone lacks where git cannot even list what differs: trees."""
    if isinstance(error, NotForGitError):
        return error
    if not git.run("config", "--get-regexp", _IS_PARTIAL).out:
        return error
    return NotFetchedError(
        f"{git.folder} is a partial clone without some of the trees that are compared; run"
        f" `git diff` in it once, which fetches them, or use --base HEAD ({error})"
    )


def _around_trouble(git: Git, root: int, diff: Diff) -> list[Change]:
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


def _without(git: Git, words: tuple[Word, ...], paths: Iterable[GitPath]) -> Diff | None:
    """Start a diff without some paths; None where a command line cannot name them all."""
    excludes = [b":(top,exclude,literal)" + path for path in paths]
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
