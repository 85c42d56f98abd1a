from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.store.database import Store
from tests.support.stores import BACKENDS


@pytest.fixture(params=sorted(BACKENDS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A fresh store of every kind: the tests that take it state what storage promises."""
    opened = BACKENDS[request.param](tmp_path)
    yield opened
    opened.close()
