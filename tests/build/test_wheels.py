import zipfile
from pathlib import Path

import pytest

from diffx.native import choose
from tools.build import wheels
from tools.build.project import BuildError

V11, V12 = ".cpython-311-x86_64-linux-gnu.so", ".cpython-312-x86_64-linux-gnu.so"


def wheel(folder: Path, version: str, suffix: str, files: dict[str, bytes]) -> Path:
    path = folder / f"pygit2-1-cp{version}-cp{version}-linux.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"pygit2/_pygit2{suffix}", version)
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def merged(tmp_path: Path) -> wheels.Native:
    same = {
        "pygit2/__init__.py": b"code",
        "pygit2/_pygit2.pyi": b"types",
        "pygit2/decl/types.h": b"header",
        "cffi/api.py": b"generator",
        "pygit2-1.dist-info/RECORD": b"/tmp/build/x",
        "pygit2-1.dist-info/licenses/COPYING": b"licence",
    }
    return wheels.merge(
        [
            wheel(tmp_path, "312", V12, same | {"pygit2/_libgit2.abi3.so": b"new"}),
            wheel(tmp_path, "311", V11, same | {"pygit2/_libgit2.abi3.so": b"old"}),
        ]
    )


def test_what_is_the_same_for_every_python_is_kept_once(tmp_path: Path) -> None:
    native = merged(tmp_path)

    assert native.files == {
        ("any", "pygit2/__init__.py"): b"code",
        ("any", "pygit2/_libgit2.abi3.so"): b"old",
        (V11, f"pygit2/_pygit2{V11}"): b"311",
        (V12, f"pygit2/_pygit2{V12}"): b"312",
    }


def test_licences_stay(tmp_path: Path) -> None:
    assert merged(tmp_path).licences == {"licenses/pygit2/COPYING": b"licence"}


def test_the_executable_can_read_what_the_build_wrote(tmp_path: Path) -> None:
    members = merged(tmp_path).members()

    bundle = choose(members["native/index"].decode(), lambda name: members[f"native/{name}"], V12)

    assert {library.path for library in bundle.libraries} == {
        "pygit2/__init__.py",
        "pygit2/_libgit2.abi3.so",
        f"pygit2/_pygit2{V12}",
    }


def test_a_wheel_that_is_not_the_locked_one_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "WORK", tmp_path)
    monkeypatch.setattr(wheels, "_download", lambda platform, folder: None)
    folder = tmp_path / "wheels" / "linux-x86_64"
    folder.mkdir(parents=True)
    for name in wheels.locked("linux-x86_64"):
        (folder / name).write_bytes(b"something else")

    with pytest.raises(BuildError, match=r"build\.py lock"):
        wheels.native("linux-x86_64")


@pytest.mark.parametrize("platform", wheels.PLATFORMS)
def test_every_platform_has_locked_wheels_for_every_python(platform: str) -> None:
    names = wheels.locked(platform)

    for package in ("pygit2-", "cffi-"):
        for python in ("cp311-", "cp312-", "cp313-", "cp314-"):
            assert [name for name in names if name.startswith(package) and python in name]


def test_an_unknown_platform_is_named() -> None:
    with pytest.raises(BuildError, match="amiga"):
        wheels.locked("amiga")
