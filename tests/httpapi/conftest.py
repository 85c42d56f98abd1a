from collections.abc import Iterator

import pytest

from diffx.review.model import ContextId
from diffx.store.database import Store, open_store
from tests.support.http import Api, dispatcher, publish


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def api(store: Store) -> Api:
    return Api(dispatcher(store))


@pytest.fixture
def context(store: Store) -> ContextId:
    """A stored review with one file of each kind."""
    return publish(store)
