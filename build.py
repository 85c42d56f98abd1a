#!/usr/bin/env python3
"""The project's one tool. Needs Python 3.11 or newer and nothing else.

python3 build.py                  make dist/diffx
python3 build.py check            everything that must hold before a change is handed on
python3 build.py check --only unit --only types
python3 build.py setup            only the development environment, for an editor
python3 build.py web              only the web UI, into diffx/assets
python3 build.py lock             write tools/build/wheels.lock anew after a pin changed
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever has an older one should hear it from us
    sys.exit(f"build.py needs Python 3.11 or newer; this is {sys.version.split()[0]}")

import argparse
from collections.abc import Callable

from tools.build import check, executable, webui, wheels
from tools.build.environment import environment
from tools.build.project import ROOT, BuildError
from tools.build.terminal import note


def main() -> int:
    """Run one command; its exit code is ours."""
    args = _parser().parse_args()
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "make": _make,
        "check": lambda args: check.check(args.only),
        "setup": _setup,
        "web": lambda _: 0 if webui.build_assets() else 1,
        "lock": _lock,
    }
    try:
        return commands[args.command](args)
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "command", nargs="?", default="make", choices=["make", "check", "setup", "web", "lock"]
    )
    parser.add_argument(
        "--platform", choices=[*wheels.PLATFORMS], help="make the file for another platform"
    )
    parser.add_argument(
        "--no-web", action="store_true", help="make the file with diffx/assets as they are"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=[*check.STEPS],
        help="run this step of check; repeatable",
    )
    return parser


def _make(args: argparse.Namespace) -> int:
    if not args.no_web:
        webui.build_assets()
    executable.build(args.platform)
    return 0


def _setup(_: argparse.Namespace) -> int:
    python = environment("dev", runtime=True)
    note(f"ready: {python.relative_to(ROOT)}")
    return 0


def _lock(_: argparse.Namespace) -> int:
    wheels.lock()
    return 0


if __name__ == "__main__":
    sys.exit(main())
