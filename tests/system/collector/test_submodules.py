"""Submodules: what moved, what is dirty inside, and what was asked not to be reported (A15)."""

from pathlib import Path

import pytest

from diffx.review.model import ChangedFile, Submodule
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


def test_each_state_of_a_submodule_is_told_apart(tmp_path: Path, library: Checkout) -> None:
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

    observation = checkout.collect()

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


def test_a_submodule_checkout_is_collected_on_its_own(tmp_path: Path, library: Checkout) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    add_submodules(checkout, library, "sub")
    checkout.write("sub/f.txt", "edited\n")

    assert statuses(collect_at(checkout.path("sub"))) == {"f.txt": "M"}


def test_dirt_in_a_nested_submodule_counts_as_modified_content(
    tmp_path: Path, library: Checkout
) -> None:
    middle = Checkout.init(tmp_path / "middle")
    add_submodules(middle, library, "inner")
    checkout = Checkout.init(tmp_path / "repo")
    checkout.git(*ALLOW, "submodule", "--quiet", "add", str(middle.top), "middle")
    checkout.git(*ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    checkout.commit()
    checkout.write("middle/inner/f.txt", "edited\n")

    found = files_of(checkout.collect())

    assert submodule(found[b"middle"]).modified_content


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
