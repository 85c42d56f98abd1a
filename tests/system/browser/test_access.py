"""Reading without looking: the list of changes, forced colours, and motion that is not wanted."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import Made, ReviewSite, made, withheld
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

CODE = "".join(f"line {n}\n" for n in range(1, 60))


def files() -> list[Made]:
    return [
        made("a.txt", CODE, CODE.replace("line 9\n", "line nine\n").replace("line 50\n", "")),
        made("b.txt", None, "fresh <b>text</b>\n"),
        withheld("c.png"),
        *(made(f"z/{n:02}.txt", "x\n", "y\n") for n in range(30)),
    ]


def test_the_changes_can_be_heard_as_a_list_and_each_leads_to_its_place(
    page: Page, site: ReviewSite
) -> None:
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("o")
    dialog = page.get_by_role("dialog", name="33 changed files")
    expect(dialog.get_by_role("heading", name="a.txt modified")).to_be_visible()
    expect(
        dialog.get_by_role("listitem").filter(has_text="removed 9: line 9").last
    ).to_be_visible()
    expect(dialog.get_by_text("fresh <b>text</b>")).to_be_visible()
    expect(dialog.get_by_role("heading", name="c.png")).to_be_visible()
    expect(dialog.get_by_role("heading", name="z/25.txt")).to_have_count(0)
    dialog.get_by_role("button", name="List 8 more files").click()
    expect(dialog.get_by_role("heading", name="z/29.txt")).to_be_attached()
    expect(dialog.get_by_text("Loading…")).to_have_count(0)

    dialog.get_by_role("button", name=re.compile("Line 50: 1 line removed")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".row.cursor")).to_contain_text("line 50")


def test_the_list_is_the_first_stop_of_the_tab_key(page: Page, site: ReviewSite) -> None:
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    skip = page.get_by_role("button", name="All changes as a list")
    skip.focus()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.get_by_role("dialog", name="33 changed files")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_list_has_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1200, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("o")
    expect(page.get_by_text("removed 9:")).to_be_visible()

    assert violations(page) == []
    page.context.close()


def test_with_forced_colours_added_and_removed_are_told_by_signs(
    browser: Browser, site: ReviewSite
) -> None:
    page = browser.new_context(forced_colors="active").new_page()
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row.add").first).to_be_visible()
    # Found and looked at in one step: a row may be painted anew at any time.
    look = "([css, part]) => getComputedStyle(document.querySelector(css), part)"
    assert page.evaluate(f"(a) => ({look})(a).content", [".row.add > .code", "::before"]) == '"+"'
    minus = page.evaluate(f"(a) => ({look})(a).content", [".row.del > .code", "::before"])
    assert minus == '"\u2212"'
    expect(page.locator(".add .word").first).to_be_attached()
    line = page.evaluate(f"(a) => ({look})(a).textDecorationLine", [".add .word", None])
    assert "underline" in line
    page.context.close()


def test_nothing_moves_for_those_who_asked_for_that(browser: Browser, site: ReviewSite) -> None:
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    for key in ("o", "Escape", ",", "Escape", "?", "Escape", "m", "T"):
        page.keyboard.press(key)
        assert page.evaluate("document.getAnimations().length") == 0, key
    page.context.close()
