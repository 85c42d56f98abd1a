"""Collecting while somebody writes (2.12): nothing contradicts itself, nothing fails for it."""

import hashlib
import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from types import ModuleType

import pytest

from diffx.collector.gitexe import walk as gitexe_walk
from diffx.collector.gitexe.process import DeadlineError
from diffx.collector.libgit2 import survey as libgit2_survey
from diffx.collector.repository import Layout
from diffx.review.model import ChangedFile, Observation
from diffx.review.patch import measure
from tests.support.clocks import LeapingClock
from tests.support.repositories import (
    AMPLE_MS,
    Checkout,
    after_text,
    before_text,
    files_of,
    patch_of,
    run_git,
    scope_of,
    statuses,
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
        assert started.wait(300)
        yield
    finally:
        stop.set()
        process.join()
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


@pytest.mark.parametrize(("engine", "module"), [("git", gitexe_walk), ("libgit2", libgit2_survey)])
def test_an_index_that_moves_now_and_then_is_collected_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, module: ModuleType
) -> None:
    """Each attempt looks at the index when it begins and when it ends; two end too late."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("staged.txt", "base\n")
    checkout.commit()
    stamped = module.index_stamp
    looks = itertools.count(1)

    def move(layout: Layout) -> object:
        look = next(looks)
        if look in (2, 4):
            checkout.write("staged.txt", f"turn {look}\n")
            checkout.git("add", "staged.txt")
        return stamped(layout)

    monkeypatch.setattr(module, "index_stamp", move)

    observation = checkout.collect(engine=engine)

    assert next(looks) == 7
    assert_consistent(observation, tmp_path / "applied")
    assert statuses(observation) == statuses(observation, "staged") == {"staged.txt": "M"}
    assert after_text(observation, files_of(observation)[b"staged.txt"]) == b"turn 4\n"


@pytest.mark.parametrize(("engine", "module"), [("git", gitexe_walk), ("libgit2", libgit2_survey)])
def test_an_index_that_never_rests_fails_at_the_deadline_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, module: ModuleType
) -> None:
    clock = LeapingClock(monkeypatch)
    looks = itertools.count(1)

    def never_the_same(layout: Layout) -> tuple[int, int, int]:
        look = next(looks)
        if look == 6:  # the end of the third attempt
            clock.leap(AMPLE_MS / 1000)
        return (0, 0, look)

    monkeypatch.setattr(module, "index_stamp", never_the_same)
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "base\n")
    checkout.commit()

    with pytest.raises(DeadlineError, match="kept changing") as failed:
        checkout.collect(engine=engine)
    assert str(checkout.top) in str(failed.value)
