"""Where the engines part on purpose: what only git reads is refused in one line, not guessed at.

Each difference is explained in docs/engines.md.
"""

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from diffx.errors import DiffxError
from tests.support.engines import ENGINES, listed, opened, survey
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout.init(tmp_path / "repo")
    found.write("a.txt", "a\n")
    found.write("sub/b.txt", "b\n")
    found.commit()
    return found


def _split_index(checkout: Checkout) -> None:
    checkout.git("update-index", "--split-index")


def _sparse_index(checkout: Checkout) -> None:
    checkout.git("sparse-checkout", "set", "--cone", "--sparse-index", "nothing")


def _partial_clone(checkout: Checkout) -> None:
    checkout.git("config", "core.repositoryFormatVersion", "1")
    checkout.git("config", "extensions.partialClone", "origin")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_split_index, "split index"),
        (_sparse_index, "sparse index"),
        (_partial_clone, "partialclone"),
    ],
)
def test_what_only_git_reads_is_one_line_that_names_it_and_the_remedy(
    checkout: Checkout, change: Callable[[Checkout], None], named: str
) -> None:
    change(checkout)
    checkout.write("a.txt", "a2\n")
    assert listed(survey("git", checkout.top), "all") == ["M a.txt"]
    _assert_refused(checkout.top, named)


def test_sha256_is_refused(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo", "--object-format=sha256")
    _assert_refused(checkout.top, "sha256")


def test_a_reftable_is_refused(checkout: Checkout) -> None:
    checkout.path(".git/reftable").mkdir()
    _assert_refused(checkout.top, "reftable")


@pytest.mark.parametrize("packed", [False, True])
def test_replaced_objects_are_refused_unless_git_ignores_them_too(
    checkout: Checkout, *, packed: bool
) -> None:
    blob = checkout.git("hash-object", "-w", "--stdin", stdin=b"in its place\n").decode().strip()
    checkout.git("replace", "-f", checkout.git("rev-parse", ":a.txt").decode().strip(), blob)
    if packed:
        checkout.git("pack-refs", "--all")
    _assert_refused(checkout.top, "refs/replace")

    checkout.git("config", "core.useReplaceRefs", "false")
    checkout.write("a.txt", "a2\n")
    assert listed(survey("libgit2", checkout.top), "all") == ["M a.txt"]


@pytest.mark.parametrize("harm", ["cut", "count", "version", "extension", "signature"])
def test_a_damaged_index_is_refused(checkout: Checkout, harm: str) -> None:
    file = checkout.path(".git/index")
    data = file.read_bytes()
    file.write_bytes(
        {
            "cut": data[:100],
            "count": data[:8] + struct.pack(">I", 9999) + data[12:],
            "version": data[:4] + struct.pack(">I", 9) + data[8:],
            "extension": data[:-20] + b"news" + struct.pack(">I", 0) + data[-20:],
            "signature": b"JUNK" + data[4:],
        }[harm]
    )
    _assert_refused(checkout.top, ".git/index")


@pytest.mark.parametrize("kept", [40, 100, 150])
@pytest.mark.parametrize("base", ["auto", "HEAD"])
def test_an_index_that_was_cut_short_is_refused_with_git_too(
    checkout: Checkout, kept: int, base: str
) -> None:
    """Git reads on behind its end, and would list what is not so."""
    for name in ("b.txt", "c.txt"):
        checkout.write(name, "x\n")
    checkout.git("add", ".")
    file = checkout.path(".git/index")
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(DiffxError, match=r"index: it is cut short; .*git reset"):
        checkout.collect(engine="git", base=base)


def _assert_refused(top: Path, named: str) -> None:
    with pytest.raises(DiffxError) as refused:
        survey("libgit2", top)
    message = str(refused.value)
    assert named in message
    assert str(top) in message
    assert "git" in message
    assert "\n" not in message


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("where", ["bare", "gone", "plain", "inside", "moved"])
def test_a_path_in_no_checkout_is_one_line_that_names_it(
    tmp_path: Path, checkout: Checkout, where: str, engine: str
) -> None:
    path = tmp_path / where
    if where == "bare":
        Checkout.init(path, "--bare")
    elif where == "plain":
        path.mkdir()
    elif where == "inside":
        path = checkout.path(".git/refs")
    elif where == "moved":
        path = checkout.top
        (tmp_path / "victim").mkdir()
        checkout.git("config", "core.worktree", str(tmp_path / "victim"))
    with pytest.raises(DiffxError) as refused, opened(engine, path):
        pass
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_somebody_elses_repository_is_refused_until_it_is_named_safe(
    checkout: Checkout, home: Path
) -> None:
    for folder, _, files in os.walk(checkout.top):
        for name in (folder, *(os.path.join(folder, file) for file in files)):  # noqa: PTH118
            os.chown(name, 12345, 12345)
    with pytest.raises(DiffxError, match=r"safe\.directory") as refused:
        survey("libgit2", checkout.top)
    assert str(checkout.top) in str(refused.value)
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {checkout.top}\n")
    assert listed(survey("libgit2", checkout.top), "all") == []
    (home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    assert listed(survey("libgit2", checkout.top), "all") == []


def test_settings_that_may_not_be_read_are_passed_over(
    checkout: Checkout, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text("[core]\n\tfileMode = nonsense [[\n[broken\n")
    real = os.open

    def refuse(path: str, *arguments: int, **more: int) -> int:
        if str(path).endswith(".gitconfig"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **more)

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    assert listed(survey("libgit2", checkout.top), "all") == []


def test_the_search_for_inexact_renames_is_cut_and_said_to_be(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for number in range(210):
        checkout.write(f"old/{number}/x{number}", f"{number}\n" * 20)
    checkout.write("same.txt", "the same\n")
    checkout.commit()
    for number in range(210):
        checkout.git("mv", f"old/{number}/x{number}", f"new{number}.txt") if number < 3 else None
    checkout.git("rm", "-q", "-r", "old")
    for number in range(3, 210):
        checkout.write(f"new{number}.txt", f"{number}\n" * 19 + "changed\n")
    for number in range(3):
        checkout.remove(f"new{number}.txt")
        checkout.write(f"other{number}.txt", f"another {number}\n")
    checkout.git("mv", "same.txt", "equal.txt")
    checkout.git("add", "-A")
    found = survey("libgit2", checkout.top)
    assert "staged" in found.renames_limited
    assert "R same.txt -> equal.txt" in listed(found, "staged")
    assert "staged" not in survey("git", checkout.top).renames_limited
