"""A file of a Git folder is read whole or refused, whatever came in its place (2.10)."""

from pathlib import Path

import pytest

from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.gitexe.indexbytes import read_index
from diffx.collector.gitexe.process import GitFailedError
from diffx.collector.repository import Layout

MOST = 1 << 10


def layout_of(folder: Path) -> Layout:
    return Layout(
        top=folder, git_dir=folder, common_dir=folder, object_format="sha1", shallow=False
    )


def test_a_regular_file_is_read_whole_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * MOST)
    (tmp_path / "link").symlink_to("file")

    assert read_git_file(tmp_path / "file", most=MOST) == b"x" * MOST
    assert read_git_file(tmp_path / "link", most=MOST) == b"x" * MOST


def test_a_file_over_the_limit_is_refused_and_not_cut(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * (MOST + 1))

    with pytest.raises(OSError, match="larger than"):
        read_git_file(tmp_path / "file", most=MOST)


# /dev/null stands for what never ends, as /dev/zero and a silent pipe would: it is no file either.


def test_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").symlink_to("/dev/null")

    with pytest.raises(OSError, match="not a regular file"):
        read_git_file(tmp_path / "file", most=MOST)


@pytest.mark.parametrize("name", ["index", "sharedindex.0"])
def test_a_device_in_place_of_an_index_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "index").write_bytes(b"DIRC with a link in it")
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).symlink_to("/dev/null")

    with pytest.raises(GitFailedError, match=f"{name}: not a regular file"):
        read_index(layout_of(tmp_path))
