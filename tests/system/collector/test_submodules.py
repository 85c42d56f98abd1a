"""Submodules: what moved, what is dirty inside, and what was asked not to be reported (A15)."""

import shutil
from pathlib import Path

import pytest

from diffx.review.model import ChangedFile, Submodule
from tests.support.engines import ENGINES
from tests.support.repositories import (
    Checkout,
    collect_at,
    files_of,
    patch_of,
    statuses,
)

pytestmark = pytest.mark.system

ALLOW = ("-c", "protocol.file.allow=always")


@pytest.fixture
def library(tmp_path: Path) -> Checkout:
    library = Checkout.init(tmp_path / "library")
    library.write("f.txt", "v1\n")
    library.commit("v1")
    library.write("f.txt", "v2\n")
    library.commit("v2")
    return library


def add_submodules(checkout: Checkout, library: Checkout, *names: str) -> None:
    for name in names:
        checkout.git(*ALLOW, "submodule", "--quiet", "add", str(library.top), name)
        Checkout(checkout.path(name)).git("checkout", "-q", "HEAD~1")
    checkout.commit("modules")


def submodule(file: ChangedFile) -> Submodule:
    assert file.submodule is not None
    return file.submodule


@pytest.mark.parametrize("engine", ENGINES)
def test_each_state_of_a_submodule_is_told_apart(
    tmp_path: Path, library: Checkout, engine: str
) -> None:
    """Moved, edited, untracked content, told to be ignored, gone, absent, added (case A15)."""
    checkout = Checkout.init(tmp_path / "repo")
    add_submodules(
        checkout, library, "moved", "edited", "loose", "quiet", "hidden", "gone", "clean", "off"
    )
    checkout.git("config", "-f", ".gitmodules", "submodule.quiet.ignore", "untracked")
    checkout.git("config", "-f", ".gitmodules", "submodule.hidden.ignore", "all")
    old = checkout.git("rev-parse", "HEAD:moved").decode().strip()
    checkout.commit("settings")
    Checkout(checkout.path("moved")).git("checkout", "-q", "main")
    new = library.git("rev-parse", "HEAD").decode().strip()
    checkout.write("edited/f.txt", "edited\n")
    for name in ("loose", "quiet"):
        checkout.write(f"{name}/new.txt", "new\n")
    checkout.write("hidden/f.txt", "edited\n")
    checkout.git("submodule", "--quiet", "deinit", "-f", "off")
    checkout.git("rm", "-q", "--cached", "clean")
    checkout.git("reset", "-q", "--", "clean")
    (checkout.path("gone") / ".git").unlink()
    (checkout.path("gone") / "f.txt").unlink()
    checkout.path("gone").rmdir()
    checkout.git(*ALLOW, "submodule", "--quiet", "add", str(library.top), "added")

    observation = checkout.collect(engine=engine)

    assert statuses(observation, "unstaged") == {
        "moved": "M",
        "edited": "M",
        "loose": "M",
        "gone": "D",
    }
    assert statuses(observation, "staged") == {".gitmodules": "M", "added": "A"}
    found = files_of(observation)
    assert set(found) == {b"moved", b"edited", b"loose", b"gone", b"added", b".gitmodules"}
    moved = submodule(found[b"moved"])
    assert (moved.old_commit, moved.new_commit) == (old, new)
    assert not moved.modified_content
    assert f"+Subproject commit {new}".encode() in patch_of(observation, found[b"moved"])
    edited, loose = submodule(found[b"edited"]), submodule(found[b"loose"])
    assert (edited.modified_content, edited.untracked_content) == (True, False)
    assert (loose.modified_content, loose.untracked_content) == (False, True)
    assert edited.old_commit == edited.new_commit == old
    assert found[b"edited"].worktree_status == "M"


