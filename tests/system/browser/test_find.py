"""Finding text in everything that is stored of a review, rendered or not."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from diffx.review.model import Noise
from tests.support.browser import wait_until
from tests.support.reviewsite import Made, ReviewSite, made
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

FAR = "".join(f"row {n}\n" for n in range(1, 400))


def files() -> list[Made]:
    near = FAR.replace("row 100\n", "ROW 100 needle\n").replace("row 300\n", "ROW 300\n")
    lock = "Needle = 1\n" * 3
    return [
        made(
            "a.txt",
            FAR.replace("row 200\n", "hidden needle here\n"),
            near.replace("row 200\n", "hidden needle here\n"),
        ),
        made("lock.json", "x\n", lock, noise=Noise(noise_class="lock", reason="a lock file")),
        *(made(f"src/file_{n:03}.py", "a = 1\n" * 30, "a = 2\n" * 30) for n in range(60)),
        made("z_needle.py", "the needle that went\n", "\U0001f600 \t the needle_that came\n"),
    ]


@pytest.fixture
def reading(page: Page, site: ReviewSite) -> Page:
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    return page


def look_for(page: Page, text: str) -> None:
    page.keyboard.press("Control+f")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type(text)


def expect_marked(page: Page, text: str, name: str = "found") -> None:
    """Wait until the browser paints one range by this name, and it holds this text."""
    script = """([name, text]) => {
        const ranges = [...(CSS.highlights.get(name) ?? [])];
        return ranges.length === 1 && ranges[0].toString() === text;
    }"""
    wait_until(page, script, [name, text])


def test_hits_are_counted_and_gone_through_in_the_order_of_the_page(reading: Page) -> None:
    look_for(reading, "needle")
    count = reading.locator(".find-count")
    expect(count).to_have_text("8 found")

    reading.keyboard.press("Enter")
    expect(count).to_have_text("1 of 8")
    expect(reading.locator(".row.cursor")).to_contain_text("ROW 100 needle")
    reading.keyboard.press("Enter")  # in a line that no hunk shows: its gap opens
    expect(reading.locator(".row.cursor")).to_contain_text("hidden needle here")
    expect(reading.locator(".row.cursor")).to_be_in_viewport()
    reading.keyboard.press("Enter")  # in a folded file: it unfolds
    expect(reading.locator(".row.cursor")).to_contain_text("Needle = 1")
    for _ in range(3):
        reading.keyboard.press("Enter")
    expect(count).to_have_text("6 of 8")  # the path
    expect(reading.locator(".file.cursor")).to_contain_text("z_needle.py")
    reading.keyboard.press("Enter")
    expect(reading.locator(".row.cursor")).to_contain_text("the needle that went")
    expect(reading.locator(".row.cursor")).to_be_in_viewport()
    reading.keyboard.press("Shift+Enter")
    reading.get_by_role("button", name="Next").click()
    reading.get_by_role("button", name="Next").click()
    expect(count).to_have_text("8 of 8")
    reading.get_by_role("button", name="Next").click()
    expect(count).to_have_text("1 of 8")


def test_what_is_found_is_marked_where_it_stands(reading: Page) -> None:
    look_for(reading, "needle")
    reading.keyboard.press("Shift+Enter")
    expect(reading.locator(".find-count")).to_have_text("1 of 8")
    expect_marked(reading, "needle", "found-here")

    reading.locator("#find").fill("needle_that came")
    reading.keyboard.press("Enter")
    expect(reading.locator(".row.cursor")).to_contain_text("came")
    expect_marked(reading, "needle_that came")  # behind an emoji, a tab and coloured words
    reading.keyboard.press("Escape")
    expect(reading.locator(".find")).to_have_count(0)
    wait_until(reading, "() => !CSS.highlights.has('found')")


def test_case_words_and_expressions_narrow_what_is_found(reading: Page) -> None:
    look_for(reading, "needle")
    count = reading.locator(".find-count")
    expect(count).to_have_text("8 found")
    reading.get_by_role("button", name="Match case").click()
    expect(count).to_have_text("5 found")
    reading.get_by_role("button", name="Whole words").click()
    expect(count).to_have_text("3 found")
    reading.get_by_role("button", name="Whole words").click()
    reading.get_by_role("button", name="Regular expression").click()
    reading.locator("#find").fill("^the n.+ that$|went$")
    expect(count).to_have_text("1 found")


def test_an_expression_that_cannot_be_used_says_why(browser: Browser, site: ReviewSite) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("Control+f")
    page.get_by_role("button", name="Regular expression").click()
    page.locator("#find").fill("(needle")

    expect(page.get_by_role("alert")).to_contain_text("lacks a )")
    page.locator("#find").fill("(needle)")
    expect(page.locator(".find-count")).to_have_text("8 found")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.context.close()


def test_the_filter_hides_alike_in_what_is_found(reading: Page) -> None:
    reading.keyboard.press("t")
    reading.keyboard.type("a.txt")
    reading.keyboard.press("Enter")
    look_for(reading, "needle")

    expect(reading.locator(".find-count")).to_have_text("2 found, 6 in filtered files")


def test_what_is_typed_before_the_bar_is_there_is_typed_into_it(
    page: Page, site: ReviewSite
) -> None:
    held: list[Route] = []
    page.route("**/assets/FindBar-*.js", lambda route: held.append(route))
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    with page.expect_request("**/assets/FindBar-*.js"):
        page.keyboard.press("Control+f")
        page.keyboard.type("jineedlx")
        page.keyboard.press("Backspace")
        page.keyboard.type("e")
    for route in held:
        route.continue_()

    expect(page.locator("#find")).to_have_value("jineedle")
    expect(page.locator(".find-count")).to_have_text("Nothing found")
    expect(page.locator(".row.cursor")).to_have_count(0)  # no key of the page was pressed
    page.keyboard.press("Control+a")
    page.keyboard.type("needle")
    expect(page.locator(".find-count")).to_have_text("8 found")


def test_what_is_selected_is_looked_for(reading: Page) -> None:
    line = reading.locator(".row", has_text="ROW 100 needle").locator(".text")
    line.dblclick(position={"x": 12, "y": 8})
    wait_until(reading, "() => getSelection().toString().trim() === 'ROW'")
    reading.keyboard.press("Control+f")

    expect(reading.locator("#find")).to_have_value(re.compile("^ROW ?$"))
    expect(reading.locator(".find-count")).to_have_text(re.compile(r"^\d.* found"))


def test_the_second_press_is_the_browsers_own(reading: Page) -> None:
    reading.evaluate(
        "addEventListener('keydown', (e) => { if (e.key === 'f') window.left = !e.defaultPrevented; })"
    )
    reading.keyboard.press("Control+f")
    expect(reading.locator("#find")).to_be_focused()
    assert reading.evaluate("window.left") is False
    reading.keyboard.press("Control+f")
    assert reading.evaluate("window.left") is True
    reading.keyboard.press("Escape")
    expect(reading.locator(".diff")).to_be_focused()
    reading.keyboard.press("Control+f")
    assert reading.evaluate("window.left") is False


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_bar_has_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1200, "height": 800}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(f"{site.url}/contexts/{site.publish(files())}")
    expect(page.locator(".row").first).to_be_visible()
    look_for(page, "needle")
    page.keyboard.press("Enter")
    expect(page.locator(".find-count")).to_have_text(re.compile("1 of"))

    assert violations(page) == []
    page.context.close()
