import ast
import zipfile
from pathlib import Path

import pytest

from tools.build import executable
from tools.build.project import ROOT, BuildError

MEMBERS = {
    "__main__.py": b"print('hello')\n",
    "diffx/cli/view.py": b"x = 1\n" * 100,
    "diffx/assets/main.js.gz": b"\x1f\x8b" + b"0" * 100,
}


def test_equal_members_give_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable.write(tmp_path / "a", MEMBERS)
    executable.write(tmp_path / "b", dict(reversed(MEMBERS.items())))

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_time_in_the_file_is_source_date_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    executable.write(tmp_path / "a", MEMBERS)

    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert {entry.date_time[:3] for entry in archive.infolist()} == {(2023, 11, 14)}


def test_what_the_shortest_commands_read_is_stored(tmp_path: Path) -> None:
    executable.write(tmp_path / "a", MEMBERS)

    with zipfile.ZipFile(tmp_path / "a") as archive:
        stored = {e.filename for e in archive.infolist() if e.compress_type == zipfile.ZIP_STORED}
    assert stored == {"__main__.py", "diffx/assets/main.js.gz"}


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "diffx"
    target.write_bytes(b"old")

    with pytest.raises(TypeError):
        executable.write(target, {"a": 5})  # type: ignore[dict-item]

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_over_the_limit_is_not_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executable, "MAX_BYTES", 10)
    (tmp_path / "diffx").write_bytes(b"x" * 11)

    with pytest.raises(BuildError, match="limit is 10"):
        executable._check_size(tmp_path / "diffx")  # noqa: SLF001 - the last step of a long build

    assert not (tmp_path / "diffx").exists()


@pytest.mark.parametrize("name", ["build.py", "tools/build/launcher.py", "diffx/__init__.py"])
def test_a_python_that_is_too_old_can_still_say_so(name: str) -> None:
    ast.parse((ROOT / name).read_text(), feature_version=(3, 7))
