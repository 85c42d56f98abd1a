"""`diffx [PATH]`: collect once, serve the review until Ctrl-C (11)."""

import argparse

from diffx import config
from diffx.cli.world import World

_EPILOG = """\
commands:
  diffx config get|set|remove      personal settings
  diffx dev --fixture FILE         serve a saved patch, keeping nothing

examples:
  diffx                            review the checkout that holds this folder
  diffx ~/src/app --base main      review it against main
  git show HEAD~2 | diffx          review any patch
  diffx < saved.patch

exit codes: 0 done, 1 failed, 2 wrong usage or input,
            3 another instance owns the database, 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="diffx",
        usage="diffx [PATH | -] [options]",
        description="Review the changes in a Git checkout, or a patch, in the browser.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a path in the checkout (default: this folder); - reads a patch from stdin",
    )
    _add_collection(made)
    _add_serving(made)
    made.add_argument("--version", action="store_true", help="print the version and exit")
    made.add_argument("--debug", action="store_true", help="say on stderr what is being done")
    return made


def _add_collection(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("what to compare")
    group.add_argument(
        "--base",
        metavar="REF",
        default="auto",
        help="compare with REF; HEAD shows uncommitted changes only "
        "(default: where this branch left the default branch)",
    )
    group.add_argument(
        "--engine",
        choices=("auto", "git", "libgit2"),
        default="auto",
        help="how the repository is read (default: git where there is one)",
    )
    group.add_argument(
        "--repository-key", metavar="KEY", help="identity to use where .git cannot be written"
    )
    group.add_argument("--checkout-key", metavar="KEY", help="likewise, of this checkout")
    group.add_argument("--source-id", metavar="ID", help="identity of this installation")


def _add_serving(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("where to serve it")
    group.add_argument("--host", metavar="IP", help="address to listen on (default: 127.0.0.1)")
    group.add_argument(
        "--port", metavar="N", help="port to listen on; 0 takes any (default: first of 7981-7990)"
    )
    group.add_argument(
        "--state",
        metavar="FILE",
        help="database to keep reviews in, or 'memory' to keep nothing",
    )
    group.add_argument("--config-file", metavar="FILE", help="personal settings to use")
    group.add_argument("--web-dir", metavar="DIR", help="serve the web UI from this folder")
    group.add_argument(
        "--replace", action="store_true", help="stop the instance that owns the database first"
    )
    group.add_argument("--no-browser", action="store_true", help="do not open a browser")
    group.add_argument(
        "--print", action="store_true", dest="only_print", help="print the address, nothing else"
    )


def run(args: argparse.Namespace, world: World) -> int:
    """Collect, then serve until a signal says stop."""
    if args.version:
        from diffx import __version__

        print(f"diffx {__version__}", file=world.stdout)
        return 0
    world.log_to_stderr(debug=args.debug)
    settings = _settings(args, world)
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


def _settings(args: argparse.Namespace, world: World) -> config.Settings:
    return config.resolve(
        file=world.config_file(args.config_file),
        environment=world.environment,
        flags={
            "host": args.host,
            "port": args.port,
            "state": args.state,
            "webDir": args.web_dir,
            "sourceId": args.source_id,
        },
    )
