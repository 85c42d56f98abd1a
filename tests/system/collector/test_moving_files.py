"""Collecting while somebody writes (2.12): nothing contradicts itself, nothing fails for it."""

import hashlib
import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from diffx.collector.gitexe import walk as gitexe_walk
from diffx.collector.gitexe.process import DeadlineError
from diffx.review.model import ChangedFile, Observation
from diffx.review.patch import measure
from tests.support.repositories import (
    Checkout,
    after_text,
    before_text,
    files_of,
    patch_of,
    run_git,
    scope_of,
)

pytestmark = pytest.mark.system

Writer = Callable[[Path, int], None]


def _write_until(stop: Event, started: Event, write: Writer, top: Path) -> None:
    turn = 0
    while not stop.is_set():
        write(top, turn)
        turn += 1
        started.set()


@contextmanager
def writing(write: Writer, top: Path) -> Iterator[None]:
    """Run a writer in a process of its own, for as long as the block lasts."""
    start = multiprocessing.get_context("fork")
    stop, started = start.Event(), start.Event()
    process = start.Process(target=_write_until, args=(stop, started, write, top))
    process.start()
    try:
        assert started.wait(10)
        yield
    finally:
        stop.set()
        process.join(10)
        process.close()


def assert_consistent(observation: Observation, folder: Path) -> None:
    """Hold every file's list entry, counts, digests and contents against each other."""
    for scope in ("all", "staged", "unstaged"):
        for number, file in enumerate(scope_of(observation, scope).files):
            _assert_file_consistent(observation, file, folder / scope / str(number))


def _assert_file_consistent(observation: Observation, file: ChangedFile, folder: Path) -> None:
    if file.patch.blob is None:
        assert file.patch.reason == "unsettled"
        assert file.additions is None
        assert file.fingerprint is None
        return
    patch = patch_of(observation, file)
    figures = measure(patch)
    assert (file.additions, file.deletions) == (figures.additions, figures.deletions)
    folder.mkdir(parents=True)
    target = folder / os.fsdecode(file.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.before is not None:
        target.write_bytes(before_text(observation, file))
    run_git(folder, "apply", "--whitespace=nowarn", "-", stdin=patch)
    if file.after is None:
        assert not target.exists()
        return
    assert target.read_bytes() == after_text(observation, file)
    assert file.after.digest == hashlib.sha256(target.read_bytes()).hexdigest()
    assert file.after.size == len(target.read_bytes()) == file.size


def _rewrite(top: Path, turn: int) -> None:
    """Write in place, by pieces, and by rename; and make and remove files."""
    (top / "in_place.txt").write_text(f"turn {turn}\n" * (turn % 50 + 1))
    aside = top / ".git/aside"
    aside.write_text(f"renamed {turn}\n" * (turn % 30 + 1))
    aside.rename(top / "replaced.txt")
    with (top / "growing.txt").open("a") as file:
        file.write(f"line {turn}\n")
    (top / f"fresh{turn % 5}.txt").write_text(f"fresh {turn}\n")
    (top / f"fresh{(turn + 2) % 5}.txt").unlink(missing_ok=True)
    if turn % 3 == 0:
        (top / "flickering.txt").unlink(missing_ok=True)
    else:
        (top / "flickering.txt").write_text(f"here {turn}\n")


def test_every_collection_under_a_writer_is_true_to_itself(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("in_place", "replaced", "growing", "flickering", "still"):
        checkout.write(f"{name}.txt", "base\n")
    checkout.commit()
    checkout.write("still.txt", "still\n")

    with writing(_rewrite, checkout.top):
        for turn in range(6):
            observation = checkout.collect()
            assert_consistent(observation, tmp_path / "applied" / str(turn))
            assert files_of(observation)[b"still.txt"].additions == 1
            unsettled = any(
                file.patch.reason == "unsettled" for file in files_of(observation).values()
            )
            assert (observation.content_hash is None) == unsettled


def test_a_file_that_rests_again_is_settled(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.txt text eol=crlf\n")
    checkout.write("f.txt", "old\n")
    checkout.commit()
    for turn in range(10):
        # Written in the moment before: its time stamp alone cannot vouch for it.
        checkout.write("f.txt", f"new {turn}\r\n")

        observation = checkout.collect()

        file = files_of(observation)[b"f.txt"]
        assert after_text(observation, file) == f"new {turn}\r\n".encode()
        assert f"+new {turn}\n".encode() in patch_of(observation, file)


def _stage(top: Path, turn: int) -> None:
    (top / "staged.txt").write_text(f"turn {turn}\n")
    run_git(top, "add", "staged.txt")
    time.sleep(0.15)


def test_an_index_that_moves_now_and_then_is_collected_between(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("staged.txt", "base\n")
    checkout.commit()

    with writing(_stage, checkout.top):
        for turn in range(6):
            observation = checkout.collect()
            assert_consistent(observation, tmp_path / "applied" / str(turn))


def test_an_index_that_never_rests_fails_at_the_deadline_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = itertools.count()
    monkeypatch.setattr(gitexe_walk, "index_stamp", lambda layout: (next(turns),))
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "base\n")
    checkout.commit()

    with pytest.raises(DeadlineError, match="kept changing") as failed:
        checkout.collect(deadline_ms=1000)
    assert str(checkout.top) in str(failed.value)
