"""What every test gets: loopback only, a home of its own, no Git or diffx settings, no leftovers."""

import itertools
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.support.isolation import (
    GUARD,
    NetworkGuard,
    environment,
    private_environment,
    threads_left,
)

hypothesis.settings.register_profile(
    # The same examples on every machine; a time limit would make a slow machine a failing one.
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    # The isolation below is set up once per test, which is right for every example of it.
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,
        hypothesis.HealthCheck.too_slow,
    ],
)
hypothesis.settings.register_profile(
    "deep",
    parent=hypothesis.settings.get_profile("deterministic"),
    derandomize=False,
    max_examples=5_000,
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deterministic"))

_guard = NetworkGuard()
_guard.install()
_homes = itertools.count()


BROWSER_FOLDERS = {"browser", "web", "webui"}


def pytest_configure(config: pytest.Config) -> None:
    config.stash[GUARD] = _guard


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what drives a browser by where it lies, so that no test of one is forgotten."""
    for item in items:
        if BROWSER_FOLDERS & set(item.path.relative_to(item.config.rootpath).parts):
            item.add_marker("browser")
            item.add_marker("system")


@pytest.fixture(scope="session")
def _homes_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture
def home(_isolated: Path) -> Path:
    """The private home folder of this test."""
    return _isolated


@pytest.fixture(autouse=True)
def _isolated(_homes_root: Path) -> Iterator[Path]:
    threads = set(threading.enumerate())
    _guard.violations.clear()
    folder = _homes_root / str(next(_homes))
    folder.mkdir(mode=0o700)
    with environment(private_environment(os.environ, folder)):
        yield folder
    assert not _guard.violations, f"reached for another machine: {_guard.violations}"
    left = threads_left(threads)
    assert not left, f"threads still alive after the test: {left}"
