"""The promises of tests/conftest.py, so that every other test may rely on them."""

import os
import socket
import threading
from pathlib import Path

import pytest

from tests.support import isolation
from tests.support.isolation import NetworkGuard, NetworkUsedError, private_environment


def test_another_machine_cannot_be_reached() -> None:
    guard = NetworkGuard()

    with pytest.raises(NetworkUsedError, match=r"192\.0\.2\.1"):
        guard.watch("socket.connect", (None, ("192.0.2.1", 80)))

    assert guard.violations == ["('192.0.2.1', 80)"]


def test_the_guard_stands_in_front_of_real_sockets(request: pytest.FixtureRequest) -> None:
    guard: NetworkGuard = request.config.stash[isolation.GUARD]
    with (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock,
        pytest.raises(NetworkUsedError),
    ):
        sock.connect(("192.0.2.1", 80))

    assert guard.violations
    guard.violations.clear()


@pytest.mark.parametrize("address", [("127.0.0.1", 1), ("::1", 1, 0, 0), "/run/some.socket", ""])
def test_loopback_and_local_sockets_are_open(address: object) -> None:
    NetworkGuard().watch("socket.connect", (None, address))


def test_names_of_other_machines_do_not_resolve() -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("example.com", 80)


def test_home_is_private_and_empty(home: Path) -> None:
    assert os.environ["HOME"] == str(home)
    assert os.environ["XDG_STATE_HOME"].startswith(str(home))
    assert list(home.iterdir()) == []


def test_settings_of_the_developer_do_not_reach_a_test() -> None:
    inherited = {"GIT_DIR": "/x", "DIFFX_TOKEN": "t", "https_proxy": "p", "PATH": "/bin"}

    seen = private_environment(inherited, Path("/home/test"))

    assert seen["PATH"] == "/bin"
    assert not {"GIT_DIR", "DIFFX_TOKEN", "https_proxy"} & seen.keys()


def test_a_thread_that_stays_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "THREAD_GRACE_S", 0.01)
    before = set(threading.enumerate())
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="forgotten")
    thread.start()
    try:
        assert isolation.threads_left(before) == ["forgotten"]
    finally:
        stop.set()
        thread.join()
