"""A checkout without git: pygit2 for objects, refs and settings, the rest read here (2.7).

libgit2 runs no hook, filter, fsmonitor, credential or other program. It is asked for no status,
no ignore rules and no attributes: its answers differ from git's, and it would block on a pipe
that a repository brings along under such a name. docs/engines.md says what remains different.
"""

import errno
import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from diffx.collector.contents.endless import endless_error, endless_in_git, git_folders, is_endless
from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.contents.text import is_binary
from diffx.collector.contents.worktree import Worktree, open_root
from diffx.collector.enrolment.metadata import read_bounded
from diffx.collector.gitexe.opening import DEFAULTS, ORIGIN, NoCheckoutError
from diffx.collector.gitexe.process import DeadlineError
from diffx.collector.gitexe.submodules import cleaning_filters
from diffx.collector.libgit2.indexview import IndexView
from diffx.collector.libgit2.patchtext import only_hunks
from diffx.collector.libgit2.settings import (
    file_settings,
    read_config,
    read_user_file,
    user_excludes,
)
from diffx.collector.libgit2.survey import Libgit2Walk, attribute_rules, survey_between
from diffx.collector.repository import ATTRIBUTES, Attributes, Blob, Layout, Refs, Survey
from diffx.collector.rules.switches import is_on
from diffx.errors import FailedError
from diffx.native import make_importable, unusable
from diffx.review.model import CommitId, Digest, Engine, GitPath

if TYPE_CHECKING:
    import pygit2

_MAX_REFS_BYTES: Final = 1 << 30
_INSTEAD: Final = "install git to review it"


class Libgit2Error(FailedError):
    """libgit2 cannot read the repository; git may."""


def open_libgit2(
    path: Path, environment: Mapping[str, str], *, deadline: float
) -> "Libgit2Repository":
    """Open the checkout that contains `path`, without running any program."""
    library = _library(environment)
    folder = path if path.is_dir() else path.parent
    if not path.exists():
        raise NoCheckoutError(f"{path} does not exist; name a folder inside a Git checkout")
    _require_ends(folder, environment, deadline)
    try:
        found = library.discover_repository(str(folder))
        if found is None:
            raise NoCheckoutError(f"{path} is in no Git checkout")
        repository = library.Repository(found, library.enums.RepositoryOpenFlag.NO_SEARCH)
    except library.GitError as error:
        raise _refusal(path, str(error)) from error
    layout = _layout(path, folder, repository)
    return Libgit2Repository(library, repository, layout, environment, deadline)


def _require_ends(folder: Path, environment: Mapping[str, str], deadline: float) -> None:
    """Refuse a Git folder in which libgit2 would open a pipe: no deadline reaches in there."""
    for git in git_folders(folder):
        for file in endless_in_git(git, environment.get("HOME", "")):
            if file is not None:
                raise Libgit2Error(endless_error(file))
            if time.monotonic() > deadline:
                raise DeadlineError(
                    f"looking through {git} and the folders that it borrows from took longer than"
                    f" it may; see what objects/info/alternates and the links in it lead to"
                )


