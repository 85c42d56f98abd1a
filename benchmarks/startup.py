"""How fast the executable starts: goals 2 and 21, and goal 1 where an agent's hook is installed.

    python3 benchmarks/startup.py [dist/diffx] [--rounds 15] [--python /usr/bin/python3]
                                  [--other /usr/bin/python3.12]

Everything is measured against `python3 -I -S -c pass`, the least a Python program can cost.
--python is of the version that built the file. With --other, a Python of another version, what
keeping its byte code saves is measured too: loading what a viewer loads, there and here.
"""

import argparse
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.runner import Action, Goal, Report, Subject, compare, run  # noqa: E402 - see above

BARE: Final = "python -I -S -c pass"
UNPACKED: Final = "libgit2, unpacked before"
FIRST_USE: Final = "libgit2, first use"
MIB: Final = 2**20
# How an agent's hook is installed: no shell, no runpy, straight from the zip.
HOOK_MODULE: Final = "diffx/hooks/schedule.py"
HOOK: Final = (
    "import sys;sys.path[:0]=[{file!r}];sys.argv=['diffx','hook'];"
    "from diffx.hooks.schedule import main;main()"
)
LOAD: Final = (
    "import sys;sys.path[:0]=[{file!r}];"
    "import diffx.cli.view,diffx.cli.viewer,diffx.collector.collect,diffx.server.local"
)
KEEP: Final = LOAD.replace(
    "import diffx.cli", "from diffx import bytecode;bytecode.use();import diffx.cli", 1
)
HERE: Final = "a viewer's modules"
KEPT: Final = "other Python, kept"
COMPILED: Final = "other Python, first start"
UNKEPT: Final = "other Python, zipimport alone"
USE_LIBGIT2: Final = (
    "import sys;sys.path[:0]=[{file!r}];"
    "from diffx import native;native.make_importable();import pygit2"
)


def main() -> int:
    """Measure and judge; 0 where nothing fails."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="diffx-startup-") as home:
        report = _instant(args, Path(home))
        code = report.show()
        unpacking = _unpacking(args, Path(home))
        code = max(code, unpacking.show())
        if args.other is not None:
            code = max(code, _elsewhere(args, Path(home)).show())
    return max(code, _size(args.file))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "dist" / "diffx")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--other")
    args = parser.parse_args()
    args.file = args.file.resolve()
    return args


def _instant(args: argparse.Namespace, home: Path) -> Report:
    env = os.environ | {"HOME": str(home), "PATH": _path_with(args.python, home)}
    isolated = (args.python, "-I", "-S")
    hook = _hook(args, env)
    report = compare(
        [
            *hook,
            Subject(BARE, run(*isolated, "-c", "pass", env=env)),
            Subject("diffx --version", run(args.file, "--version", env=env)),
            Subject("diffx --help", run(args.file, "--help", env=env)),
            Subject(
                "python -I -S diffx --version", run(*isolated, args.file, "--version", env=env)
            ),
            Subject("python -I -S diffx --help", run(*isolated, args.file, "--help", env=env)),
            Subject("python diffx --version", run(args.python, args.file, "--version", env=env)),
        ],
        rounds=args.rounds,
    )
    report.judge(*(Goal("1", h.name, h.name, BARE, goal=1.3, fail=1.6) for h in hook))
    for subject in ("diffx --version", "diffx --help"):
        report.judge(Goal("2", subject, subject, BARE, goal=2.0, fail=2.6))
        zipped = f"python -I -S {subject}"
        report.judge(Goal("2", zipped, zipped, BARE, goal=2.0, fail=2.6))
    return report


def _hook(args: argparse.Namespace, env: Mapping[str, str]) -> list[Subject]:
    with zipfile.ZipFile(args.file) as archive:
        if HOOK_MODULE not in archive.namelist():
            print("goal   1: this executable has no hook yet")
            return []
    script = HOOK.format(file=str(args.file))
    return [Subject("hook as installed", run(args.python, "-I", "-S", "-c", script, env=env))]


def _path_with(python: str, home: Path) -> str:
    """Return a PATH on which `python3` is the interpreter that is measured."""
    folder = home / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(shutil.which(python) or python)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def _unpacking(args: argparse.Namespace, home: Path) -> Report:
    script = USE_LIBGIT2.format(file=str(args.file))
    env = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    warm, cold = home / "warm", home / "cold"

    def use(folder: Path) -> Action:
        return run(args.python, "-I", "-S", "-c", script, env=env | {"HOME": str(folder)})

    report = compare(
        [
            Subject(UNPACKED, use(warm)),
            Subject(FIRST_USE, use(cold), before=lambda: shutil.rmtree(cold, ignore_errors=True)),
        ],
        rounds=args.rounds,
    )
    report.judge(Goal("21", "first use / later", FIRST_USE, UNPACKED, goal=3.0, fail=5.0))
    return report


def _elsewhere(args: argparse.Namespace, home: Path) -> Report:
    env = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    warm, cold = home / "kept", home / "nothing"

    def load(python: str, script: str, folder: Path) -> Action:
        words = (python, "-I", "-S", "-c", script.format(file=str(args.file)))
        return run(*words, env=env | {"HOME": str(folder)})

    report = compare(
        [
            Subject(HERE, load(args.python, LOAD, warm)),
            Subject(KEPT, load(args.other, KEEP, warm)),
            Subject(
                COMPILED,
                load(args.other, KEEP, cold),
                before=lambda: shutil.rmtree(cold, ignore_errors=True),
            ),
            Subject(UNKEPT, load(args.other, LOAD, cold)),
        ],
        rounds=args.rounds,
    )
    report.judge(Goal("S", "another Python / this one", KEPT, HERE, goal=1.2, fail=1.6))
    return report


def _size(file: Path) -> int:
    size = file.stat().st_size / MIB
    verdict = "ok" if size <= 7.5 else "FAIL" if size > 12 else "over goal"
    print(f"goal  21 size: {size:.2f} MiB (goal 7.5, fail 12) {verdict}")
    return 1 if verdict == "FAIL" else 0


if __name__ == "__main__":
    sys.exit(main())
