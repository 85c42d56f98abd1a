"""The catalog answers at its clock's time and announces what disappears."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from diffx.records import ContextExpiredError, ContextQuery
from diffx.review.model import ContextId, Millis
from diffx.services.catalog import Catalog
from diffx.services.changes import Change, Changes
from diffx.store.database import Store, open_store
from tests.support.observations import change, submission
from tests.support.stores import DAY, ME, NOW, OTHER


@dataclass
class House:
    """A catalog with a clock that can be turned, and one context in it."""

    store: Store
    context: ContextId
    now: int
    told: list[Change]

    @property
    def catalog(self) -> Catalog:
        changes = Changes()
        changes.subscribe(self.told.append)
        return Catalog(store=self.store, changes=changes, now=lambda: Millis(self.now))


@pytest.fixture
def house() -> Iterator[House]:
    with open_store(None) as store:
        context = store.publish(ME, submission("s1", [change()]), NOW).context
        store.publish(OTHER, submission("s1", [change()]), NOW)
        yield House(store, context, NOW, [])


def test_every_reading_is_of_the_clock_s_time(house: House) -> None:
    catalog, context = house.catalog, house.context
    record = catalog.get(ME, context)
    diff, file = record.scopes[0].diff, change().file.id
    readings = (
        lambda: catalog.get(ME, context),
        lambda: catalog.manifest(ME, context, "all"),
        lambda: catalog.packed_manifest(ME, context, "all"),
        lambda: catalog.patch(ME, context, diff, "all", file),
        lambda: catalog.contents(ME, context, diff, "all", file),
        lambda: catalog.patches(ME, context, diff, "all"),
    )
    for read in readings:
        read()

    house.now = record.expires_at
    for read in readings:
        with pytest.raises(ContextExpiredError):
            read()
    assert catalog.find(ME, ContextQuery()).contexts == ()
    assert catalog.groups(ME, ContextQuery()).repositories == ()


def test_a_deletion_is_announced_to_its_owner(house: House) -> None:
    house.catalog.delete(ME, house.context)

    listed = Change(kind="catalog", owner=ME, context=house.context)
    assert house.told == [listed, replace(listed, kind="review")]
    assert house.catalog.figures().contexts == 1


def test_pruning_is_announced_once_to_every_owner_that_lost_something(house: House) -> None:
    catalog = house.catalog
    catalog.prune()
    assert house.told == []

    house.now = NOW + 7 * DAY
    catalog.prune()
    catalog.prune()

    assert house.told == [Change(kind="catalog", owner=owner) for owner in (ME, OTHER)]