def test_a_submodule_in_a_split_index_is_found(tmp_path: Path, library: Checkout) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    add_submodules(checkout, library, "sub")
    checkout.git("update-index", "--split-index")
    checkout.write("sub/new.txt", "new\n")

    assert statuses(checkout.collect()) == {"sub": "M"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_submodule_checkout_is_collected_on_its_own(
    tmp_path: Path, library: Checkout, engine: str
) -> None:
    """Opening a submodule itself shows its files (case A15)."""
    checkout = Checkout.init(tmp_path / "repo")
    add_submodules(checkout, library, "sub")
    checkout.write("sub/f.txt", "edited\n")

    assert statuses(collect_at(checkout.path("sub"), engine=engine)) == {"f.txt": "M"}


def said_by_status(checkout: Checkout) -> dict[bytes, tuple[bool, bool]]:
    """Return of each submodule whether git status says it has modified, and untracked, content."""
    found = {}
    for record in checkout.git("status", "--porcelain=v2", "-z").split(b"\0"):
        words = record.split(b" ", 8)
        if words[0] == b"1" and words[2].startswith(b"S"):
            found[words[8]] = (words[2][2:3] == b"M", words[2][3:4] == b"U")
    return found


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a repository `repo` that has `middle`, which has `inner`; to be copied."""
    folder = tmp_path_factory.mktemp("nested")
    library = Checkout.init(folder / "library")
    for version in ("v1", "v2"):
        library.write("f.txt", f"{version}\n")
        library.commit(version)
    middle = Checkout.init(folder / "middle")
    add_submodules(middle, library, "inner")
    checkout = Checkout.init(folder / "repo")
    checkout.git(*ALLOW, "submodule", "--quiet", "add", str(middle.top), "middle")
    checkout.git(*ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    checkout.commit()
    return folder


@pytest.mark.parametrize("dirt", ["edited", "loose", "moved", "staged", "edited and loose"])
@pytest.mark.parametrize("rule", [None, "untracked", "dirty", "all", "skip-worktree"])
def test_dirt_in_a_nested_submodule_counts_as_git_counts_it(
    tmp_path: Path, nested: Path, dirt: str, rule: str | None
) -> None:
    checkout = Checkout(tmp_path / "repo")
    shutil.copytree(nested / "repo", checkout.top, symlinks=True)
    middle, inner = Checkout(checkout.path("middle")), Checkout(checkout.path("middle/inner"))
    if "edited" in dirt:
        inner.write("f.txt", "edited\n")
    if "loose" in dirt:
        inner.write("new.txt", "new\n")
    if dirt in ("moved", "staged"):
        inner.git("checkout", "-q", "main")
    if dirt == "staged":
        middle.git("add", "-f", "inner")
    if rule == "skip-worktree":
        middle.git("update-index", "--skip-worktree", "inner")
    elif rule is not None:
        middle.git("config", "submodule.inner.ignore", rule)
    expected = said_by_status(checkout)

    for engine in ("git", "libgit2"):
        found = files_of(checkout.collect(engine=engine), "unstaged")
        told = {
            path: (submodule(file).modified_content, submodule(file).untracked_content)
            for path, file in found.items()
        }
        assert told == expected, engine


@pytest.mark.parametrize("engine", ["git", "libgit2"])
def test_a_new_submodule_that_moved_on_names_its_commit_beside_a_rename(
    tmp_path: Path, library: Checkout, engine: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("old.txt", "text\n" * 9)
    checkout.commit()
    checkout.git(*ALLOW, "submodule", "--quiet", "add", str(library.top), "sub")
    checkout.git("mv", "old.txt", "new.txt")  # git looks for renames, and hashes what is new
    Checkout(checkout.path("sub")).git("checkout", "-q", "HEAD~1")
    commit = library.git("rev-parse", "HEAD~1").decode().strip()

    observation = checkout.collect(engine=engine)

    found = files_of(observation)[b"sub"]
    assert submodule(found).new_commit == commit
    assert f"\n+Subproject commit {commit}\n".encode() in patch_of(observation, found)


def test_the_commit_of_a_dirty_submodule_is_part_of_the_content_hash(
    tmp_path: Path, library: Checkout
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    add_submodules(checkout, library, "sub")
    clean = checkout.collect().content_hash
    checkout.write("sub/new.txt", "new\n")
    loose = checkout.collect().content_hash
    checkout.write("sub/f.txt", "edited\n")
    edited = checkout.collect().content_hash

    assert None not in (clean, loose, edited)
    assert len({clean, loose, edited}) == 3
