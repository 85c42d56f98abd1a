"""Run the viewer: find what to review, collect it, and serve it (11.1-11.5)."""

import gc
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from diffx import config
from diffx.cli import report
from diffx.cli.early import PATIENCE_S, Early
from diffx.cli.progress import Progress
from diffx.cli.stdin import read_patch
from diffx.cli.streams import OutputError
from diffx.cli.world import World
from diffx.errors import DiffxError, FailedError, InvalidError
from diffx.review.model import Observation, SourceId
from diffx.server.instance import LocalOptions, Runtime, replaceable
from diffx.server.lifecycle import Descriptor, InstanceRunningError
from diffx.server.signals import Stop, stop_on_signals

if TYPE_CHECKING:
    from diffx.server.local import LocalServer

log = logging.getLogger(__name__)

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
    log.debug("database=%s", options.database or "in memory")
    approved = replaceable(options, lambda running: asked.replace or _prompt(running, world))
    source = _source_id(settings, world, kept=options.database is not None)
    patch = read_patch(asked.path, world)
    log.debug("reviewing %s", f"a patch bytes={len(patch)}" if patch is not None else "a checkout")
    if patch is not None:
        if (asked.base, asked.engine) != ("auto", "auto"):
            raise InvalidError("--base and --engine are for a checkout; a patch is what it is")
        serve(lambda _say: _piped(patch, source, world), options, asked, world, approved=approved)
    else:
        serve(
            lambda say: _collect(asked, source, world, say),
            options,
            asked,
            world,
            approved=approved,
        )


def serve(
    observe: Callable[[Callable[[str], None]], Observation],
    options: LocalOptions,
    asked: View,
    world: World,
    *,
    approved: Descriptor | None = None,
) -> None:
    """Make an observation and serve it until a signal or a successor says stop.

    An instance that is to be replaced goes on serving until there is something to replace it.
    """
    stop = Stop()
    replaced = threading.Event()

    def give_way() -> None:
        replaced.set()
        stop.trigger()

    runtime = Runtime(now=world.now, new_id=world.new_id, stop=give_way)
    patience_s = PATIENCE_S if approved is None else threading.TIMEOUT_MAX
    with ExitStack() as stack:
        stack.callback(stop.close)
        stack.enter_context(stop_on_signals(stop))
        page = _Page(asked, world)
        early = stack.enter_context(
            Early(_shown(options, runtime, approved, page), first=_load, patience_s=patience_s)
        )
        observation = _observe(observe, early, page, asked, world)
        stop.arm()
        page.collected = True
        server = early.get()
        url = server.publish(observation)
        _announce(url, server, asked, world)
        _collect_garbage()
        if not options.loopback:
            world.say(f"diffx: anyone who reaches {options.host} can read this review")
        page.open(url)
        if not asked.quiet:
            world.say("diffx: serving until Ctrl-C")
        stop.wait()
        if replaced.is_set() and not asked.quiet:
            world.say("diffx: giving way to the diffx that replaces this one")


def _announce(url: str, server: "LocalServer", asked: View, world: World) -> None:
    """Print the addresses; a viewer whose standard output was closed can do without (11.1)."""
    try:
        world.tell(*((url,) if asked.quiet else (url, server.mcp_url)))
    except OutputError as error:
        if asked.quiet or not error.closed:
            raise
        world.say(f"diffx: standard output is closed; the review is at {url}")


def _collect_garbage() -> None:
    """Begin to look for garbage (see `__main__`), though never among what the start has loaded."""
    gc.freeze()
    gc.enable()
    log.debug("serving garbage_collection=%s frozen=%d", gc.isenabled(), gc.get_freeze_count())


def _load() -> None:
    """Load what serves, most of diffx, while the collection waits for git."""
    import diffx.server.local  # noqa: F401


class _Page:
    """The browser's page: opened once, on whichever address is there first."""

    def __init__(self, asked: View, world: World) -> None:
        self._wanted = asked.open_browser
        self._world = world
        self.collected = False
        self.opened = False

    def open(self, url: str) -> None:
        if not self._wanted:
            return
        self._wanted = False
        from diffx.browser import open_page

        hint = open_page(url, self._world.environment)
        log.debug("browser opened=%s", "no" if hint else url)
        self.opened = hint is None
        if hint is not None:
            self._world.say(f"diffx: {hint}")


