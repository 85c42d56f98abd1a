"""A line opens in the reader's editor: an address of the editor's own, where the checkout is here."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import ReviewSite, made
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

# What would start a program is caught on its way, and kept.
CATCH = """
window.opened = [];
addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || link.href.startsWith("http")) return;
  event.preventDefault();
  window.opened.push(link.href);
}, true);
"""
BEFORE = "".join(f"line {n}\n" for n in range(1, 41))
FILES = [
    made("src/a b.py", BEFORE, BEFORE.replace("line 20\n", "twenty\n")),
    made("gone.py", "x\n", None),
]


def open_review(page: Page, site: ReviewSite, **more: object) -> None:
    page.add_init_script(CATCH)
    page.goto(f"{site.url}/contexts/{site.publish(FILES, **more)}")  # type: ignore[arg-type]
    expect(page.locator(".row").first).to_be_visible()


def choose(page: Page, name: str) -> None:
    page.keyboard.press(",")
    page.get_by_label("Open files in").select_option(label=name)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_key_and_a_button_open_the_line_that_is_read(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    page.keyboard.press("E")
    expect(page.get_by_text("Choose your editor in the settings first (,)").first).to_be_visible()
    button = page.get_by_role("button", name="Open src/a b.py in the editor")
    expect(button).to_have_count(0)

    choose(page, "VS Code")
    expect(button).to_be_visible()
    button.click()
    expect(page.get_by_text("Opening a b.py at line 20").first).to_be_visible()
    page.keyboard.press("n")
    for _ in range(3):
        page.keyboard.press("j")
    expect(page.locator(".row.cursor")).to_contain_text("line 22")
    page.keyboard.press("E")
    expect(page.get_by_text("Opening a b.py at line 22").first).to_be_visible()
    assert page.evaluate("opened") == [
        f"vscode://file/home/me/shop/src/a%20b.py:{line}" for line in (20, 22)
    ]


def test_what_is_gone_or_somewhere_else_is_not_opened(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    choose(page, "Zed")
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("E")
    expect(page.get_by_text("This file is deleted").first).to_be_visible()

    open_review(page, site, provenance={"hostname": "another"})
    expect(page.locator(".live")).to_have_text("live")
    page.keyboard.press("E")
    expect(page.get_by_text("Its checkout is not on this machine").first).to_be_visible()
    expect(page.get_by_role("button", name="in the editor")).to_have_count(0)
    assert page.evaluate("opened") == []


def test_another_editor_is_named_by_its_address_and_a_wrong_one_is_told(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    page.keyboard.press(",")
    page.get_by_label("Open files in").select_option(label="another editor…")
    address = page.get_by_label("Its address")
    address.fill("javascript:alert({path})")
    expect(page.get_by_text("javascript: is the browser's own")).to_be_visible()
    address.fill("mine://open?at={path}&l={line}")
    expect(page.get_by_text("{path} becomes the file")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.press("E")
    expect(page.get_by_text("Opening a b.py at line 20").first).to_be_visible()

    assert page.evaluate("opened") == ["mine://open?at=/home/me/shop/src/a%20b.py&l=20"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_choice_of_an_editor_has_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1400, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    open_review(page, site)
    choose(page, "VS Code")
    expect(page.get_by_role("button", name="Open src/a b.py in the editor")).to_be_visible()
    assert violations(page) == []

    page.keyboard.press(",")
    page.get_by_label("Open files in").select_option(label="another editor…")
    page.get_by_label("Its address").fill("file://{path}")
    expect(page.get_by_text("file: is the browser's own")).to_be_visible()
    assert violations(page) == []
    page.context.close()
