"""One database with its services: what every transport of a running server is built from."""

from dataclasses import dataclass
from typing import Protocol

from diffx.clock import Clock
from diffx.services.catalog import Catalog, CatalogStore
from diffx.services.changes import Changes
from diffx.services.publish import PublicationStore, Publisher


class ServerStore(PublicationStore, CatalogStore, Protocol):
    """Everything a server asks of its storage."""

    @property
    def state_id(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The services of one database, shared by REST, MCP and live views."""

    publisher: Publisher
    catalog: Catalog
    changes: Changes
    state_id: str


def compose(store: ServerStore, now: Clock) -> Application:
    """Build the services over one opened store; mypy proves here that the store fits them."""
    changes = Changes()
    return Application(
        publisher=Publisher(store=store, changes=changes, now=now),
        catalog=Catalog(store=store, changes=changes, now=now),
        changes=changes,
        state_id=store.state_id,
    )
