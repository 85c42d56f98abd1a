"""The pages around a review: picker, arrivals, failures, and what every page promises."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from diffx.review.model import CommitId, Comparison
from tests.support.browser import Watch
from tests.support.reviewsite import WEBUI, ReviewSite, made, withheld

pytestmark = pytest.mark.system

AXE = WEBUI / "node_modules" / "axe-core" / "axe.min.js"
FILES = [made("a.py", "x = 1\n", "x = 2\n"), made("b.md", None, "# B\n"), withheld("c.png")]


def test_an_empty_database_says_how_to_fill_it(page: Page, site: ReviewSite) -> None:
    page.goto(site.url)

    expect(page.get_by_role("heading", name="No reviews yet")).to_be_visible()
    expect(page.locator("pre").first).to_contain_text("diffx")


def test_the_picker_groups_searches_and_opens(page: Page, site: ReviewSite) -> None:
    site.publish(FILES, repository="shop", branch="feature/pay")
    site.publish(FILES, repository="api", branch="main", checkout="other")
    page.goto(site.url)
    expect(page.get_by_role("region", name="shop")).to_be_visible()
    expect(page.get_by_role("region", name="api")).to_be_visible()

    page.get_by_role("searchbox").fill("pay")
    expect(page.get_by_role("region", name="api")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?q=pay"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".file").first).to_be_visible()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("pay")


def test_filters_narrow_the_picker_and_are_kept_while_a_review_is_read(
    page: Page, site: ReviewSite
) -> None:
    for number, (branch, host) in enumerate(
        [("main", "desk"), ("fix", "desk"), ("fix", "lap"), ("idea", "lap")]
    ):
        label = {"hostname": host}
        site.publish(FILES, branch=branch, checkout=f"c{number}", provenance=label)
    site.publish([], branch="clean", checkout="clean")
    page.goto(site.url)
    expect(page.locator(".entry")).to_have_count(4)

    page.get_by_role("button", name="Branch").click()
    page.get_by_role("checkbox", name="fix").check()
    page.get_by_role("checkbox", name="idea").check()
    page.keyboard.press("Escape")
    expect(page.locator(".entry")).to_have_count(3)
    page.get_by_role("button", name="Host").click()
    page.get_by_role("checkbox", name="lap 2").check()
    expect(page.locator(".entry")).to_have_count(2)
    page.keyboard.press("Escape")
    page.locator(".entry").first.click()
    expect(page.locator(".file").first).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".entry")).to_have_count(2)
    page.goto(f"{site.url}/?show=all")
    expect(page.get_by_text("no changes")).to_be_visible()


def test_reviews_of_one_branch_and_patches_are_told_apart(page: Page, site: ReviewSite) -> None:
    asked = Comparison(
        policy="v1.0", kind="branch", base_ref="v1.0", base_commit=CommitId("e" * 40)
    )
    site.publish(FILES)
    site.publish(FILES, comparison=asked, checkout="again")
    for title in ("Patch of parser.py", "Patch: Say hello"):
        label = {"repository_name": title, "trigger_directory": "/src/shop", "branch": None}
        site.publish(
            FILES,
            source_kind="patch",
            repository_key=None,
            checkout_key=None,
            branch_id=None,
            head=None,
            comparison=Comparison(policy="patch", kind="patch"),
            provenance=label,
        )
    page.goto(site.url)

    ours = page.get_by_role("region", name="shop").locator(".entry")
    expect(ours.filter(has_text="since origin/main")).to_have_count(1)
    expect(ours.filter(has_text="since v1.0 (--base)")).to_have_count(1)
    patches = page.get_by_role("region", name="Patches").locator(".entry")
    expect(patches.filter(has_text="from /src/shop")).to_have_count(2)
    expect(patches.filter(has_text="Patch: Say hello")).to_have_count(1)
    age = ours.first.locator("time").inner_text()
    ours.first.click()
    expect(page.locator(".subject time")).to_have_text(age)


def test_a_clean_checkout_leads_to_what_else_could_be_reviewed(
    page: Page, site: ReviewSite
) -> None:
    page.goto(f"{site.url}/contexts/{site.publish([])}")

    expect(page.get_by_role("heading", name="Nothing has changed")).to_be_visible()
    expect(page.get_by_text("the same as origin/main")).to_be_visible()
    expect(page.get_by_text("diffx --base HEAD~1")).to_be_visible()


def test_a_repository_without_a_commit_is_told_as_that(page: Page, site: ReviewSite) -> None:
    unborn = Comparison(policy="auto", kind="working-tree", fallback="unborn")
    page.goto(f"{site.url}/contexts/{site.publish([], comparison=unborn, head=None)}")

    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(page.get_by_text("--base")).to_have_count(0)


def test_on_a_phone_the_name_of_a_file_stays_readable(page: Page, site: ReviewSite) -> None:
    deep = "some/deeply/nested/folder/of/the/house/with/name_of_it.py"
    page.goto(f"{site.url}/contexts/{site.publish([made(deep, 'a', 'b')])}")
    page.get_by_role("button", name=f"Reviewed {deep}").click()
    expect(page.get_by_text("1 of 1 reviewed")).to_be_visible()
    later = site.publish([made(deep, "a", "c" * 40)])
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{site.url}/contexts/{later}")

    expect(page.locator(".standing")).to_have_text(re.compile("^changed"))
    name = page.locator(".file-head .name")
    expect(name).to_be_in_viewport(ratio=1)
    shown = name.evaluate("(element) => element.clientWidth / element.scrollWidth")
    assert shown > 0.7
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_an_arrival_is_announced_and_never_replaces_what_is_read(
    page: Page, site: ReviewSite
) -> None:
    first = site.publish([made("a.txt", "x\n", "first\n")])
    page.goto(f"{site.url}/contexts/{first}")
    expect(page.locator(".row", has_text="first")).to_be_visible()
    expect(page.locator(".live")).to_have_text("live")

    site.publish([made("a.txt", "x\n", "second\n")])
    expect(page.get_by_text("A newer observation came")).to_be_visible()
    expect(page.locator(".row", has_text="first")).to_be_visible()
    page.get_by_role("button", name="Open it").click()
    expect(page.locator(".row", has_text="second")).to_be_visible()


def test_an_arrival_appears_in_the_picker_by_itself(page: Page, site: ReviewSite) -> None:
    site.publish(FILES, repository="shop")
    page.goto(site.url)
    expect(page.get_by_role("region", name="shop")).to_be_visible()
    site.publish(FILES, repository="late", checkout="other")

    expect(page.get_by_role("region", name="late")).to_be_visible()


def test_tabs_share_one_connection_for_arrivals(page: Page, site: ReviewSite) -> None:
    first = site.publish([made("a.txt", "x\n", "first\n")])
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{site.url}/contexts/{first}")
        expect(tab.locator(".live")).to_have_text("live")
    site.publish([made("a.txt", "x\n", "second\n")])

    for tab in (page, other):
        expect(tab.get_by_text("A newer observation came")).to_be_visible()
    assert sum("/events" in url for url in asked) == 1
    page.close()
    other.get_by_role("button", name="Open it").click()
    expect(other.locator(".row", has_text="second")).to_be_visible()
    expect(other.locator(".live")).to_have_text("live")
    site.publish([made("a.txt", "x\n", "third\n")])
    other.get_by_role("button", name="Open it").click()
    expect(other.locator(".row", has_text="third")).to_be_visible()


def failing_page(browser: Browser) -> Page:
    """A page of a test in which the browser itself reports the failed request."""
    return browser.new_context(viewport={"width": 1440, "height": 900}).new_page()


def test_a_missing_and_a_deleted_review_say_so(browser: Browser, site: ReviewSite) -> None:
    gone = site.publish(FILES)
    site.delete(gone)
    page = failing_page(browser)
    page.goto(f"{site.url}/contexts/{gone}")
    expect(page.get_by_role("heading", name="This review was deleted")).to_be_visible()
    page.goto(f"{site.url}/contexts/nowhere")
    expect(page.get_by_role("heading", name="There is no such review")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.get_by_role("link", name="All reviews").click()
    expect(page.get_by_role("heading", name="No reviews yet")).to_be_visible()
    page.context.close()


def test_deleting_what_is_read_says_so(browser: Browser, site: ReviewSite) -> None:
    context = site.publish(FILES)
    page = failing_page(browser)
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".live")).to_have_text("live")
    site.delete(context)

    expect(page.get_by_role("heading", name="This review was deleted")).to_be_visible()
    page.context.close()


def test_a_failed_view_can_be_tried_again(browser: Browser, site: ReviewSite) -> None:
    context = site.publish(FILES)
    page = failing_page(browser)
    answers: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(status=500, json=answers[-1])
        else:
            route.abort()

    page.route("**/view?*", answer)
    # A page asks again by itself as soon as it hears from the server: let it have done so.
    with page.expect_response("**/events"):
        page.goto(f"{site.url}/contexts/{context}")
    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    expect(page.locator(".detail")).to_have_count(0)  # there is nothing to report

    answers.append({"code": "internal", "title": "Broken", "detail": "It broke."})
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".detail")).to_contain_text(f"GET /api/v2/contexts/{context}/view")
    page.unroute("**/view?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".file").first).to_be_visible()
    page.context.close()


def test_lines_that_could_not_be_loaded_can_be_asked_for_again(
    browser: Browser, site: ReviewSite
) -> None:
    files = [made(f"f{n:02}.txt", "a\n" * 40, "b\n" * 40) for n in range(40)]
    context = site.publish(files)
    page = failing_page(browser)

    def refuse(route: Route) -> None:
        problem = (
            '{"type":"about:blank","title":"Busy","status":503,"code":"busy","detail":"Not now."}'
        )
        route.fulfill(status=503, content_type="application/problem+json", body=problem)

    page.route("**/patches?*", refuse)
    page.goto(f"{site.url}/contexts/{context}?file={files[30].file.id}")
    expect(page.locator(".live.is-live")).to_be_visible()  # which asks again by itself
    expect(page.get_by_role("alert")).to_contain_text("Not now.")
    page.unroute("**/patches?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".row.add").first).to_be_visible()
    page.context.close()


def test_a_lost_server_is_said_and_reading_goes_on(browser: Browser, assets: Path) -> None:
    site = ReviewSite(assets)
    context = site.publish([made("a.txt", "x\n", "still here\n")])
    page = failing_page(browser)
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".live")).to_have_text("live")
    site.close()

    expect(page.locator(".live")).to_have_text("not connected")
    expect(page.get_by_text("The server does not answer. What is here")).to_be_visible()
    expect(page.locator(".row", has_text="still here")).to_be_visible()
    page.context.close()


def test_hostile_texts_are_inert(page: Page, site: ReviewSite) -> None:
    evil = "<img src=x onerror=\"document.title='owned'\">"
    context = site.publish(
        [
            made(
                f"odd/{evil.replace('/', '')}.html", "x\n", f"{evil}</script><script>1</script>\n"
            ),
            made("odd/\u202egnp.exe", "x\n", "if (admin\u202e \u2066// check\u2069) \x1b[31m\n"),
            made(b"odd/\xff\xfe.txt", "x\n", "y\n"),
        ],
        branch=evil,
        repository=evil,
        provenance={"hostname": evil},
    )
    page.goto(f"{site.url}/contexts/{context}")

    expect(page.locator(".row", has_text="</script>")).to_be_visible()
    expect(page.locator(".row .odd", has_text="U+202E")).to_be_visible()
    expect(page.get_by_role("heading", name="odd/\\xff\\xfe.txt")).to_be_visible()
    assert page.locator("img").count() == 0
    page.goto(f"{site.url}/?show=all")
    expect(page.locator(".entry")).to_be_visible()
    assert page.locator("img").count() == 0
    assert page.title() == "Reviews · diffx"


def test_the_policy_of_the_page_is_strict_and_never_broken(page: Page, site: ReviewSite) -> None:
    context = site.publish(FILES)
    answer = page.goto(f"{site.url}/contexts/{context}")
    assert answer is not None
    policy = answer.headers["content-security-policy"]

    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    expect(page.locator(".text [class^=t]").first).to_be_visible()
    for key in ("m", "w", "T", "n", "x", "?"):
        page.keyboard.press(key)  # the page fixture fails the test on any violation
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    context = site.publish(
        [
            made("a.py", "import os\nx = 1\n" * 20, "import os\nx = 2\n" * 20),
            made("src/b.ts", "let a;\n", "const a = 'text'; // \u202e odd\n"),
            withheld("c.png"),
            withheld("d.c", "conflict", status="U", conflict="UU"),
        ]
    )
    clean = site.publish([], checkout="clean")
    options = {"bypass_csp": True, "viewport": {"width": 1440, "height": 900}}
    context_of_browser = browser.new_context(color_scheme=theme, **options)  # type: ignore[arg-type]
    page = context_of_browser.new_page()
    for path in (
        f"/contexts/{clean}",
        f"/contexts/{context}",
        f"/contexts/{context}?scope=staged",
        "/",
        "/contexts/nowhere",
    ):
        page.goto(site.url + path)
        expect(page.locator("h1, h2").first).to_be_visible()
        if path == f"/contexts/{context}":
            expect(page.locator(".text [class^=t]").first).to_be_visible()
            page.keyboard.press("n")
        assert violations(page) == [], path
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".file").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.route("**/view?*", lambda route: route.abort())
    page.keyboard.press("3")
    expect(page.get_by_text("Unstaged changes cannot be shown now")).to_be_visible()
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert violations(page) == []
    context_of_browser.close()


def violations(page: Page) -> list[str]:
    page.add_script_tag(content=AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def test_reading_a_page_needs_less_than_the_budget_before_its_first_paint(assets: Path) -> None:
    page = (assets / "index.html").read_text("utf-8")
    named = set(re.findall(r'"/assets/([^"]+)"', page))
    assert {name.split("-")[0] for name in named} >= {"main"}, page
    sizes = {path.name[:-3]: path.stat().st_size for path in assets.glob("*.gz")}
    worker = [name for name in sizes if re.match(r"(worker-|highlights)", name)]

    assert sum(sizes[name] for name in named | {"index.html"}) <= 45 * 1024
    assert sum(sizes[name] for name in worker) <= 170 * 1024
    assert sum(sizes.values()) <= 260 * 1024


def test_what_the_first_script_needs_is_named_in_the_page(page: Page, site: ReviewSite) -> None:
    """Else the browser would learn of it only once the script is there: one way more."""
    context = site.publish(FILES)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    answer = page.goto(f"{site.url}/contexts/{context}")
    assert answer is not None
    named = set(re.findall(r"/assets/[^\"]+\.js", answer.text()))
    expect(page.locator(".row").first).to_be_visible()
    started = next(at for at, url in enumerate(asked) if "/view?" in url)
    scripts = {url.removeprefix(site.url) for url in asked[:started] if url.endswith(".js")}

    assert {name for name in scripts if re.search("/(main|chunk)-", name)} == named


def test_watching_a_page_notices_what_breaks_its_policy(
    browser: Browser, site: ReviewSite
) -> None:
    page = failing_page(browser)
    watch = Watch(page)
    page.goto(site.url)
    page.evaluate("document.body.setAttribute('style', 'color: red')")

    expect(page.get_by_role("heading", name="No reviews yet")).to_be_visible()
    assert any("policy" in complaint or "Policy" in complaint for complaint in watch.complaints)
    page.context.close()
