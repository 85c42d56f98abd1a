"""Iterations: choosing two, what lies between them, and reviewing it there (9)."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from diffx.review.model import ContextId
from tests.support.browser import wait_until
from tests.support.images import png
from tests.support.repositories import Checkout
from tests.support.reviewsite import ReviewSite, made, picture, withheld
from tests.support.streams import base, busy_rebase, changed, lines, two_iterations
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system


def compare(page: Page, site: ReviewSite, old: ContextId, new: ContextId) -> str:
    url = f"{site.url}/contexts/{new}?from={old}"
    page.goto(url)
    expect(strip(page)).to_contain_text("→")
    return url


@pytest.fixture
def compared(page: Page, site: ReviewSite) -> tuple[ContextId, ContextId]:
    """The two iterations, and their comparison on the page."""
    old, new = two_iterations(site)
    compare(page, site, old, new)
    expect(page.locator(".row.add").first).to_be_visible()
    return old, new


def strip(page: Page) -> Locator:
    return page.get_by_role("region", name="Comparison")


def file(page: Page, path: str) -> Locator:
    return page.locator(f'.file[aria-label="{path}"]')


def node(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=re.compile(name))


def finish(page: Page, verdict: str, summary: str) -> None:
    page.keyboard.press("F")
    page.get_by_label(verdict).check()
    page.get_by_label("Summary").fill(summary)
    page.get_by_role("button", name="Finish", exact=True).last.click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_happened_since_the_last_review_is_one_key_and_enter_away(
    page: Page, site: ReviewSite
) -> None:
    old = site.publish([changed("a.py", lines(9), lines(9, {5: "five\n"}))], comparison=base("a"))
    page.goto(f"{site.url}/contexts/{old}")
    expect(page.locator(".row").first).to_be_visible()
    finish(page, "Request changes", "Please spell it out")
    later = {5: "five, spelled out\n"}
    new = site.publish([changed("a.py", lines(9), lines(9, later))], comparison=base("a"))
    page.goto(f"{site.url}/contexts/{new}")
    expect(page.get_by_role("button", name="Iteration 2 of 2")).to_be_visible()
    tool = page.get_by_role("link", name="Since your last review")
    expect(tool).to_have_attribute("href", f"/contexts/{new}?from={old}")

    page.keyboard.press("g")
    dialog = page.get_by_role("dialog", name="Iterations")
    since = dialog.get_by_role("link", name=re.compile("Since your last review"))
    expect(since).to_contain_text("changes requested")
    expect(since).to_be_focused()
    expect(dialog.locator("li.iteration").first).to_contain_text("Iteration 2")
    expect(dialog.locator("li.iteration").last).to_contain_text("Please spell it out")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/contexts/{new}\\?from={old}"))
    expect(page.locator(".row.del", has_text="five")).to_be_visible()
    expect(page.locator(".row.add", has_text="five, spelled out")).to_be_visible()
    expect(tool).to_have_count(0)
    assert page.title().startswith("Comparison")

    page.go_back()
    expect(strip(page)).to_have_count(0)
    expect(page.locator(".row.del", has_text="line 5")).to_be_visible()
    page.go_forward()
    expect(strip(page)).to_contain_text("1 file changed")


def test_any_two_are_chosen_with_the_keyboard(page: Page, site: ReviewSite) -> None:
    words = ("one\n", "two\n", "three\n")
    made_of = [
        site.publish([changed("a.py", lines(9), lines(9, {5: word}))], comparison=base("a"))
        for word in words
    ]
    page.goto(f"{site.url}/contexts/{made_of[2]}")
    expect(page.get_by_role("button", name="Iteration 3 of 3")).to_be_visible()
    page.keyboard.press("g")
    dialog = page.get_by_role("dialog", name="Iterations")
    expect(dialog.get_by_label("From iteration 2")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_label("From iteration 1")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_label("To iteration 2")).to_be_checked()
    page.keyboard.press("Enter")

    expect(strip(page)).to_contain_text("Iteration 1 → 2")
    expect(page.locator(".row.del", has_text="one")).to_be_visible()
    expect(page.locator(".row.add", has_text="two")).to_be_visible()
    page.keyboard.press("g")
    dialog.get_by_role("link", name="Open iteration 3").click()
    expect(page).to_have_url(f"{site.url}/contexts/{made_of[2]}")
    expect(page.locator(".row.add", has_text="three")).to_be_visible()


def test_only_what_the_author_changed_is_shown_and_upstream_on_request(
    page: Page, compared: tuple[ContextId, ContextId]
) -> None:
    expect(strip(page)).to_contain_text(
        "2 files changed, 1 new, 1 no longer changed. Rebased in between."
    )
    cart = file(page, "src/cart.py")
    expect(cart.locator(".row.del")).to_have_text(re.compile("line 21$"))
    expect(cart.locator(".row.add")).to_have_text(re.compile("line 21, mine too$"))
    expect(cart.locator(".file-head")).to_contain_text("5 upstream")
    expect(node(page, "theirs.py")).to_have_count(0)
    switch = strip(page).get_by_role("button", name=re.compile("Upstream changes"))
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(switch).to_contain_text("1 file, 7 lines hidden")

    page.keyboard.press("G")
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(cart.locator(".row.upstream")).to_have_count(5)
    added = cart.locator(".row.upstream", has_text="line 3, upstream").locator(".code")
    expect(added).to_have_attribute("aria-roledescription", "upstream-added line")
    expect(node(page, "theirs.py")).to_be_visible()
    expect(file(page, "src/theirs.py")).to_contain_text("only upstream changed")
    switch.click()
    expect(page.locator(".row.upstream")).to_have_count(0)
    expect(node(page, "theirs.py")).to_have_count(0)


def test_renames_are_followed_and_what_came_and_went_is_said(
    page: Page, compared: tuple[ContextId, ContextId]
) -> None:
    moved = file(page, "src/new_name.py")
    expect(moved.locator(".path")).to_have_text("src/old_name.py → src/new_name.py")
    expect(moved.locator(".row.add")).to_have_text(re.compile("name 10, mine$"))
    expect(file(page, "src/added.py")).to_contain_text("new since")
    gone = file(page, "src/reverted.py")
    expect(gone).to_contain_text("taken back by the author, or taken over by the base")
    expect(gone.get_by_role("button", name=re.compile("^Reviewed"))).to_have_count(0)


def test_hidden_lines_open_with_the_numbers_of_both_versions(
    page: Page, compared: tuple[ContextId, ContextId]
) -> None:
    cart = file(page, "src/cart.py")
    cart.locator(".tail").get_by_role("button", name=re.compile("Show the rest")).click()
    last = cart.locator(".row", has_text="line 60")
    expect(last.locator(".num.old")).to_have_text("60")
    expect(last.locator(".num.new")).to_have_text("61")
    theirs = cart.locator(".row", has_text="and one more")
    expect(theirs.locator(".num.old")).to_have_text("")
    expect(theirs.locator(".num.new")).to_have_text("41")


def test_both_layouts_and_white_space_work_as_in_a_review(page: Page, site: ReviewSite) -> None:
    text = lines(9, {4: "if (x) {\n", 6: "y  =  2\n"})
    old = site.publish([changed("a.c", lines(9), text)], comparison=base("a"))
    later = text.replace("y  =  2", "y = 2").replace("(x)", "(x && z)")
    new = site.publish([changed("a.c", lines(9), later)], comparison=base("a"))
    compare(page, site, old, new)
    expect(page.locator(".row.add", has_text="y = 2")).to_be_visible()

    page.keyboard.press("m")
    pair = page.locator(".row.pair", has=page.locator(".code.add", has_text="if (x && z) {"))
    expect(pair.locator(".code.old")).to_contain_text("if (x) {")
    expect(pair.locator(".code.new .word").first).to_be_visible()
    page.keyboard.press("i")
    page.keyboard.press("i")
    expect(page.locator(".code.del", has_text="y  =  2")).to_have_count(0)
    expect(pair).to_be_visible()


def test_find_reaches_removed_lines_hidden_lines_and_files_that_are_gone(
    page: Page, site: ReviewSite
) -> None:
    def iteration(word: str) -> ContextId:
        text = lines(80, {40: f"{word} here\n", 70: "needle far away\n"})
        more = [changed("b.py", "a\n", "needle\n")] if word == "needle" else []
        files = [changed("a.py", lines(80, {70: "needle far away\n"}), text), *more]
        return site.publish(files, comparison=base("a"))

    compare(page, site, iteration("needle"), iteration("thread"))
    expect(page.locator(".row.add", has_text="thread here")).to_be_visible()
    page.keyboard.press("Control+f")
    page.keyboard.type("needle")
    expect(page.locator(".find-count")).to_have_text("3 found")
    page.keyboard.press("Enter")
    expect(page.locator(".row.cursor")).to_contain_text("needle far away")
    page.keyboard.press("Enter")
    expect(page.locator(".row.del.cursor")).to_contain_text("needle here")
    page.keyboard.press("Enter")
    expect(file(page, "b.py").locator(".row.del.cursor")).to_contain_text("needle")


def test_a_comment_is_written_on_the_later_iteration_or_refused_in_words(
    page: Page, compared: tuple[ContextId, ContextId], site: ReviewSite
) -> None:
    _, new = compared
    cart = file(page, "src/cart.py")
    cart.locator(".row.del", has_text="line 21").locator(".num.old").click()
    expect(page.locator(".toast")).to_contain_text("only in the earlier iteration")
    expect(page.locator("textarea")).to_have_count(0)
    cart.locator(".row.add", has_text="line 21, mine too").locator(".num.new").click()
    expect(page.locator("textarea:focus")).to_have_value("")
    page.keyboard.type("Why this one too?")
    page.keyboard.press("Control+Enter")
    thread = page.locator(".diff .thread", has_text="Why this one too?")
    expect(thread).to_be_visible()
    # An unchanged line has both numbers, and either is the later iteration's line.
    cart.locator(".row", has_text="line 19").locator(".num.old").click()
    page.keyboard.type("And here?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".thread", has_text="And here?")).to_contain_text("line 19")

    page.goto(f"{site.url}/contexts/{new}")
    expect(thread).to_have_attribute("aria-label", re.compile("Comment on line 21 by you"))
    expect(page.locator(".row", has_text="mine too")).to_be_visible()
    # Found and measured in one step: a row may be painted anew at any time.
    below = """() => {
        const boxOf = (kind, words) => [...document.querySelectorAll(kind)]
            .find((one) => one.textContent.includes(words))?.getBoundingClientRect();
        const [card, row] = [boxOf(".diff .thread", "Why this"), boxOf(".diff .row", "mine too")];
        return !!card && !!row && card.top >= row.bottom;
    }"""
    wait_until(page, below)


def test_threads_of_the_earlier_iteration_stand_in_the_comparison_and_lead_to_their_origin(
    page: Page, site: ReviewSite
) -> None:
    files = [changed("a.py", lines(30), lines(30, {5: "five\n", 20: "twenty\n"}))]
    old = site.publish(files, comparison=base("a"))
    page.goto(f"{site.url}/contexts/{old}")
    for word in ("five", "twenty"):
        page.locator(".row.add", has_text=word).locator(".num.new").click()
        page.keyboard.type(f"About {word}")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".thread", has_text=f"About {word}")).to_be_visible()
    text = "zero\n" + lines(30, {5: "5\n", 20: "twenty\n"})
    compare(
        page, site, old, site.publish([changed("a.py", lines(30), text)], comparison=base("a"))
    )

    moved = page.locator(".diff .thread", has_text="About twenty")
    lost = page.locator(".diff .thread", has_text="About five")
    page.keyboard.press("N")
    expect(lost).to_contain_text("outdated")
    expect(lost.get_by_role("link", name="what changed since")).to_have_count(0)
    page.keyboard.press("N")
    expect(moved).to_contain_text("moved with its lines")
    moved.get_by_role("link", name="iteration 1").click()
    expect(page).to_have_url(re.compile(f"/contexts/{old}\\?file=.*line=R20"))
    expect(page.locator(".row.cursor")).to_contain_text("twenty")


def test_a_comment_on_a_file_that_is_the_same_is_listed_and_leads_back_to_its_place(
    page: Page, site: ReviewSite
) -> None:
    def iteration(word: str) -> ContextId:
        same = changed("same.py", lines(30), lines(30, {9: "nine\n"}))
        other = changed("other.py", lines(9), lines(9, {5: f"{word}\n"}))
        return site.publish([same, other], comparison=base("a"))

    old, new = iteration("one"), iteration("two")
    page.goto(f"{site.url}/contexts/{old}")
    page.locator(".row.add", has_text="nine").locator(".num.new").click()
    page.keyboard.type("Nine what?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".thread", has_text="Nine what?")).to_be_visible()

    compare(page, site, old, new)
    expect(page.locator(".file")).to_have_count(1)
    page.keyboard.press("l")
    listed = page.get_by_role("complementary", name="Comments")
    listed.get_by_role("button", name=re.compile("Nine what?")).click()
    expect(page.locator(".toast")).to_contain_text("the whole review shows it")
    strip(page).get_by_role("link", name="Whole review").click()
    listed.get_by_role("button", name=re.compile("Nine what?")).click()
    thread = page.locator(".diff .thread", has_text="Nine what?")
    expect(thread).to_contain_text("on the same lines")
    thread.get_by_role("link", name="what changed since").click()
    expect(page).to_have_url(re.compile(f"/contexts/{new}\\?from={old}&file="))
    expect(page.locator(".row.add", has_text="two")).to_be_visible()


def test_an_address_leads_to_a_line_of_a_comparison_and_another_scope_stays_one(
    page: Page, site: ReviewSite
) -> None:
    def iteration(word: str) -> ContextId:
        files = [changed("a.py", lines(90), lines(90, {5: "five\n", 60: f"{word}\n"}))]
        staged = [changed("a.py", lines(90), lines(90, {5: f"{word}!\n"}))]
        return site.publish({"all": files, "staged": staged}, comparison=base("a"))

    old, new = iteration("one"), iteration("two")
    page.goto(f"{site.url}/contexts/{new}")
    expect(page.locator(".file").first).to_be_visible()
    name = page.locator(".file").first.get_attribute("data-file")
    page.goto(f"{site.url}/contexts/{new}?from={old}&file={name}&line=R30")
    expect(page.locator(".row.cursor")).to_contain_text("line 30")
    page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_contain_text("one")
    expect(page).to_have_url(re.compile(f"from={old}&file={name}&line=L60$"))

    page.keyboard.press("o")
    outline = page.get_by_role("dialog")
    expect(outline.get_by_role("heading", name="1 changed file")).to_be_visible()
    expect(outline.locator("li.add code")).to_have_text("two")
    page.keyboard.press("Escape")
    page.get_by_role("radio", name=re.compile("Staged 1")).click()
    expect(page).to_have_url(f"{site.url}/contexts/{new}?scope=staged&from={old}")
    expect(page.locator(".row.add", has_text="two!")).to_be_visible()
    expect(strip(page)).to_contain_text("1 file changed")


def test_files_are_marked_as_reviewed_in_the_comparison(
    page: Page, compared: tuple[ContextId, ContextId], site: ReviewSite
) -> None:
    _, new = compared
    node(page, "cart.py").click()
    page.keyboard.press("v")
    reviewed = page.get_by_role("button", name="Reviewed src/cart.py")
    expect(reviewed).to_have_attribute("aria-pressed", "true")
    expect(node(page, "cart.py")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_text("1 of 5 reviewed")).to_be_visible()
    node(page, "cart.py").press("Home")
    expect(node(page, "src")).to_be_focused()
    page.keyboard.press("v")
    expect(page.get_by_text("3 of 5 reviewed")).to_be_visible()
    expect(node(page, "src")).to_have_attribute("aria-checked", "true")

    page.goto(f"{site.url}/contexts/{new}")
    expect(page.get_by_text("3 of 5 reviewed")).to_be_visible()


def test_changed_since_you_reviewed_leads_to_exactly_that(page: Page, site: ReviewSite) -> None:
    def iteration(word: str) -> ContextId:
        files = [changed(f"{name}.py", lines(9), lines(9, {5: f"{word}\n"})) for name in "ab"]
        return site.publish(files, comparison=base("a"))

    old = iteration("one")
    page.goto(f"{site.url}/contexts/{old}")
    page.get_by_role("button", name="Reviewed b.py").click()
    expect(page.get_by_text("1 of 2 reviewed")).to_be_visible()
    iteration("two")
    new = iteration("three")
    page.goto(f"{site.url}/contexts/{new}")
    page.get_by_role("link", name="changed since you reviewed").click()

    expect(page).to_have_url(re.compile(f"/contexts/{new}\\?from={old}&file="))
    expect(strip(page)).to_contain_text("Iteration 1 → 3")
    second = file(page, "b.py")
    expect(second.locator(".row.del")).to_have_text(re.compile("one$"))
    expect(second.locator(".row.add")).to_have_text(re.compile("three$"))
    expect(second.get_by_text("changed since you reviewed")).not_to_have_attribute(
        "href", re.compile(".")
    )
    second.get_by_role("button", name="Reviewed b.py").click()
    expect(second.get_by_text("changed since you reviewed")).to_be_hidden()


def test_an_arrival_can_be_compared_with_what_is_read(page: Page, site: ReviewSite) -> None:
    old = site.publish([changed("a.txt", "x\n", "first\n")], comparison=base("a"))
    page.goto(f"{site.url}/contexts/{old}")
    expect(page.locator(".live")).to_have_text("live")
    new = site.publish([changed("a.txt", "x\n", "second\n")], comparison=base("a"))

    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(f"{site.url}/contexts/{new}?from={old}")
    expect(page.locator(".row.del", has_text="first")).to_be_visible()
    expect(page.locator(".row.add", has_text="second")).to_be_visible()


def test_what_is_not_stored_is_said_with_its_reason(page: Page, site: ReviewSite) -> None:
    picture, big = withheld("logo.png"), withheld("big.csv", "too-large")
    twin = replace(picture.file, fingerprint=made("x", "1\n", "2\n").file.fingerprint)
    other = replace(big.file, fingerprint=made("y", "1\n", "2\n").file.fingerprint)
    old = site.publish([picture, big], comparison=base("a"))
    later = [replace(picture, file=twin), replace(big, file=other)]
    new = site.publish(later, comparison=base("b"))
    compare(page, site, old, new)

    expect(strip(page)).to_contain_text("2 unclear")
    expect(file(page, "logo.png")).to_contain_text("Binary file")
    expect(file(page, "big.csv")).to_contain_text("it is over the size limit of one file")
    expect(file(page, "big.csv")).to_contain_text("what is stored does not tell")


def test_both_versions_of_an_image_are_shown(page: Page, site: ReviewSite) -> None:
    def iteration(width: int) -> ContextId:
        return site.publish(
            [picture("logo.png", png(90, 90), png(width, 80))], comparison=base("a")
        )

    compare(page, site, iteration(120), iteration(160))
    shown = page.get_by_role("group", name="Image logo.png")
    images = shown.get_by_role("img")
    expect(images).to_have_count(2)
    for at, width in enumerate((120, 160)):
        expect(images.nth(at)).to_have_js_property("naturalWidth", width)
    expect(strip(page)).to_contain_text("1 file changed")


def test_an_iteration_that_is_gone_is_said_and_the_review_stays_in_reach(
    browser: Browser, site: ReviewSite
) -> None:
    page = browser.new_context().new_page()  # of its own: a refused request is a complaint
    old, new = two_iterations(site)
    site.delete(old)
    page.goto(f"{site.url}/contexts/{new}?from={old}")
    expect(page.get_by_role("heading", name=re.compile("deleted"))).to_be_visible()
    strip(page).get_by_role("link", name="Whole review").click()
    expect(page).to_have_url(f"{site.url}/contexts/{new}")
    expect(page.locator(".row").first).to_be_visible()
    page.context.close()


def test_a_rebase_over_a_busy_main_shows_no_change_of_the_author(
    page: Page, site: ReviewSite
) -> None:
    old, new = busy_rebase(site)
    compare(page, site, old, new)
    words = "Rebased; nothing of the author's changed."
    expect(page.get_by_role("heading", name=words)).to_be_visible()
    expect(page.locator(".file")).to_have_count(0)

    page.get_by_role("button", name=re.compile("Show what upstream changed")).click()
    expect(page.locator(".row.upstream").first).to_be_visible()
    expect(strip(page)).to_contain_text("40 files")
    page.keyboard.press("G")
    expect(page.get_by_role("heading", name=words)).to_be_visible()


def test_a_real_rebase_between_two_collections_is_recognised(
    page: Page, site: ReviewSite, tmp_path: Path
) -> None:
    """The golden journey: git rebases, the collector collects, and nothing is the author's."""
    shop = Checkout.init(tmp_path / "shop")
    for n in range(12):
        shop.write(f"src/part_{n}.py", lines(80))
    shop.commit("first")
    shop.git("switch", "-q", "-c", "feature")
    for n in range(6):
        shop.write(f"src/part_{n}.py", lines(80, {40: "line 40, mine\n", 41: ""}))
    shop.write("src/fresh.py", "fresh = True\n")
    shop.commit("mine")
    old = site.take(shop.collect())
    shop.git("switch", "-q", "main")
    for n in range(12):
        shop.write(f"src/part_{n}.py", lines(80, {3: "line 3, theirs\n", 70: "", 44: "44!\n"}))
        shop.commit(f"busy {n}")
    shop.git("switch", "-q", "feature")
    shop.git("rebase", "-q", "main")
    new = site.take(shop.collect())
    assert old != new
    compare(page, site, old, new)
    rebased = page.get_by_role("heading", name="Rebased; nothing of the author's changed.")
    expect(rebased).to_be_visible()

    shop.write("src/part_2.py", shop.read("src/part_2.py") + b"one more\n")
    third = site.take(shop.collect())
    compare(page, site, old, third)
    expect(page.locator(".row.add", has_text="one more")).to_be_visible()
    assert page.locator(".row.add, .row.del").count() == 1
    expect(page.locator(".file")).to_have_count(1)


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_iterations_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str, width: int
) -> None:
    old, new = two_iterations(site)
    options = {"bypass_csp": True, "viewport": {"width": width, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(f"{site.url}/contexts/{old}")
    expect(page.locator(".row").first).to_be_visible()
    finish(page, "Approve", "Fine")
    compare(page, site, old, new)
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("G")
    expect(page.locator(".row.upstream").first).to_be_visible()
    assert violations(page) == []
    if width > 1000:
        page.keyboard.press("m")
        expect(page.locator(".code.upstream").first).to_be_visible()
        assert violations(page) == []
    page.keyboard.press("g")
    expect(page.get_by_role("link", name=re.compile("Since your last review"))).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    rebased = busy_rebase(site)
    compare(page, site, *rebased)
    expect(page.get_by_role("heading", name=re.compile("Rebased"))).to_be_visible()
    assert violations(page) == []
    page.context.close()
