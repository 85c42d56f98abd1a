"""Make dist/diffx: one file that runs on every supported CPython of its platform.

shiv installs the project into an archive, as pip would on a user's machine. From that archive we
keep the program, and put beside it what shiv does not do: a start that costs no more than
Python's own, and the compiled libraries of all supported Pythons (see diffx/native.py).
"""

import os
import shutil
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

from diffx.bytecode import BUILD_ID
from tools.build import wheels
from tools.build.environment import environment
from tools.build.project import DIST, ROOT, WORK, BuildError
from tools.build.terminal import must, note

MAX_BYTES: Final = 7_864_320  # 7.5 MiB
PREAMBLE: Final = b"""#!/bin/sh
# diffx: a Python program in one file. What follows these lines is a zip archive.
command -v python3 >/dev/null || { echo "diffx: needs Python 3.11 or newer as python3" >&2; exit 127; }
case $0 in /*) file=$0 ;; *) file=$PWD/$0 ;; esac
exec python3 -I -S -c 'import sys
del sys.argv[0]
sys.path.insert(0, sys.argv[0])
import diffx_launcher
sys.exit(diffx_launcher.launch())' "$file" "$@"
"""
MAIN: Final = b"""import sys
import diffx_launcher
sys.exit(diffx_launcher.launch())
"""
# What the shortest commands read is stored: unpacking would be a good part of their milliseconds.
INSTANT: Final = frozenset(
    f"{module}.{form}"
    for module in (
        "__main__",
        "diffx_launcher",
        "diffx/__init__",
        "diffx/__main__",
        "diffx/cli/__init__",
        "diffx/cli/usage",
        "diffx/hooks/__init__",
        "diffx/hooks/schedule",
    )
    for form in ("py", "pyc")
)
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")
_COMPILER: Final = Path(__file__).with_name("compiler.py")
_EPOCH_OF_ZIP: Final = 315_532_800  # 1980-01-01: a zip cannot hold an earlier time


def build(platform: str | None = None) -> Path:
    """Build the executable around the program and diffx/assets as they are; return the file."""
    chosen = platform or host_platform()
    native = wheels.native(chosen)
    program = _installed_program()
    program["diffx_launcher.py"] = _LAUNCHER.read_bytes()
    members = _compiled(program) | native.members() | dict(native.licences)
    members["diffx/openapi.yaml"] = (ROOT / "docs/protocol/openapi.yaml").read_bytes()
    members["licenses/diffx/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    members[BUILD_ID] = _build_id(members)
    target = DIST / ("diffx" if chosen == host_platform() else f"diffx-{chosen}")
    write(target, members | {"__main__.py": MAIN})
    _check_size(target)
    note(f"made {target.relative_to(ROOT)} ({target.stat().st_size / 2**20:.2f} MiB)")
    return target


def _build_id(members: Mapping[str, bytes]) -> bytes:
    """Name what is in the file: any other bit gives another name (see diffx/bytecode.py)."""
    digest = sha256()
    for name, data in sorted(members.items()):
        digest.update(b"%s %d\n" % (name.encode(), len(data)) + data)
    return digest.hexdigest().encode("ascii")


def host_platform() -> str:
    """Name the platform that we run on, in the words of wheels.PLATFORMS."""
    system, _, machine = sysconfig.get_platform().rpartition("-")
    if system.startswith("macosx"):
        return f"macos-{machine}"
    libc = "-musl" if "musl" in EXTENSION_SUFFIXES[0] else ""
    return f"linux{libc}-{machine}"


def write(target: Path, members: Mapping[str, bytes]) -> None:
    """Write the executable whole or not at all; equal members give equal bytes."""
    target.parent.mkdir(exist_ok=True)
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as stream:
            stream.write(PREAMBLE)
            with zipfile.ZipFile(stream, "w") as archive:
                for name, data in sorted(members.items()):
                    _add(archive, name, data)
        fresh.chmod(0o755)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _entry_time())
    entry.create_system = 3  # Unix, wherever this was built
    entry.external_attr = 0o100644 << 16
    stored = name in INSTANT or name == BUILD_ID or name.endswith((".gz", ".br"))
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    archive.writestr(entry, data, compresslevel=9)


def _entry_time() -> tuple[int, int, int, int, int, int]:
    seconds = max(_EPOCH_OF_ZIP, int(os.environ.get("SOURCE_DATE_EPOCH", _EPOCH_OF_ZIP)))
    moment = time.gmtime(seconds)
    return (
        moment.tm_year,
        moment.tm_mon,
        moment.tm_mday,
        moment.tm_hour,
        moment.tm_min,
        moment.tm_sec,
    )


def _installed_program() -> dict[str, bytes]:
    """Let shiv install the project, and return the files of the package."""
    python = environment("package")
    archive = WORK / "shiv.pyz"
    must(
        [
            *(python, "-m", "shiv.cli", "--output-file", archive, "--uncompressed"),
            *("--entry-point", "diffx.__main__:main", "--reproducible"),
            *("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "."),
        ],
        env=os.environ | {"SOURCE_DATE_EPOCH": str(_EPOCH_OF_ZIP)},
        remedy="the project cannot be installed",
    )
    with zipfile.ZipFile(archive) as built:
        prefix = "site-packages/"
        return {
            name.removeprefix(prefix): built.read(name)
            for name in built.namelist()
            if name.startswith(f"{prefix}diffx/") and name[-1] != "/"
        }


def _compiled(program: Mapping[str, bytes]) -> dict[str, bytes]:
    """Add to each module its compiled form, for the Python that builds; others use the source."""
    with tempfile.TemporaryDirectory(dir=WORK) as made:
        for name, data in program.items():
            if name.endswith(".py"):
                path = Path(made, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        # A process of its own: what else is alive in ours would show in the compiled bytes.
        must([sys.executable, "-I", "-S", _COMPILER], cwd=Path(made), remedy="it does not compile")
        compiled = {
            path.relative_to(made).as_posix(): path.read_bytes()
            for path in Path(made).rglob("*.pyc")
        }
    return {**program, **compiled}


def _check_size(target: Path) -> None:
    size = target.stat().st_size
    if size > MAX_BYTES:
        shutil.move(target, target.with_suffix(".too-large"))
        raise BuildError(f"the executable has {size} bytes; the limit is {MAX_BYTES}")
