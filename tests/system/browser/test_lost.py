"""A server that stops, and comes back at the same address: nothing that is read is taken away."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import wait_until
from tests.support.reviewsite import Made, ReviewSite, made

pytestmark = pytest.mark.system

# A browser may take its time before it asks again.
BACK_MS = 30_000
DRAFTS = "`/api/v2${location.pathname}/drafts`"


def files(word: str) -> list[Made]:
    return [made("app.py", "a = 1\n" * 30, f"{word} = 2\n" * 30)]


@pytest.fixture
def page(browser: Browser, site: ReviewSite) -> Iterator[Page]:
    """A page that may complain: what it asks a stopped server for is an error to a browser."""
    del site
    context = browser.new_context(viewport={"width": 1300, "height": 800})
    yield context.new_page()
    context.close()


def publish(site: ReviewSite) -> str:
    scopes = {"all": files("whole"), "staged": files("index"), "unstaged": files("tree")}
    return f"{site.url}/contexts/{site.publish(scopes)}"


def shown(page: Page) -> str:
    return page.locator(".row.add .text").first.inner_text()


def test_another_scope_comes_when_the_server_is_back_and_what_is_read_stays_until_then(
    page: Page, site: ReviewSite
) -> None:
    page.goto(publish(site))
    expect(page.locator(".row.add").first).to_contain_text("whole")
    expect(page.locator(".live.is-live")).to_be_visible()
    site.stop_answering()
    expect(page.locator(".live.is-lost")).to_be_visible(timeout=BACK_MS)
    page.keyboard.press("2")

    banner = page.locator(".banner")
    expect(banner).to_have_count(1)
    expect(banner).to_contain_text("The server does not answer. Staged changes cannot be shown")
    expect(page.locator(".row.add").first).to_contain_text("whole")
    expect(page.get_by_role("radio", name="All")).to_be_checked()
    assert "GET" not in page.locator("body").inner_text()
    banner.get_by_role("button", name="Try again").click()
    expect(banner).to_contain_text("Staged changes cannot be shown")

    site.answer_again()
    expect(page.locator(".row.add").first).to_contain_text("index", timeout=BACK_MS)
    expect(page.get_by_role("radio", name=re.compile("^Staged"))).to_be_checked()
    expect(banner).to_have_count(0)


def test_asking_for_the_scope_that_is_shown_takes_the_question_back(
    page: Page, site: ReviewSite
) -> None:
    page.goto(publish(site))
    expect(page.locator(".live.is-live")).to_be_visible()
    site.stop_answering()
    page.keyboard.press("3")
    expect(page.locator(".banner")).to_contain_text("Unstaged changes cannot be shown")
    page.keyboard.press("1")

    expect(page.locator(".banner")).not_to_contain_text("Unstaged")
    assert "scope" not in page.url
    assert shown(page).startswith("whole")
    site.answer_again()


def test_the_picker_keeps_its_list_and_says_that_it_may_be_old(
    page: Page, site: ReviewSite
) -> None:
    site.publish(files("one"), branch="first")
    page.goto(site.url)
    expect(page.locator(".entry")).to_have_count(1)
    site.stop_answering()

    expect(page.locator(".banner")).to_contain_text("The server does not answer", timeout=BACK_MS)
    expect(page.locator(".entry")).to_have_count(1)
    site.answer_again()
    site.publish(files("two"), branch="second", checkout="checkout-2")
    expect(page.locator(".entry")).to_have_count(2, timeout=BACK_MS)
    expect(page.locator(".banner")).to_have_count(0)


def test_a_review_that_could_not_be_opened_opens_once_the_server_is_back(
    page: Page, site: ReviewSite
) -> None:
    site.publish(files("late"))
    page.goto(site.url)
    expect(page.locator(".entry")).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_be_focused()
    site.stop_answering()
    page.locator(".entry").click()

    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    assert "/api/" not in page.locator("body").inner_text()
    site.answer_again()
    expect(page.locator(".row.add").first).to_contain_text("late", timeout=BACK_MS)


def test_parts_of_the_page_work_without_the_server_once_it_is_open(
    page: Page, site: ReviewSite
) -> None:
    address = publish(site)
    page.goto(address)
    for part in ("dialogs", "Picker"):
        wait_until(
            page,
            "(part) => performance.getEntriesByType('resource')"
            ".some(({name, responseEnd}) => name.includes(`/assets/${part}-`) && responseEnd)",
            part,
        )
    site.stop_answering()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("Next change")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    site.answer_again()
    expect(page.locator(".entry")).to_have_count(1, timeout=BACK_MS)


def test_a_part_that_could_not_be_fetched_is_fetched_when_the_server_is_back(
    page: Page, site: ReviewSite
) -> None:
    answer: list[bool] = []

    def fetch(route: Route) -> None:
        if answer:
            route.continue_()
        else:
            route.abort()

    page.route("**/assets/Tree-*", fetch)
    page.goto(publish(site))
    expect(page.get_by_text("A part of this page could not be loaded")).to_be_visible()
    expect(page.locator(".live.is-live")).to_be_visible()
    answer.append(True)
    site.stop_answering()
    expect(page.locator(".live.is-lost")).to_be_visible(timeout=BACK_MS)
    site.answer_again()
    expect(page.get_by_role("treeitem")).to_have_count(1, timeout=BACK_MS)


def test_a_draft_is_there_when_the_server_comes_back_under_another_port(
    page: Page, site: ReviewSite
) -> None:
    address = publish(site)
    page.goto(address)
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("c")
    page.keyboard.type("why not earlier")  # before the box is there, or after
    box = page.get_by_role("textbox", name=re.compile("Comment on"))
    expect(box).to_have_value("why not earlier")
    kept = f"(await (await fetch({DRAFTS})).json()).drafts.map(draft => draft.body).join()"
    wait_until(page, f"async () => {kept} === 'why not earlier'")
    elsewhere = site.move()
    page.goto(address.replace(site.url, elsewhere))

    expect(box).to_have_value("why not earlier")
    box.press("Control+Enter")
    expect(page.locator(".thread")).to_contain_text("why not earlier")
    wait_until(page, f"async () => !(await (await fetch({DRAFTS})).json()).drafts.length")
    page.reload()
    expect(page.locator(".thread")).to_contain_text("why not earlier")
    expect(box).to_have_count(0)


def test_another_server_at_the_same_address_is_told_from_a_lost_one(
    page: Page, site: ReviewSite
) -> None:
    address = publish(site)
    page.goto(address)
    expect(page.locator(".live.is-live")).to_be_visible()
    missing = {"code": "not_found", "title": "Not found", "detail": "There is no such review."}
    answer = re.compile(r"/api/v2/contexts/\w+$")
    page.route(answer, lambda route: route.fulfill(status=404, json=missing))
    site.publish(files("news"), branch="other", checkout="other")

    expect(page.locator(".banner")).to_contain_text("does not have this review")
    expect(page.locator(".row.add").first).to_contain_text("whole")
    page.unroute(answer)
    site.publish(files("more"), branch="other", checkout="other")
    expect(page.locator(".banner")).to_have_count(0)
