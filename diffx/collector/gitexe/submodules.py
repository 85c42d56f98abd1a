"""What submodules hold beyond their commits, without git's own recursion (2.2).

Left to itself git would start a second git inside each submodule, under that submodule's own
configuration. So it is told to stop at the commit, and each submodule is asked here, in the same
safe form as the checkout itself.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from diffx.collector.contents.worktree import Worktree, open_root
from diffx.collector.gitexe.process import Git
from diffx.collector.gitexe.questions import CONFIG_PATTERN
from diffx.collector.repository import SubmoduleState
from diffx.collector.rules.switches import is_on
from diffx.review.model import CommitId, GitPath

Settings = Mapping[str, str]

_LOOKED_AT: Final = (b"H ", b"M ", b"")
"""How `ls-files -v` begins the records of plain and of unmerged entries, and what ends its list."""
_MAX_DEPTH: Final = 8
_MAX_GITMODULES_BYTES: Final = 1 << 20
_NAMED: Final = re.compile(r"submodule\.(.*)\.(path|ignore)", re.DOTALL)


def read_settings(output: bytes) -> dict[str, str]:
    """Read `git config -z --get-regexp`; the last value of a name wins, as in git.

    A name alone, without an equals sign, says yes.
    """
    settings: dict[str, str] = {}
    for record in output.split(b"\0")[:-1]:
        name, has_value, value = record.partition(b"\n")
        settings[_text(name)] = _text(value) if has_value else "true"
    return settings


def neutral_filters(settings: Settings) -> dict[str, str]:
    """Return the settings that empty every configured content filter and diff driver (2.2, 2.9).

    An empty command counts as none; `required` would turn its absence into a failure.
    """
    neutral: dict[str, str] = {}
    for name in settings:
        section, _, key = name.rpartition(".")
        if name.startswith("filter."):
            for part in ("clean", "smudge", "process"):
                neutral[f"{section}.{part}"] = ""
            neutral[f"{section}.required"] = "false"
        elif name.startswith("diff."):
            neutral[name] = _DRIVER_DEFAULTS[key]
    return neutral


_DRIVER_DEFAULTS: Final = {
    "binary": "auto",
    # What git takes for a heading where no driver says otherwise.
    "xfuncname": "^[[:alpha:]$_].*$",
    "funcname": "^[[:alpha:]$_].*$",
    "algorithm": "myers",
}


def cleaning_filters(settings: Settings) -> frozenset[str]:
    """Return the filters that would change a file's content on its way into Git."""
    return frozenset(
        name.split(".", 1)[1].rpartition(".")[0]
        for name, value in settings.items()
        if name.startswith("filter.") and name.endswith((".clean", ".process")) and value
    )


def gitlinks(git: Git) -> dict[GitPath, CommitId]:
    """Return the submodules that the index records, with their commits."""
    found: dict[GitPath, CommitId] = {}
    for record in git.ask("ls-files", "-s", "-z").split(b"\0"):
        if record.startswith(b"160000 "):
            meta, _, path = record.partition(b"\t")
            found[GitPath(path)] = CommitId(meta.split(b" ")[1].decode("ascii"))
    return found


def pinned_paths(listing: bytes) -> frozenset[GitPath]:
    """Read `ls-files -v -z`: the entries that git takes for what is on disk, unlooked at.

    git is asked, not the index read: in a sparse checkout it looks first which of those files
    are there after all (repository.c).
    """
    marked = [record for record in listing.split(b"\0") if record[:2] not in _LOOKED_AT]
    return frozenset(GitPath(record[2:]) for record in marked)


def ignore_rules(git: Git, root: int, settings: Settings) -> dict[GitPath, str]:
    """Return each submodule's `ignore` setting; configuration wins over .gitmodules."""
    paths: dict[str, str] = {}
    rules: dict[str, str] = {}
    for source in (_gitmodules(git, root), settings):
        for name, value in source.items():
            found = _NAMED.fullmatch(name)
            if found is not None:
                (paths if found[2] == "path" else rules)[found[1]] = value
    return {
        GitPath(path.encode("utf-8", "surrogateescape")): rules[name]
        for name, path in paths.items()
        if name in rules
    }


