"""Index entries that git takes for what is on disk: skip-worktree and assume-unchanged (2.8, A07).

Whatever lies on the disk, the after side of such a path is what the index has.
"""

import hashlib
from pathlib import Path

import pytest

from diffx.review.model import ChangedFile, Observation
from tests.support.repositories import (
    Checkout,
    after_text,
    assert_as_git_says,
    before_text,
    files_of,
    patch_of,
    statuses,
)

pytestmark = pytest.mark.system

ENGINES = ("git", "libgit2")


def _branch(tmp_path: Path) -> Checkout:
    """Make a branch that changed `app/in.txt` and `lib/out.txt`, and moved a third file."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("app/in.txt", "in\n")
    checkout.write("lib/out.txt", "out\n")
    checkout.write("lib/moved.txt", "".join(f"line {n}\n" for n in range(20)))
    checkout.commit()
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.write("app/in.txt", "in 2\n")
    checkout.write("lib/out.txt", "out\nmore\n")
    checkout.git("mv", "lib/moved.txt", "lib/new name.txt")
    checkout.commit("change")
    return checkout


def _assert_whole(checkout: Checkout, observation: Observation) -> None:
    """Hold it against git, every side known in full (3.5)."""
    assert_as_git_says(checkout, observation, observation.comparison.merge_base)
    assert observation.content_hash is not None
    for file in files_of(observation).values():
        assert file.patch.blob is not None
        assert file.fingerprint is not None


def _assert_after_is_the_index(
    checkout: Checkout, observation: Observation, name: str
) -> ChangedFile:
    file = files_of(observation)[name.encode()]
    stored = checkout.blob(f":{name}")
    assert after_text(observation, file) == stored
    assert file.after is not None
    assert file.after.digest == hashlib.sha256(stored).hexdigest()
    return file


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", ["--no-sparse-index", "--sparse-index"])
@pytest.mark.parametrize("mode", ["--cone", "--no-cone"])
def test_what_a_branch_changed_outside_the_cone_is_shown_whole(
    tmp_path: Path, engine: str, form: str, mode: str
) -> None:
    if engine == "libgit2" and form == "--sparse-index" and mode == "--cone":
        pytest.skip("a sparse index is read by git alone")
    checkout = _branch(tmp_path)
    checkout.git("sparse-checkout", "set", mode, form, "app")
    assert not checkout.path("lib").exists()
    checkout.write("app/in.txt", "in 3\n")

    observation = checkout.collect(engine=engine)

    _assert_whole(checkout, observation)
    assert statuses(observation) == {
        "app/in.txt": "M",
        "lib/out.txt": "M",
        "lib/new name.txt": "R",
    }
    out = _assert_after_is_the_index(checkout, observation, "lib/out.txt")
    assert before_text(observation, out) == b"out\n"
    assert b"+more\n" in patch_of(observation, out)
    _assert_after_is_the_index(checkout, observation, "lib/new name.txt")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
@pytest.mark.parametrize("disk", ["missing", "edited", "staged twice"])
def test_a_file_that_git_was_told_not_to_look_at_is_what_the_index_has(
    tmp_path: Path, engine: str, flag: str, disk: str
) -> None:
    checkout = _branch(tmp_path)
    checkout.git("update-index", flag, "lib/out.txt")
    if disk == "missing":
        checkout.remove("lib/out.txt")
    else:
        checkout.write("lib/out.txt", "never to be seen\n")
    if disk == "staged twice":
        blob = checkout.git("hash-object", "-w", "--stdin", stdin=b"staged\n").strip()
        checkout.git("update-index", "--cacheinfo", f"100644,{blob.decode()},lib/out.txt")
        checkout.git("update-index", flag, "lib/out.txt")

    observation = checkout.collect(engine=engine)

    _assert_whole(checkout, observation)
    _assert_after_is_the_index(checkout, observation, "lib/out.txt")
    assert "lib/out.txt" not in statuses(observation, "unstaged")
    assert b"never to be seen\n" not in observation.texts.values()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expected", ["false", "true"])
def test_a_file_outside_the_cone_that_is_there_counts_as_git_counts_it(
    tmp_path: Path, engine: str, expected: str
) -> None:
    checkout = _branch(tmp_path)
    checkout.git("sparse-checkout", "set", "--cone", "app")
    checkout.git("config", "sparse.expectFilesOutsideOfPatterns", expected)
    checkout.write("lib/out.txt", "written by hand\n")

    observation = checkout.collect(engine=engine)

    _assert_whole(checkout, observation)
    after = after_text(observation, files_of(observation)[b"lib/out.txt"])
    assert after == (b"written by hand\n" if expected == "false" else b"out\nmore\n")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_git_never_looks_into_a_submodule_that_it_was_told_to_pass_over(
    tmp_path: Path, engine: str, flag: str
) -> None:
    checkout = _branch(tmp_path)
    for name in ("seen", "unseen"):
        Checkout.init(checkout.path(name)).write("f.txt", "1\n")
        Checkout(checkout.path(name)).commit()
        checkout.git("add", name)
    checkout.commit("with repositories")
    checkout.git("update-index", flag, "unseen")
    for name in ("seen", "unseen"):
        checkout.write(f"{name}/f.txt", "dirty\n")

    observation = checkout.collect(engine=engine, base="HEAD")

    assert_as_git_says(checkout, observation, "HEAD")
    assert statuses(observation) == statuses(observation, "unstaged") == {"seen": "M"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("version", ["2", "4"])
def test_an_intended_file_that_is_gone_again_is_deleted_in_unstaged_alone(
    tmp_path: Path, engine: str, version: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.git("config", "index.version", version)
    checkout.write("kept.txt", "kept\n")
    checkout.commit()
    checkout.write("kept.txt", "kept 2\n")
    checkout.write("planned.txt", "planned\n")
    checkout.write("gone.txt", "gone\n")
    checkout.git("add", "-N", "planned.txt", "gone.txt")
    checkout.remove("gone.txt")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    assert statuses(observation) == {"kept.txt": "M", "planned.txt": "A"}
    assert statuses(observation, "unstaged") == {
        "gone.txt": "D",
        "kept.txt": "M",
        "planned.txt": "A",
    }
