"""What a local instance is told, and which running one it may replace (11.3).

Known before there is anything to serve, so it loads nothing of the server: `local` does.
"""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from diffx.clock import Clock, NewId
from diffx.config import FIRST_PORT, LAST_PORT
from diffx.server import lifecycle
from diffx.server.lifecycle import Descriptor, InstanceRunningError


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