def _gitmodules(git: Git, root: int) -> Settings:
    with Worktree(root) as worktree:
        look = worktree.look(GitPath(b".gitmodules"), keep=_MAX_GITMODULES_BYTES)
    pattern = r"^submodule\..*\.(path|ignore)$"
    words = ("config", "-z", "--no-includes")
    if look.kind == "regular" and look.data is not None:
        job = git.run(*words, "-f", "-", "--get-regexp", pattern, stdin=look.data + b"\n")
    else:
        job = git.run(*words, "--blob=:.gitmodules", "--get-regexp", pattern)
    return read_settings(job.out) if job.ok else {}


class Submodules:
    """Asks every submodule of one checkout. `ignored` is known once `states` was called."""

    def __init__(
        self, git: Git, root: int, settings: Settings, *, depth: int = _MAX_DEPTH
    ) -> None:
        self._git = git
        self._root = root
        self._settings = settings
        self._depth = depth
        self.filters = cleaning_filters(settings)
        self.modes_count = is_on(settings.get("core.filemode"), default=True)
        self.ignored: frozenset[GitPath] = frozenset()

    def states(
        self, links: Mapping[GitPath, CommitId], pinned: frozenset[GitPath]
    ) -> dict[GitPath, SubmoduleState]:
        """Return the state of each dirty submodule whose dirt may be reported.

        git never looks into a `pinned` one.
        """
        if not links:
            return {}
        rules = ignore_rules(self._git, self._root, self._settings)
        self.ignored = frozenset(path for path in links if rules.get(path) == "all")
        states: dict[GitPath, SubmoduleState] = {}
        for path, commit in links.items():
            rule = rules.get(path, "none")
            if rule in ("all", "dirty") or path in pinned or not self._is_checkout(path):
                continue
            modified, untracked = self._dirt(self._git.folder / _text(path))
            untracked = untracked and rule != "untracked"
            if modified or untracked:
                states[path] = SubmoduleState(
                    commit=commit, modified_content=modified, untracked_content=untracked
                )
        return states

    def _is_checkout(self, path: GitPath) -> bool:
        with Worktree(self._root) as worktree:
            return worktree.stamp(GitPath(path + b"/.git")) is not None

    def _dirt(self, folder: Path) -> tuple[bool, bool]:
        """Return whether a submodule's checkout has modified, and untracked, content.

        One that git cannot read has neither: what it is, is its own affair when it is opened.
        """
        git = self._git.elsewhere(folder)
        try:
            settings = read_settings(git.run("config", "-z", "--get-regexp", CONFIG_PATTERN).out)
            git.override(neutral_filters(settings))
            top = git.run("rev-parse", "--show-toplevel")
            if not top.ok or Path(_text(top.out.removesuffix(b"\n"))) != folder:
                return False, False
            status = git.run(
                "status", "--porcelain=v2", "-z", "--untracked-files=normal", "--no-renames",
                "--ignore-submodules=dirty",
            )  # fmt: skip
            if not status.ok:
                return False, False
            inner, ignored = self._below(git, folder, settings)
            return _joined(status.out.split(b"\0"), inner, ignored)
        finally:
            git.close()

    def _below(
        self, git: Git, folder: Path, settings: Settings
    ) -> tuple[Collection[SubmoduleState], frozenset[GitPath]]:
        """Return the dirty submodules of a submodule, and which of its paths are ignored."""
        links = gitlinks(git) if self._depth else {}
        if not links:
            return (), frozenset()
        root = open_root(folder)
        try:
            asker = Submodules(git, root, settings, depth=self._depth - 1)
            states = asker.states(links, pinned_paths(git.ask("ls-files", "-v", "-z")))
            return states.values(), asker.ignored
        finally:
            os.close(root)


def _joined(
    records: Sequence[bytes], inner: Collection[SubmoduleState], ignored: frozenset[GitPath]
) -> tuple[bool, bool]:
    """Join a submodule's own status with its submodules', as git does (submodule.c).

    Of an ignored one only a staged commit counts; one that merely has untracked files makes the
    outer one have untracked files, not modified ones.
    """
    modified = any(state.modified_content for state in inner)
    untracked = any(state.untracked_content for state in inner)
    for record in records:
        kind = record[:2]
        if kind == b"? ":
            untracked = True
        elif kind == b"u ":
            modified = True
        elif kind == b"1 ":
            unstaged_only = record[2:3] == b"."
            path = GitPath(record.split(b" ", 8)[8])
            modified = modified or not (unstaged_only and path in ignored)
    return modified, untracked


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
