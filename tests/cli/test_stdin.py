"""Whether stdin is a patch is decided by what it is, and never in silence (11.5)."""

import io
import os
import pty
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diffx.cli.stdin import read_patch
from diffx.cli.world import World
from diffx.clock import random_id, system_clock
from diffx.collector.piped import MAX_BYTES
from diffx.errors import FailedError, InvalidError
from diffx.review.patch import PatchTooLargeError

GRACE_S = 20  # only a failing test waits that long
PATCH = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"


class Terminal(io.StringIO):
    """Collects what people are told, and says when a line has come."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if text.endswith("\n"):
            self.told.set()
        return written


def world(stdin: int | None, stderr: io.StringIO | None = None) -> World:
    return World(
        environment={},
        stdin=stdin,
        stdout=io.StringIO(),
        stderr=stderr or io.StringIO(),
        now=system_clock,
        new_id=random_id,
    )


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    try:
        yield reader, writer
    finally:
        os.close(reader)
        try:
            os.close(writer)
        except OSError:
            assert True  # the test closed it


@contextmanager
def opened(path: Path | str, flags: int = os.O_RDONLY) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_with_a_path_stdin_is_nobodys_business() -> None:
    with pipe() as (reader, writer):
        os.write(writer, PATCH)

        assert read_patch(".", world(reader)) is None
        assert read_patch("./-", world(reader)) is None
        assert os.read(reader, 1) == b"d"


def test_a_pipe_is_read_to_its_end() -> None:
    with pipe() as (reader, writer):
        os.write(writer, PATCH)
        os.close(writer)

        assert read_patch(None, world(reader)) == PATCH


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(PATCH)
    with opened(tmp_path / "p") as stdin:
        assert read_patch(None, world(stdin)) == PATCH


def test_a_socket_is_read() -> None:
    near, far = socket.socketpair()
    with near, far:
        far.sendall(PATCH)
        far.shutdown(socket.SHUT_WR)

        assert read_patch(None, world(near.fileno())) == PATCH


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
def test_a_device_is_no_patch(device: str) -> None:
    with opened(device) as stdin:
        assert read_patch(None, world(stdin)) is None


def test_a_closed_stdin_is_no_patch_and_an_error_where_one_was_asked_for() -> None:
    assert read_patch(None, world(None)) is None
    with pytest.raises(InvalidError, match="stdin is closed"):
        read_patch("-", world(None))


def test_a_terminal_is_read_only_when_asked_for() -> None:
    master, slave = pty.openpty()
    try:
        assert read_patch(None, world(slave)) is None
        os.write(master, PATCH + b"\x04")
        people = Terminal()

        assert read_patch("-", world(slave, people)) == PATCH
        assert "Ctrl-D" in people.getvalue()
    finally:
        os.close(master)
        os.close(slave)


def test_an_empty_pipe_is_an_error_that_says_what_to_do() -> None:
    with pipe() as (reader, writer):
        os.close(writer)

        with pytest.raises(InvalidError, match=r"empty.*use: diffx \."):
            read_patch(None, world(reader))


def test_a_dash_reads_dev_null_as_an_empty_patch() -> None:
    with opened("/dev/null") as stdin, pytest.raises(InvalidError, match="is empty"):
        read_patch("-", world(stdin))


def test_a_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with opened(tmp_path) as stdin, pytest.raises(InvalidError, match="name it instead"):
        read_patch(None, world(stdin))


def test_the_writing_end_of_a_pipe_is_no_patch() -> None:
    with pipe() as (_, writer):
        assert read_patch(None, world(writer)) is None
        with pytest.raises(InvalidError, match="for writing only"):
            read_patch("-", world(writer))


def test_a_connection_that_breaks_is_an_error() -> None:
    near, far = socket.socketpair()
    with near:
        near.sendall(b"never read")
        far.close()  # with unread data, which resets the connection

        with pytest.raises(FailedError, match="cannot read the patch on stdin"):
            read_patch(None, world(near.fileno()))


def test_a_silent_pipe_says_what_is_awaited_and_is_read_when_it_speaks() -> None:
    people = Terminal()
    with pipe() as (reader, writer):

        def speak() -> None:
            people.told.wait(GRACE_S)
            os.write(writer, PATCH)
            os.close(writer)

        speaker = threading.Thread(target=speak)
        speaker.start()
        try:
            assert read_patch(None, world(reader, people)) == PATCH
        finally:
            people.told.set()
            speaker.join()
    assert people.getvalue().count("\n") == 1
    assert "waiting for a patch on stdin" in people.getvalue()
    assert "diffx ." in people.getvalue()


def test_a_patch_that_does_not_end_says_so_and_is_read_when_it_does() -> None:
    people = Terminal()
    with pipe() as (reader, writer):
        os.write(writer, PATCH[:20])

        def finish() -> None:
            people.told.wait(GRACE_S)
            os.write(writer, PATCH[20:])
            os.close(writer)

        finisher = threading.Thread(target=finish)
        finisher.start()
        try:
            assert read_patch(None, world(reader, people)) == PATCH
        finally:
            people.told.set()
            finisher.join()
    assert "20 bytes of a patch have come; waiting for its end" in people.getvalue()


def test_a_writer_that_falls_silent_twice_is_mentioned_twice_and_no_more() -> None:
    people = Terminal()
    with pipe() as (reader, writer):

        def dawdle() -> None:
            people.told.wait(GRACE_S)
            people.told.clear()
            os.write(writer, PATCH[:20])
            people.told.wait(GRACE_S)
            os.write(writer, PATCH[20:])
            os.close(writer)

        dawdler = threading.Thread(target=dawdle)
        dawdler.start()
        try:
            assert read_patch(None, world(reader, people)) == PATCH
        finally:
            people.told.set()
            dawdler.join()
    assert [line[:30] for line in people.getvalue().splitlines()] == [
        "diffx: waiting for a patch on ",
        "diffx: 20 bytes of a patch hav",
    ]


def test_a_pipe_that_does_not_block_is_read() -> None:
    with pipe() as (reader, writer):
        os.set_blocking(reader, False)
        os.write(writer, PATCH)
        os.close(writer)

        assert read_patch(None, world(reader)) == PATCH


def test_more_than_the_limit_is_refused_before_all_of_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "p"
    with file.open("wb") as stream:
        stream.truncate(4 * MAX_BYTES)
    with opened(file) as stdin:
        with pytest.raises(PatchTooLargeError, match="16 MiB"):
            read_patch(None, world(stdin))

        assert os.lseek(stdin, 0, os.SEEK_CUR) < 2 * MAX_BYTES
