"""`diffx dev --fixture FILE`: serve a saved patch, keeping nothing (11.6)."""

import argparse
from pathlib import Path

from diffx import config
from diffx.cli.world import World
from diffx.errors import FailedError, InvalidError


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="diffx dev",
        description="Serve a saved patch from memory, apart from any running diffx.",
        allow_abbrev=False,
    )
    made.add_argument("--fixture", metavar="FILE", required=True, help="the patch to serve")
    made.add_argument("--host", metavar="IP", help="address to listen on (default: 127.0.0.1)")
    made.add_argument(
        "--port", metavar="N", help="port to listen on; 0 takes any (default: first of 7981-7990)"
    )
    made.add_argument("--web-dir", metavar="DIR", help="serve the web UI from this folder")
    made.add_argument("--browser", action="store_true", help="open a browser")
    made.add_argument("--debug", action="store_true", help="say on stderr what is being done")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    """Serve until a signal says stop. No personal setting, file or instance takes part."""
    world.log_to_stderr(debug=args.debug)
    from diffx.cli.viewer import View, serve, web_folder
    from diffx.collector.piped import MAX_BYTES, observe
    from diffx.review.model import SourceId
    from diffx.server.instance import LocalOptions

    fixture = Path(args.fixture)
    settings = config.resolve(
        file=None, environment={}, flags={"host": args.host, "port": args.port}
    )
    options = LocalOptions(
        database=None,
        host=settings.text("host") or config.DEFAULT_HOST,
        port=settings.number("port"),
        retention_days=config.DEFAULT_RETENTION_DAYS,
        web_dir=web_folder(args.web_dir),
    )
    patch = _read(fixture, MAX_BYTES)
    serve(
        lambda _say: observe(patch, name=fixture.name, source_id=SourceId("dev"), now=world.now),
        options,
        View(path=None, open_browser=args.browser),
        world,
    )
    return 0


def _read(fixture: Path, limit: int) -> bytes:
    """Read one byte more than may be, so that the parser can refuse what is too large."""
    try:
        with fixture.open("rb") as stream:
            return stream.read(limit + 1)
    except FileNotFoundError:
        raise InvalidError(f"{fixture}: there is no such patch") from None
    except OSError as error:
        raise FailedError(f"{fixture}: cannot read the patch: {error.strerror}") from error
