"""Hiding what is white space alone: never silently, and without asking the server again."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.reviewsite import ReviewSite, made

pytestmark = pytest.mark.system

CODE = "".join(f"call({n});\n" for n in range(40))
WRAPPED = "if (on) {\n" + "".join(f"  call({n});\n" for n in range(40)) + "}\n"


@pytest.fixture
def reading(page: Page, site: ReviewSite) -> Page:
    context = site.publish(
        [
            made("a.js", "x = 1;\n", "x  =  1;\n"),
            made("b.js", CODE, WRAPPED),
            made("c.py", "if a:\n    b()\nc(1,2)\n", "if a:\n    b()\n    c(1, 2)\n"),
        ]
    )
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".row.add", has_text="if (on)")).to_be_visible()
    return page


def chip(page: Page) -> Locator:
    return page.get_by_role("button", name="White space hidden")


def test_hiding_leaves_what_really_changed_and_says_that_it_hides(reading: Page) -> None:
    asked: list[str] = []
    reading.on("request", lambda request: asked.append(request.url))
    expect(chip(reading)).to_have_count(0)
    reading.keyboard.press("i")
    expect(reading.locator(".row.bar", has_text="Only white space differs here")).to_be_visible()
    expect(reading.locator(".row.del", has_text="call(20)")).to_be_visible()
    expect(chip(reading)).to_be_visible()
    reading.keyboard.press("i")

    expect(reading.locator(".row.add", has_text="if (on)")).to_be_visible()
    expect(reading.locator(".row.same", has_text="call(0)")).to_be_visible()
    expect(reading.locator(".row", has_text="call(20)")).to_have_count(0)
    expect(reading.locator(".row.bar", has_text="Only white space differs here")).to_be_visible()
    # Moving a line into a block of Python is a change whatever is hidden.
    expect(reading.locator(".row.add", has_text="c(1, 2)")).to_be_visible()
    assert [url for url in asked if "/diffs/" in url] == []
    chip(reading).click()
    expect(reading.locator(".row.del", has_text="call(20)")).to_be_visible()


def test_the_choice_is_remembered_and_hidden_lines_can_be_opened(reading: Page) -> None:
    reading.keyboard.press("i")
    reading.keyboard.press("i")
    expect(reading.locator(".row", has_text="call(20)")).to_have_count(0)
    reading.reload()
    expect(chip(reading)).to_be_visible()
    expect(reading.locator(".row", has_text="call(20)")).to_have_count(0)

    reading.locator(".row.bar").get_by_role("button", name=re.compile("Show all")).first.click()
    expect(reading.locator(".row.same", has_text="call(20)")).to_be_visible()
