"""One browser and one build of the web UI for all tests here; a site of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import Watch, running_browser
from tests.support.reviewsite import ReviewSite, built_webui
from tests.support.wire import PATIENCE_S

# Only a fault is late, never a slow machine.
expect.set_options(timeout=PATIENCE_S * 1_000)


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_webui(tmp_path_factory.mktemp("webui") / "assets")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture
def site(assets: Path) -> Iterator[ReviewSite]:
    site = ReviewSite(assets)
    yield site
    site.close()


@pytest.fixture
def page(browser: Browser, site: ReviewSite) -> Iterator[Page]:
    """A page of its own; it fails the test if the page complained about anything.

    It needs the site so that it is gone before the site is: what it still asks for is answered.
    """
    del site
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    watch = Watch(page)
    yield page
    context.close()
    assert watch.complaints == []
