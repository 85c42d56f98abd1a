"""A checkout as the git executable sees it: the reference engine (2.7)."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from diffx.collector.contents import open_root
from diffx.collector.gitexe import SAFE_MARK, Git, GitFailedError, Job, NoGitError, find_git
from diffx.collector.gitexe_blobs import read_blobs
from diffx.collector.gitexe_submodules import (
    CONFIG_PATTERN,
    Submodules,
    cleaning_filters,
    neutral_filters,
    read_settings,
)
from diffx.collector.gitexe_walk import GitWalk, empty_tree, finish_diff, start_diff
from diffx.collector.repository import (
    ATTRIBUTES,
    Attributes,
    Blob,
    Layout,
    ObjectFormat,
    Refs,
    Survey,
)
from diffx.errors import FailedError, InvalidError
from diffx.review.model import CommitId, Engine, GitPath

_QUESTIONS: Final = (
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--show-object-format",
    "--is-shallow-repository",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
)
_ANSWERS: Final = 7
_DEFAULTS: Final = ("main", "master")
_DUBIOUS: Final = "dubious ownership"
_ATTRIBUTES_FILE: Final = b".gitattributes"


class NoCheckoutError(InvalidError):
    """The path is in no checkout that can be collected (2.1)."""

    code = "no_checkout"


def open_git(path: Path, environment: Mapping[str, str], *, deadline: float) -> "GitRepository":
    """Open the checkout that contains `path`; NoGitError where there is no usable git."""
    program = find_git(environment)
    if program is None:
        raise NoGitError("there is no git on PATH; install git, or use --engine libgit2")
    folder = _folder(path)
    git = Git(program, folder, environment, deadline=deadline)
    try:
        asked = git.start("rev-parse", *_QUESTIONS, "HEAD", "--symbolic-full-name", "HEAD")
        settings = git.start("config", "-z", "--get-regexp", CONFIG_PATTERN)
        heads = _start_heads(git, _DEFAULTS)
        git.wait(asked, settings, heads)
        layout, head = _read_answers(git, path, asked)
        known = read_settings(settings.out)
        if known.get(SAFE_MARK) != "1":
            raise NoGitError(
                f"{program} is older than 2.31 and cannot be kept from running programs;"
                " install a newer git, or use --engine libgit2"
            )
        git.override(neutral_filters(known))
        git.folder = layout.top
        return GitRepository(git, layout, known, (head, heads))
    except BaseException:
        git.close()
        raise


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
        self._index = b""

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
        if default is not None and default not in _DEFAULTS:
            again = _start_heads(self._git, (default,))
            self._git.wait(again)
            tips, _ = _read_heads(again.out)
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
            if job.ok:
                return CommitId(job.out.strip().decode("ascii"))
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

        Index version 4 spells names only in part, a split index keeps them elsewhere.
        """
        index = self._index
        plain = index[:4] == b"DIRC" and index[4:8] in (b"\0\0\0\2", b"\0\0\0\3")
        return (
            not plain
            or _ATTRIBUTES_FILE in index
            or b"link" in index
            or any(path.endswith(_ATTRIBUTES_FILE) for path in paths)
            or (self.layout.common_dir / "info/attributes").exists()
        )

    def close(self) -> None:
        self._git.close()
        if self._root >= 0:
            root, self._root = self._root, -1
            with suppress(OSError):
                os.close(root)

    def _ask_refs(self) -> tuple[tuple[CommitId | None, str | None], Job]:
        heads = _start_heads(self._git, _DEFAULTS)
        asked = self._git.start("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
        self._git.wait(asked, heads)
        return _read_head(self._git, asked.out.decode("utf-8", "replace").split("\n")), heads


def _folder(path: Path) -> Path:
    try:
        if path.is_dir():
            return path
        if path.exists():
            return path.parent
    except OSError as error:
        raise NoCheckoutError(f"cannot look at {path}: {error.strerror}") from error
    raise NoCheckoutError(f"{path} does not exist; name a folder inside a Git checkout")


def _read_answers(
    git: Git, path: Path, asked: Job
) -> tuple[Layout, tuple[CommitId | None, str | None]]:
    lines = asked.out.decode("utf-8", "surrogateescape").split("\n")
    if lines[0] == "true":
        raise NoCheckoutError(
            f"{path} is a bare repository, which has no files to review; name a checkout of it"
        )
    if lines[1:2] == ["false"]:
        raise NoCheckoutError(f"{path} is inside a .git folder; name the checkout itself")
    if len(lines) <= _ANSWERS:
        raise _refusal(path, asked)
    _, _, form, shallow, git_dir, common_dir, top = lines[:_ANSWERS]
    layout = Layout(
        top=Path(top),
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        object_format=_object_format(form),
        shallow=shallow == "true",
    )
    _require_own(path, layout)
    return layout, _read_head(git, lines[_ANSWERS:])


def _object_format(word: str) -> ObjectFormat:
    if word == "sha1":
        return "sha1"
    if word == "sha256":
        return "sha256"
    raise FailedError(f"the repository uses object format {word!r}, which diffx does not know")


def _require_own(path: Path, layout: Layout) -> None:
    """Refuse a checkout whose configuration (core.worktree) moves it somewhere else.

    A repository from elsewhere could name any folder of the user as its files and have them
    collected. Submodules and linked worktrees have a `.git` at the top that leads back.
    """
    try:
        entry = layout.top / ".git"
        if entry.is_dir():
            own = entry.samefile(layout.git_dir)
        else:
            target = entry.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            own = (layout.top / target).samefile(layout.git_dir)
    except (OSError, ValueError):
        own = False
    if not own:
        raise NoCheckoutError(
            f"{path} is configured (core.worktree) to have its files in {layout.top}, which is not"
            " its own checkout; remove that setting, or name the folder that has its .git"
        )


def _refusal(path: Path, asked: Job) -> FailedError | NoCheckoutError:
    said = " ".join(asked.error_text.partition("fatal: ")[2].split()) or "no answer"
    if _DUBIOUS in said:
        return GitFailedError(
            f"{path} belongs to another user and git does not trust it; if you do, run:"
            f" git config --global --add safe.directory {_owned(said) or path}"
        )
    if "not a git repository" in said:
        return NoCheckoutError(f"{path} is in no Git checkout: {said}")
    return GitFailedError(f"git cannot read {path}: {said}")


def _owned(said: str) -> str | None:
    found = re.search(r"repository at '(.*?)'", said)
    return found[1] if found is not None else None


def _read_head(git: Git, lines: list[str]) -> tuple[CommitId | None, str | None]:
    """Read HEAD's commit and branch; git answers an unborn HEAD with the word itself."""
    if len(lines) >= 2 and re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", lines[0]):
        name = lines[1]
        return CommitId(lines[0]), name.removeprefix("refs/heads/") if name != "HEAD" else None
    job = git.run("symbolic-ref", "-q", "HEAD")
    name = job.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return None, name.removeprefix("refs/heads/") or None


def _start_heads(git: Git, names: Iterable[str]) -> Job:
    patterns = [f"{room}/{name}" for name in names for room in ("refs/heads", _ORIGIN)]
    return git.start(
        "for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)",
        f"{_ORIGIN}/HEAD", *patterns,
    )  # fmt: skip


_ORIGIN: Final = "refs/remotes/origin"


def _read_heads(output: bytes) -> tuple[dict[str, CommitId], str | None]:
    """Return each listed ref's commit, and the short name that origin/HEAD leads to."""
    tips: dict[str, CommitId] = {}
    default: str | None = None
    for line in output.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        name, oid, target = line.split("\0")
        if name == f"{_ORIGIN}/HEAD":
            default = target.removeprefix(f"{_ORIGIN}/") or None
        else:
            tips[name] = CommitId(oid)
    return tips, default


def _default_name(tips: Mapping[str, CommitId], origin_head: str | None) -> str | None:
    if origin_head is not None:
        return origin_head
    for name in _DEFAULTS:
        if f"refs/heads/{name}" in tips or f"{_ORIGIN}/{name}" in tips:
            return name
    return None


def _first_id(job: Job) -> CommitId:
    return CommitId(job.out.split(b"\n", 1)[0].decode("ascii"))
