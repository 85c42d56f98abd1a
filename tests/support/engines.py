"""Both engines on one checkout, and where they part."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from diffx.collector.gitexe.opening import open_git
from diffx.collector.libgit2.repository import open_libgit2
from diffx.collector.repository import Change, Repository, Survey
from diffx.review.model import CommitId, GitPath, Scope
from tests.support.repositories import AMPLE_MS

Opener = Callable[..., Repository]

ENGINES: Final[Mapping[str, Opener]] = {"git": open_git, "libgit2": open_libgit2}


@contextmanager
def opened(engine: str, path: Path) -> Iterator[Repository]:
    repository = ENGINES[engine](
        path, dict(os.environ), deadline=time.monotonic() + AMPLE_MS / 1000
    )
    try:
        yield repository
    finally:
        repository.close()


def survey(engine: str, path: Path) -> Survey:
    """Collect against the nearest base, as `collect` would."""
    with opened(engine, path) as repository:
        return survey_of(repository)


def survey_of(repository: Repository) -> Survey:
    refs = repository.refs()
    return repository.walk(refs.head).against(_base(repository)).finish()


def _base(repository: Repository) -> CommitId | None:
    refs = repository.refs()
    tips = [tip for tip in (refs.default_local, refs.default_remote) if tip is not None]
    if refs.head is None or not tips:
        return refs.head
    found = repository.nearest_base(refs.head, tips)
    return refs.head if found is None else found[1]


def listed(found: Survey, scope: Scope) -> list[str]:
    """Name a scope's changes in one line each: `M a.txt`, `R old -> new`."""
    return sorted(_line(change) for change in found.changes[scope])


def _line(change: Change) -> str:
    path = os.fsdecode(change.path)
    if change.old_path is not None:
        return f"{change.status} {os.fsdecode(change.old_path)} -> {path}"
    return f"{change.status} {path}"


def assert_same(path: Path) -> None:
    """Hold everything that libgit2's engine says against git's, patches byte for byte."""
    with opened("git", path) as reference, opened("libgit2", path) as ours:
        assert ours.layout == reference.layout
        assert ours.refs() == reference.refs()
        assert ours.remote_url == reference.remote_url
        assert _base(ours) == _base(reference)
        expected, found = survey_of(reference), survey_of(ours)
        assert_same_survey(expected, found)
        paths = _paths(expected)
        assert {path: dict(said) for path, said in ours.attributes(paths).items()} == {
            path: dict(said) for path, said in reference.attributes(paths).items()
        }


def _paths(found: Survey) -> list[GitPath]:
    changed = {change.path for listed in found.changes.values() for change in listed}
    return sorted(changed.union(found.untracked))


def assert_same_survey(expected: Survey, found: Survey) -> None:
    for name in Survey._fields:
        wanted, said = getattr(expected, name), getattr(found, name)
        if name == "changes":
            continue
        if isinstance(wanted, tuple):
            wanted, said = sorted(wanted), sorted(said)
        assert said == wanted, name
    for scope in expected.changes:
        ours, theirs = map(_comparable, (found.changes[scope], expected.changes[scope]))
        assert ours == theirs, scope


def _comparable(changes: Iterable[Change]) -> list[Change]:
    """Drop what git tells of a conflict's file only while it also looks for renames."""
    return [
        change._replace(new_oid=None) if change.status == "U" and change.patch is None else change
        for change in changes
    ]
