"""Branch ids against real Git: renames, recreated names, copies, lost reflogs (3.2)."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from diffx.collector.enrolment.branches import branch_id
from diffx.review.model import RepositoryKey

pytestmark = pytest.mark.system


class Branches:
    """A repository with one commit, and the ids of its branches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._random = itertools.count()
        self.git("init", "-q", "-b", "main", str(root), at=root.parent)
        self.git("commit", "-q", "--allow-empty", "-m", "base")

    def git(self, *arguments: str, at: Path | None = None) -> str:
        # Fixed dates: all reflogs then begin alike, the hardest case.
        dates = {f"GIT_{who}_DATE": "2024-01-02T03:04:05Z" for who in ("AUTHOR", "COMMITTER")}
        people = ["-c", "user.name=Sample", "-c", "user.email=sample@example.invalid"]
        done = subprocess.run(
            ["git", "-C", str(at or self.root), *people, *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **dates},
        )
        return done.stdout.strip()

    def id(self, name: str, head: str | None = None) -> str:
        return branch_id(
            self.root / ".git",
            name,
            repository=RepositoryKey("r"),
            new_id=lambda: f"random-{next(self._random)}",
            head=head,
        )


@pytest.fixture
def branches(tmp_path: Path) -> Branches:
    return Branches(tmp_path / "r")


def test_an_id_is_stable_and_each_branch_has_its_own(branches: Branches) -> None:
    branches.git("branch", "topic")
    assert branches.id("main") == branches.id("main") != branches.id("topic")


def test_a_rename_takes_the_id_along_and_leaves_configuration_alone(branches: Branches) -> None:
    before = branches.id("main")
    config = (branches.root / ".git" / "config").read_bytes()
    branches.git("branch", "-m", "main", "trunk")
    assert branches.id("trunk") == before
    assert (branches.root / ".git" / "config").read_bytes() == config


def test_several_renames_between_two_looks_are_followed(branches: Branches) -> None:
    before = branches.id("main")
    for old, new in (("main", "a"), ("a", "group/b"), ("group/b", "c")):
        branches.git("branch", "-m", old, new)
    assert branches.id("c") == before


def test_renaming_there_and_back_changes_nothing(branches: Branches) -> None:
    before = branches.id("main")
    branches.git("branch", "-m", "main", "a")
    branches.git("branch", "-m", "a", "main")
    assert branches.id("main") == before


@pytest.mark.parametrize("first_seen", ["new", "old"])
def test_a_name_used_again_after_a_rename_is_another_branch(
    branches: Branches, first_seen: str
) -> None:
    before = branches.id("main")
    branches.git("branch", "-m", "main", "new")
    branches.git("branch", "main")
    if first_seen == "old":
        assert branches.id("main") != before
    assert branches.id("new") == before
    assert branches.id("main") != before


def test_swapped_names_swap_ids(branches: Branches) -> None:
    branches.git("branch", "other")
    main, other = branches.id("main"), branches.id("other")
    for old, new in (("main", "x"), ("other", "main"), ("x", "other")):
        branches.git("branch", "-m", old, new)
    assert (branches.id("main"), branches.id("other")) == (other, main)


def test_a_rename_over_another_branch_brings_its_own_id(branches: Branches) -> None:
    branches.git("branch", "other")
    main, other = branches.id("main"), branches.id("other")
    branches.git("branch", "-M", "other", "spare")
    branches.git("branch", "-M", "main", "spare")
    assert branches.id("spare") == main != other


def test_a_copied_branch_is_a_new_one(branches: Branches) -> None:
    before = branches.id("main")
    branches.git("branch", "-c", "main", "copy")
    assert branches.id("copy") != before
    assert branches.id("main") == before


def test_a_branch_deleted_and_made_again_from_elsewhere_is_a_new_one(branches: Branches) -> None:
    branches.git("branch", "topic")
    before = branches.id("topic")
    branches.git("commit", "-q", "--allow-empty", "-m", "second")
    branches.git("branch", "-D", "topic")
    branches.git("branch", "topic")
    assert branches.id("topic") != before


def test_commits_resets_and_an_expired_reflog_keep_the_id(branches: Branches) -> None:
    before = branches.id("main")
    branches.git("commit", "-q", "--allow-empty", "-m", "second")
    assert branches.id("main") == before
    branches.git("reset", "-q", "--hard", "HEAD~1")
    branches.git("reflog", "expire", "--expire=all", "--all")
    assert branches.id("main") == before
    branches.git("branch", "-m", "main", "later")
    assert branches.id("later") == before


def test_a_branch_seen_before_its_first_commit_keeps_its_id(tmp_path: Path) -> None:
    branches = Branches(tmp_path / "r")
    branches.git("checkout", "-q", "--orphan", "fresh")
    before = branches.id("fresh")
    branches.git("commit", "-q", "--allow-empty", "-m", "first")
    assert branches.id("fresh") == before


def test_without_reflogs_the_id_goes_by_name_and_a_plain_rename_is_seen(tmp_path: Path) -> None:
    branches = Branches(tmp_path / "r")
    branches.git("config", "core.logAllRefUpdates", "false")
    branches.git("checkout", "-q", "-b", "topic")
    head = branches.git("rev-parse", "HEAD")
    before = branches.id("topic", head)
    assert branches.id("topic", head) == before
    branches.git("branch", "-m", "topic", "renamed")
    assert branches.id("renamed", head) == before
    branches.git("pack-refs", "--all")
    branches.git("branch", "beside")
    assert branches.id("beside", head) != before


def test_linked_worktrees_share_the_ids(branches: Branches, tmp_path: Path) -> None:
    branches.git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "topic")
    before = branches.id("topic")
    branches.git("branch", "-m", "topic", "renamed", at=tmp_path / "wt")
    assert branches.id("renamed") == before


@pytest.mark.parametrize("name", ["../../../etc/passwd", "a//b", ".", "a\0b", "\udcff"])
def test_a_name_that_git_would_refuse_gets_an_id_and_reads_nothing(
    branches: Branches, name: str
) -> None:
    assert branches.id(name)
