"""See whether a checkout changed since last time, without reading a single content.

Equal glances mean that a collection would find the same; unequal ones, that it might not. It
costs one `git status`, where a collection costs several diffs and the contents behind them.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from diffx.collector.collect import CollectOptions
from diffx.collector.comparison import AUTO, HEAD
from diffx.collector.contents.worktree import Worktree
from diffx.collector.gitexe.process import NotForGitError, find_git
from diffx.review.model import Digest, GitPath

if TYPE_CHECKING:
    from diffx.collector.gitexe.repository import GitRepository

_SETTINGS: Final = ("config", "info/attributes", "info/exclude", "shallow")


def glance(path: Path, options: CollectOptions) -> Digest | None:
    """Name the present state of the checkout that contains `path`, as far as stamps tell.

    None where it cannot be told without collecting: with the libgit2 engine, and for a branch.
    A file that was written in the very moment of the glance may look unchanged in the next one
    if it is written again within the same tick of the file clock; callers that must know collect.
    """
    if options.engine == "libgit2" or options.branch is not None:
        return None
    if find_git(options.environment) is None:
        return None
    from diffx.collector.gitexe.opening import open_git

    deadline = time.monotonic() + options.deadline_ms / 1000
    try:
        return _glance(open_git(path, options.environment, deadline=deadline), options)
    except NotForGitError:
        if options.engine == "git":
            raise
        return None


def _glance(repository: "GitRepository", options: CollectOptions) -> Digest:
    try:
        named = None
        if options.base not in (AUTO, HEAD):
            named = repository.resolve(options.base)
        refs = repository.refs()
        seen = repository.state()
        layout = repository.layout
        parts = [
            repr((options.base, named, refs, str(layout.top), seen.submodules)).encode(),
            seen.index_stamp,
            seen.status,
            *(_stamped(layout.common_dir / name) for name in _SETTINGS),
            _stamped(layout.git_dir / "config.worktree"),
            *_stamps(repository.root, _listed(seen.status)),
        ]
    finally:
        repository.close()
    framed = b"".join(b"%d:%b" % (len(part), part) for part in parts)
    return Digest(hashlib.sha256(framed).hexdigest())


def _listed(status: bytes) -> Iterator[GitPath]:
    """Return the paths of `git status --porcelain=v2 -z --no-renames`."""
    for record in status.split(b"\0"):
        kind = record[:2]
        if kind == b"? ":
            yield GitPath(record[2:])
        elif kind == b"1 ":
            yield GitPath(record.split(b" ", 8)[8])
        elif kind == b"u ":
            yield GitPath(record.split(b" ", 10)[10])


def _stamps(root: int, paths: Iterable[GitPath]) -> Iterator[bytes]:
    with Worktree(root) as worktree:
        for path in paths:
            yield repr(worktree.stamp(GitPath(path.rstrip(b"/")))).encode()


def _stamped(file: Path) -> bytes:
    try:
        found = file.stat()
    except OSError:
        return b"absent"
    return repr((found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)).encode()
