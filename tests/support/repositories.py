"""Scripted Git repositories, and what git itself says of them."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from diffx.clock import random_id, system_clock
from diffx.collector.collect import CollectOptions, collect
from diffx.review.model import (
    ChangedFile,
    GitPath,
    Observation,
    Scope,
    Snapshot,
    SourceId,
)

_WHO: Final = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    "GIT_AUTHOR_DATE": "2024-03-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2024-03-01T12:00:00Z",
    "GIT_TERMINAL_PROMPT": "0",
}

AMPLE_MS: Final = 300_000

Name = str | bytes


class Checkout:
    """A repository under construction: write, stage, commit, and ask git about it."""

    def __init__(self, top: Path) -> None:
        self.top = top

    @classmethod
    def init(cls, top: Path, *options: str) -> "Checkout":
        top.mkdir(parents=True, exist_ok=True)
        checkout = cls(top)
        checkout.git("init", "-q", "-b", "main", *options)
        return checkout

    def clone(self, top: Path, *options: str) -> "Checkout":
        other = Checkout(top)
        run_git(self.top.parent, "clone", "-q", *options, self.top.as_uri(), str(top))
        return other

    def git(self, *words: Name, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
        return run_git(self.top, *words, stdin=stdin, ok=ok)

    def write(self, name: Name, content: Name = "", *, executable: bool = False) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if executable:
            path.chmod(0o755)
        return path

    def link(self, name: Name, target: Name) -> None:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.exists():
            path.unlink()
        path.symlink_to(os.fsdecode(target))

    def path(self, name: Name) -> Path:
        return self.top / os.fsdecode(name)

    def read(self, name: Name) -> bytes:
        return self.path(name).read_bytes()

    def remove(self, name: Name) -> None:
        self.path(name).unlink()

    def commit(self, message: str = "work") -> str:
        """Stage everything and commit it; return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").decode().strip()

    def collect(self, **options: Any) -> Observation:
        return collect_at(self.top, **options)

    def blob(self, name: str) -> bytes:
        """Return an object's content, named as `rev-parse` understands it."""
        return self.git("cat-file", "blob", name)


def run_git(folder: Path, *words: Name, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
    environment = {**os.environ, **_WHO}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environment, input=stdin, capture_output=True, check=False
    )
    if done.returncode not in ok:
        raise AssertionError(f"git {words!r}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def collect_at(
    path: Path, *, environment: Mapping[str, str] | None = None, **options: Any
) -> Observation:
    """Collect as the tests' source; `options` are those of CollectOptions.

    There is far more time than a user would have: how slow a machine is decides no test.
    """
    wanted = CollectOptions(
        source_id=SourceId("tests"),
        environment=dict(os.environ if environment is None else environment),
        **{"deadline_ms": AMPLE_MS, **options},
    )
    return collect(path, wanted, now=system_clock, new_id=random_id)


def scope_of(observation: Observation, scope: Scope) -> Snapshot:
    return next(found for found in observation.snapshots if found.scope == scope)


def files_of(observation: Observation, scope: Scope = "all") -> dict[bytes, ChangedFile]:
    """Return a scope's files by path; each is listed once."""
    files = scope_of(observation, scope).files
    found: dict[bytes, ChangedFile] = {file.path: file for file in files}
    assert len(found) == len({file.id for file in files}) == len(files), scope
    return found


def statuses(observation: Observation, scope: Scope = "all") -> dict[str, str]:
    return {os.fsdecode(path): file.status for path, file in files_of(observation, scope).items()}


def patch_of(observation: Observation, file: ChangedFile) -> bytes:
    assert file.patch.blob is not None, file.patch
    return observation.texts[file.patch.blob]


def after_text(observation: Observation, file: ChangedFile) -> bytes:
    assert file.after is not None and file.after.blob is not None, file.after
    return observation.texts[file.after.blob]


def before_text(observation: Observation, file: ChangedFile) -> bytes:
    assert file.before is not None and file.before.blob is not None, file.before
    return observation.texts[file.before.blob]


class Said(NamedTuple):
    """One row of what git says; counts are None for binary files."""

    status: str
    old_path: bytes | None
    old_mode: str | None
    new_mode: str | None
    additions: int | None
    deletions: int | None


