"""Which engine collects: git where there is a usable one (2.7)."""

import os
from pathlib import Path

import pytest

from diffx.collector.gitexe.process import GitFailedError, NoGitError, NotForGitError
from tests.support.repositories import Checkout, collect_at, statuses

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "f\n")
    return checkout


def without_git(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PATH": str(tmp_path / "nothing")}


def old_git(tmp_path: Path) -> dict[str, str]:
    """A git that does not know the settings that keep it from running programs."""
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    real = next(
        path for folder in os.environ["PATH"].split(":") if (path := Path(folder) / "git").exists()
    )
    program.write_text(f'#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec {real} "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": str(program.parent)}


def test_git_is_the_engine_where_there_is_one(checkout: Checkout) -> None:
    observation = checkout.collect()

    assert observation.provenance.engine == "git"
    assert checkout.collect(engine="libgit2").provenance.engine == "libgit2"


def test_without_git_libgit2_collects_the_same(checkout: Checkout, tmp_path: Path) -> None:
    observation = collect_at(checkout.top, environment=without_git(tmp_path))

    assert observation.provenance.engine == "libgit2"
    assert statuses(observation) == statuses(checkout.collect())


def test_a_git_that_cannot_be_made_safe_is_not_used(checkout: Checkout, tmp_path: Path) -> None:
    environment = old_git(tmp_path)

    assert collect_at(checkout.top, environment=environment).provenance.engine == "libgit2"
    with pytest.raises(NoGitError, match=r"older than 2\.31"):
        collect_at(checkout.top, environment=environment, engine="git")


def test_git_that_was_asked_for_and_is_not_there_is_said_so(
    checkout: Checkout, tmp_path: Path
) -> None:
    with pytest.raises(NoGitError, match="no git on PATH"):
        collect_at(checkout.top, environment=without_git(tmp_path), engine="git")


def refusing_git(tmp_path: Path, words: str) -> dict[str, str]:
    """A git that refuses every checkout, as an older one does what it does not know."""
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "fatal: {words}" >&2\nexit 128\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": str(program.parent)}


@pytest.mark.parametrize(
    "words",
    [
        "unknown repository extension found:\n\trelativeworktrees",
        "Expected git repo version <= 1, found 2",
    ],
)
def test_what_this_git_is_too_old_for_is_read_by_libgit2_if_that_can(
    checkout: Checkout, tmp_path: Path, words: str
) -> None:
    environment = refusing_git(tmp_path, words)

    assert collect_at(checkout.top, environment=environment).provenance.engine == "libgit2"
    with pytest.raises(NotForGitError, match="newer git"):
        collect_at(checkout.top, environment=environment, engine="git")
    checkout.git("config", "core.repositoryFormatVersion", "1")
    checkout.git("config", "extensions.noSuchThing", "true")
    with pytest.raises(NotForGitError, match=words.split()[0]):  # what git said comes first
        collect_at(checkout.top, environment=environment)


def test_a_git_that_does_not_trust_the_owner_is_not_gone_around(
    checkout: Checkout, tmp_path: Path
) -> None:
    environment = refusing_git(tmp_path, "detected dubious ownership in repository at '/x'")

    with pytest.raises(GitFailedError, match=r"safe\.directory"):
        collect_at(checkout.top, environment=environment)
