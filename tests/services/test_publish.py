"""Publishing tells live views about what is new, and only that."""

from dataclasses import replace

import pytest

from diffx.records import ContextDeletedError
from diffx.review.model import Millis
from diffx.services.changes import Change, Changes
from diffx.services.publish import Publisher
from diffx.store.database import Store, open_store
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW


class Told:
    """A live view that remembers."""

    def __init__(self, changes: Changes) -> None:
        self.changes: list[Change] = []
        changes.subscribe(self.changes.append)


@pytest.fixture
def store() -> Store:
    return open_store(None)


def publisher(store: Store, changes: Changes) -> Publisher:
    return Publisher(store=store, changes=changes, now=lambda: Millis(NOW))


def test_a_fresh_submission_is_announced_and_its_retry_is_not(store: Store) -> None:
    changes = Changes()
    told = Told(changes)
    publish = publisher(store, changes).publish

    first = publish(ME, submission("s1", [change()]))
    publish(ME, submission("s1", [change()]))
    joined = publish(ME, submission("s2", [change()]))

    assert joined.context == first.context
    listed = Change(kind="catalog", owner=ME, context=first.context)
    assert told.changes == [listed, listed, replace(listed, kind="review")]
    store.close()


def test_what_was_refused_is_not_announced(store: Store) -> None:
    changes = Changes()
    publish = publisher(store, changes).publish
    receipt = publish(ME, submission("s1", [change()]))
    store.delete(ME, receipt.context, NOW)
    told = Told(changes)

    with pytest.raises(ContextDeletedError):
        publish(ME, submission("s1", [change()]))

    assert told.changes == []
    store.close()


def test_a_view_that_fails_does_not_fail_the_publication(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    changes = Changes()

    def broken(_change: Change) -> None:
        raise RuntimeError("the view is gone")

    changes.subscribe(broken)
    told = Told(changes)

    publisher(store, changes).publish(ME, submission("s1", [change()]))

    assert len(told.changes) == 1
    assert "change listener failed" in caplog.text
    store.close()
