"""Local mode: one process owns the database, publishes one observation and serves it (11)."""

import ipaddress
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from diffx import __version__
from diffx.clock import NewId
from diffx.httpapi import routes
from diffx.httpapi.listener import Listener
from diffx.httpapi.meta import Identity
from diffx.httpapi.opening import Opening
from diffx.httpapi.origin import Hosts
from diffx.review.model import Observation, OwnerId, Submission, SubmissionId
from diffx.server import lifecycle
from diffx.server.agents import agent_routes, started_waits
from diffx.server.application import Application, compose
from diffx.server.instance import LocalOptions, Runtime
from diffx.server.lifecycle import (
    Control,
    Descriptor,
    InstanceRunningError,
    InstanceUnreachableError,
)
from diffx.server.pruning import prune_hourly
from diffx.services.publish import Publisher
from diffx.store.database import Store, checked_place, open_store
from diffx.store.failures import StoreInUseError

log = logging.getLogger(__name__)

LOCAL_OWNER: Final = OwnerId("local")
_TAKEOVER_S: Final = 15.0
_ENDING_S: Final = 3.0
_RETRY_S: Final = 0.05
_GRACE_S: Final = 2.0
_TELLING_S: Final = 5.0
"""A browser that was just started may need a while before its page asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running instance, to which one observation is published."""

    origin: str
    publisher: Publisher
    opening: Opening
    new_id: NewId

    @property
    def opening_url(self) -> str:
        """The page that follows the collection and then shows the review."""
        return f"{self.origin}/opening"

    @property
    def mcp_url(self) -> str:
        """Where agents connect; the same for every review, so that it can be configured once."""
        return f"{self.origin}/mcp"

    def publish(self, observation: Observation) -> str:
        """Make the observation visible; return the address of its review."""
        submission = Submission(id=SubmissionId(self.new_id()), observation=observation)
        receipt = self.publisher.publish(LOCAL_OWNER, submission)
        log.debug("published context=%s reused=%s", receipt.context, receipt.reused)
        self.opening.ready(receipt.context)
        return f"{self.origin}/contexts/{receipt.context}"

    def fail(self, message: str) -> None:
        """Tell the page that waits why there will be no review; returns when it knows, or soon."""
        self.opening.failed(message)
        self.opening.wait_until_told(_TELLING_S)


@contextmanager
def opened(
    options: LocalOptions, runtime: Runtime, *, approved: Descriptor | None = None
) -> Iterator[LocalServer]:
    """Own the database and serve it for the block, before or after there is anything to show.

    `approved` is the instance that may be replaced. At the end serving stops first, then
    background work, and the database is released last (11.3).
    """
    with ExitStack() as stack:
        if options.database is None:
            store = _open(None, options, runtime)
            stack.callback(store.close)
            yield _serve(stack, store, options, runtime)
            return
        checked_place(options.database)  # before a file appears beside somebody else's
        with lifecycle.starting(options.database):
            store = _take_over(options.database, options, runtime, approved)
            control = Control(on_shutdown=runtime.stop)
            stack.callback(store.close)
            stack.callback(control.close)
            server = _serve(stack, store, options, runtime)
            descriptor = control.describe(url=server.origin, started_at=runtime.now())
            lifecycle.announce(options.database, descriptor)
            stack.callback(lifecycle.withdraw, options.database, descriptor)
        yield server


def _take_over(
    database: Path, options: LocalOptions, runtime: Runtime, approved: Descriptor | None
) -> Store:
    """Open the database, after its running instance, if that may be replaced, has stopped."""
    running = lifecycle.find(database)
    if running is not None and running != approved:
        raise InstanceRunningError(
            f"another diffx (process {running.pid}) has meanwhile begun to serve {running.url}; "
            "use --replace to stop it first"
        )
    if running is not None:
        log.debug("replacing pid=%d url=%s", running.pid, running.url)
        lifecycle.shut_down(running)
    # Without an approved instance the owner may be one that is just ending.
    patience = _TAKEOVER_S if running is not None else _ENDING_S
    until = time.monotonic() + patience
    while True:
        try:
            return _open(database, options, runtime)
        except StoreInUseError as error:
            if time.monotonic() >= until:
                raise InstanceUnreachableError(
                    f"{database} is owned by another diffx that does not answer; "
                    "stop that process, or use --state memory"
                ) from error
        time.sleep(_RETRY_S)


def _open(database: Path | None, options: LocalOptions, runtime: Runtime) -> Store:
    store = open_store(database, new_id=runtime.new_id, retention_days=options.retention_days)
    log.debug(
        "opened database=%s state=%s retention_days=%d",
        *(database, store.state_id, options.retention_days),
    )
    return store


def _serve(stack: ExitStack, store: Store, options: LocalOptions, runtime: Runtime) -> LocalServer:
    """Start everything that runs beside the caller; all of it ends with the stack."""
    application = compose(store, runtime.now)
    opening = Opening()
    waits = started_waits(stack, application)
    listener = Listener.bind(options.host, options.ports)
    log.debug("listening addresses=%s", listener.addresses)
    stack.callback(listener.stop, _GRACE_S)
    stack.callback(application.elsewhere.close)
    prune_hourly(stack, application.catalog)
    agents = agent_routes(
        application,
        waits,
        shown=lambda _owner: opening.context,
        origin=origin(listener.addresses[0]),
        new_id=runtime.new_id,
    )
    listener.start(_dispatcher(application, opening, listener, options, agents))
    return LocalServer(
        origin=origin(listener.addresses[0]),
        publisher=application.publisher,
        opening=opening,
        new_id=runtime.new_id,
    )


def _dispatcher(
    application: Application,
    opening: Opening,
    listener: Listener,
    options: LocalOptions,
    agents: tuple[routes.Route, ...],
) -> routes.Dispatcher:
    assets: Traversable = options.web_dir or files("diffx") / "assets"
    return routes.build(
        routes.Services(
            catalog=application.catalog,
            changes=application.changes,
            reviews=application.reviews,
            iterations=application.iterations,
        ),
        routes.Settings(
            identity=Identity(
                state_id=application.state_id,
                version=__version__,
                hostname=socket.gethostname(),
            ),
            hosts=Hosts.of(listener.addresses),
            authenticate=lambda _request: LOCAL_OWNER,
            assets=assets,
            connections=listener.connections,
            opening=opening,
            more=agents,
        ),
    )


def origin(address: tuple[str, int]) -> str:
    """Return the start of every address here, as a browser on this machine reaches it."""
    host, port = address
    ip = ipaddress.ip_address(host)
    if ip.is_unspecified:
        host = "127.0.0.1"
    elif ip.version == 6:
        host = f"[{host}]"
    return f"http://{host}:{port}"
