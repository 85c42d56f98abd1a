"""Commenting on a review: lines, files and all of it; drafts that last; threads and what becomes of them (8)."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.reviewsite import Made, ReviewSite, made

pytestmark = pytest.mark.system

BEFORE = "".join(f"line {number}\n" for number in range(1, 61))
AFTER = BEFORE.replace("line 30\n", "line thirty\nand a half\n")
FILES = [made("src/notes.txt", BEFORE, AFTER), made("src/other.txt", "x\n", "y\n")]


def open_review(page: Page, site: ReviewSite, files: list[Made] = FILES) -> str:
    url = f"{site.url}/contexts/{site.publish(files)}"
    page.goto(url)
    expect(page.locator(".row").first).to_be_visible()
    return url


def number(page: Page, text: str, side: str = "new") -> Locator:
    return page.locator(".row", has_text=text).locator(f".num.{side}")


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name=re.compile("Comment on"))


def thread(page: Page, text: str) -> Locator:
    return page.locator(".diff .thread", has_text=text)


def write(page: Page, text: str) -> None:
    expect(page.locator("textarea:focus")).to_have_value("")
    page.keyboard.type(text)
    page.keyboard.press("Control+Enter")
    expect(thread(page, text)).to_be_visible()


def test_a_comment_is_written_from_a_line_number_and_stays(page: Page, site: ReviewSite) -> None:
    url = open_review(page, site)
    number(page, "line thirty").click()
    write(page, "Why spelled out?")

    card = thread(page, "Why spelled out?")
    expect(card).to_have_attribute("aria-label", "Comment on line 30 by you, open")
    expect(box(page)).to_have_count(0)
    below = page.locator(".row", has_text="and a half")
    assert below.bounding_box()["y"] >= card.bounding_box()["y"] + card.bounding_box()["height"]  # type: ignore[index]
    expect(page.get_by_role("treeitem", name=re.compile("notes.txt"))).to_contain_text("1")
    page.goto(url)
    expect(card).to_be_visible()


def test_lines_are_picked_by_dragging_by_shift_click_and_by_keys(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    number(page, "line thirty").hover()
    page.mouse.down()
    number(page, "line 31").hover()
    expect(page.locator(".row.picked")).to_have_count(3)
    page.mouse.up()
    expect(page.get_by_text("Comment on lines 30 to 32")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box(page)).to_have_count(0)

    number(page, "line 28").click()
    number(page, "line thirty").click(modifiers=["Shift"])
    expect(page.get_by_text("Comment on lines 28 to 30")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("c")
    expect(page.get_by_text("Comment on old lines 28 to 30")).to_be_visible()


def test_the_keyboard_alone_comments_replies_edits_resolves_and_deletes(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    page.keyboard.press("n")
    page.keyboard.press("j")
    page.keyboard.press("c")
    write(page, "On a line")
    page.keyboard.press("C")
    write(page, "On the file")
    page.keyboard.press("]")
    page.keyboard.press("N")
    expect(thread(page, "On the file")).to_be_focused()
    page.keyboard.press("N")
    expect(thread(page, "On a line")).to_be_focused()

    page.keyboard.press("r")
    page.keyboard.type("Because.")
    page.keyboard.press("Control+Enter")
    expect(thread(page, "On a line")).to_contain_text("Because.")
    page.keyboard.press("P")
    page.keyboard.press("P")
    page.keyboard.press("e")
    page.keyboard.type(", edited")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".diff .thread", has_text=", edited")).to_be_visible()
    last = thread(page, "Because.")
    last.get_by_role("button", name="Resolve").press("Enter")
    expect(page.get_by_role("button", name=re.compile("Resolved"))).to_be_visible()
    page.get_by_role("button", name=re.compile("Resolved")).press("Enter")
    thread(page, "Because.").get_by_role("button", name="Reopen").press("Enter")
    thread(page, "Because.").get_by_role("button", name="Delete").press("Enter")
    page.keyboard.press("Enter")
    expect(thread(page, "Because.")).to_have_count(0)


def test_a_click_and_what_is_typed_before_the_page_can_take_them_are_not_lost(
    page: Page, site: ReviewSite
) -> None:
    held: list[Route] = []
    page.route("**/assets/Reviewing-*", lambda route: held.append(route))
    open_review(page, site)
    number(page, "and a half").click()
    page.keyboard.type("the thought")  # t, h and o are keys of the page
    expect(page.get_by_role("searchbox", name="Filter files")).not_to_be_focused()
    page.keyboard.press("Control+Enter")
    for route in held:
        route.continue_()

    expect(thread(page, "the thought")).to_be_visible()
    expect(box(page)).to_have_count(0)


def test_a_comment_that_is_saved_late_takes_no_focus_from_the_next(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    number(page, "line thirty").click()
    expect(box(page)).to_be_focused()
    held: list[Route] = []
    page.route("**/comments?*", lambda route: held.append(route), times=1)
    page.keyboard.type("The first")
    page.keyboard.press("Control+Enter")
    number(page, "and a half").click()
    second = page.get_by_role("textbox", name="Comment on line 31")
    expect(second).to_be_focused()
    for route in held:
        route.continue_()

    expect(thread(page, "The first")).to_be_visible()
    page.keyboard.type("The second")
    expect(second).to_have_value("The second")


def test_a_draft_survives_everything_but_being_thrown_away(page: Page, site: ReviewSite) -> None:
    url = open_review(page, site)
    number(page, "and a half").click()
    page.keyboard.type("Half a thought")
    page.keyboard.press("Escape")
    expect(page.locator(".diff")).to_be_focused()
    expect(box(page)).to_have_value("Half a thought")
    page.keyboard.press("u")
    expect(page.get_by_role("region", name="shop")).to_be_visible()
    page.go_back()
    expect(box(page)).to_have_value("Half a thought")
    page.goto(url)
    expect(box(page)).to_have_value("Half a thought")
    expect(
        page.get_by_role("button", name=re.compile("Comments: 0 open ?, 1 draft"))
    ).to_be_visible()

    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Keep").click()
    expect(box(page)).to_have_value("Half a thought")
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Throw away").click()
    expect(box(page)).to_have_count(0)
    page.goto(url)
    expect(page.get_by_role("button", name="Comments: 0 open")).to_be_visible()
    expect(box(page)).to_have_count(0)


def test_a_comment_that_cannot_be_saved_is_kept_and_saved_once(
    browser: Browser, site: ReviewSite
) -> None:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    url = open_review(page, site)

    def lose_the_answer(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
            route.abort()
        else:
            route.fallback()

    page.route("**/comments?*", lose_the_answer)
    number(page, "and a half").click()
    page.keyboard.type("Only once")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your text is kept")
    page.unroute("**/comments?*")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(thread(page, "Only once")).to_have_count(1)
    page.goto(url)
    expect(thread(page, "Only once")).to_have_count(1)
    page.context.close()


def test_comments_of_others_arrive_without_touching_what_is_typed(
    page: Page, site: ReviewSite
) -> None:
    url = open_review(page, site)
    expect(page.locator(".live")).to_have_text("live")
    number(page, "and a half").click()
    page.keyboard.type("Still ")
    other = page.context.new_page()
    other.goto(url)
    number(other, "line thirty").click()
    write(other, "From elsewhere")

    expect(thread(page, "From elsewhere")).to_be_visible()
    page.bring_to_front()
    expect(box(page)).to_be_focused()
    page.keyboard.type("typing")
    expect(box(page)).to_have_value("Still typing")


def test_a_comment_above_does_not_move_the_line_that_is_read(page: Page, site: ReviewSite) -> None:
    url = open_review(page, site, [*FILES, made("src/z.txt", "a\n" * 90, "b\n" * 90)])
    other = page.context.new_page()
    other.goto(url)
    expect(page.locator(".live")).to_have_text("live")
    page.keyboard.press("n")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".row.cursor")).to_contain_text("and a half")
    expect(page.get_by_role("button", name="Finish")).to_be_visible()
    before = page.locator(".row.cursor").bounding_box()
    number(other, "line 28").click()
    write(other, "Above the cursor")
    expect(thread(page, "Above the cursor")).to_be_visible()

    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert page.locator(".row.cursor").bounding_box() == before


def test_the_list_shows_all_comments_jumps_to_them_and_hands_them_on(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    number(page, "line thirty").click()
    write(page, "First <b>thing</b>")
    page.keyboard.press("l")
    panel = page.get_by_role("complementary", name="Comments")
    panel.get_by_role("button", name="Comment on the review").click()
    page.keyboard.type("On all of it")
    page.keyboard.press("Control+Enter")
    expect(panel.get_by_text("On all of it")).to_be_visible()
    expect(page.get_by_role("button", name="Comments: 2 open")).to_be_visible()

    panel.get_by_role("button", name=re.compile("First .b.thing")).click()
    expect(thread(page, "First")).to_be_focused()
    assert page.locator(".words b").count() == 0
    panel.get_by_role("button", name="Copy as prompt").click()
    expect(page.get_by_text("The open comments copied").first).to_be_visible()
    prompt = page.evaluate("navigator.clipboard.readText()")
    assert (
        "First <b>thing" in prompt.replace("&lt;", "<").replace("&gt;", ">")
        and "src/notes.txt" in prompt
    )
    thread(page, "First").get_by_role("button", name="Resolve").click()
    panel.get_by_role("radio", name="Resolved").click()
    expect(panel.get_by_role("button", name=re.compile("First"))).to_be_visible()
    panel.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        panel.get_by_role("link", name="Markdown").click()
    assert "On all of it" in download.value.path().read_text("utf-8")


def test_comments_can_be_hidden_but_not_what_is_written(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    number(page, "line thirty").click()
    write(page, "Hide me")
    number(page, "and a half").click()
    page.keyboard.type("but not me")
    page.keyboard.press("Escape")
    page.keyboard.press("h")

    expect(thread(page, "Hide me")).to_have_count(0)
    expect(box(page)).to_have_value("but not me")
    page.keyboard.press("h")
    expect(thread(page, "Hide me")).to_be_visible()


def test_threads_follow_their_lines_to_the_next_iteration(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    number(page, "line thirty").click()
    write(page, "Moves along")
    number(page, "and a half").click()
    write(page, "Loses its line")
    later = AFTER.replace("line 1\n", "line 0\nline 1\n").replace("and a half\n", "and a third\n")
    context = site.publish([made("src/notes.txt", BEFORE, later), FILES[1]])
    page.goto(f"{site.url}/contexts/{context}")

    moved = thread(page, "Moves along")
    expect(moved).to_contain_text("line 31")
    expect(moved).to_contain_text("moved with its lines")
    lost = thread(page, "Loses its line")
    expect(lost.locator(".tag")).to_be_visible()
    expect(lost.locator(".quote")).to_contain_text("and a half")
    moved.get_by_role("link", name="from iteration 1").click()
    expect(page.locator(".row.cursor")).to_contain_text("line thirty")


def test_bodies_are_text_and_nothing_else(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    evil = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) https://example.org \u202e back"
    number(page, "line thirty").click()
    expect(box(page)).to_be_focused()
    page.keyboard.insert_text(evil)
    page.keyboard.press("Control+Enter")

    card = thread(page, "onerror")
    expect(card.locator(".odd")).to_have_text("U+202E")
    assert card.locator("img, a").count() == 0


def test_a_draft_in_the_list_leads_back_to_where_it_is_written(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site)
    number(page, "and a half").click()
    page.keyboard.type("Half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("l")
    page.get_by_role("complementary", name="Comments").get_by_text("Half a thought").click()

    expect(box(page)).to_be_focused()
    expect(box(page)).to_be_in_viewport()
    page.keyboard.type(" more")
    expect(box(page)).to_have_value("Half a thought more")