@dataclass(frozen=True)
class Oracle:
    """git's own porcelain on one checkout, read independently of the collector."""

    checkout: Checkout

    def staged(self) -> dict[bytes, Said]:
        return self._diff("--cached", self._head())

    def unstaged(self) -> dict[bytes, Said]:
        rows = self._diff()
        for path, row in list(rows.items()):
            # git took a deleted file for the former name of an unmerged one, and says neither.
            if row.status == "U" and None not in (row.old_mode, row.new_mode):
                plain = self._diff("--no-renames")
                rows[path] = plain.get(path, row)
        return rows

    def against(self, base: str | None = None) -> dict[bytes, Said]:
        return self._diff(base or self._head())

    def untracked(self) -> set[bytes]:
        listed = self.checkout.git("ls-files", "-o", "--exclude-standard", "-z").split(b"\0")
        return {name.rstrip(b"/") for name in listed if name}

    def conflicts(self) -> set[bytes]:
        listed = self.checkout.git("ls-files", "-u", "-z").split(b"\0")
        return {record.partition(b"\t")[2] for record in listed if record}

    def _head(self) -> str:
        found = self.checkout.git("rev-parse", "-q", "--verify", "HEAD^{commit}", ok=(0, 1))
        if found:
            return found.decode().strip()
        return self.checkout.git("hash-object", "-t", "tree", "--stdin").decode().strip()

    def _diff(self, *spec: str) -> dict[bytes, Said]:
        flags = ("-M", "--no-ext-diff", "--no-textconv", "--no-color", "--no-abbrev", "-z")
        rows: dict[bytes, Said] = {}
        counts = self._counts(*flags, *spec)
        words = iter(self.checkout.git("diff", "--raw", *flags, *spec).split(b"\0"))
        for meta in words:
            if not meta:
                continue
            old_mode, new_mode, _, _, status = meta[1:].decode().split(" ")
            first = next(words)
            path = next(words) if status[0] in "RC" else first
            rows[path] = Said(
                "U" if path in rows and rows[path].status == "U" else status[0],
                first if path != first else None,
                None if old_mode == "000000" else old_mode,
                None if new_mode == "000000" else new_mode,
                *counts.get(path, (0, 0)),
            )
        return rows

    def _counts(self, *words: str) -> dict[bytes, tuple[int | None, int | None]]:
        counts: dict[bytes, tuple[int | None, int | None]] = {}
        fields = iter(self.checkout.git("diff", "--numstat", *words).split(b"\0"))
        for field in fields:
            if not field:
                continue
            added, deleted, path = field.split(b"\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            if path in counts and (added, deleted) == (b"0", b"0"):
                continue
            counts[path] = (None, None) if added == b"-" else (int(added), int(deleted))
        return counts


def said(file: ChangedFile) -> Said:
    return Said(
        file.status,
        file.old_path,
        file.old_mode,
        file.new_mode,
        file.additions,
        file.deletions,
    )


def assert_as_git_says(
    checkout: Checkout, observation: Observation, base: str | None = None
) -> None:
    """Hold every scope against git: paths, statuses, modes, rename pairs and counts (2.7)."""
    oracle = Oracle(checkout)
    untracked, conflicts = oracle.untracked(), oracle.conflicts()
    found = {scope: files_of(observation, scope) for scope in ("all", "staged", "unstaged")}
    expected = {
        "staged": oracle.staged(),
        "unstaged": oracle.unstaged(),
        "all": oracle.against(base),
    }
    for scope, wanted in expected.items():
        ours = {path: said(file) for path, file in found[scope].items()}
        new = set() if scope == "staged" else untracked
        for path in new:
            if scope == "all" and path in wanted:  # in the base, and still on disk
                wanted.pop(path)
                ours.pop(path, None)
                continue
            assert found[scope][path].status == "A", (scope, path)
            assert found[scope][path].worktree_status == "?", (scope, path)
            ours.pop(path)
        for path in conflicts:
            assert ours.pop(path).status == "U", (scope, path)
            wanted.pop(path, None)
        differing = _differing(ours, wanted)
        assert not differing, (scope, differing)


def _differing(
    ours: Mapping[bytes, Said], git: Mapping[bytes, Said]
) -> dict[bytes, tuple[Said | None, Said | None]]:
    """Return what is said of each path that the two do not agree on."""
    paths = sorted(ours.keys() | git.keys())
    both = {path: (ours.get(path), git.get(path)) for path in paths}
    return {path: pair for path, pair in both.items() if pair[0] != pair[1]}


def apply_patch(patch: bytes, path: GitPath, before: bytes | None, folder: Path) -> bytes | None:
    """Return what `git apply` makes of one file, outside any repository."""
    folder.mkdir(parents=True)
    target = folder / os.fsdecode(path)
    if before is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(before)
    run_git(folder, "apply", "--whitespace=nowarn", "--unsafe-paths", "-", stdin=patch)
    return target.read_bytes() if target.exists() else None
