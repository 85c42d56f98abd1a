"""`diffx [PATH]`: collect once, serve the review until Ctrl-C (11)."""

import argparse
from pathlib import Path

from diffx import config
from diffx.cli.usage import USAGE
from diffx.cli.world import World


class _Parser(argparse.ArgumentParser):
    """Shows the ready-made page, so that every way of asking for help gives the same one."""

    def format_help(self) -> str:
        return USAGE


def parser() -> argparse.ArgumentParser:
    """Return the viewer's options; what they mean is said once, in `cli.usage`."""
    made = _Parser(prog="diffx", usage="diffx [PATH | -] [options]", allow_abbrev=False)
    made.add_argument("path", nargs="?", metavar="PATH")
    made.add_argument("--base", metavar="REF", default="auto")
    made.add_argument("--engine", choices=("auto", "git", "libgit2"), default="auto")
    made.add_argument("--repository-key", metavar="KEY")
    made.add_argument("--checkout-key", metavar="KEY")
    made.add_argument("--source-id", metavar="ID")
    made.add_argument("--host", metavar="IP")
    made.add_argument("--port", metavar="N")
    made.add_argument("--state", metavar="FILE")
    made.add_argument("--config-file", metavar="FILE")
    made.add_argument("--web-dir", metavar="DIR")
    made.add_argument("--replace", action="store_true")
    made.add_argument("--no-browser", action="store_true")
    made.add_argument("--print", action="store_true", dest="only_print")
    made.add_argument("--version", action="store_true")
    made.add_argument("--debug", action="store_true")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    """Collect, then serve until a signal says stop."""
    if args.version:
        from diffx import __version__

        world.tell(f"diffx {__version__}")
        return 0
    world.log_to_stderr(debug=args.debug)
    file = world.config_file_to_read(args.config_file)
    settings = _settings(args, file, world)
    if args.debug:
        from diffx.cli import report

        report.settings(settings, file=file, environment=world.environment)
    from diffx.cli.viewer import View, view

    view(
        View(
            path=args.path,
            base=args.base,
            engine=args.engine,
            repository_key=args.repository_key or world.environment.get("DIFFX_REPOSITORY_KEY"),
            checkout_key=args.checkout_key or world.environment.get("DIFFX_CHECKOUT_KEY"),
            replace=args.replace,
            open_browser=not (args.no_browser or args.only_print),
            quiet=args.only_print,
        ),
        settings,
        world,
    )
    return 0


def _settings(args: argparse.Namespace, file: Path | None, world: World) -> config.Settings:
    return config.resolve(
        file=file,
        environment=world.environment,
        flags={
            "host": args.host,
            "port": args.port,
            "state": args.state,
            "webDir": args.web_dir,
            "sourceId": args.source_id,
        },
    )
