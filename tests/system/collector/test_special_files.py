"""Pipes, sockets, locked files, missing objects and very large files (A20, 2.5, 2.10)."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.collector.gitexe.diffing import NotFetchedError
from diffx.collector.gitexe.process import DeadlineError
from diffx.collector.scopes.sides import Patience
from tests.support.clocks import LeapingClock
from tests.support.engines import ENGINES
from tests.support.ordinary_user import collect_as_an_ordinary_user, shared_folder
from tests.support.repositories import (
    AMPLE_MS,
    Checkout,
    collect_at,
    files_of,
    patch_of,
    statuses,
)

pytestmark = pytest.mark.system

REAL_GIT = shutil.which("git")


@pytest.fixture
def shared() -> Iterator[Path]:
    with shared_folder() as folder:
        yield folder


@pytest.mark.parametrize("engine", ENGINES)
def test_what_cannot_be_read_is_listed_with_its_reason(shared: Path, engine: str) -> None:
    """As somebody who is not root: pipes, a socket, locked files and a closed folder (case A20)."""
    checkout = Checkout.init(shared / "repo")
    for name in ("a.txt", "became_pipe.txt", "locked.txt", "zz.txt"):
        checkout.write(name, "old\n")
    checkout.commit()
    for name in ("a.txt", "zz.txt"):
        checkout.write(name, "new\n")
    os.mkfifo(checkout.path("pipe"))
    checkout.write("sub/file.txt", "x\n")
    os.mkfifo(checkout.path("sub/pipe"))
    checkout.remove("became_pipe.txt")
    os.mkfifo(checkout.path("became_pipe.txt"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(checkout.path("sock")))
    checkout.write("locked.txt", "locked now\n").chmod(0)
    checkout.write("new_locked.txt", "x\n").chmod(0)
    checkout.write("closed/inside.txt", "x\n").parent.chmod(0)

    observation = collect_as_an_ordinary_user(checkout, engine=engine)
    listener.close()

    assert statuses(observation) == {
        "a.txt": "M",
        "became_pipe.txt": "M",
        "locked.txt": "M",
        "new_locked.txt": "A",
        "sub/file.txt": "A",
        "zz.txt": "M",
    }
    found = files_of(observation)
    for path, reason in (
        (b"became_pipe.txt", "special-file"),
        (b"locked.txt", "unreadable"),
        (b"new_locked.txt", "unreadable"),
    ):
        file = found[path]
        assert file.after is not None
        assert (file.after.reason, file.patch.reason) == (reason, reason)
        assert file.additions is None
        assert file.fingerprint is None
    assert found[b"zz.txt"].patch.blob is not None
    assert observation.content_hash is None  # 3.5: something could not be read in full


def test_a_pipe_in_place_of_a_file_does_not_hide_renames(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("pipe", "old\n")
    checkout.write("old.txt", "".join(f"line {n}\n" for n in range(20)))
    checkout.commit()
    checkout.remove("pipe")
    os.mkfifo(checkout.path("pipe"))
    checkout.git("mv", "old.txt", "new.txt")

    found = files_of(checkout.collect())

    assert found[b"new.txt"].old_path == b"old.txt"
    assert found[b"pipe"].patch.reason == "special-file"


def test_large_files_are_named_with_size_and_identity_and_stay_behind(tmp_path: Path) -> None:
    """Named, and not sent whole (case A20)."""
    checkout = Checkout.init(tmp_path / "repo")
    line = b"x" * 99 + b"\n"
    checkout.write("tracked.txt", line * 40_000)
    checkout.write("small.txt", "old\n")
    checkout.commit()
    checkout.write("tracked.txt", b"y" * 99 + b"\n" + line * 40_000)
    checkout.write("rewritten.txt", "old\n" * 10)
    checkout.write("untracked.txt", line * 40_000)
    checkout.write("small.txt", "new\n")

    observation = checkout.collect()

    found = files_of(observation)
    tracked, untracked = found[b"tracked.txt"], found[b"untracked.txt"]
    assert (tracked.additions, tracked.deletions) == (1, 0)
    assert tracked.patch.blob is not None
    for file in (tracked, untracked):
        assert file.after is not None
        assert (file.after.reason, file.after.size) == ("too-large", file.size)
        assert file.after.digest is not None
    assert untracked.patch.reason == "too-large"
    assert observation.content_hash is not None


def test_a_patch_over_the_limit_is_counted_and_withheld(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("big.txt", "".join(f"{n} " + "a" * 90 + "\n" for n in range(30_000)))
    checkout.write("next.txt", "old\n")
    checkout.commit()
    checkout.write("big.txt", "".join(f"{n} " + "b" * 90 + "\n" for n in range(30_000)))
    checkout.write("next.txt", "new\n")

    observation = checkout.collect()

    big, following = files_of(observation)[b"big.txt"], files_of(observation)[b"next.txt"]
    assert (big.additions, big.deletions) == (30_000, 30_000)
    assert (big.patch.reason, big.patch.blob) == ("too-large", None)
    assert big.patch.size > 4 << 20
    assert b"+new\n" in patch_of(observation, following)


def test_objects_that_a_partial_clone_lacks_are_named_and_not_fetched(tmp_path: Path) -> None:
    origin = Checkout.init(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    for name in ("first.txt", "second.txt", "third.txt"):
        origin.write(name, f"{name} old\n" * 20)
    origin.commit("one")
    origin.git("checkout", "-q", "-b", "feature")
    origin.write("first.txt", "first new\n")
    origin.commit("two")
    clone = origin.clone(tmp_path / "clone", "--filter=blob:none")
    clone.write("second.txt", "second new\n")
    clone.write("fresh.txt", "fresh\n")
    objects = sorted(path.name for path in clone.path(".git/objects").rglob("*"))

    observation = clone.collect(base="origin/main")

    assert statuses(observation) == {"first.txt": "M", "second.txt": "M", "fresh.txt": "A"}
    first = files_of(observation)[b"first.txt"]
    assert first.before is not None
    assert (first.before.reason, first.patch.reason) == ("not-fetched", "not-fetched")
    assert files_of(observation)[b"second.txt"].additions == 1
    assert sorted(path.name for path in clone.path(".git/objects").rglob("*")) == objects


def test_trees_that_a_partial_clone_lacks_are_one_line_and_not_fetched(tmp_path: Path) -> None:
    origin = Checkout.init(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.write("sub/first.txt", "old\n")
    origin.write("kept.txt", "kept\n")
    origin.commit("one")
    origin.git("checkout", "-q", "-b", "feature")
    origin.write("sub/first.txt", "new\n")
    origin.commit("two")
    clone = origin.clone(tmp_path / "clone", "--filter=tree:0", "-b", "feature")
    clone.write("kept.txt", "edited\n")
    objects = sorted(path.name for path in clone.path(".git/objects").rglob("*"))

    with pytest.raises(NotFetchedError, match="partial clone") as refused:
        clone.collect(base="origin/main")

    assert "\n" not in str(refused.value)
    assert statuses(clone.collect(base="HEAD")) == {"kept.txt": "M"}
    assert sorted(path.name for path in clone.path(".git/objects").rglob("*")) == objects


def test_a_file_too_large_to_hash_in_time_is_named_and_costs_only_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LeapingClock(monkeypatch)
    look_at_the_clock = Patience.check_large

    def time_flies(patience: Patience) -> None:
        clock.leap(AMPLE_MS / 1000 / 8)
        look_at_the_clock(patience)

    monkeypatch.setattr(Patience, "check_large", time_flies)
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "old\n")
    checkout.commit()
    checkout.write("a.txt", "new\n")
    with checkout.path("disk.img").open("wb") as file:
        file.truncate(200 << 30)

    observation = checkout.collect()

    image = files_of(observation)[b"disk.img"]
    assert image.after is not None
    assert (image.after.reason, image.size) == ("too-large", 200 << 30)
    assert image.after.digest is None
    assert image.patch.reason == "too-large"
    assert observation.content_hash is None
    assert files_of(observation)[b"a.txt"].additions == 1


def test_a_collection_past_its_deadline_fails_and_leaves_no_process(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "x\n")
    checkout.commit()
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *diff-files*) exec sleep 600;; esac\nexec {REAL_GIT} "$@"\n'
    )
    git.chmod(0o755)
    environment = {**os.environ, "PATH": f"{git.parent}:{os.environ['PATH']}"}

    with pytest.raises(DeadlineError, match="took too long"):
        collect_at(checkout.top, deadline_ms=1_500, environment=environment)

    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_thousands_of_untracked_files_are_all_listed(tmp_path: Path) -> None:
    """An unignored node_modules (case A20)."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    for folder in range(30):
        base = checkout.path(f"node_modules/{folder:03d}")
        base.mkdir(parents=True)
        for number in range(100):
            (base / f"{number:03d}.js").write_bytes(b"module.exports = %d;\n" % number)

    observation = checkout.collect()

    assert len(files_of(observation)) == 3_000
