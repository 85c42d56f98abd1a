import errno
import os
import threading
from pathlib import Path

import pytest

from diffx.files import LockHeldError, create_once, exclusive, private_directory, write_private


def test_a_private_file_is_replaced_whole_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "f"
    write_private(file, b"one")
    write_private(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_a_link_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "f").symlink_to("target")
    write_private(tmp_path / "f", b"ours")
    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert not (tmp_path / "f").is_symlink()


def test_a_failed_write_leaves_the_old_content_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    write_private(file, b"old")

    def full(descriptor: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        write_private(file, b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_the_file_is_on_disk_before_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112 - the link itself is asked
        fsync(descriptor)

    def note_rename(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    write_private(tmp_path / "f", b"x")
    assert steps == ["file", "rename", "folder"]


@pytest.mark.parametrize("links", [True, False])
def test_of_many_creators_one_wins_and_all_read_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:

        def refuse(*args: object, **more: object) -> None:
            raise OSError(errno.EPERM, "no hard links here")

        monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "f"
    won: list[int] = []
    start = threading.Barrier(20)

    def create(number: int) -> None:
        start.wait()
        if create_once(file, b"%d" % number):
            won.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() == b"%d" % won[0]
    assert len(won) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_a_lock_keeps_others_out_until_the_block_ends(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with exclusive(lock):
        held = pytest.raises(LockHeldError, match="lock is locked by another process")
        with held, exclusive(lock, timeout_s=0):
            pass
        with pytest.raises(LockHeldError), exclusive(lock, timeout_s=0.05):
            pass
    with exclusive(lock, timeout_s=0):
        pass
    assert lock.exists()


def test_a_folder_can_be_locked_too(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(LockHeldError), exclusive(tmp_path, timeout_s=0):
        pass


def test_a_lock_is_not_inherited_by_children(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with exclusive(lock):
        held = [
            int(entry.name)
            for entry in Path("/dev/fd").iterdir()
            if os.path.lexists(entry) and entry.resolve() == lock.resolve()
        ]
        assert held
        assert not any(os.get_inheritable(descriptor) for descriptor in held)


def test_a_linked_lock_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(OSError, match="lock"), exclusive(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_private_folder_is_made_with_its_parents_and_an_existing_one_left_alone(
    tmp_path: Path,
) -> None:
    existing = tmp_path / "open"
    existing.mkdir()
    existing.chmod(0o755)
    made = private_directory(existing / "a" / "b")
    assert made.stat().st_mode & 0o777 == made.parent.stat().st_mode & 0o777 == 0o700
    assert private_directory(existing).stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(OSError, match="f"):
        private_directory(tmp_path / "f")
