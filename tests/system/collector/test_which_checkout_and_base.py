"""Which checkout a path means (2.1), and what it is compared with (2.3, 2.4)."""

from pathlib import Path

import pytest

from diffx.collector.collect import NoSuchRefError
from diffx.collector.gitexe.opening import NoCheckoutError
from tests.support.engines import ENGINES
from tests.support.repositories import (
    Checkout,
    files_of,
    statuses,
)

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("web/src/a.txt", "a\n")
    checkout.write("api/b.txt", "b\n")
    checkout.commit()
    checkout.write("web/src/a.txt", "a2\n")
    checkout.write("api/b.txt", "b2\n")
    checkout.write("web/src/new.txt", "new\n")
    return checkout


def test_git_variables_of_the_caller_redirect_nothing(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Checkout.init(tmp_path / "other")
    expected = statuses(checkout.collect())
    monkeypatch.setenv("GIT_DIR", str(other.path(".git")))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.top))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))

    assert statuses(checkout.collect()) == expected


def test_a_repository_cannot_name_a_foreign_folder_as_its_files(tmp_path: Path) -> None:
    private = tmp_path / "private"
    evil = Checkout.init(private / "downloads/evil")
    (private / "diary.txt").write_text("dear diary")
    evil.git("config", "core.worktree", str(private))

    with pytest.raises(NoCheckoutError, match=r"core\.worktree"):
        evil.collect()


@pytest.fixture
def origin(tmp_path: Path) -> Checkout:
    """A remote whose main has two commits."""
    seed = Checkout.init(tmp_path / "seed")
    seed.write("old.txt", "old\n")
    seed.commit("start")
    return seed


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stale_local_main_does_not_pull_in_what_others_landed(
    origin: Checkout, tmp_path: Path, engine: str
) -> None:
    """The nearer base is the one on origin (case A11)."""
    mine = origin.clone(tmp_path / "mine")
    for number in range(3):
        origin.write(f"landed{number}.txt", "landed\n")
        origin.commit(f"landed {number}")
    tip = origin.git("rev-parse", "HEAD").decode().strip()
    mine.git("fetch", "-q")
    mine.git("checkout", "-q", "-b", "feature", "origin/main")
    mine.write("mine.txt", "mine\n")
    mine.commit("mine")

    observation = mine.collect(engine=engine)

    assert statuses(observation) == {"mine.txt": "A"}
    comparison = observation.comparison
    assert (comparison.kind, comparison.base_ref) == ("branch", "origin/main")
    assert (comparison.base_commit, comparison.merge_base) == (tip, tip)


@pytest.mark.parametrize("engine", ENGINES)
def test_ones_own_unpushed_main_does_not_pollute_a_branch(
    origin: Checkout, tmp_path: Path, engine: str
) -> None:
    """The nearer base is the local one (case A11)."""
    mine = origin.clone(tmp_path / "mine")
    mine.write("unpushed.txt", "unpushed\n")
    mine.commit("unpushed")
    mine.git("checkout", "-q", "-b", "feature")
    mine.write("mine.txt", "mine\n")
    mine.commit("mine")

    observation = mine.collect(engine=engine)

    assert statuses(observation) == {"mine.txt": "A"}
    assert observation.comparison.base_ref == "main"


def test_on_the_default_branch_unpushed_commits_show(origin: Checkout, tmp_path: Path) -> None:
    mine = origin.clone(tmp_path / "mine")
    mine.write("unpushed.txt", "unpushed\n")
    mine.commit("unpushed")

    observation = mine.collect()

    assert statuses(observation) == {"unpushed.txt": "A"}
    assert observation.comparison.base_ref == "origin/main"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_default_branch_is_the_one_that_origin_names(
    origin: Checkout, tmp_path: Path, engine: str
) -> None:
    """Neither a tag nor a file called main is the base (case A11)."""
    origin.git("branch", "-m", "main", "trunk")
    mine = origin.clone(tmp_path / "mine")
    mine.git("checkout", "-q", "-b", "feature")
    mine.write("main", "a file called main\n")
    mine.commit("mine")
    mine.git("tag", "main")

    observation = mine.collect(engine=engine)

    assert statuses(observation) == {"main": "A"}
    assert observation.comparison.base_ref == "trunk"


