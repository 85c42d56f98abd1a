"""What submodules hold beyond their commits, without git's own recursion (2.2).

Left to itself git would start a second git inside each submodule, under that submodule's own
configuration. So it is told to stop at the commit, and each submodule is asked here, in the same
safe form as the checkout itself.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from diffx.collector.contents.worktree import Worktree
from diffx.collector.gitexe.process import Git
from diffx.collector.gitexe.questions import CONFIG_PATTERN
from diffx.collector.repository import SubmoduleState
from diffx.review.model import CommitId, GitPath

Settings = Mapping[str, str]

_GITLINK_MODE: Final = b"\0\0\xe0\0"  # 0160000 as the index stores it, in every index version
_MAX_DEPTH: Final = 8
_MAX_GITMODULES_BYTES: Final = 1 << 20
_NAMED: Final = re.compile(r"submodule\.(.*)\.(path|ignore)", re.DOTALL)


def read_settings(output: bytes) -> dict[str, str]:
    """Read `git config -z --get-regexp`; the last value of a name wins, as in git."""
    settings: dict[str, str] = {}
    for record in output.split(b"\0")[:-1]:
        name, _, value = record.partition(b"\n")
        settings[_text(name)] = _text(value)
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


def gitlinks(git: Git, index: bytes) -> dict[GitPath, CommitId]:
    """Return the submodules that the index records, with their commits.

    `index` is the index file; most hold no gitlink's mode anywhere, and then nothing is asked.
    """
    if _GITLINK_MODE not in index:
        return {}
    found: dict[GitPath, CommitId] = {}
    for record in git.ask("ls-files", "-s", "-z").split(b"\0"):
        if record.startswith(b"160000 "):
            meta, _, path = record.partition(b"\t")
            found[GitPath(path)] = CommitId(meta.split(b" ")[1].decode("ascii"))
    return found


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

    def __init__(self, git: Git, root: int, settings: Settings) -> None:
        self._git = git
        self._root = root
        self._settings = settings
        self.filters = cleaning_filters(settings)
        self.ignored: frozenset[GitPath] = frozenset()

    def states(self, links: Mapping[GitPath, CommitId]) -> dict[GitPath, SubmoduleState]:
        """Return the state of each dirty submodule whose dirt may be reported."""
        if not links:
            return {}
        rules = ignore_rules(self._git, self._root, self._settings)
        self.ignored = frozenset(path for path in links if rules.get(path) == "all")
        states: dict[GitPath, SubmoduleState] = {}
        for path, commit in links.items():
            rule = rules.get(path, "none")
            if rule in ("all", "dirty") or not self._is_checkout(path):
                continue
            modified, untracked = _dirt(self._git, self._git.folder / _text(path), _MAX_DEPTH)
            untracked = untracked and rule != "untracked"
            if modified or untracked:
                states[path] = SubmoduleState(
                    commit=commit, modified_content=modified, untracked_content=untracked
                )
        return states

    def _is_checkout(self, path: GitPath) -> bool:
        with Worktree(self._root) as worktree:
            return worktree.stamp(GitPath(path + b"/.git")) is not None


def _dirt(outer: Git, folder: Path, depth: int) -> tuple[bool, bool]:
    """Return whether a submodule's checkout has modified, and untracked, content.

    One that git cannot read has neither: what it is, is its own affair when it is opened.
    """
    git = outer.elsewhere(folder)
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
        records = [record for record in status.out.split(b"\0") if record]
        modified = any(record[:2] in (b"1 ", b"2 ", b"u ") for record in records)
        untracked = any(record[:2] == b"? " for record in records)
        if not modified and depth:
            modified = _nested_dirt(git, folder, depth)
        return modified, untracked
    finally:
        git.close()


def _nested_dirt(git: Git, folder: Path, depth: int) -> bool:
    for record in git.ask("ls-files", "-s", "-z").split(b"\0"):
        if record.startswith(b"160000 "):
            inner = folder / _text(record.partition(b"\t")[2])
            if (inner / ".git").exists() and any(_dirt(git, inner, depth - 1)):
                return True
    return False


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
