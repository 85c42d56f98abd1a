"""Unpacking the bundled libraries, on real folders but with small stand-ins for the libraries."""

import errno
import os
from hashlib import sha256
from pathlib import Path

import pytest

from diffx import native
from diffx.native import Bundle, NativeLibrariesError, choose, keep, unpack

HERE = ".cpython-311-x86_64-linux-gnu.so"
FILES = {
    ("any", "pygit2/__init__.py"): b"print('hello')\n",
    ("any", "pygit2.libs/libgit2.so"): b"\x7fELF" * 1000,
    (HERE, f"pygit2/_pygit2{HERE}"): b"for 3.11",
    (".cpython-312-x86_64-linux-gnu.so", "pygit2/_pygit2.312.so"): b"for 3.12",
}


def bundle(files: dict[tuple[str, str], bytes] = FILES, *, suffix: str = HERE) -> Bundle:
    index = "".join(
        f"{python}\t{sha256(data).hexdigest()}\t{len(data)}\t{path}\n"
        for (python, path), data in files.items()
    )
    return choose(index, lambda python: joined(files, python), suffix)


def joined(files: dict[tuple[str, str], bytes], python: str) -> bytes:
    return b"".join(data for (wanted, _), data in files.items() if wanted == python)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


EXPECTED = {path: data for (python, path), data in FILES.items() if python in ("any", HERE)}


def test_only_the_running_pythons_libraries_are_unpacked(tmp_path: Path) -> None:
    folder = unpack(bundle(), {"XDG_CACHE_HOME": str(tmp_path)})

    assert contents(folder) == EXPECTED
    assert folder.parent == tmp_path / "diffx" / "native"


def test_what_is_unpacked_is_used_again(tmp_path: Path) -> None:
    first = keep(bundle(), tmp_path)
    inode = first.stat().st_ino

    assert keep(bundle(), tmp_path) == first
    assert first.stat().st_ino == inode


def test_a_python_without_libraries_is_told_which_have_some() -> None:
    with pytest.raises(NativeLibrariesError, match=r"cpython-311.*cpython-39"):
        bundle(suffix=".cpython-39-x86_64-linux-gnu.so")


def test_another_build_gets_another_folder() -> None:
    changed = FILES | {("any", "pygit2/__init__.py"): b"print('HELLO')\n"}

    assert bundle().name != bundle(changed).name


@pytest.mark.parametrize("harm", ["missing", "short"])
def test_a_folder_that_lost_something_is_made_anew(tmp_path: Path, harm: str) -> None:
    folder = keep(bundle(), tmp_path)
    victim = folder / "pygit2.libs" / "libgit2.so"
    if harm == "missing":
        victim.unlink()
    else:
        victim.write_bytes(b"")

    assert contents(keep(bundle(), tmp_path)) == EXPECTED
    assert [entry.name for entry in folder.parent.iterdir() if entry.name[0] == "."] == []


def test_damaged_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    good = bundle()
    bad = Bundle(name=good.name, libraries=good.libraries, read=lambda _: b"x" * 5000)

    with pytest.raises(NativeLibrariesError, match="damaged"):
        keep(bad, tmp_path)

    assert [path.name for path in (tmp_path / "diffx/native").iterdir()] == ["lock"]


def test_a_first_start_cut_off_half_way_does_not_harm_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(source: object, target: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", die)
        patched.setattr("shutil.rmtree", lambda *_, **__: None)  # killed, so no clean-up
        with pytest.raises(Killed):
            keep(bundle(), tmp_path)

    assert contents(keep(bundle(), tmp_path)) == EXPECTED


def test_old_leftovers_are_swept_and_young_ones_are_not(tmp_path: Path) -> None:
    base = tmp_path / "diffx" / "native"
    for name, age_days in ((".new-old", 1), (".new-young", 0), ("unused", 40), ("used", 3)):
        (base / name).mkdir(parents=True, mode=0o700)
        moment = base.stat().st_mtime - age_days * 24 * 3600
        os.utime(base / name, (moment, moment))
    base.parent.chmod(0o700)
    base.chmod(0o700)

    kept = keep(bundle(), tmp_path)

    assert {path.name for path in base.iterdir()} == {".new-young", "used", "lock", kept.name}


def test_a_cache_that_cannot_be_written_gives_way_to_a_private_temporary_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    (tmp_path / "tmp").mkdir()

    folder = unpack(bundle(), {"XDG_CACHE_HOME": f"{tmp_path}/cache", "TMPDIR": f"{tmp_path}/tmp"})

    assert contents(folder) == EXPECTED
    assert folder.parent == tmp_path / "tmp"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_temporary_folder_goes_with_the_process(tmp_path: Path) -> None:
    folder = native.borrow(bundle(), tmp_path)
    native._remove(folder, owner=os.getpid() + 1)  # noqa: SLF001 - as in a forked child
    assert folder.exists()

    native._remove(folder, owner=os.getpid())  # noqa: SLF001 - what atexit calls
    assert not folder.exists()


def test_a_cache_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    open_to_all = tmp_path / "diffx" / "native"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)

    with pytest.raises(PermissionError, match="open to other users"):
        keep(bundle(), tmp_path)


def test_where_nothing_can_be_written_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.mkdtemp", full)

    with pytest.raises(NativeLibrariesError) as caught:
        unpack(bundle(), {"XDG_CACHE_HOME": str(tmp_path)})

    message = str(caught.value)
    assert "\n" not in message
    assert "No space left" in message
    assert "install git" in message


def test_a_noexec_mount_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs

    def statvfs(path: str | Path) -> object:
        found = real(path)
        if Path(path).is_relative_to(tmp_path / "cache"):
            return os.statvfs_result([*found[:8], found.f_flag | os.ST_NOEXEC, *found[9:]])
        return found

    monkeypatch.setattr("os.statvfs", statvfs)
    (tmp_path / "tmp").mkdir()

    folder = unpack(bundle(), {"XDG_CACHE_HOME": f"{tmp_path}/cache", "TMPDIR": f"{tmp_path}/tmp"})

    assert folder.parent == tmp_path / "tmp"


def test_a_relative_cache_folder_is_never_used(home: Path) -> None:
    folder = unpack(bundle(), {"XDG_CACHE_HOME": "cache", "HOME": str(home)})

    assert folder.is_relative_to(home / ".cache")


def test_outside_the_single_file_nothing_is_unpacked(home: Path) -> None:
    assert native.running_bundle() is None
    native.make_importable()

    assert list(home.iterdir()) == []


def test_the_users_certificates_are_the_users_again_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/home/me/own.pem")
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)

    native.make_importable()

    assert os.environ["SSL_CERT_FILE"] == "/home/me/own.pem"
    assert "SSL_CERT_DIR" not in os.environ


def test_the_bundles_name_covers_the_python_too() -> None:
    other = ".cpython-312-x86_64-linux-gnu.so"

    assert bundle().name != bundle(suffix=other).name
