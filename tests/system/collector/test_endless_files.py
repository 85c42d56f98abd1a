"""Pipes and devices where Git keeps text: no engine waits for them, and errors name them (2.10).

Each case runs in a process of its own: a call into libgit2 that waits for a pipe cannot be ended.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from diffx.collector.gitexe import process
from diffx.collector.gitexe.process import DeadlineError
from diffx.collector.libgit2.repository import open_libgit2
from tests.support.bounded import outcome_of
from tests.support.repositories import Checkout, collect_at, statuses

pytestmark = pytest.mark.system

ENGINES = ("git", "libgit2")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "a\n")
    checkout.write("sub/b.txt", "b\n")
    checkout.commit()
    checkout.git("branch", "other")
    checkout.git("config", "extensions.worktreeConfig", "true")
    checkout.write("a.txt", "a2\n")
    return checkout


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def _collected(top: Path, engine: str) -> str:
    """Collect with time for every look that is taken on a slow machine."""

    def call() -> str:
        found = collect_at(top, engine=engine, deadline_ms=200_000)
        return f"{found.provenance.engine}: {statuses(found)}"

    return outcome_of(call)


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
@pytest.mark.parametrize(
    "name",
    [
        "HEAD",
        "config",
        "config.worktree",
        "commondir",
        "packed-refs",
        "shallow",
        "refs/heads/main",
        "objects/info/alternates",
        "info/grafts",
    ],
)
def test_a_pipe_in_the_git_folder_is_named_in_one_line(
    checkout: Checkout, name: str, engine: str
) -> None:
    file = checkout.path(f".git/{name}")
    _pipe(file)

    outcome = _collected(checkout.top, engine)

    assert str(file) in outcome
    assert "is a pipe" in outcome
    assert "Error: " in outcome
    assert "\n" not in outcome


def _included(checkout: Checkout) -> Path:
    checkout.git("config", "include.path", "../more/settings")
    return checkout.path("more/settings")


def _pack(checkout: Checkout) -> Path:
    checkout.git("gc", "-q")
    return next(checkout.path(".git/objects/pack").glob("*.idx"))


def _borrowed(checkout: Checkout) -> Path:
    lender = Checkout.init(checkout.top.parent / "lender")
    checkout.write(".git/objects/info/alternates", f"# from\n{lender.top}/.git/objects\n")
    return lender.path(".git/objects/pack/multi-pack-index")


def _loose(checkout: Checkout) -> Path:
    commit = checkout.git("rev-parse", "HEAD").decode().strip()
    return checkout.path(f".git/objects/{commit[:2]}/{commit[2:]}")


@pytest.mark.parametrize("place", [_included, _pack, _borrowed, _loose])
def test_libgit2_is_not_let_near_a_pipe_that_it_would_open(
    checkout: Checkout, place: Callable[[Checkout], Path]
) -> None:
    file = place(checkout)
    _pipe(file)

    outcome = _collected(checkout.top, "libgit2")

    assert str(file.resolve()) in outcome or str(file.name) in outcome
    assert "is a pipe" in outcome


def test_a_device_without_an_end_is_named_and_the_empty_one_is_read(checkout: Checkout) -> None:
    checkout.link(".git/packed-refs", os.devnull)
    assert _collected(checkout.top, "libgit2") == "libgit2: {'a.txt': 'M'}"

    checkout.link(".git/packed-refs", "/dev/zero")
    assert "packed-refs is a pipe or a device" in _collected(checkout.top, "libgit2")


@pytest.mark.parametrize(
    "name", [".gitignore", "sub/.gitignore", ".gitattributes", ".git/info/exclude"]
)
def test_a_pipe_among_the_rules_is_named_by_git_and_does_not_stop_the_collection(
    checkout: Checkout, name: str
) -> None:
    _pipe(checkout.path(name))

    outcome = _collected(checkout.top, "git")
    assert str(checkout.path(name)) in outcome
    assert outcome.startswith("EndlessFileError: ")

    # Where no engine was asked for, the one that can read the checkout does.
    assert _collected(checkout.top, "auto") == "libgit2: {'a.txt': 'M'}"


@pytest.mark.parametrize("engine", ["libgit2", "auto"])
def test_a_submodule_that_holds_a_pipe_does_not_stop_the_collection(
    checkout: Checkout, engine: str
) -> None:
    inner = Checkout.init(checkout.path("inner"))
    inner.write("f.txt", "f\n")
    inner.commit()
    checkout.git("add", "inner")
    checkout.git("commit", "-q", "-m", "inner")
    _pipe(inner.path(".git/HEAD"))

    assert _collected(checkout.top, engine) == "libgit2: {'a.txt': 'M'}"


def test_a_nested_repository_that_holds_a_pipe_does_not_stop_the_collection(
    checkout: Checkout,
) -> None:
    inner = Checkout.init(checkout.path("inner"))
    _pipe(inner.path(".git/HEAD"))

    assert str(inner.path(".git/HEAD")) in _collected(checkout.top, "git")
    # Without a HEAD that can be read it is no repository.
    assert _collected(checkout.top, "auto") == "libgit2: {'a.txt': 'M'}"


def test_a_git_that_is_merely_slow_is_waited_for_whatever_pipes_lie_around(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_SILENCE_S", 0.01)
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\nsleep 0.1\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    for name in ("pipe", "sub/gitignore", ".git/unknown", ".git/hooks/pipe"):
        _pipe(checkout.path(name))
    environment = {**os.environ, "PATH": f"{git.parent}:{os.environ['PATH']}"}

    observation = collect_at(checkout.top, environment=environment)

    assert observation.provenance.engine == "git"
    assert statuses(observation) == {"a.txt": "M"}


def test_the_users_own_settings_may_be_a_pipe(checkout: Checkout, home: Path) -> None:
    _pipe(home / ".gitconfig")

    assert _collected(checkout.top, "libgit2") == "libgit2: {'a.txt': 'M'}"
    assert str(home / ".gitconfig") in _collected(checkout.top, "git")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_link_to_itself_in_the_git_folder_is_passed_over(
    checkout: Checkout, engine: str
) -> None:
    checkout.link(".git/refs/loop", "loop")

    assert _collected(checkout.top, engine) == f"{engine}: {{'a.txt': 'M'}}"


def test_a_checkout_that_borrows_from_half_the_disk_ends_with_the_deadline(
    checkout: Checkout, tmp_path: Path
) -> None:
    for number in range(40):
        (tmp_path / "wide" / str(number)).mkdir(parents=True)
    checkout.path(".git/objects/info/alternates").write_text(f"{tmp_path}/wide\n")
    with pytest.raises(DeadlineError, match="alternates"):
        open_libgit2(checkout.top, dict(os.environ), deadline=0.0)
