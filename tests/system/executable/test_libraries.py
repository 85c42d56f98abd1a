"""The bundled libgit2 is unpacked once, by whoever comes first, and never half (case C10)."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.executable import load_libgit2, pythons, run

pytestmark = pytest.mark.system
PYTHONS = pythons()


def unpacked(home: Path) -> list[Path]:
    return [path for path in (home / ".cache/diffx/native").iterdir() if path.name != "lock"]


@pytest.mark.parametrize("python", PYTHONS)
def test_libgit2_works_on_each_supported_python(executable: Path, python: str, home: Path) -> None:
    for _ in range(2):
        outcome = run([python, *load_libgit2(executable)])
        assert outcome.code == 0, outcome.stderr
        assert str(home / ".cache") in outcome.stdout

    assert len(unpacked(home)) == 1


def test_two_pythons_share_a_cache_folder(executable: Path, home: Path) -> None:
    for python in PYTHONS * 2:
        assert run([python, *load_libgit2(executable)]).code == 0

    assert len(unpacked(home)) == len(PYTHONS)


def test_twelve_first_starts_at_once_all_succeed(executable: Path, home: Path) -> None:
    starts = [
        subprocess.Popen(
            [PYTHONS[0], *load_libgit2(executable)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(12)
    ]
    errors = [start.communicate(timeout=120)[1] for start in starts]

    assert errors == [b""] * 12
    assert [start.returncode for start in starts] == [0] * 12
    assert len(unpacked(home)) == 1


@pytest.mark.parametrize("after_s", [0.02, 0.05, 0.08, 0.12, 0.16, 0.2])
def test_a_first_start_that_was_killed_does_not_harm_the_next(
    executable: Path, home: Path, after_s: float
) -> None:
    first = subprocess.Popen([PYTHONS[0], *load_libgit2(executable)], stdout=subprocess.DEVNULL)
    time.sleep(after_s)
    first.send_signal(signal.SIGKILL)
    first.wait()

    outcome = run([PYTHONS[0], *load_libgit2(executable)])

    assert (outcome.code, outcome.stderr) == (0, "")


def test_a_start_is_not_held_up_by_one_that_hangs(executable: Path, home: Path) -> None:
    """A stopped holder of the lock costs time, not the start; here it has finished its work."""
    assert run([PYTHONS[0], *load_libgit2(executable)]).code == 0
    lock = home / ".cache/diffx/native/lock"
    holder = subprocess.Popen(["flock", lock, "sleep", "60"])
    try:
        assert run([PYTHONS[0], *load_libgit2(executable)]).code == 0
    finally:
        holder.kill()
        holder.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_any_place_of_its_own_a_user_gets_a_temporary_one(
    executable: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": f"{tmp_path}/c", "TMPDIR": str(tmp_path)}
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    with tempfile.TemporaryDirectory() as everyones:  # the checkout may lie where nobody looks
        Path(everyones).chmod(0o755)
        copied = load_libgit2(Path(shutil.copy(executable, everyones)))
        outcome = run([*nobody, "/usr/bin/env", "python3", *copied], env=env)

    assert outcome.code == 0, outcome.stderr
    folder = Path(outcome.stdout.split()[1]).parents[1]
    assert folder.name.startswith("diffx-native-")
    assert not folder.exists()


@pytest.mark.parametrize("options", ["noexec,size=200m", "size=200k"])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_mount_without_room_or_programs_is_passed_over(
    executable: Path, tmp_path: Path, options: str
) -> None:
    mounted = ["mount", "-t", "tmpfs", "-o", options, "none", str(tmp_path)]
    if run(mounted).code != 0:
        pytest.skip("mounting is not allowed here")
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": f"{tmp_path}/c", "TMPDIR": str(tmp_path)}
    try:
        outcome = run([PYTHONS[0], *load_libgit2(executable)], env=env)
    finally:
        run(["umount", tmp_path])

    assert outcome.code == 0, outcome.stderr
    assert str(tmp_path) not in outcome.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_where_every_place_is_noexec_one_line_says_what_to_do(
    executable: Path, tmp_path: Path
) -> None:
    # A mount namespace of its own, so that hiding /tmp hides it from nobody else; the executable
    # and Python lie elsewhere.
    copy = Path("/dev/shm") / f"diffx-test-{os.getpid()}"
    copy.write_bytes(executable.read_bytes())
    hide = "for f in /tmp /var/tmp; do mount -t tmpfs -o noexec none $f || exit; done"
    try:
        outcome = run(
            [
                *("unshare", "--mount", "sh", "-c", f'{hide}; exec "$@"', "sh"),
                *(PYTHONS[0], *load_libgit2(copy)),
            ],
            env={"HOME": "/tmp", "XDG_CACHE_HOME": "/tmp/c", "TMPDIR": "/tmp"},
            cwd=Path("/"),
        )
    finally:
        copy.unlink()
    if "unshare" in outcome.stderr:
        pytest.skip("mount namespaces are not allowed here")

    assert outcome.code == 1
    assert outcome.stderr.count("\n") == 1
    assert "noexec" in outcome.stderr
    assert "XDG_CACHE_HOME" in outcome.stderr
