"""Find the command, run it, and turn every failure into one line and an exit code."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from diffx.cli.streams import FAILED, OutputError, printable, silence
from diffx.cli.world import World, real_world
from diffx.errors import DiffxError, InvalidError, MissingError

DONE: Final = 0
USAGE: Final = 2
OWNED: Final = 3
INTERRUPTED: Final = 130

COMMANDS: Final = {
    "comments": "diffx.cli.comments",
    "completion": "diffx.cli.completion",
    "config": "diffx.cli.settings",
    "contexts": "diffx.cli.contexts",
    "dev": "diffx.cli.dev",
    "help": "diffx.cli.manual",
    "reply": "diffx.cli.reply",
    "resolve": "diffx.cli.resolve",
    "wait": "diffx.cli.wait",
}
"""Subcommands and the modules that hold them; anything else is a PATH for the viewer."""


def main(argv: Sequence[str] | None = None, world: World | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage or input,
    3 another instance owns the database, 4 nothing new, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    world = world or real_world()
    try:
        code = _run(arguments, world)
    except SystemExit as leaving:  # argparse has said why, or has printed a page
        if not isinstance(leaving.code, int):
            raise
        code = leaving.code
    return _flushed(code, world)


def _run(arguments: list[str], world: World) -> int:
    try:
        module, rest = _command(arguments)
        args = module.parser().parse_args(rest)
        code: int = module.run(args, world)
    except DiffxError as error:
        _explain(error)
        world.say(f"diffx: {printable(str(error))}")
        return exit_code(error)
    except KeyboardInterrupt:
        world.say("diffx: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has read enough
        return FAILED
    except OSError as error:
        # The system's own words, with the file: a full disk needs no traceback.
        _explain(error)
        world.say(f"diffx: {printable(str(error))}")
        return FAILED
    except (MemoryError, RuntimeError) as error:
        reason = _shortage(error)
        if reason is None:
            raise
        world.say(f"diffx: {reason}")
        return FAILED
    return code


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return every command's parser by name; the viewer's is under the empty name."""
    modules = {"": "diffx.cli.view", **COMMANDS}
    return {name: importlib.import_module(module).parser() for name, module in modules.items()}


def exit_code(error: DiffxError) -> int:
    """Map an error to the exit code that scripts rely on."""
    if isinstance(error, InvalidError | MissingError):
        return USAGE
    return OWNED if error.code in ("instance_running", "instance_unreachable") else FAILED


def _explain(error: Exception) -> None:
    """With `--debug`, say where it came from; without, nothing is even loaded for it."""
    report = sys.modules.get("diffx.cli.report")
    if report is not None:
        report.failure(error)


def _flushed(code: int, world: World) -> int:
    """Write what is still held back; that nobody can read it is a failure (docs/cli.md)."""
    try:
        world.stdout.flush()
    except BrokenPipeError:
        silence(world.stdout)
        return code or FAILED
    except OSError as error:
        silence(world.stdout)
        world.say(f"diffx: {OutputError(error)}")
        return code or FAILED
    return code


def _shortage(error: Exception) -> str | None:
    """Say what the system has too little of, if that is what an error means."""
    if isinstance(error, MemoryError):
        return "there is not enough memory; give it more, or review a smaller change"
    if "can't start new thread" in str(error):
        return (
            "the system lets it start no more threads; raise the limit on processes (ulimit -u,"
            " or a container's pids limit) or on memory (ulimit -v)"
        )
    return None


def _command(arguments: list[str]) -> tuple[ModuleType, list[str]]:
    if arguments and arguments[0] in COMMANDS:
        return importlib.import_module(COMMANDS[arguments[0]]), arguments[1:]
    if arguments:
        _refuse_mistyped(arguments[0])
    return importlib.import_module("diffx.cli.view"), arguments


def _refuse_mistyped(word: str) -> None:
    """Refuse a word that is nearly a command and no path, before anything is asked or read."""
    if not word.isalpha() or os.path.lexists(word):
        return
    from difflib import get_close_matches

    if near := get_close_matches(word, COMMANDS, n=1, cutoff=0.75):
        raise InvalidError(f"{word} is neither a path nor a command; is it `diffx {near[0]}`?")