def _require_nothing_replaced(layout: Layout, config: Mapping[str, str]) -> None:
    """Refuse replaced objects (git-replace): git shows the replacement, libgit2 does not know it."""
    if not is_on(config.get("core.usereplacerefs"), default=True):
        return
    try:
        packed = read_git_file(layout.common_dir / "packed-refs", most=_MAX_REFS_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise Libgit2Error(f"cannot read {error.filename}: {error.strerror}") from error
        packed = b""
    loose = layout.common_dir / "refs" / "replace"
    if b" refs/replace/" in packed or any(path.is_file() for path in loose.rglob("*")):
        raise Libgit2Error(
            f"libgit2 cannot read {layout.top}: it has replaced objects (refs/replace); {_INSTEAD}"
        )


def _library(environment: Mapping[str, str]) -> Any:
    """Import pygit2, and make it look for settings where this environment has them."""
    make_importable(environment)
    try:
        import pygit2
    except ImportError as error:
        raise unusable(error) from error
    home = environment.get("HOME", "")
    xdg = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    levels = pygit2.enums.ConfigLevel
    pygit2.settings.search_path[levels.GLOBAL] = _readable_folder(home, ".gitconfig")
    pygit2.settings.search_path[levels.XDG] = _readable_folder(xdg and f"{xdg}/git", "config")
    return pygit2


def _readable_folder(folder: str, name: str) -> str:
    """Return the folder, or "" where its file may not be read: git warns of that and goes on."""
    if is_endless(Path(folder, name)):
        return ""
    try:
        os.close(os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except FileNotFoundError:
        return folder
    except OSError:
        return ""
    return folder


def _refusal(path: Path, said: str) -> FailedError:
    if "not owned by current user" in said:
        owned = re.search(r"repository path '(.*)' is not owned", said)
        return Libgit2Error(
            f"{path} belongs to another user and is not trusted; if you do trust it, add it to"
            f" safe.directory in ~/.gitconfig ([safe] directory = {owned[1] if owned else path})"
        )
    return Libgit2Error(f"libgit2 cannot read {path}: {said}; {_INSTEAD}")


def _layout(path: Path, folder: Path, repository: "pygit2.Repository") -> Layout:
    git_dir = Path(repository.path)
    if repository.is_bare or repository.workdir is None:
        raise NoCheckoutError(
            f"{path} is a bare repository, which has no files to review; name a checkout of it"
        )
    top = Path(repository.workdir)
    if folder.resolve().is_relative_to(git_dir.resolve()):
        raise NoCheckoutError(f"{path} is inside a .git folder; name the checkout itself")
    _require_own(path, top, git_dir)
    common = git_dir
    with suppress(OSError):
        name = read_bounded(git_dir / "commondir").rstrip(b"\r\n")
        common = Path(os.path.normpath(git_dir / os.fsdecode(name)))
    if (common / "reftable").is_dir():
        raise Libgit2Error(f"libgit2 cannot read {path}: its refs are a reftable; {_INSTEAD}")
    return Layout(
        top=Path(os.path.normpath(top)),
        git_dir=Path(os.path.normpath(git_dir)),
        common_dir=common,
        object_format="sha1",
        shallow=repository.is_shallow,
    )


def _require_own(path: Path, top: Path, git_dir: Path) -> None:
    """Refuse a checkout that its configuration (core.worktree) moves somewhere else."""
    entry = top / ".git"
    try:
        if not entry.is_dir():
            target = read_bounded(entry).partition(b"gitdir: ")[2].rstrip(b"\r\n")
            entry = top / os.fsdecode(target)
        own = entry.samefile(git_dir)
    except (OSError, ValueError):
        own = False
    if not own:
        raise NoCheckoutError(
            f"{path} is configured (core.worktree) to have its files in {top}, which is not its"
            " own checkout; remove that setting, or name the folder that has its .git"
        )


class Libgit2Repository:
    """One checkout, read through libgit2 and by ourselves."""

    engine: Engine = "libgit2"

    def __init__(
        self,
        library: Any,
        repository: "pygit2.Repository",
        layout: Layout,
        environment: Mapping[str, str],
        deadline: float,
    ) -> None:
        self.layout = layout
        self._library: ModuleType | Any = library
        self._repository = repository
        self._environment = environment
        self._deadline = deadline
        config = read_config(library, repository)
        _require_nothing_replaced(layout, config)
        self._config = config
        self.settings = file_settings(config)
        self.filters = cleaning_filters(config)
        self.ignore_rules: Mapping[str, str] = {
            name.removeprefix("submodule.").removesuffix(".ignore"): value
            for name, value in config.items()
            if name.startswith("submodule.") and name.endswith(".ignore")
        }
        self.excludes: Sequence[bytes] = user_excludes(layout, config, environment)
        self.info_attributes = read_user_file(layout.common_dir / "info" / "attributes")
        self._root = open_root(layout.top)
        self._view: IndexView | None = None

    def about(self) -> str:
        return f"libgit2 {self._library.LIBGIT2_VERSION} with pygit2 {self._library.__version__}"

    @property
    def remote_url(self) -> str | None:
        urls = {
            name: value
            for name, value in self._config.items()
            if name.startswith("remote.") and name.endswith(".url")
        }
        if "remote.origin.url" in urls or len(urls) != 1:
            return urls.get("remote.origin.url")
        return next(iter(urls.values()))

    def refs(self) -> Refs:
        default = self._default()
        return Refs(
            head=self.head(),
            branch=self._branch(),
            default=default,
            default_local=None if default is None else self._commit(f"refs/heads/{default}"),
            default_remote=None if default is None else self._commit(f"{ORIGIN}/{default}"),
        )

    def resolve(self, name: str) -> CommitId | None:
        if name.startswith("-") or "\0" in name or "\n" in name:
            return None
        for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/"):
            found = self._commit(f"{prefix}{name}")
            if found is not None:
                return found
        try:
            commit = self._repository.revparse_single(name).peel(self._library.Commit)
        except (self._library.GitError, KeyError, ValueError):
            return None
        return CommitId(str(commit.id))

    def nearest_base(
        self, head: CommitId, tips: Sequence[CommitId]
    ) -> tuple[CommitId, CommitId] | None:
        found = []
        for tip in tips:
            base = self._repository.merge_base(tip, head)
            if base is not None:
                ahead, _ = self._repository.ahead_behind(head, base)
                found.append((ahead, (tip, CommitId(str(base)))))
        return min(found, key=lambda one: one[0])[1] if found else None

    def walk(self, head: CommitId | None) -> Libgit2Walk:
        walk = Libgit2Walk(self, self._root, head)
        self._view = walk.view
        return walk

    def between(self, base: CommitId | None, tip: CommitId) -> Survey:
        return survey_between(self, self._root, base, tip)

    def blobs(self, oids: Iterable[str], *, keep: int) -> Iterator[Blob]:
        for oid in oids:
            self.checkpoint()
            data = self.read(oid)
            if data is None:
                yield Blob(oid=oid, size=None, digest=None, data=None)
                continue
            digest = Digest(hashlib.sha256(data).hexdigest())
            kept = data if len(data) <= keep else None
            yield Blob(oid=oid, size=len(data), digest=digest, data=kept, binary=is_binary(data))

    def attributes(self, paths: Sequence[GitPath]) -> Mapping[GitPath, Attributes]:
        view = self._view or Libgit2Walk(self, self._root, None).view
        found: dict[GitPath, Attributes] = {}
        with Worktree(self._root) as worktree:
            rules = attribute_rules(self, worktree, view)
            for path in paths:
                said = {
                    name: value for name, value in rules.of(path).items() if name in ATTRIBUTES
                }
                if said:
                    found[path] = said
        return found

    def close(self) -> None:
        self._repository.free()
        if self._root >= 0:
            root, self._root = self._root, -1
            os.close(root)

    # What a walk asks for.

    def read(self, oid: str) -> bytes | None:
        try:
            return bytes(self._repository.odb.read(oid)[1])
        except KeyError:
            return None
        except self._library.GitError as error:
            raise Libgit2Error(
                f"{self.layout.top} has a broken object {oid}: {error}; run `git fsck`"
            ) from error

    def hunks(self, old: bytes, new: bytes) -> tuple[bytes, int, int]:
        option = self._library.enums.DiffOption
        patch = self._library.Patch.create_from(
            old,
            new,
            old_as_path="f",
            new_as_path="f",
            flag=option.FORCE_TEXT | option.INDENT_HEURISTIC,
            context_lines=3,
            interhunk_lines=0,
        )
        _, added, removed = patch.line_stats
        return only_hunks(patch.data), added, removed

    def tree_of(self, commit: CommitId) -> str:
        found = self._repository.get(commit)
        if found is None:
            raise Libgit2Error(f"{self.layout.top} lacks the commit {commit}; run `git fsck`")
        return str(found.peel(self._library.Tree).id)

    def head(self) -> CommitId | None:
        return self._commit("HEAD")

    def head_of(self, folder: Path) -> str | None:
        inner = self._inner(folder)
        if inner is None:
            return None
        try:
            return str(inner.lookup_reference("HEAD").resolve().peel(self._library.Commit).id)
        except (self._library.GitError, KeyError, ValueError):
            return None
        finally:
            inner.free()

    def dirt(self, folder: Path, depth: int) -> tuple[bool, bool]:
        """Return what a submodule holds beyond its commit; one that cannot be read, nothing."""
        inner = self._inner(folder)
        if inner is None:
            return False, False
        try:
            layout = _layout(folder, folder, inner)
            if layout.top.samefile(folder):
                below = Libgit2Repository(
                    self._library, inner, layout, self._environment, self._deadline
                )
                return below.dirtiness(depth)
        except DeadlineError:
            raise
        except FailedError:
            pass
        return False, False

    def dirtiness(self, depth: int) -> tuple[bool, bool]:
        """Return whether this checkout has modified, and untracked, content; then close."""
        try:
            return Libgit2Walk(self, self._root, self.head(), depth=depth).is_dirty()
        finally:
            self.close()

    def checkpoint(self) -> None:
        if time.monotonic() > self._deadline:
            raise DeadlineError(
                f"collecting {self.layout.top} took longer than it may; review a smaller checkout,"
                " or install git, which is faster"
            )

    def _inner(self, folder: Path) -> "pygit2.Repository | None":
        flags = self._library.enums.RepositoryOpenFlag.NO_SEARCH
        try:
            _require_ends(folder, self._environment, self._deadline)
            return self._library.Repository(str(folder), flags)  # type: ignore[no-any-return]
        except (self._library.GitError, ValueError, Libgit2Error):
            return None

    def _commit(self, name: str) -> CommitId | None:
        try:
            reference = self._repository.lookup_reference(name).resolve()
            return CommitId(str(reference.peel(self._library.Commit).id))
        except (self._library.GitError, KeyError, ValueError):
            return None

    def _branch(self) -> str | None:
        with suppress(OSError):
            # In old repositories HEAD is a link, which libgit2 takes for what that leads to.
            linked = str((self.layout.git_dir / "HEAD").readlink())
            if linked.startswith("refs/"):
                return linked.removeprefix("refs/heads/")
        target = self._target("HEAD")
        return None if target is None else target.removeprefix("refs/heads/")

    def _target(self, name: str) -> str | None:
        """Return the ref that a symbolic one leads to; None for any other."""
        try:
            target = self._repository.lookup_reference(name).raw_target
        except (self._library.GitError, KeyError, ValueError):
            return None
        return os.fsdecode(target) if isinstance(target, bytes) else None

    def _default(self) -> str | None:
        target = self._target(f"{ORIGIN}/HEAD")
        if target is not None:
            return target.removeprefix(f"{ORIGIN}/")
        for name in DEFAULTS:
            if self._commit(f"refs/heads/{name}") or self._commit(f"{ORIGIN}/{name}"):
                return name
        return None