def test_master_is_the_default_where_there_is_no_main(checkout: Checkout) -> None:
    checkout.commit()
    checkout.git("branch", "-m", "main", "master")
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.write("mine.txt", "mine\n")
    checkout.commit()

    assert checkout.collect().comparison.base_ref == "master"


def test_without_a_default_branch_the_working_tree_is_shown_and_the_reason_said(
    checkout: Checkout,
) -> None:
    checkout.git("branch", "-m", "main", "something")

    comparison = checkout.collect().comparison

    assert (comparison.kind, comparison.fallback) == ("working-tree", "no-default-branch")


def test_unrelated_histories_are_said_to_be_so(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "--orphan", "island")
    checkout.commit("island")

    comparison = checkout.collect().comparison

    assert (comparison.kind, comparison.fallback) == ("working-tree", "unrelated")


def test_a_shallow_clone_without_the_merge_base_is_said_to_be_shallow(
    origin: Checkout, tmp_path: Path
) -> None:
    origin.git("checkout", "-q", "-b", "feature")
    for number in range(3):
        origin.write(f"f{number}.txt", "x\n")
        origin.commit(f"f{number}")
    origin.git("checkout", "-q", "main")
    origin.write("m.txt", "m\n")
    origin.commit("m")
    shallow = origin.clone(tmp_path / "shallow", "--depth", "1", "--no-single-branch")
    shallow.git("checkout", "-q", "feature")

    comparison = shallow.collect().comparison

    assert (comparison.kind, comparison.fallback) == ("working-tree", "shallow")


def test_a_detached_head_is_compared_with_the_default_branch(checkout: Checkout) -> None:
    checkout.commit("two")
    checkout.git("checkout", "-q", "--detach")
    checkout.write("mine.txt", "mine\n")
    checkout.commit("mine")

    observation = checkout.collect()

    assert observation.provenance.branch is None
    assert observation.branch_id is None
    assert statuses(observation) == {"mine.txt": "A"}


def test_base_head_means_working_changes_only(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.commit("committed")
    checkout.write("now.txt", "now\n")

    observation = checkout.collect(base="HEAD")

    assert statuses(observation) == {"now.txt": "A"}
    assert observation.comparison.kind == "working-tree"
    assert observation.comparison.policy == "HEAD"


@pytest.mark.parametrize("name", ["other", "v1", "main~0", "HEAD~1"])
def test_any_local_ref_can_be_the_base(checkout: Checkout, name: str) -> None:
    first = checkout.git("rev-parse", "HEAD").decode().strip()
    checkout.git("branch", "other")
    checkout.git("tag", "v1")
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.commit("mine")

    comparison = checkout.collect(base=name).comparison

    assert (comparison.policy, comparison.base_ref) == (name, name)
    assert comparison.merge_base == first


@pytest.mark.parametrize(
    "name", ["nope", "--help", "-n1", "a\nb", "", "^main", "main..main", "HEAD:api"]
)
def test_a_base_that_is_no_ref_is_refused_by_name(checkout: Checkout, name: str) -> None:
    with pytest.raises(NoSuchRefError) as refused:
        checkout.collect(base=name)
    assert repr(name) in str(refused.value)


def test_a_branch_is_recovered_from_its_objects_alone(checkout: Checkout) -> None:
    checkout.git("stash", "-q", "-u")
    checkout.git("checkout", "-q", "-b", "lost")
    checkout.write("lost.txt", "lost\n")
    tip = checkout.commit("lost")
    checkout.git("checkout", "-q", "main")
    checkout.write("dirty.txt", "dirty\n")

    observation = checkout.collect(branch="lost")

    assert observation.source_kind == "branch"
    assert observation.head == tip
    assert observation.provenance.branch == "lost"
    assert [snapshot.scope for snapshot in observation.snapshots] == ["all"]
    assert statuses(observation) == {"lost.txt": "A"}
    assert files_of(observation)[b"lost.txt"].additions == 1
    assert observation.content_hash is not None


def test_a_branch_that_does_not_exist_is_refused(checkout: Checkout) -> None:
    with pytest.raises(NoSuchRefError, match="nope"):
        checkout.collect(branch="nope")
