"""Local mode: one process owns the database, publishes one observation and serves it (11)."""

import ipaddress
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from diffx import __version__
from diffx.clock import Clock, NewId
from diffx.config import FIRST_PORT, LAST_PORT
from diffx.httpapi import routes
from diffx.httpapi.listener import Listener
from diffx.httpapi.meta import Identity
from diffx.httpapi.origin import Hosts
from diffx.review.model import ContextId, Observation, OwnerId, Submission, SubmissionId
from diffx.server import lifecycle
from diffx.server.application import Application, compose
from diffx.server.lifecycle import (
    Control,
    Descriptor,
    InstanceRunningError,
    InstanceUnreachableError,
)
from diffx.server.pruning import prune_hourly
from diffx.store.database import Store, open_store
from diffx.store.failures import StoreInUseError

log = logging.getLogger(__name__)

LOCAL_OWNER: Final = OwnerId("local")
_TAKEOVER_S: Final = 15.0
_ENDING_S: Final = 3.0
_RETRY_S: Final = 0.05
_GRACE_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalOptions:
    """Where a local instance keeps its reviews and where it serves them.

    `database` None keeps nothing. `port` None takes the first free of 7981-7990, 0 any.
    """

    database: Path | None
    host: str
    port: int | None
    retention_days: int
    web_dir: Path | None = None

    @property
    def loopback(self) -> bool:
        return ipaddress.ip_address(self.host).is_loopback

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(range(FIRST_PORT, LAST_PORT + 1)) if self.port is None else (self.port,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What a local instance takes from the process that it runs in."""

    now: Clock
    new_id: NewId
    stop: Callable[[], None]
    """Asks the process to stop serving; called by a successor, from another thread."""


def replaceable(options: LocalOptions, agree: Callable[[Descriptor], bool]) -> Descriptor | None:
    """Return the running instance that `agree` gives up, None where there is none.

    Raises InstanceRunningError where it may not be replaced. Nothing is stopped yet, so that a
    collection that fails afterwards costs nobody a review.
    """
    running = None if options.database is None else lifecycle.find(options.database)
    if running is None or agree(running):
        return running
    raise InstanceRunningError(
        f"another diffx (process {running.pid}) serves {running.url} from {options.database}; "
        "use --replace to stop it first, or --state memory to run beside it"
    )


@contextmanager
def serving(
    observation: Observation,
    options: LocalOptions,
    runtime: Runtime,
    *,
    approved: Descriptor | None = None,
) -> Iterator[str]:
    """Publish the observation and serve it for the block; yields the review's address.

    `approved` is the instance that may be replaced. The database is released only after serving
    and background work have stopped (11.3).
    """
    with ExitStack() as stack:
        if options.database is None:
            store = open_store(None, new_id=runtime.new_id, retention_days=options.retention_days)
            stack.callback(store.close)
            yield _serve(stack, store, observation, options, runtime)
            return
        with lifecycle.starting(options.database):
            store = _take_over(options, options.database, runtime, approved)
            stack.callback(store.close)
            control = Control(on_shutdown=runtime.stop)
            stack.callback(control.close)
            url = _serve(stack, store, observation, options, runtime)
            descriptor = control.describe(url=url, started_at=runtime.now())
            lifecycle.announce(options.database, descriptor)
            stack.callback(lifecycle.withdraw, options.database, descriptor)
        yield url


def _take_over(
    options: LocalOptions, database: Path, runtime: Runtime, approved: Descriptor | None
) -> Store:
    """Open the database, after its running instance, if that may be replaced, has stopped."""
    running = lifecycle.find(database)
    if running is not None and running != approved:
        raise InstanceRunningError(
            f"another diffx (process {running.pid}) has meanwhile begun to serve {running.url}; "
            "use --replace to stop it first"
        )
    if running is not None:
        lifecycle.shut_down(running)
    # Without an approved instance the owner may be one that is just ending.
    patience = _TAKEOVER_S if running is not None else _ENDING_S
    until = time.monotonic() + patience
    while True:
        try:
            return open_store(
                database, new_id=runtime.new_id, retention_days=options.retention_days
            )
        except StoreInUseError as error:
            if time.monotonic() >= until:
                raise InstanceUnreachableError(
                    f"{database} is owned by another diffx that does not answer; "
                    "stop that process, or use --state memory"
                ) from error
        time.sleep(_RETRY_S)


def _serve(
    stack: ExitStack,
    store: Store,
    observation: Observation,
    options: LocalOptions,
    runtime: Runtime,
) -> str:
    """Publish, then open the listener; everything started is on the stack."""
    application = compose(store, runtime.now)
    listener = Listener.bind(options.host, options.ports)
    stack.callback(listener.stop, _GRACE_S)
    prune_hourly(stack, store, runtime.now)
    submission = Submission(id=SubmissionId(runtime.new_id()), observation=observation)
    receipt = application.publisher.publish(LOCAL_OWNER, submission)
    listener.start(_dispatcher(application, listener, options))
    return review_url(listener.addresses[0], receipt.context)


def _dispatcher(
    application: Application, listener: Listener, options: LocalOptions
) -> routes.Dispatcher:
    return routes.build(
        routes.Services(catalog=application.catalog, changes=application.changes),
        routes.Settings(
            identity=Identity(state_id=application.state_id, version=__version__),
            hosts=Hosts.of(listener.addresses),
            authenticate=lambda _request: LOCAL_OWNER,
            assets=_assets(options),
            connections=listener.connections,
        ),
    )


def _assets(options: LocalOptions) -> Traversable:
    return options.web_dir if options.web_dir is not None else files("diffx") / "assets"


def review_url(address: tuple[str, int], context: ContextId) -> str:
    """Return the page of a context as a browser on this machine reaches it."""
    host, port = address
    ip = ipaddress.ip_address(host)
    if ip.is_unspecified:
        host = "127.0.0.1"
    elif ip.version == 6:
        host = f"[{host}]"
    return f"http://{host}:{port}/contexts/{context}"
