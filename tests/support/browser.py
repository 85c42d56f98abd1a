"""A real browser for tests: the system's Chromium, Chrome or Edge, else Playwright's own."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserType, Error, Page, sync_playwright

from tests.support.wire import PATIENCE_S
from tools.build.browser import find_browser


class NoBrowserError(RuntimeError):
    """There is nothing to test with; the message says what to install."""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start a headless browser, and stop it."""
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        try:
            yield browser
        finally:
            browser.close()


def launched(kind: BrowserType, *more: str) -> Browser:
    """Start a headless browser, with more options if need be; whoever asks closes it."""
    try:
        return kind.launch(
            executable_path=find_browser(),
            args=["--disable-dev-shm-usage", "--force-color-profile=srgb", *more],
            chromium_sandbox=os.geteuid() != 0,
        )
    except Error as error:
        raise NoBrowserError(
            "no browser could be started; install Chromium (`apt-get install chromium`) or run"
            f" `python -m playwright install chromium`\n{error.message}"
        ) from error


def wait_until(page: Page, function: str, argument: Any = None) -> None:
    """Wait until a function of the page answers true.

    Playwright's `wait_for_function` evaluates text inside the page when it asks again, which the
    page's policy forbids: it works only where the answer is true at once.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(function, argument):
        assert time.monotonic() < deadline, f"it did not come true: {function}"
        page.wait_for_timeout(20)


class Watch:
    """What a page complained about while it was open: each is a failure of the page."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._heard)
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error("
            "`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))"
        )

    def _heard(self, message: Any) -> None:
        if message.type == "error" or message.text.startswith("policy:"):
            self.complaints.append(f"{message.type}: {message.text}")
