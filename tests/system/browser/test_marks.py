"""Marking files as reviewed: by key, head and tree; carried, changed, refused, undone (8.3)."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from diffx.review.model import Noise
from tests.support.reviewsite import ReviewSite, made, withheld
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

NOISE = Noise(noise_class="lock", reason="uv.lock is a lock file")
FILES = [
    made("src/a.py", "x = 1\n", "x = 2\n"),
    made("src/b.py", "y = 1\n", "y = 2\n"),
    made("top.md", "# T\n", "# U\n"),
    made("uv.lock", "1\n", "2\n", noise=NOISE),
]


def node(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=re.compile(name))


def head(page: Page, path: str) -> Locator:
    return page.get_by_role("button", name=f"Reviewed {path}")


def test_a_file_is_marked_by_key_folds_and_stays_marked(page: Page, site: ReviewSite) -> None:
    url = f"{site.url}/contexts/{site.publish(FILES)}"
    page.goto(url)
    expect(page.get_by_text("0 of 3 reviewed")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("v")

    expect(head(page, "src/a.py")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".row", has_text="x = 2")).to_have_count(0)
    expect(node(page, "a.py")).to_have_attribute("aria-checked", "true")
    expect(node(page, "src")).to_have_attribute("aria-checked", "mixed")
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    page.goto(url)
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    expect(page.locator(".row", has_text="x = 2")).to_have_count(0)
    head(page, "src/a.py").click()
    expect(page.locator(".row", has_text="x = 2").first).to_be_visible()
    expect(page.get_by_text("0 of 3 reviewed")).to_be_visible()


def test_the_next_unreviewed_file_is_one_key_away(page: Page, site: ReviewSite) -> None:
    page.goto(f"{site.url}/contexts/{site.publish(FILES)}")
    expect(page.locator(".row").first).to_be_visible()
    for path in ("src/b.py", "top.md", "uv.lock"):
        page.keyboard.press("M")
        expect(page.locator(".file.cursor")).to_have_attribute("aria-label", path)

    page.keyboard.press("M")
    expect(page.get_by_text("3 of 3 reviewed")).to_be_visible()


def test_a_folder_is_marked_in_the_tree_and_unmarked_by_undo(page: Page, site: ReviewSite) -> None:
    page.goto(f"{site.url}/contexts/{site.publish(FILES)}")
    node(page, "src").focus()
    page.keyboard.press("v")
    expect(node(page, "src")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_text("2 of 3 reviewed")).to_be_visible()

    page.keyboard.press("U")
    expect(page.get_by_text("0 of 3 reviewed")).to_be_visible()
    node(page, "b.py").hover()
    node(page, "b.py").locator(".tick").click()
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    expect(node(page, "src")).to_have_attribute("aria-checked", "mixed")


def test_marks_are_carried_to_the_next_iteration_and_changes_since_are_said(
    page: Page, site: ReviewSite
) -> None:
    page.goto(f"{site.url}/contexts/{site.publish(FILES)}")
    node(page, "src").focus()
    page.keyboard.press("v")
    expect(page.get_by_text("2 of 3 reviewed")).to_be_visible()
    expect(page.locator(".toast")).to_contain_text("2 files reviewed")  # the server has them
    later = site.publish([FILES[0], made("src/b.py", "y = 1\n", "y = 3\n"), *FILES[2:]])

    page.goto(f"{site.url}/contexts/{later}")
    expect(
        page.locator(".file", has=head(page, "src/a.py")).get_by_text("carried")
    ).to_be_visible()
    expect(page.get_by_text("changed since you reviewed")).to_be_visible()
    expect(node(page, "b.py")).to_contain_text("↻")
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()


def test_marks_made_in_another_tab_appear_by_themselves(page: Page, site: ReviewSite) -> None:
    context = site.publish(FILES)
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{site.url}/contexts/{context}")
        expect(tab.locator(".live")).to_have_text("live")
    head(page, "src/a.py").click()

    expect(other.get_by_text("1 of 3 reviewed")).to_be_visible()


def test_a_refused_mark_is_said_in_words_and_not_kept(browser: Browser, site: ReviewSite) -> None:
    context = site.publish(FILES[:2])
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()

    def other_print(route: Route) -> None:
        route.continue_(post_data='{"fingerprint": "' + "0" * 64 + '"}')

    page.route("**/review-marks/*", other_print)
    page.goto(f"{site.url}/contexts/{context}")
    head(page, "src/a.py").click()
    expect(page.get_by_text("the stored file is not the one you saw").first).to_be_visible()
    expect(page.get_by_text("0 of 2 reviewed")).to_be_visible()
    expect(page.locator(".row", has_text="x = 2")).to_be_visible()
    page.context.close()


BLOCKS = "".join(f"line {n}\n" for n in range(80))


def blocks(*texts: str | None) -> str:
    """Change the middle of each block of twenty lines: one hunk for each text."""
    lines = BLOCKS.splitlines(keepends=True)
    for number, text in enumerate(texts):
        if text is not None:
            lines[number * 20 + 10] = f"{text}\n"
    return "".join(lines)


def hunk(page: Page, number: int, of: int) -> Locator:
    return page.get_by_role("button", name=f"Reviewed hunk {number} of {of}")


def test_a_hunk_is_marked_by_key_and_by_its_bar_and_stays_marked(
    page: Page, site: ReviewSite
) -> None:
    files = [made("src/a.py", BLOCKS, blocks("one", "two", "three")), *FILES[1:3]]
    url = f"{site.url}/contexts/{site.publish(files)}"
    page.goto(url)
    expect(page.locator(".row").first).to_be_visible()
    for _ in range(2):
        page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_contain_text("line 30")
    page.keyboard.press("V")
    expect(page.get_by_text("a.py, hunk 2 of 3 reviewed").first).to_be_visible()
    expect(hunk(page, 2, 3)).to_have_attribute("aria-pressed", "true")
    hunk(page, 1, 3).click()
    expect(hunk(page, 1, 3)).to_have_attribute("aria-pressed", "true")
    expect(hunk(page, 1, 3)).to_be_focused()
    expect(page.get_by_text("2 of 3 hunks reviewed")).to_be_visible()
    expect(node(page, "a.py")).to_have_attribute("aria-checked", "mixed")
    expect(page.get_by_text("0 of 3 reviewed")).to_be_visible()

    page.goto(url)
    expect(hunk(page, 2, 3)).to_have_attribute("aria-pressed", "true")
    expect(hunk(page, 3, 3)).to_have_attribute("aria-pressed", "false")
    hunk(page, 3, 3).click()
    expect(head(page, "src/a.py")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    expect(page.locator(".row", has_text="three")).to_have_count(0)
    page.keyboard.press("U")
    expect(page.get_by_text("2 of 3 hunks reviewed")).to_be_visible()
    expect(page.locator(".row", has_text="three")).to_be_visible()


def test_a_hunk_of_a_reviewed_file_is_opened_and_only_changed_hunks_are_open_later(
    page: Page, site: ReviewSite
) -> None:
    first = site.publish([made("a.py", BLOCKS, blocks("one", "two", "three")), *FILES[:2]])
    page.goto(f"{site.url}/contexts/{first}")
    head(page, "a.py").click()
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    later = site.publish([made("a.py", BLOCKS, blocks("one", "TWO", "three")), *FILES[:2]])

    page.goto(f"{site.url}/contexts/{later}")
    expect(page.get_by_text("changed since you reviewed, 2 of 3 hunks reviewed")).to_be_visible()
    pressed = [hunk(page, n, 3).get_attribute("aria-pressed") for n in (1, 2, 3)]
    assert pressed == ["true", "false", "true"]
    page.goto(f"{site.url}/contexts/{first}")
    page.get_by_role("button", name="Lines of a.py").click()
    hunk(page, 2, 3).click()
    expect(head(page, "a.py")).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_text("2 of 3 hunks reviewed")).to_be_visible()


def test_hunks_marked_in_another_tab_appear_by_themselves(page: Page, site: ReviewSite) -> None:
    context = site.publish([made("a.py", BLOCKS, blocks("one", "two")), FILES[0]])
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{site.url}/contexts/{context}")
        expect(tab.locator(".live")).to_have_text("live")
    hunk(page, 2, 2).click()

    expect(hunk(other, 2, 2)).to_have_attribute("aria-pressed", "true")
    expect(hunk(other, 1, 2)).to_have_attribute("aria-pressed", "false")


def test_where_there_is_no_hunk_the_key_says_so(page: Page, site: ReviewSite) -> None:
    page.goto(f"{site.url}/contexts/{site.publish([withheld('data.bin')])}")
    expect(page.get_by_text("Binary file")).to_be_visible()
    page.keyboard.press("V")

    expect(page.get_by_text("There is no hunk here; v marks the file").first).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hunks_that_are_marked_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1400, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    context = site.publish([made("a.py", BLOCKS, blocks("one", "two", "three")), FILES[0]])
    page.goto(f"{site.url}/contexts/{context}")
    hunk(page, 2, 3).click()
    expect(hunk(page, 2, 3)).to_have_attribute("aria-pressed", "true")

    assert violations(page) == []
    page.context.close()
