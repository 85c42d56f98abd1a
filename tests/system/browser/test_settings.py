"""Settings belong to the account: they hold in every browser, and the server's win."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import ReviewSite, made
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system


def address(site: ReviewSite) -> str:
    context = site.publish([made("a.py", "import os\nx = 1\n", "import os\ny = 'two'\n")])
    return f"{site.url}/contexts/{context}"


def open_settings(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press(",")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


def kept(page: Page, url: str) -> dict[str, object]:
    answer = page.request.get(url.split("/contexts")[0] + "/api/v2/preferences")
    return dict(answer.json()["preferences"])


def choose(page: Page, name: str) -> None:
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.get_by_role("dialog").get_by_role("radio", name=name, exact=True).click()


def test_what_is_chosen_holds_in_another_browser(
    browser: Browser, page: Page, site: ReviewSite
) -> None:
    url = address(site)
    open_settings(page, url)
    choose(page, "Dark")
    choose(page, "Blue, orange")
    choose(page, "Split")
    choose(page, "8")
    page.keyboard.press("Escape")
    expect(page.locator(".row.pair").first).to_be_visible()
    assert kept(page, url)["theme"] == "dark"

    other = browser.new_context(viewport={"width": 1000, "height": 700}).new_page()
    other.goto(url)
    expect(other.locator("html[data-theme=dark][data-palette=blue-orange]")).to_be_attached()
    expect(other.locator(".row.pair").first).to_be_visible()
    added = other.locator(".code.add").first
    expect(added).to_have_css("background-color", "rgb(19, 36, 55)")
    other.context.close()


def test_the_servers_settings_win_over_those_of_the_browser(page: Page, site: ReviewSite) -> None:
    url = address(site)
    open_settings(page, url)
    choose(page, "Dark")
    root = url.split("/contexts")[0]
    changed = {"preferences": {**kept(page, url), "theme": "light", "tab": 2, "of-another": 1}}
    page.request.put(f"{root}/api/v2/preferences", data=changed)
    page.reload()

    expect(page.locator("html[data-theme=light]")).to_be_attached()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("radio", name="2", exact=True)).to_be_checked()
    choose(page, "3")
    assert kept(page, url)["of-another"] == 1


def test_without_the_server_the_browser_keeps_them(browser: Browser, site: ReviewSite) -> None:
    page = browser.new_context().new_page()
    page.route("**/api/v2/preferences", lambda route: route.abort())
    url = address(site)
    open_settings(page, url)
    page.get_by_role("radio", name="Light", exact=True).click()
    page.reload()

    expect(page.locator("html[data-theme=light]")).to_be_attached()
    page.context.close()


def test_keys_can_be_given_and_put_back_and_are_never_taken_twice(
    page: Page, site: ReviewSite
) -> None:
    url = address(site)
    open_settings(page, url)
    page.get_by_role("button", name="Next change").click()
    page.keyboard.press("j")
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("j is taken")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.keyboard.press("q")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_have_count(0)
    page.keyboard.press("q")
    expect(page.locator(".row.cursor")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("dialog dl > div", has_text="Next change").locator("kbd")).to_have_text(
        "q"
    )
    page.reload()
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("q")
    expect(page.locator(".row.cursor")).to_have_count(1)

    page.keyboard.press(",")
    page.get_by_role("button", name="Put all keys back").click()
    page.get_by_role("checkbox", name="Single-letter keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_settings_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1300, "height": 1000}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    open_settings(page, address(site))
    assert violations(page) == []
    for palette in ("Blue, orange", "Teal, red"):
        for code in ("GitHub", "Solarized", "High contrast", "None"):
            page.get_by_role("radio", name=palette, exact=True).click()
            page.get_by_role("radio", name=code, exact=True).click()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
            assert violations(page) == [], (palette, code)
            page.keyboard.press(",")
            expect(page.get_by_role("dialog")).to_be_visible()
    page.context.close()
