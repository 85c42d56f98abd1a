"""One local instance: how it starts, stops, is killed and is replaced (11.1-11.4, 12.4)."""

import os
import pty
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from diffx.server import lifecycle
from tests.support.viewer import COMMAND, Viewer, environment, refused, viewing

pytestmark = pytest.mark.system
ENDS_S = 120  # a bound for what hangs, not a measurement


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    top = tmp_path / "checkout"
    git("init", "-q", "-b", "main", str(top))
    (top / "a.txt").write_text("one\n")
    git("-C", str(top), "add", "a.txt")
    git("-C", str(top), "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "base")
    (top / "a.txt").write_text("two\n")
    return top


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def database(home: Path) -> Path:
    return home / ".local/state/diffx/state.db"


def open_stream(viewer: Viewer) -> socket.socket:
    host, port = viewer.origin.split("//")[1].split(":")
    stream = socket.create_connection((host, int(port)), 5)
    stream.sendall(f"GET /api/v2/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    assert b"200" in stream.recv(4096)
    return stream


def test_the_printed_address_shows_what_git_says(checkout: Path) -> None:
    with viewing(checkout) as viewer:
        (file,) = viewer.manifest()["files"]

        assert (file["path"], file["status"]) == ("a.txt", "M")
        assert (file["additions"], file["deletions"]) == (1, 1)


def test_later_edits_do_not_change_what_is_shown(checkout: Path) -> None:
    with viewing(checkout) as viewer:
        before = viewer.manifest()
        (checkout / "a.txt").write_text("three\n")
        (checkout / "b.txt").write_text("new\n")

        assert viewer.manifest() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly_with_a_stream_and_half_a_request_open(
    checkout: Path, home: Path, number: signal.Signals
) -> None:
    with viewing(checkout) as viewer:
        host, port = viewer.origin.split("//")[1].split(":")
        with open_stream(viewer), socket.create_connection((host, int(port)), 5) as half:
            half.sendall(b"GET /api/v2/health HTT")

            code, said = viewer.end(number)

        assert (code, said) == (0, "diffx: serving until Ctrl-C\n")
        assert not lifecycle.descriptor_path(database(home)).exists()


def test_without_a_terminal_a_second_start_leaves_the_first_alone(checkout: Path) -> None:
    with viewing(checkout) as first:
        code, said = refused(checkout)

        assert code == 3
        assert first.origin in said
        assert "--replace" in said
        assert said.count("\n") == 1
        assert first.answers()


def test_replace_stops_the_first_and_keeps_its_reviews(checkout: Path) -> None:
    with viewing(checkout) as first:
        (checkout / "b.txt").write_text("new\n")
        with viewing(checkout, "--replace") as second:
            code, told = first.wait()
            assert (code, told.splitlines()[-1]) == (
                0,
                "diffx: giving way to the diffx that replaces this one",
            )
            listed = second.get("/contexts")["contexts"]

            assert {each["contextId"] for each in listed} == {first.context, second.context}


def test_a_replacement_that_cannot_collect_costs_nobody_a_review(
    checkout: Path, tmp_path: Path
) -> None:
    with viewing(checkout) as first:
        code, said = refused(tmp_path / "nowhere", "--replace")

        assert code == 2
        assert "nowhere" in said
        assert first.answers()


def test_after_kill_9_the_next_start_serves_the_same_reviews(checkout: Path, home: Path) -> None:
    with viewing(checkout) as first:
        first.end(signal.SIGKILL)
        assert lifecycle.descriptor_path(database(home)).exists()

        with viewing(checkout) as second:
            assert second.context == first.context  # the same content joins its context (6.2)


def test_a_stale_descriptor_with_a_living_pid_stops_nobody(checkout: Path, home: Path) -> None:
    with viewing(checkout) as first:
        first.end(signal.SIGKILL)
    path = lifecycle.descriptor_path(database(home))
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        text = path.read_text().replace(f'"pid": {first.process.pid}', f'"pid": {bystander.pid}')
        path.write_text(text)

        with viewing(checkout, "--replace") as second:
            assert second.answers()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_frozen_owner_is_reported_and_not_killed(checkout: Path) -> None:
    with viewing(checkout) as first:
        first.process.send_signal(signal.SIGSTOP)
        try:
            code, said = refused(checkout, "--replace")
        finally:
            first.process.send_signal(signal.SIGCONT)

        assert code == 3
        assert "does not answer" in said
        assert first.answers()


def test_memory_state_runs_beside_another_and_leaves_no_file(checkout: Path, home: Path) -> None:
    with (
        viewing(checkout, "--state", "memory") as one,
        viewing(checkout, "--state", "memory") as two,
    ):
        assert one.answers()
        assert two.answers()
        assert one.origin != two.origin
    assert not database(home).parent.exists()


@pytest.mark.parametrize("home", ["/dev/null", "/proc/nowhere"])
def test_memory_state_needs_no_home_that_can_be_written(
    checkout: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    with viewing(checkout, "--state", "memory", "--port", "0") as viewer:
        assert [file["path"] for file in viewer.manifest()["files"]] == ["a.txt"]
    with viewing(checkout, "--state", "memory", "--port", "0") as viewer:
        assert viewer.answers()
    assert len(list((checkout / ".git/diffx").glob("checkout-*"))) == 1


def test_a_database_that_is_kept_needs_a_source_that_is(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    code, said = refused(checkout, "--state", tmp_path / "state.db", "--port", "0")

    assert code == 1
    assert "--source-id" in said


def test_a_port_that_is_taken_is_an_error_that_names_it(checkout: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused(checkout, "--port", str(port))

        assert code == 1
        assert f"port {port} is already in use" in said


@pytest.mark.parametrize(
    ("answer", "replaced"), [(b"y\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)]
)
def test_on_a_terminal_replacing_is_asked(checkout: Path, answer: bytes, replaced: bool) -> None:
    with viewing(checkout) as first:
        leader, follower = pty.openpty()
        second = subprocess.Popen(
            [*COMMAND, str(checkout), "--no-browser"],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=environment(),
            start_new_session=True,
        )
        os.close(follower)
        try:
            assert "Replace it? [y/N]" in read_until(leader, "[y/N]")
            os.write(leader, answer)
            if replaced:
                assert "serving until Ctrl-C" in read_until(leader, "Ctrl-C")
                assert first.wait()[0] == 0
                second.terminate()
            else:
                said = read_until(leader, "as it was")
                assert "\ndiffx: nothing was started; " in said
                assert "goes on as it was" in said
            assert second.wait(ENDS_S) == (0 if replaced else 3)
            assert first.answers() is not replaced
        finally:
            second.kill()
            second.wait()
            os.close(leader)


def test_a_question_that_nobody_would_see_is_not_asked(checkout: Path) -> None:
    with viewing(checkout) as first:
        leader, follower = pty.openpty()
        try:
            code, said = refused(checkout, stdin=follower)  # standard error goes to a file
        finally:
            os.close(leader)
            os.close(follower)

        assert (code, first.answers()) == (3, True)
        assert "--replace" in said


def read_until(leader: int, wanted: str) -> str:
    seen, until = "", time.monotonic() + ENDS_S
    while wanted not in seen and time.monotonic() < until:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                seen += os.read(leader, 4096).decode()
            except OSError:  # EIO: the other end has closed
                break
    return seen


@pytest.mark.parametrize("path", ["", "gone"])
def test_a_wrong_path_is_one_line_that_names_it(tmp_path: Path, path: str) -> None:
    named = "" if path == "" else str(tmp_path / path)
    code, said = refused(named)

    assert code != 0
    assert said.count("\n") == 1
    assert (path or "PATH is empty") in said


def test_a_clean_checkout_is_a_valid_empty_review(checkout: Path) -> None:
    git("-C", str(checkout), "checkout", "-q", "--", "a.txt")
    with viewing(checkout) as viewer:
        assert viewer.manifest()["files"] == []


def test_nothing_appears_beside_a_file_that_is_not_a_database(
    checkout: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "place" / "holiday.jpg"
    picture.parent.mkdir()
    picture.write_bytes(b"\xff\xd8 a picture")

    code, said = refused(checkout, "--state", picture)

    assert (code, said.count("\n")) == (1, 1)
    assert f"{picture} is not a diffx database" in said
    assert list(picture.parent.iterdir()) == [picture]
