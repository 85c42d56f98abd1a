"""Run the viewer: find what to review, collect it, and serve it (11.1-11.5)."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from diffx import config
from diffx.cli.progress import Progress
from diffx.cli.world import World
from diffx.errors import InvalidError
from diffx.review.model import Observation, SourceId
from diffx.server.lifecycle import Descriptor
from diffx.server.local import LocalOptions, Runtime, replaceable, serving
from diffx.server.signals import Stop, stop_on_signals

MEMORY: Final = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one call of the viewer asks for, apart from its settings."""

    path: str | None
    base: str = "auto"
    engine: Literal["auto", "git", "libgit2"] = "auto"
    repository_key: str | None = None
    checkout_key: str | None = None
    replace: bool = False
    open_browser: bool = True
    quiet: bool = False


def view(asked: View, settings: config.Settings, world: World) -> None:
    """Collect once and serve until asked to stop; raises DiffxError where either cannot be."""
    if asked.path == "":
        # What `diffx "$DIR"` gives where DIR is not set; the current folder would be a surprise.
        raise InvalidError("PATH is empty; leave it out to review the current directory")
    options = _local_options(settings, world)
    approved = replaceable(options, lambda running: asked.replace or _prompt(running, world))
    serve(_observe(asked, settings, world), options, asked, world, approved=approved)


def serve(
    observation: Observation,
    options: LocalOptions,
    asked: View,
    world: World,
    *,
    approved: Descriptor | None = None,
) -> None:
    """Publish an observation and serve it until a signal or a successor says stop."""
    stop = Stop()
    runtime = Runtime(now=world.now, new_id=world.new_id, stop=stop.trigger)
    try:
        with (
            stop_on_signals(stop),
            serving(observation, options, runtime, approved=approved) as url,
        ):
            _announce(url, options, asked, world)
            stop.wait()
    finally:
        stop.close()


def _local_options(settings: config.Settings, world: World) -> LocalOptions:
    state = settings.text("state")
    database = Path(state) if state else world.state_dir() / "state.db"
    web_dir = settings.text("webDir")
    return LocalOptions(
        database=None if state == MEMORY else database.absolute(),
        host=settings.text("host") or config.DEFAULT_HOST,
        port=settings.number("port"),
        retention_days=settings.number("retentionDays") or config.DEFAULT_RETENTION_DAYS,
        web_dir=None if web_dir is None else Path(web_dir),
    )


def _prompt(running: Descriptor, world: World) -> bool:
    """Ask on a terminal; anything else is a no."""
    if world.stdin is None or not os.isatty(world.stdin):
        return False
    world.stderr.write(
        f"diffx: another review is being served at {running.url}\nReplace it? [y/N] "
    )
    world.stderr.flush()
    answer = os.read(world.stdin, 256).decode("utf-8", "replace").strip().lower()
    return answer in ("y", "yes")


def _observe(asked: View, settings: config.Settings, world: World) -> Observation:
    source = _source_id(settings, world)
    patch = _patch_on_stdin(asked.path, world)
    if patch is not None:
        from diffx.collector.piped import observe

        return observe(patch, source_id=source, now=world.now)
    return _collect(asked, source, world)


def _patch_on_stdin(path: str | None, world: World) -> bytes | None:
    from diffx.cli.stdin import read_patch

    return read_patch(path, world)


def _collect(asked: View, source: SourceId, world: World) -> Observation:
    from diffx.collector.collect import CollectOptions, collect

    progress = Progress(world.stderr, enabled=not asked.quiet)
    try:
        return collect(
            Path(asked.path) if asked.path else world.folder(),
            CollectOptions(
                base=asked.base,
                engine=asked.engine,
                source_id=source,
                repository_key=asked.repository_key,
                checkout_key=asked.checkout_key,
                hostname=socket.gethostname(),
                trigger="manual",
                environment=world.environment,
            ),
            now=world.now,
            new_id=world.new_id,
            progress=progress,
        )
    finally:
        progress.done()


def _source_id(settings: config.Settings, world: World) -> SourceId:
    given = settings.text("sourceId")
    if given is not None:
        return SourceId(given)
    from diffx.collector.enrolment import source_id

    return source_id(world.config_dir(), world.new_id)


def _announce(url: str, options: LocalOptions, asked: View, world: World) -> None:
    print(url, file=world.stdout, flush=True)
    if not options.loopback:
        world.say(f"diffx: anyone who reaches {options.host} can read this review")
    if asked.quiet:
        return
    if asked.open_browser:
        from diffx.browser import open_page

        hint = open_page(url, world.environment)
        if hint is not None:
            world.say(f"diffx: {hint}")
    world.say("diffx: serving until Ctrl-C")
