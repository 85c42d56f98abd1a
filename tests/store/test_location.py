"""Where a database may live."""

from pathlib import Path

import pytest

from diffx.store import location
from diffx.store.failures import StorePlaceError

MOUNTS = r"""
22 1 254:1 / / rw,relatime - ext4 /dev/vda rw
30 22 0:26 / /home rw - nfs4 server:/home rw
31 22 0:27 / /mnt/with\040space rw shared:1 - cifs //server/share rw
32 22 0:28 / /home/me/local rw - ext4 /dev/vdb rw
33 22 0:29 / /mnt/sshfs rw - fuse.sshfs me@host: rw
34 22 0:30 / /stacked rw - nfs server:/ rw
35 22 0:31 / /stacked rw - tmpfs tmpfs rw
36 22 0:32 / /mnt/c rw - 9p drvfs rw
""".strip()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib/diffx", None),
        ("/home/me", "nfs4"),
        ("/home/me/local/state", None),
        ("/homeless", None),
        ("/mnt/with space/x", "cifs"),
        ("/mnt/sshfs", "fuse.sshfs"),
        ("/stacked/x", None),
        ("/mnt/c/Users", "9p"),
    ],
)
def test_a_network_file_system_is_known_by_the_mount_nearest_above(
    folder: str, kind: str | None
) -> None:
    assert location.network_type(Path(folder), MOUNTS) == kind


def test_a_system_without_a_mount_table_is_trusted() -> None:
    assert location.network_type(Path("/anywhere"), "") is None


def test_a_network_file_system_is_refused_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"1 0 0:1 / {tmp_path} rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(location, "_MOUNTS", table)

    with pytest.raises(StorePlaceError, match=r"nfs4.*--state"):
        location.check_place(tmp_path / "state.db")


def test_a_folder_that_may_not_be_entered_is_named_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refuse)  # root may enter every folder

    with pytest.raises(StorePlaceError, match=r"Permission denied.*--state") as refused:
        location.check_place(tmp_path / "state.db")
    assert str(tmp_path) in str(refused.value)
