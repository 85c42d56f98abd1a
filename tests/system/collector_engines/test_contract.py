"""One contract, both engines: what each scenario lists, and that they say the same to the byte.

What the engines do not have in common is in docs/engines.md and in test_differences.
"""

import os
from pathlib import Path

import pytest

from diffx.review.model import SCOPES
from tests.support.engines import ENGINES, assert_same, listed, opened, survey
from tests.support.repositories import Checkout, collect_at
from tests.support.scenarios import SCENARIOS

pytestmark = pytest.mark.system


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_engine_lists_what_the_scenario_says(tmp_path: Path, name: str, engine: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    expected = SCENARIOS[name](checkout)
    found = survey(engine, checkout.top)
    said = {scope: listed(found, scope) for scope in SCOPES} | {
        "untracked": sorted(map(os.fsdecode, found.untracked)),
        "nested": sorted(map(os.fsdecode, found.nested)),
        "submodules": sorted(map(os.fsdecode, found.submodules)),
    }
    assert said == {kind: sorted(expected.get(kind, [])) for kind in said}


@pytest.mark.parametrize("name", SCENARIOS)
def test_both_engines_say_the_same_patches_included(tmp_path: Path, name: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    SCENARIOS[name](checkout)
    assert_same(checkout.top)


@pytest.mark.parametrize("name", SCENARIOS)
def test_observations_of_both_engines_are_one_content(tmp_path: Path, name: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    SCENARIOS[name](checkout)
    reference, ours = (collect_at(checkout.top, engine=engine) for engine in ("git", "libgit2"))
    assert ours.snapshots == reference.snapshots
    assert ours.texts == reference.texts
    assert ours.content_hash == reference.content_hash
    assert (ours.head, ours.comparison) == (reference.head, reference.comparison)
    assert (ours.provenance.engine, reference.provenance.engine) == ("libgit2", "git")


def test_a_linked_worktree_is_its_own_checkout(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "a\n")
    checkout.commit()
    checkout.git("config", "extensions.worktreeConfig", "true")
    checkout.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic")
    linked = Checkout(tmp_path / "linked")
    linked.git("config", "--worktree", "core.fileMode", "false")
    linked.write("a.txt", "a2\n").chmod(0o755)
    linked.write("deep/new.txt", "n\n")
    assert_same(linked.top)
    assert_same(linked.path("deep"))
    assert listed(survey("libgit2", linked.top), "all") == ["M a.txt"]
    assert listed(survey("libgit2", checkout.top), "all") == []


def test_head_may_be_a_link_as_in_old_repositories(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "a\n")
    checkout.commit()
    checkout.git("branch", "topic")
    checkout.link(".git/HEAD", "refs/heads/topic")
    checkout.write("a.txt", "a2\n")
    assert_same(checkout.top)
    with opened("libgit2", checkout.top) as repository:
        assert repository.refs().branch == "topic"


def test_a_shallow_clone_and_its_remote(tmp_path: Path) -> None:
    origin = Checkout.init(tmp_path / "origin")
    for number in range(4):
        origin.write("a.txt", f"{number}\n")
        origin.commit()
    clone = origin.clone(tmp_path / "clone", "--depth", "2")
    clone.write("a.txt", "mine\n")
    assert_same(clone.top)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_commits_compare_without_the_checkout(tmp_path: Path, engine: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "a\n" * 20)
    checkout.write("b.txt", "b\n")
    base = checkout.commit()
    checkout.git("mv", "a.txt", "moved.txt")
    checkout.write("b.txt", "b2\n")
    tip = checkout.commit()
    checkout.write("b.txt", "dirty\n")
    with opened("git", checkout.top) as reference, opened(engine, checkout.top) as repository:
        old, new = repository.resolve(base), repository.resolve(tip)
        assert old is not None and new is not None
        found = repository.between(old, new)
        assert listed(found, "all") == ["M b.txt", "R a.txt -> moved.txt"]
        assert found.changes == reference.between(old, new).changes


@pytest.mark.parametrize("engine", ENGINES)
def test_names_resolve_as_branch_remote_branch_tag_or_commit(tmp_path: Path, engine: str) -> None:
    origin = Checkout.init(tmp_path / "origin")
    origin.write("a.txt", "1\n")
    first = origin.commit()
    origin.git("tag", "-a", "v1", "-m", "one")
    origin.git("branch", "other")
    clone = origin.clone(tmp_path / "clone")
    with opened(engine, clone.top) as repository:
        for name in ("main", "origin/other", "v1", first, first[:12]):
            assert repository.resolve(name) == first, name
        for name in ("other", "nope", "-x", "a\0b", "main:a.txt", "HEAD^{tree}", ""):
            assert repository.resolve(name) is None, name


@pytest.mark.parametrize("engine", ENGINES)
def test_objects_are_read_whole_hashed_and_missed(tmp_path: Path, engine: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("small", "abc")
    checkout.write("large", "x" * 5000)
    checkout.commit()
    names = [checkout.git("rev-parse", f":{name}").decode().strip() for name in ("small", "large")]
    with opened(engine, checkout.top) as repository:
        found = {blob.oid: blob for blob in repository.blobs([*names, "1" * 40], keep=100)}
    assert found[names[0]].data == b"abc"
    assert (found[names[1]].size, found[names[1]].data) == (5000, None)
    assert found[names[1]].digest is not None
    assert found["1" * 40].size is None
