"""Threads, boxes to write in, the list and the end of a review: no accessibility violation."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import WEBUI, ReviewSite, made

pytestmark = pytest.mark.system

AXE = WEBUI / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_reviewing_has_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str, width: int
) -> None:
    context = site.publish(
        [made("a.py", "x = 1\ny = 1\n", "x = 2\ny = 2\n"), made("b.py", "a\n", "b\n")]
    )
    options = {"bypass_csp": True, "viewport": {"width": width, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".row").first).to_be_visible()
    for line, action in (("x = 2", "Resolve"), ("y = 2", "Reply")):
        page.locator(".row", has_text=line).locator(".num.new").click()
        page.keyboard.type(f"About {line}")
        page.keyboard.press("Control+Enter")
        page.locator(".thread", has_text=f"About {line}").get_by_role(
            "button", name=action
        ).click()
    page.keyboard.type("a reply")
    page.get_by_role("button", name=re.compile("Reviewed b.py")).click()
    assert violations(page) == []
    page.locator(".diff").focus()
    page.keyboard.press("l")
    expect(page.get_by_role("complementary", name="Comments")).to_be_visible()
    assert violations(page) == []
    page.locator(".diff").focus()
    page.keyboard.press("F")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []
    page.context.close()


def violations(page: Page) -> list[str]:
    page.add_script_tag(content=AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
