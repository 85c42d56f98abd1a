"""A Markdown document rendered beside its source: from stored contents, inert, changes marked."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import ReviewSite, made
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

BEFORE = "# Shop\n\nIt sells things.\n\n- one\n- two\n"
AFTER = """# Shop

It sells **many** things, see [the site](https://example.org/x) and ![plan](https://example.org/p.png).

- one
- two
- three

<img src=x onerror="document.title='owned'">

| a | b |
|---|---|
| 1 | `code` |
"""


def address(site: ReviewSite) -> str:
    context = site.publish([made("README.md", BEFORE, AFTER), made("a.py", "x\n", "y\n")])
    return f"{site.url}/contexts/{context}"


def test_a_document_is_rendered_beside_its_source_and_nothing_in_it_acts(
    page: Page, site: ReviewSite
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address(site))
    page.get_by_role("button", name="Rendered").click()
    dialog = page.get_by_role("dialog", name="README.md")
    expect(dialog.get_by_role("heading", name="Shop")).to_be_visible()
    expect(dialog.locator("strong")).to_have_text("many")
    expect(dialog.get_by_role("cell", name="code")).to_be_visible()
    expect(dialog.locator("p.touched")).to_have_count(3)
    expect(dialog.get_by_text("<img src=x")).to_be_visible()
    assert dialog.locator("a, img").count() == 0
    assert all(url.startswith(site.url) for url in asked)

    dialog.get_by_role("radio", name="Before").click()
    expect(dialog.get_by_text("It sells things.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_key_works_where_there_is_a_document(page: Page, site: ReviewSite) -> None:
    page.goto(address(site))
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_role("dialog", name="README.md")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    page.keyboard.press("d")
    expect(
        page.get_by_text("Only Markdown documents and SVG images are rendered.").last
    ).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_rendered_document_has_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1400, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(address(site))
    page.get_by_role("button", name="Rendered").click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Shop")).to_be_visible()

    assert violations(page) == []
    page.context.close()
