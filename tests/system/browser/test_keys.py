"""No key of the help sheet is silent, in either layout: each shows that it was heard."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import wait_until
from tests.support.reviewsite import ReviewSite, made

pytestmark = pytest.mark.system

TEXT: Final = "".join(f"  line {n}\n" for n in range(120))
CHANGED: Final = TEXT.replace("line 40\n", "LINE 40\n").replace("line 90\n", "line  90\n")
# Everything that a key could change, but for the time that passes.
STATE: Final = """() => [location.href, document.activeElement?.id, document.activeElement?.className,
    document.documentElement.outerHTML.replace(/(minutes?|just now|seconds?)[^<]*/g, ""),
    document.querySelector(".diff")?.scrollTop, window.copied].join()"""
COPIED: Final = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
NAMES: Final = {
    "Esc": "Escape",
    "Shift ↓": "Shift+ArrowDown",
    "Shift ↑": "Shift+ArrowUp",
    "Ctrl+F": "Control+f",
}
# What comes before a key that needs it.
AFTER: Final = {"1": "2", "k": "j", "p": "n", "[": "]", "U": "v", "r": "N", "e": "N", "Esc": "t"}


@pytest.fixture
def page(browser: Browser, site: ReviewSite) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1600, "height": 700})
    page = context.new_page()
    page.add_init_script(COPIED)
    files = [
        made("a.py", TEXT, CHANGED),
        made("b.md", "# a\n", "# b\n"),
        made("c.py", "x = 1\n" * 40, "x = 2\n" * 40),
    ]
    scopes = {"all": files, "staged": files[:1], "unstaged": files[1:]}
    page.goto(f"{site.url}/contexts/{site.publish(scopes)}")
    expect(page.locator(".row").first).to_be_visible()
    yield page
    context.close()


def keys_of_the_sheet(page: Page, sections: str) -> list[str]:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys = page.locator("section", has=page.locator(sections)).locator("kbd").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    return keys


def write_a_comment(page: Page) -> None:
    page.keyboard.press("n")
    page.keyboard.press("c")
    page.keyboard.type("why?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".thread")).to_contain_text("why?")


def begin_again(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".row.cursor")).to_be_visible()
    expect(page.locator(".thread")).to_be_visible()
    expect(page.locator(".live.is-live")).to_be_visible()
    expect(page.locator(".text [class^=t]").first).to_be_visible()


def test_every_key_of_the_help_sheet_shows_that_it_was_heard(page: Page) -> None:
    keys = keys_of_the_sheet(page, "h3")
    page.keyboard.press("m")
    expect(page.locator(".row.pair")).to_have_count(0)

    assert len(keys) >= 40
    assert silent(page, keys) == []


def test_keys_that_move_and_look_are_heard_in_two_columns_as_well(page: Page) -> None:
    keys = keys_of_the_sheet(page, "h3:text('Move'), h3:text('Look')")
    expect(page.locator(".row.pair").first).to_be_visible()

    assert len(keys) >= 15
    assert silent(page, keys) == []


def silent(page: Page, keys: list[str]) -> list[str]:
    write_a_comment(page)
    address = re.sub(r"\?.*", "", page.url) + page.evaluate(
        "`?file=${document.querySelector('.file').dataset.file}&line=R41`"
    )
    return [key for key in keys if not heard(page, address, key)]


def heard(page: Page, address: str, key: str) -> bool:
    begin_again(page, address)
    name = NAMES.get(key, key)
    before = AFTER.get(key)
    if before:
        state = page.evaluate(STATE)
        page.keyboard.press(before)
        wait_until(page, f"(state) => ({STATE})() !== state", state)
        settle(page)
    state = page.evaluate(STATE)
    page.keyboard.press(name)
    try:
        wait_until(page, f"(state) => ({STATE})() !== state", state)
    except AssertionError:
        return False
    return True


def settle(page: Page) -> None:
    """Wait until nothing changes any more for a while."""
    state, last = page.evaluate(STATE), ""
    while state != last:
        page.wait_for_timeout(150)
        state, last = page.evaluate(STATE), state
