"""What is kept of compiled modules is used only where it is whole, and the user's alone."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Final

import pytest

from diffx import bytecode
from diffx.bytecode import Kept

ONE: Final = compile("1", "one.py", "eval")
TWO: Final = compile("2", "two.py", "eval")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "diffx" / "code" / "build.code"


def keep(file: Path, **codes: CodeType) -> Kept:
    kept = Kept(str(file))
    for name, code in codes.items():
        kept.add(name, code)
    kept.save()
    return kept


def test_what_was_compiled_is_there_the_next_time(file: Path) -> None:
    keep(file, one=ONE)

    assert Kept(str(file)).get("one") == ONE
    assert Kept(str(file)).get("two") is None
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o600


def test_every_folder_that_is_made_for_it_is_the_users_alone(file: Path) -> None:
    """The libraries are unpacked beside it, and are not where others may write."""
    before = os.umask(0o002)
    try:
        keep(file, one=ONE)
    finally:
        os.umask(before)

    assert {each.stat().st_mode & 0o777 for each in list(file.parents)[:3]} == {0o700}


def test_two_processes_that_end_together_keep_what_both_compiled(file: Path) -> None:
    first, second = Kept(str(file)), Kept(str(file))
    first.add("one", ONE)
    second.add("two", TWO)

    first.save()
    second.save()

    assert [Kept(str(file)).get(name) for name in ("one", "two")] == [ONE, TWO]


def test_nothing_new_writes_nothing(file: Path) -> None:
    keep(file, one=ONE)
    before = file.stat().st_mtime_ns, file.stat().st_ino

    Kept(str(file)).save()

    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


def torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)


def shared(file: Path) -> None:
    file.chmod(0o620)


def in_a_shared_folder(file: Path) -> None:
    file.parent.chmod(0o777)


def linked(file: Path) -> None:
    moved = file.rename(file.with_name("elsewhere"))
    file.symlink_to(moved)


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


@pytest.mark.parametrize("harm", [torn, flipped, shared, in_a_shared_folder, linked, a_pipe])
def test_code_that_may_not_be_ours_is_not_loaded(file: Path, harm: Callable[[Path], None]) -> None:
    keep(file, one=ONE)
    harm(file)

    assert Kept(str(file)).get("one") is None


def test_a_folder_that_others_may_write_to_gets_no_code(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.parent.chmod(0o777)

    keep(file, one=ONE)

    assert [*file.parent.iterdir()] == []


def test_where_nothing_can_be_kept_all_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    kept = keep(tmp_path / "file" / "code" / "x.code", one=ONE)

    assert kept.get("one") == ONE


def test_code_that_nobody_has_used_for_a_month_goes(file: Path) -> None:
    keep(file, one=ONE)
    old = file.rename(file.with_name("old.code"))
    os.utime(old, (1, 1))

    keep(file, two=TWO)

    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("environment", [{}, {"HOME": "."}, {"XDG_CACHE_HOME": "relative"}])
def test_without_a_cache_folder_nothing_is_kept(environment: dict[str, str]) -> None:
    cache = bytecode.folder(environment)

    assert bytecode._file("/x/diffx", "b" * 64, cache) is None  # noqa: SLF001 - a part of it


def test_another_build_python_or_place_is_another_file() -> None:
    home = bytecode.folder({"HOME": "/home/a"})
    names = {
        bytecode._file(place, build, home)  # noqa: SLF001 - a part of it
        for place in ("/a/diffx", "/b/diffx")
        for build in ("1" * 64, "2" * 64)
    }

    assert len(names) == 4


def test_a_module_that_is_kept_is_not_compiled_again(tmp_path: Path, file: Path) -> None:
    archive = tmp_path / "program"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("package/__init__.py", "")
        made.writestr("package/inner/__init__.py", "value = 'source'")
        made.writestr("package/inner/module.py", "value = 'source'")
    kept = keep(file, **{"package.inner.module": compile("value = 'kept'", "m.py", "exec")})
    importer = bytecode._Importer(f"{archive}/package/inner", kept)  # noqa: SLF001 - a part of it

    assert "kept" in importer.get_code("package.inner.module").co_consts
    assert importer.get_filename("package.inner.module") == f"{archive}/package/inner/module.py"
    outer = bytecode._Importer(f"{archive}/package", kept)  # noqa: SLF001 - a part of it
    assert outer.get_filename("package.inner") == f"{archive}/package/inner/__init__.py"
    assert "source" in outer.get_code("package.inner").co_consts
    kept.save()
    assert "source" in (Kept(str(file)).get("package.inner") or ONE).co_consts
