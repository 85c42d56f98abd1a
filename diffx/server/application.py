"""One database with its services: what every transport of a running server is built from."""

from dataclasses import dataclass
from typing import Protocol

from diffx.clock import Clock, NewId, random_id
from diffx.services.catalog import Catalog, CatalogStore
from diffx.services.changes import Changes
from diffx.services.iterations import Iterations, IterationStore
from diffx.services.publish import PublicationStore, Publisher
from diffx.services.reviews import Reviews
from diffx.services.reviewstore import ReviewStore
from diffx.services.worker import Elsewhere


class ServerStore(PublicationStore, CatalogStore, Protocol):
    """Everything a server asks of its storage."""

    @property
    def state_id(self) -> str: ...

    @property
    def reviews(self) -> "ReviewingStore": ...


class ReviewingStore(ReviewStore, IterationStore, Protocol):
    """The mutable half of storage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The services of one database, shared by REST, MCP and live views."""

    publisher: Publisher
    catalog: Catalog
    reviews: Reviews
    iterations: Iterations
    changes: Changes
    state_id: str
    elsewhere: Elsewhere
    """Runs what would hold up the others; close it before the listener stops."""


def compose(store: ServerStore, now: Clock, new_id: NewId = random_id) -> Application:
    """Build the services over one opened store; mypy proves here that the store fits them."""
    changes = Changes()
    elsewhere = Elsewhere()
    return Application(
        publisher=Publisher(store=store, changes=changes, now=now),
        catalog=Catalog(store=store, changes=changes, now=now),
        reviews=Reviews(store=store.reviews, changes=changes, now=now, new_id=new_id),
        iterations=Iterations(store=store.reviews, changes=changes, now=now, heavy=elsewhere.run),
        changes=changes,
        elsewhere=elsewhere,
        state_id=store.state_id,
    )