@contextmanager
def _shown(
    options: LocalOptions, runtime: Runtime, approved: Descriptor | None, page: _Page
) -> "Iterator[LocalServer]":
    from diffx.server.local import opened

    with opened(options, runtime, approved=approved) as server:
        if not page.collected:
            page.open(server.opening_url)
        yield server


def _observe(
    observe: Callable[[Callable[[str], None]], Observation],
    early: "Early[LocalServer]",
    page: _Page,
    asked: View,
    world: World,
) -> Observation:
    progress = Progress(world.stderr, enabled=not asked.quiet)

    def say(message: str) -> None:
        log.debug("%s", message)
        progress(message)
        if early.entered is not None:
            early.entered.opening.progress(message)

    try:
        found = observe(say)
        report.observation(found)
        return found
    except DiffxError as error:
        if early.entered is not None and page.opened:  # else nobody waits to be told there
            early.entered.fail(str(error))
        raise
    finally:
        progress.done()


def web_folder(named: str | None) -> Path | None:
    """Return the folder to serve the web UI from, or None for the one that diffx brings."""
    if named is None:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise InvalidError(f"{folder} is no folder to serve the web UI from", field="webDir")
    if not (folder / "index.html").is_file():
        raise InvalidError(
            f"{folder} holds no web UI (no index.html); in diffx's sources,"
            " `python3 build.py web` makes one in diffx/assets",
            field="webDir",
        )
    return folder


def _local_options(settings: config.Settings, world: World) -> LocalOptions:
    state = settings.text("state")
    database = Path(state) if state else world.state_dir() / "state.db"
    return LocalOptions(
        database=None if state == MEMORY else database.absolute(),
        host=settings.text("host") or config.DEFAULT_HOST,
        port=settings.number("port"),
        retention_days=settings.number("retentionDays") or config.DEFAULT_RETENTION_DAYS,
        web_dir=web_folder(settings.text("webDir")),
    )


def _prompt(running: Descriptor, world: World) -> bool:
    """Ask on a terminal, where a no is final; without one, the answer is no (11.3)."""
    if world.stdin is None or not os.isatty(world.stdin) or not world.stderr.isatty():
        return False
    world.stderr.write(
        f"diffx: another review is being served at {running.url}\nReplace it? [y/N] "
    )
    world.stderr.flush()
    answer = b""
    try:
        answer = os.read(world.stdin, 256)
    finally:
        if not answer.endswith(b"\n"):  # Ctrl-D and Ctrl-C leave the cursor behind the question
            world.say("")
    if answer.strip().lower() not in (b"y", b"yes"):
        raise InstanceRunningError(f"nothing was started; {running.url} goes on as it was")
    return True


def _piped(patch: bytes, source: SourceId, world: World) -> Observation:
    from diffx.collector.piped import observe

    try:
        folder = str(world.folder())
    except FailedError:  # it was removed; a patch needs none (11.5)
        folder = None
    return observe(patch, source_id=source, now=world.now, folder=folder)


def _collect(
    asked: View, source: SourceId, world: World, say: Callable[[str], None]
) -> Observation:
    from diffx.collector.collect import CollectOptions, collect

    where = Path(asked.path) if asked.path else world.folder()
    options = CollectOptions(
        base=asked.base,
        engine=asked.engine,
        source_id=source,
        repository_key=asked.repository_key,
        checkout_key=asked.checkout_key,
        hostname=socket.gethostname(),
        trigger="manual",
        environment=world.environment,
    )
    try:
        return collect(where, options, now=world.now, new_id=world.new_id, progress=say)
    except InvalidError as error:
        if where.is_file():
            raise InvalidError(f"{error}; to review a saved patch use: diffx < {where}") from error
        raise


def _source_id(settings: config.Settings, world: World, *, kept: bool) -> SourceId:
    """Return who collects; where nothing is kept, an id that cannot be kept is done without.

    The stand-in is the same every time: identities in Git's folder are filed under it (3.2).
    """
    given = settings.text("sourceId")
    if given is not None:
        return SourceId(given)
    from diffx.collector.enrolment.enrol import source_id

    try:
        return source_id(world.config_dir(), world.new_id)
    except FailedError as error:
        if kept:
            raise FailedError(f"{error}, or keep nothing with --state memory") from error
        return SourceId(MEMORY)
