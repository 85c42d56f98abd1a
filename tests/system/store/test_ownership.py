"""A database between processes, users and disks (semantics 11.3, 12.4, 12.5)."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diffx.store.database import open_store
from diffx.store.failures import StoreFullError, StoreInUseError, StoreReadOnlyError
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[3]
NOBODY = 65534
OWNER = """
import sys
from pathlib import Path
from diffx.store.database import open_store
store = open_store(Path(sys.argv[1]))
print(store.state_id, flush=True)
sys.stdin.readline()
store.close()
"""


@contextlib.contextmanager
def owner(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Own a database in another process for the block; gives that process."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, path],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.communicate("\n")


def in_child(action: Callable[[], None], *, user: int | None = None) -> str:
    """Run an action in a forked process, as another user if asked; return what it raised."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if user is not None:
                os.setgid(user)
                os.setuid(user)
            action()
        except BaseException as error:  # noqa: BLE001 - told to the parent
            os.write(writing, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode()


def ordinary_user(action: Callable[[], None]) -> str:
    """Permissions mean nothing to root, so root becomes somebody else for this."""
    return in_child(action, user=NOBODY if os.getuid() == 0 else None)


def test_another_process_keeps_out_until_the_owner_ends(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with owner(path) as process:
        with pytest.raises(StoreInUseError, match="in use by another diffx"):
            open_store(path)
        process.send_signal(signal.SIGKILL)
        process.wait()

    open_store(path).close()


def test_a_live_database_is_not_disturbed_by_one_that_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with open_store(path) as store:
        store.publish(ME, submission("s1", [change()]), NOW)
        told = in_child(lambda: open_store(path).close())
        assert told.startswith("StoreInUseError")

        assert store.publish(ME, submission("s1", [change()]), NOW).replayed


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_written_is_refused_and_kept(tmp_path: Path, what: str) -> None:
    tmp_path.chmod(0o755)
    folder = tmp_path / "state"
    folder.mkdir()
    path = folder / "state.db"
    open_store(path).close()
    for each, mode in ((path, 0o444 if what == "file" else 0o666), (folder, 0o777)):
        each.chmod(mode)
    if what == "folder":
        folder.chmod(0o555)
    before = path.read_bytes()

    with reachable(tmp_path):
        told = ordinary_user(lambda: open_store(path).close())

    assert told.startswith("StoreReadOnlyError"), told
    assert "cannot be written" in told
    assert "\n" not in told
    assert path.read_bytes() == before
    assert {one.name for one in folder.iterdir()} <= {"state.db", "state.db.lock"}


def test_a_file_that_may_not_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    open_store(path).close()
    path.chmod(0)

    with reachable(tmp_path):
        told = ordinary_user(lambda: open_store(path).close())

    assert told.startswith("StoreReadOnlyError"), told
    assert "\n" not in told


@contextlib.contextmanager
def reachable(folder: Path) -> Iterator[None]:
    """Let other users reach a folder through its private parents, for the block."""
    parents = [one for one in folder.parents if one.stat().st_mode & 0o001 == 0]
    modes = {one: stat.S_IMODE(one.stat().st_mode) for one in parents}
    modes[folder] = stat.S_IMODE(folder.stat().st_mode)
    try:
        for one, mode in modes.items():
            one.chmod(mode | 0o011)
        yield
    finally:
        for one, mode in modes.items():
            one.chmod(mode)


def test_a_full_disk_fails_a_publication_whole_and_room_heals_it(small_disk: Path) -> None:
    path = small_disk / "state.db"
    big = submission("s2", [change(f"{n}.bin", os.urandom(60_000).hex()) for n in range(60)])
    with open_store(path) as store:
        first = store.publish(ME, submission("s1", [change()]), NOW)
        filler = small_disk / "filler"
        filler.write_bytes(bytes(2 << 20))

        with pytest.raises(StoreFullError, match="disk is full"):
            store.publish(ME, big, NOW)

        assert store.publish(ME, submission("s1", [change()]), NOW).replayed
        assert store.figures().contexts == 1
        filler.unlink()
        small = submission("s3", [change("small.py")], collected_at=5)
        assert store.publish(ME, small, NOW).context != first.context


def test_a_database_that_finds_no_room_at_all_leaves_nothing(small_disk: Path) -> None:
    filler = small_disk / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(64 << 20))

    with pytest.raises(StoreFullError):
        open_store(small_disk / "state.db")

    assert {one.name for one in small_disk.iterdir()} <= {"filler", "state.db.lock"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of five megabytes; only root may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_read_only_file_system_is_told(small_disk: Path) -> None:
    path = small_disk / "state.db"
    open_store(path).close()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)

    with pytest.raises(StoreReadOnlyError):
        open_store(path)
