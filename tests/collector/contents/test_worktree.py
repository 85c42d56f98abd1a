import hashlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.collector.contents.worktree import PIECE, Look, RootError, Worktree, look, open_root
from diffx.errors import FailedError
from diffx.review.model import GitPath

KEEP = 2 << 20
OUTSIDE = b"OUTSIDE-SECRET-4711"


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "outside" / "src").mkdir(parents=True)
    (tmp_path / "outside" / "secret.txt").write_bytes(OUTSIDE)
    (tmp_path / "outside" / "src" / "a.txt").write_bytes(OUTSIDE)
    top = tmp_path / "repo"
    top.mkdir()
    yield top


@pytest.fixture
def root_fd(root: Path) -> Iterator[int]:
    descriptor = open_root(root)
    yield descriptor
    os.close(descriptor)


def _look(root_fd: int, path: bytes, keep: int = KEEP) -> Look:
    return look(root_fd, GitPath(path), keep=keep)


def test_a_regular_file_is_read_whole_with_its_mode_and_digest(root: Path, root_fd: int) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "sub" / "run.sh").chmod(0o755)
    found = _look(root_fd, b"sub/run.sh")
    assert (found.kind, found.mode, found.size) == ("regular", "100755", 10)
    assert found.data == b"#!/bin/sh\n"
    assert found.digest == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    assert not found.unsettled


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1])
def test_the_digest_covers_the_whole_content_at_every_piece_boundary(
    root: Path, root_fd: int, size: int
) -> None:
    data = os.urandom(size)
    (root / "f").write_bytes(data)
    found = _look(root_fd, b"f", keep=PIECE)
    assert found.digest == hashlib.sha256(data).hexdigest()
    assert found.data == (data if size <= PIECE else None)


def test_a_link_is_its_target_and_is_never_followed(root: Path, root_fd: int) -> None:
    for name, target in (
        ("file", "../outside/secret.txt"),
        ("folder", "../outside"),
        ("dangling", "no/such"),
        ("loop", "loop"),
        ("absolute", "/etc/hostname"),
    ):
        (root / name).symlink_to(target)
        found = _look(root_fd, name.encode())
        assert (found.kind, found.mode, found.data) == ("symlink", "120000", target.encode())


def test_nothing_is_seen_below_a_linked_folder(root: Path, root_fd: int) -> None:
    (root / "src").symlink_to("../outside/src")
    (root / "deep").mkdir()
    (root / "deep" / "src").symlink_to("../../outside/src")
    assert _look(root_fd, b"src/a.txt") == Look(kind="missing")
    assert _look(root_fd, b"deep/src/a.txt") == Look(kind="missing")


@pytest.mark.parametrize(
    "path",
    [
        b"../outside/secret.txt",
        b"/etc/hostname",
        b"a/../../outside/secret.txt",
        b"",
        b".",
        b"a//b",
        b"a\0b",
        b"./a",
        b"x" * 5000,
        b"a/" * 3000 + b"a",
    ],
)
def test_paths_that_no_checkout_holds_are_missing(root: Path, root_fd: int, path: bytes) -> None:
    (root / "a").mkdir()
    assert _look(root_fd, path).kind == "missing"


