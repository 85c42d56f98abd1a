"""Which file is the current one: in the tree, for the keys, and after scrolling alike."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.reviewsite import ReviewSite, made

pytestmark = pytest.mark.system

SMALL = [f"small_{n}.py" for n in range(12)]


@pytest.fixture
def reading(page: Page, site: ReviewSite) -> Page:
    page.goto(address(site))
    expect(page.locator(".row").first).to_be_visible()
    expect(page.locator(".node.current")).to_have_count(1)
    return page


def address(site: ReviewSite) -> str:
    before = "".join(f"line {n}\n" for n in range(200))
    big = [made(f"a_big_{n}.py", before, before.replace("line", "LINE")) for n in range(3)]
    small = [made(name, "a = 1\n", "a = 2\n") for name in SMALL]
    return f"{site.url}/contexts/{site.publish([*big, *small])}"


def current(page: Page) -> Locator:
    return page.locator(".node.current .node-name")


def scroll(page: Page, pixels: int) -> None:
    page.locator(".diff").hover()
    page.mouse.wheel(0, pixels)


def test_a_file_that_is_chosen_is_current_even_where_it_cannot_come_to_the_top(
    reading: Page,
) -> None:
    for name in (SMALL[9], SMALL[11], SMALL[10]):
        reading.get_by_role("treeitem", name=name).click()
        expect(current(reading)).to_have_text(name)
        expect(reading.locator(".file.cursor h2")).to_have_text(name)
        expect(reading.locator(".file.cursor")).to_be_in_viewport()
    reading.locator(".diff").focus()
    reading.keyboard.press("v")
    expect(reading.locator(".file.cursor .reviewed")).to_have_attribute("aria-pressed", "true")
    expect(current(reading)).to_have_text(SMALL[10])


def test_the_next_file_follows_the_current_one_to_the_last_and_back(reading: Page) -> None:
    reading.get_by_role("treeitem", name=SMALL[8]).click()
    reading.locator(".diff").focus()
    for name in (*SMALL[9:], SMALL[11]):
        reading.keyboard.press("]")
        expect(current(reading)).to_have_text(name)
    for name in reversed(SMALL[8:11]):
        reading.keyboard.press("[")
        expect(current(reading)).to_have_text(name)


def test_the_cursor_makes_its_file_current(reading: Page) -> None:
    reading.get_by_role("treeitem", name=SMALL[10]).click()
    reading.locator(".diff").focus()
    reading.keyboard.press("j")
    reading.keyboard.press("j")
    expect(current(reading)).to_have_text(SMALL[10])
    reading.keyboard.press("n")
    expect(current(reading)).to_have_text(SMALL[11])
    reading.locator(".file", has_text=SMALL[9]).locator(".row.add .text, .code.add .text").click()
    expect(current(reading)).to_have_text(SMALL[9])
    assert "line=R1" in reading.url


def test_scrolling_makes_what_is_read_current_and_the_keys_begin_there(reading: Page) -> None:
    reading.keyboard.press("j")
    expect(current(reading)).to_have_text("a_big_0.py")
    scroll(reading, 9_000)
    expect(current(reading)).to_have_text("a_big_1.py")
    reading.keyboard.press("j")
    expect(reading.locator(".row.cursor")).to_be_in_viewport()
    expect(current(reading)).to_have_text("a_big_1.py")
    scroll(reading, 40)  # the cursor is still in view
    reading.keyboard.press("z")
    expect(reading.get_by_role("button", name="Lines of a_big_1.py")).to_have_attribute(
        "aria-expanded", "false"
    )


def test_the_mark_of_a_chosen_file_goes_where_the_keys_go(reading: Page) -> None:
    reading.get_by_role("treeitem", name="a_big_1.py").click()
    expect(reading.locator(".file.cursor h2")).to_have_text("a_big_1.py")
    scroll(reading, -300)
    expect(current(reading)).to_have_text("a_big_0.py")
    expect(reading.locator(".file.cursor")).to_have_count(0)
    expect(reading.get_by_role("heading", name="a_big_1.py")).to_be_in_viewport()


def test_at_both_ends_of_the_scroll_bar_the_first_and_the_last_file_are_current(
    reading: Page,
) -> None:
    scroll(reading, 1_000_000)
    expect(current(reading)).to_have_text(SMALL[11])
    scroll(reading, -1_000_000)
    expect(current(reading)).to_have_text("a_big_0.py")


def test_a_link_makes_its_file_current_and_a_closed_folder_stands_for_what_it_keeps(
    page: Page, site: ReviewSite
) -> None:
    files = [made(f"{folder}/f{n}.py", "a\n", "b\n") for folder in ("one", "two") for n in (1, 2)]
    context = site.publish(files)
    page.goto(f"{site.url}/contexts/{context}?file={files[3].file.id}&line=R1")
    expect(current(page)).to_have_text("f2.py")
    page.get_by_role("treeitem", name="two", exact=True).click()
    expect(current(page)).to_have_text("two")


def test_a_narrow_window_says_that_it_has_room_for_one_column(
    page: Page, site: ReviewSite
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address(site))
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("m")
    expect(page.locator(".toast")).to_contain_text("too narrow for two columns")
    page.set_viewport_size({"width": 1500, "height": 800})
    expect(page.locator(".row.pair").first).to_be_visible()
