"""A checkout as the git executable sees it: the reference engine (2.7)."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from diffx.collector.contents.worktree import Worktree, open_root
from diffx.collector.gitexe.blobs import read_blobs
from diffx.collector.gitexe.diffing import finish_diff, start_diff
from diffx.collector.gitexe.indexbytes import (
    index_stamp,
    may_have_gitlinks,
    may_name,
    read_index,
)
from diffx.collector.gitexe.process import Git, Job
from diffx.collector.gitexe.questions import DEFAULT_HEADS, DEFAULTS, HEADS_FORMAT, ORIGIN
from diffx.collector.gitexe.submodules import (
    Submodules,
    cleaning_filters,
    gitlinks,
)
from diffx.collector.gitexe.walk import GitWalk, empty_tree
from diffx.collector.repository import (
    ATTRIBUTES,
    Attributes,
    Blob,
    Layout,
    Refs,
    SubmoduleState,
    Survey,
)
from diffx.review.model import CommitId, Engine, GitPath

_OID: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ATTRIBUTES_FILE: Final = b".gitattributes"


class State(NamedTuple):
    """A checkout's state as stamps and lists tell it."""

    index_stamp: bytes
    status: bytes
    submodules: Mapping[GitPath, SubmoduleState]


class GitRepository:
    """One checkout, asked through git processes."""

    engine: Engine = "git"

    def __init__(
        self,
        git: Git,
        layout: Layout,
        settings: Mapping[str, str],
        first: tuple[tuple[CommitId | None, str | None], Job],
    ) -> None:
        self.layout = layout
        self._git = git
        self._settings = settings
        self._first: tuple[tuple[CommitId | None, str | None], Job] | None = first
        self._root = open_root(layout.top)
        self._index: bytes | None = None

    def about(self) -> str:
        version = self._git.ask("version").decode("utf-8", "replace").strip()
        return f"{version} at {self._git.program}"

    @property
    def remote_url(self) -> str | None:
        urls = {
            name: value
            for name, value in self._settings.items()
            if name.startswith("remote.") and name.endswith(".url")
        }
        if "remote.origin.url" in urls or len(urls) != 1:
            return urls.get("remote.origin.url")
        return next(iter(urls.values()))

    def refs(self) -> Refs:
        (head, branch), heads = self._first or self._ask_refs()
        self._first = None
        tips, origin_head = _read_heads(heads.out)
        default = _default_name(tips, origin_head)
        if default is not None and default not in DEFAULTS:
            names = (f"refs/heads/{default}", f"{ORIGIN}/{default}")
            tips, _ = _read_heads(self._git.ask("for-each-ref", HEADS_FORMAT, *names))
        return Refs(
            head=head,
            branch=branch,
            default=default,
            default_local=tips.get(f"refs/heads/{default}"),
            default_remote=tips.get(f"refs/remotes/origin/{default}"),
        )

    def resolve(self, name: str) -> CommitId | None:
        if name.startswith("-") or "\0" in name or "\n" in name:
            return None
        for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/", ""):
            job = self._git.run("rev-parse", "-q", "--verify", f"{prefix}{name}^{{commit}}")
            found = job.out.strip().decode("ascii", "replace")
            if job.ok and _OID.fullmatch(found):  # `^name` is understood, but names no commit
                return CommitId(found)
        return None

    def nearest_base(
        self, head: CommitId, tips: Sequence[CommitId]
    ) -> tuple[CommitId, CommitId] | None:
        jobs = {tip: self._git.start("merge-base", tip, head) for tip in tips if tip != head}
        self._git.wait(*jobs.values())
        bases = {tip: head for tip in tips if tip == head}
        bases |= {tip: _first_id(job) for tip, job in jobs.items() if job.out}
        found = [(tip, bases[tip]) for tip in tips if tip in bases]
        if len({base for _, base in found}) > 1:
            counts = {
                base: self._git.start("rev-list", "--count", f"{base}..{head}")
                for _, base in found
            }
            self._git.require(*counts.values())
            return min(found, key=lambda pair: int(counts[pair[1]].out))
        return found[0] if found else None

    def walk(self, head: CommitId | None) -> GitWalk:
        asker = Submodules(self._git, self._root, self._settings)
        walk = GitWalk(self._git, self._root, self.layout, head, asker)
        self._index = walk.index
        return walk

    def between(self, base: CommitId | None, tip: CommitId) -> Survey:
        old = base or empty_tree(self.layout.object_format)
        diff = start_diff(self._git, ("diff-tree", "-r", old, tip))
        found, cut = finish_diff(self._git, self._root, diff)
        return Survey(
            changes={"all": tuple(found)},
            filters=cleaning_filters(self._settings),
            renames_limited=frozenset({"all"} if cut else ()),
        )

    def blobs(self, oids: Iterable[str], *, keep: int) -> Iterator[Blob]:
        return read_blobs(self._git, oids, keep=keep)

    def attributes(self, paths: Sequence[GitPath]) -> Mapping[GitPath, Attributes]:
        if not paths or not self._may_have_attributes(paths):
            return {}
        asked = b"".join(path + b"\0" for path in paths)
        words = self._git.ask("check-attr", "-z", "--stdin", *ATTRIBUTES, stdin=asked).split(b"\0")
        found: dict[GitPath, dict[str, str]] = {}
        for path, name, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
            if value != b"unspecified":
                of_path = found.setdefault(GitPath(path), {})
                of_path[name.decode("ascii")] = value.decode("utf-8", "backslashreplace")
        return found

    def _may_have_attributes(self, paths: Sequence[GitPath]) -> bool:
        """Rule out attributes without asking git where no file could define any.

        Such a file may be in the index, or on disk, where it may be ignored and in no list.
        """
        if self._index is None or may_name(self._index, _ATTRIBUTES_FILE):
            return True
        if (self.layout.common_dir / "info/attributes").exists():
            return True
        with Worktree(self._root) as worktree:
            return any(
                worktree.stamp(GitPath(folder + _ATTRIBUTES_FILE)) is not None
                for folder in sorted(_folders(paths))
            )

    @property
    def root(self) -> int:
        """The top of the checkout, open."""
        return self._root

    def state(self) -> State:
        """Ask what is changed and untracked, without any content (`glance`)."""
        index = repr(index_stamp(self.layout)).encode()
        status = self._git.start(
            "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
            "--ignore-submodules=dirty",
        )  # fmt: skip
        asker = Submodules(self._git, self._root, self._settings)
        has_links = may_have_gitlinks(read_index(self.layout))
        submodules = asker.states(gitlinks(self._git) if has_links else {}, frozenset())
        self._git.require(status)
        return State(index, status.out, submodules)

    def close(self) -> None:
        self._git.close()
        if self._root >= 0:
            root, self._root = self._root, -1
            with suppress(OSError):
                os.close(root)

    def _ask_refs(self) -> tuple[tuple[CommitId | None, str | None], Job]:
        heads = self._git.start("for-each-ref", *DEFAULT_HEADS)
        asked = self._git.start("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
        self._git.wait(asked, heads)
        return read_head(self._git, asked.out.decode("utf-8", "replace").split("\n")), heads


def read_head(git: Git, lines: list[str]) -> tuple[CommitId | None, str | None]:
    """Read HEAD's commit and branch; git answers an unborn HEAD with the word itself."""
    if len(lines) >= 2 and _OID.fullmatch(lines[0]):
        name = lines[1]
        return CommitId(lines[0]), name.removeprefix("refs/heads/") if name != "HEAD" else None
    job = git.run("symbolic-ref", "-q", "HEAD")
    name = job.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return None, name.removeprefix("refs/heads/") or None


def _read_heads(output: bytes) -> tuple[dict[str, CommitId], str | None]:
    """Return each listed ref's commit, and the short name that origin/HEAD leads to."""
    tips: dict[str, CommitId] = {}
    default: str | None = None
    for line in output.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        name, oid, target = line.split("\0")
        if name == f"{ORIGIN}/HEAD":
            default = target.removeprefix(f"{ORIGIN}/") or None
        else:
            tips[name] = CommitId(oid)
    return tips, default


def _default_name(tips: Mapping[str, CommitId], origin_head: str | None) -> str | None:
    if origin_head is not None:
        return origin_head
    for name in DEFAULTS:
        if f"refs/heads/{name}" in tips or f"{ORIGIN}/{name}" in tips:
            return name
    return None


def _folders(paths: Iterable[GitPath]) -> set[bytes]:
    """Return every folder on the way to some paths: b"" the top, the others with a slash."""
    found = {b""}
    for path in paths:
        while (path := GitPath(path.rpartition(b"/")[0])) and path + b"/" not in found:
            found.add(path + b"/")
    return found


def _first_id(job: Job) -> CommitId:
    return CommitId(job.out.split(b"\n", 1)[0].decode("ascii"))