def test_pipes_and_sockets_are_special_and_never_opened(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(root)
        listener.bind("sock")
        assert _look(root_fd, b"pipe").kind == "special"
        assert _look(root_fd, b"sock").kind == "special"


def test_a_folder_is_a_directory_and_a_path_below_a_file_is_missing(
    root: Path, root_fd: int
) -> None:
    (root / "d").mkdir()
    (root / "f").write_bytes(b"x")
    assert _look(root_fd, b"d").kind == "directory"
    assert _look(root_fd, b"f/x").kind == "missing"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_locked_file_is_unreadable(root: Path, root_fd: int) -> None:
    (root / "f").write_bytes(b"x")
    (root / "f").chmod(0)
    assert _look(root_fd, b"f").kind == "unreadable"


def test_a_refused_open_is_unreadable_with_its_size(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "f").write_bytes(b"x")
    real = os.open

    def refuse(path: bytes, flags: int, *, dir_fd: int) -> int:
        if path == b"f":
            raise PermissionError(13, "no")
        return real(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    found = _look(root_fd, b"f")
    assert (found.kind, found.size, found.data) == ("unreadable", 1, None)


def _while_reading(monkeypatch: pytest.MonkeyPatch, change: object) -> None:
    """Run `change` once, after the first piece was read."""
    real = os.read
    pending = [change]

    def read(descriptor: int, size: int) -> bytes:
        piece = real(descriptor, size)
        if pending:
            pending.pop()()  # type: ignore[operator]
        return piece

    monkeypatch.setattr(os, "read", read)


@pytest.mark.parametrize("change", ["grow", "shrink", "rewrite", "replace", "remove", "away"])
def test_a_file_that_changes_while_it_is_read_is_unsettled_and_has_no_content(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    file = root / "f"
    file.write_bytes(b"a" * 3 * PIECE)

    def act() -> None:
        if change == "grow":
            with file.open("ab") as stream:
                stream.write(b"more")
        elif change == "shrink":
            os.truncate(file, 10)
        elif change == "rewrite":
            file.write_bytes(b"b" * 3 * PIECE)
        elif change == "replace":
            (root / "g").write_bytes(b"c" * 3 * PIECE)
            (root / "g").replace(file)
        elif change == "away":
            file.rename(root / "elsewhere")
        else:
            file.unlink()

    _while_reading(monkeypatch, act)
    found = _look(root_fd, b"f")
    assert found.unsettled
    assert found.digest is None
    assert found.data is None


def test_a_file_swapped_for_a_link_before_it_is_opened_is_not_followed(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "f").write_bytes(b"x")
    real = os.open

    def open_late(path: bytes, flags: int, *, dir_fd: int) -> int:
        (root / "f").unlink()
        (root / "f").symlink_to("../outside/secret.txt")
        return real(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_late)
    found = _look(root_fd, b"f")
    assert found.unsettled
    assert found.data is None


def test_a_write_within_one_step_of_the_file_clock_still_shows(root: Path, root_fd: int) -> None:
    """Right after a look, any write changes the stamp: the file was at rest (2.12)."""
    file = root / "f"
    for number in range(20):
        file.write_bytes(b"%05d" % number)
        first = _look(root_fd, b"f")
        file.write_bytes(b"%05d" % (number + 50_000))
        with Worktree(root_fd) as worktree:
            assert worktree.stamp(GitPath(b"f")) != first.stamp


def test_a_file_that_is_written_all_the_time_is_unsettled(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root / "f"
    file.write_bytes(b"x")
    waits: list[float] = []

    def write_meanwhile(seconds: float) -> None:
        waits.append(seconds)
        file.write_bytes(b"y")

    monkeypatch.setattr(time, "sleep", write_meanwhile)
    # It was written just now, however long ago that is on a slow machine.
    monkeypatch.setattr(time, "clock_gettime_ns", lambda clock: file.stat().st_ctime_ns)
    assert _look(root_fd, b"f").unsettled
    assert len(waits) == 3
    assert max(waits) < 0.1


def test_every_look_between_writes_is_one_version_or_unsettled(root: Path, root_fd: int) -> None:
    file = root / "f"
    versions = [bytes([letter]) * 300_000 for letter in b"abcdefgh"]
    file.write_bytes(versions[0])
    stop = threading.Event()

    def churn() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            with file.open("r+b") as stream:
                stream.write(versions[turn % len(versions)])
            stop.wait(0.09)

    writer = threading.Thread(target=churn)
    writer.start()
    try:
        looks = [_look(root_fd, b"f") for _ in range(40)]
    finally:
        stop.set()
        writer.join()
    looks.append(_look(root_fd, b"f"))
    assert not looks[-1].unsettled
    for found in looks:
        assert found.unsettled or found.data in versions


def test_many_paths_in_any_order_are_the_same_as_each_alone(root: Path, root_fd: int) -> None:
    names = [b"a", b"d/a", b"d/e/a", b"d/e/b", b"d/f/a", b"g/a", b"d/missing/x"]
    for name in names[:-1]:
        file = root / os.fsdecode(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name)
    with Worktree(root_fd) as worktree:
        for name in [*names, *reversed(names), *names[::2]]:
            assert worktree.look(GitPath(name), keep=KEEP) == _look(root_fd, name)


def test_the_checkpoint_ends_a_long_look(root: Path, root_fd: int) -> None:
    (root / "f").write_bytes(b"a" * 3 * PIECE)

    def expire() -> None:
        raise FailedError("too late")

    with pytest.raises(FailedError, match="too late"):
        look(root_fd, GitPath(b"f"), keep=0, checkpoint=expire)


def test_a_root_that_is_gone_is_one_line_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="gone: No such file"):
        open_root(tmp_path / "gone")
