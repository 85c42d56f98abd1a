"""`diffx config set|get|remove`: read and change the personal settings file (14)."""

import argparse
from pathlib import Path
from typing import Final

from diffx import config
from diffx.cli.value import given
from diffx.cli.world import World

_MAX_STDIN_BYTES: Final = 8192


def parser() -> argparse.ArgumentParser:
    keys = "\n".join(f"  {s.key:<14} {s.help}  ({s.variable})" for s in config.SETTINGS)
    made = argparse.ArgumentParser(
        prog="diffx config",
        description="Read and change the personal settings.",
        epilog=f"keys:\n{keys}\n\nA flag wins over the environment, and that over the file.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_file(made, default=None)
    verbs = made.add_subparsers(dest="verb", required=True, metavar="set|get|remove")
    setting = verbs.add_parser("set", help="store a value", allow_abbrev=False)
    setting.add_argument("key")
    setting.add_argument("value", help="the value, or - to read it from standard input")
    getting = verbs.add_parser("get", help="print one value, or all", allow_abbrev=False)
    getting.add_argument("key", nargs="?")
    removing = verbs.add_parser("remove", help="forget a value", allow_abbrev=False)
    removing.add_argument("key")
    for verb in (setting, getting, removing):
        _add_file(verb, default=argparse.SUPPRESS)  # before the verb or after it, as people write
    return made


def _add_file(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--config-file",
        metavar="FILE",
        default=default,
        help="use this settings file instead of the usual one",
    )


def run(args: argparse.Namespace, world: World) -> int:
    file = world.config_file(args.config_file)
    if args.verb == "get":
        return _get(args.key, file, world)
    value = None
    if args.verb == "set":
        value = given(args.value, world, most=_MAX_STDIN_BYTES)
    changed = config.change(file, args.key, value)
    world.say(f"{'saved' if changed else 'nothing to change'} in {file}")
    return 0


def _get(key: str | None, file: Path, world: World) -> int:
    file_settings = config.read(file)
    known = config.SETTINGS if key is None else (config.setting(key),)
    for each in known:
        if world.environment.get(each.variable):
            world.say(f"diffx: {each.variable} is set, and wins over {each.key} in the file")
    if key is None:
        lines = [
            f"{name}={config.shown(name, file_settings[name])}" for name in sorted(file_settings)
        ]
        if lines:
            world.tell(*lines)
        else:
            keys = ", ".join(each.key for each in config.SETTINGS)
            world.say(f"diffx: nothing is set in {file}; what can be set: {keys}")
        return 0
    if key not in file_settings:
        world.say(f"diffx: {key} is not set in {file}")
        return 1
    world.tell(config.shown(key, file_settings[key]))
    return 0
