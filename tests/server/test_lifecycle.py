"""How instances find and replace each other: proof of the key, never a pid alone (11.3)."""

import json
import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from diffx.review.model import Millis
from diffx.server import lifecycle
from diffx.server.lifecycle import Control, Descriptor


@contextmanager
def instance(database: Path) -> Iterator[tuple[Descriptor, threading.Event]]:
    asked = threading.Event()
    control = Control(on_shutdown=asked.set)
    try:
        descriptor = control.describe(url="http://127.0.0.1:1/", started_at=Millis(5))
        lifecycle.announce(database, descriptor)
        yield descriptor, asked
    finally:
        control.close()


def test_a_live_instance_is_found_and_can_be_asked_to_stop(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database) as (descriptor, asked):
        assert lifecycle.find(database) == descriptor
        assert not asked.is_set()

        lifecycle.shut_down(descriptor)

        assert asked.wait(5)


def test_only_the_owner_can_read_the_descriptor(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database):
        mode = lifecycle.descriptor_path(database).stat().st_mode

        assert stat.S_IMODE(mode) == 0o600


def test_a_dead_instance_is_not_found_though_its_pid_lives(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database) as (descriptor, _):
        pass
    lifecycle.announce(database, replace(descriptor, pid=os.getpid()))

    assert lifecycle.find(database) is None


def test_a_wrong_key_neither_finds_nor_stops(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database) as (descriptor, asked):
        forged = replace(descriptor, key="0" * 64)
        lifecycle.announce(database, forged)

        assert lifecycle.find(database) is None
        lifecycle.shut_down(forged)
        assert not asked.is_set()


def test_a_stranger_on_the_port_of_a_dead_instance_is_no_instance(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        heard: list[bytes] = []

        def impersonate() -> None:
            connection, _ = stranger.accept()
            with connection:
                connection.sendall(b"diffx-control-1 00\n")
                heard.append(connection.recv(4096))
                connection.sendall(b'0000 {"pid": 1}\n')

        thread = threading.Thread(target=impersonate)
        thread.start()
        descriptor = Descriptor(port=port, key="k" * 64, pid=1, url="u", started_at=Millis(0))
        lifecycle.announce(database, descriptor)

        assert lifecycle.find(database) is None
        thread.join()
        assert b"k" * 64 not in heard[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"port": "x", "key": "", "pid": 1, "url": "", "started_at": 0}',
        "\xff",
    ],
)
def test_a_descriptor_that_is_not_one_names_no_instance(tmp_path: Path, text: str) -> None:
    database = tmp_path / "state.db"
    lifecycle.descriptor_path(database).write_bytes(text.encode("latin-1"))

    assert lifecycle.find(database) is None


def test_nonsense_on_the_control_port_does_not_end_it(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database) as (descriptor, _):
        for nonsense in (b"", b"\n", b"a b c\n", b"\xff\xfe\n", b"x" * 10_000 + b"\n"):
            with socket.create_connection(("127.0.0.1", descriptor.port), 2) as connection:
                connection.sendall(nonsense)

        assert lifecycle.find(database) == descriptor


def test_withdrawing_leaves_a_successors_descriptor(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with instance(database) as (first, _), instance(database) as (second, _):
        lifecycle.withdraw(database, first)
        assert json.loads(lifecycle.descriptor_path(database).read_bytes())["port"] == second.port

        lifecycle.withdraw(database, second)
        assert not lifecycle.descriptor_path(database).exists()
