"""Images: both sides shown in four ways, one side alone, on request where they are too large."""

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from diffx.review.model import Digest, LfsObject
from tests.support.images import GIF, JPEG, WEBP, bomb, png
from tests.support.reviewsite import Made, ReviewSite, made, picture
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

BY = "\N{MULTIPLICATION SIGN}"


def address(site: ReviewSite, *files: Made) -> str:
    return f"{site.url}/contexts/{site.publish(files)}"


def group(page: Page, path: str) -> Locator:
    return page.get_by_role("group", name=f"Image {path}")


def expect_shown(images: Locator, *widths: int) -> None:
    """Wait until the browser has decoded the images, which then have these widths."""
    expect(images).to_have_count(len(widths))
    for at, width in enumerate(widths):
        expect(images.nth(at)).to_have_js_property("naturalWidth", width)


def test_both_sides_are_shown_beside_each_other_with_their_measures(
    page: Page, site: ReviewSite
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address(site, picture("logo.png", png(300, 200), png(320, 240))))
    shown = group(page, "logo.png")

    expect_shown(shown.get_by_role("img"), 300, 320)
    expect(shown.locator(".caption.before")).to_have_text(
        f"Before 300 {BY} 200, {len(png(300, 200))} bytes"
    )
    expect(shown.locator(".caption.after")).to_contain_text(f"After 320 {BY} 240")
    expect(shown.get_by_alt_text("Before: logo.png")).to_be_visible()
    boxes = [shown.get_by_role("img").nth(at).bounding_box() for at in (0, 1)]
    assert all(boxes)
    assert boxes[0]["y"] == boxes[1]["y"]  # type: ignore[index]
    assert all(url.startswith((site.url, "data:")) for url in asked)


def test_one_lies_over_the_other_in_three_ways_and_the_way_is_remembered(
    page: Page, site: ReviewSite
) -> None:
    url = address(site, picture("logo.png", png(300, 200), png(320, 240)))
    page.goto(url)
    shown = group(page, "logo.png")
    shown.get_by_role("radio", name="Swipe").click()
    slider = shown.get_by_role("slider", name="Where after begins")
    expect_shown(shown.get_by_role("img"), 300, 320)
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "0% before, then after")
    box = shown.locator(".over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 3 / 4, box["y"] + 10)
    page.mouse.up()
    expect(slider).to_have_value("75")

    shown.get_by_role("radio", name="Onion skin").click()
    shown.get_by_role("slider", name="How much of after shows").focus()
    page.keyboard.press("End")
    expect(shown.locator(".layer.after")).to_have_css("opacity", "1")
    with page.expect_response(lambda answer: '"difference"' in (answer.request.post_data or "")):
        shown.get_by_role("radio", name="Difference").click()
    expect(shown.locator(".layer.after")).to_have_css("mix-blend-mode", "difference")
    expect(shown.get_by_role("slider")).to_have_count(0)
    page.reload()
    expect(shown.get_by_role("radio", name="Difference")).to_be_checked()


def test_a_key_goes_through_the_ways(page: Page, site: ReviewSite) -> None:
    page.goto(address(site, picture("logo.png", png(300, 200), png(320, 240))))
    expect_shown(group(page, "logo.png").get_by_role("img"), 300, 320)
    for name in ("Swipe", "Onion skin", "Difference", "Side by side"):
        page.keyboard.press("d")
        expect(group(page, "logo.png").get_by_role("radio", name=name)).to_be_checked()
        expect(page.get_by_text(f"Images: {name.lower()}").first).to_be_visible()


def test_every_kind_of_image_is_shown_and_small_ones_larger(page: Page, site: ReviewSite) -> None:
    kinds = {"a.gif": (GIF, 3), "b.jpg": (JPEG, 1), "c.webp": (WEBP, 1), "d.png": (png(16, 9), 16)}
    files = [picture(name, None, data) for name, (data, _) in kinds.items()]
    page.goto(address(site, *files))

    for name, (_, width) in kinds.items():
        expect_shown(group(page, name).get_by_role("img"), width)
        expect(group(page, name).get_by_role("radio")).to_have_count(0)
    expect(group(page, "d.png")).to_contain_text(f"16 {BY} 9")
    expect(group(page, "d.png")).to_contain_text("shown 8 times as large")


def test_a_deleted_image_is_shown_once_its_file_is_opened(page: Page, site: ReviewSite) -> None:
    page.goto(address(site, picture("gone.png", png(40, 30), None), made("a.py", "x\n", "y\n")))
    expect(page.locator(".row").first).to_be_visible()
    expect(group(page, "gone.png")).to_have_count(0)
    page.get_by_role("button", name="Lines of gone.png").click()

    expect_shown(group(page, "gone.png").get_by_role("img"), 40)
    expect(group(page, "gone.png").locator(".caption")).to_contain_text("Before")


def test_an_image_that_would_fill_the_memory_waits_to_be_asked_for(
    page: Page, site: ReviewSite
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address(site, picture("x.png", png(40, 30), bomb(60_000, 60_000))))
    shown = group(page, "x.png")
    expect_shown(shown.get_by_role("img"), 40)
    expect(shown).to_contain_text(f"60,000 {BY} 60,000, 74 bytes")
    expect(shown).to_contain_text("3,600 million pixels")
    assert not [url for url in asked if "side=after" in url]

    shown.get_by_role("button", name="Show it all the same").click()
    expect(shown.get_by_role("button")).to_have_count(0)
    expect(shown.locator(".picture.after")).not_to_contain_text("million pixels")
    assert [url for url in asked if "side=after" in url]


def test_a_damaged_image_and_one_without_its_bytes_say_so(page: Page, site: ReviewSite) -> None:
    lost = picture("lost.png", png(40, 30), png(50, 30))
    side = lost.file.after
    assert side is not None
    assert side.image is not None
    without = replace(side, image=replace(side.image, blob=None, reason="budget"))
    lost = Made(replace(lost.file, after=without), lost.texts)
    page.goto(address(site, lost, picture("torn.png", None, png(40, 30)[:40])))

    expect(group(page, "lost.png")).to_contain_text(
        "Not shown: the observation's size limit was used up by other files."
    )
    expect(group(page, "lost.png").locator(".caption.after")).to_contain_text(f"50 {BY} 30")
    expect(group(page, "torn.png")).to_contain_text("The browser cannot show this image.")


def test_a_git_lfs_pointer_says_what_it_stands_for(page: Page, site: ReviewSite) -> None:
    one = made("big.psd", None, "version https://git-lfs.github.com/spec/v1\n")
    side = one.file.after
    assert side is not None
    pointer = replace(side, lfs=LfsObject(oid=Digest("a" * 64), size=1_234_567))
    page.goto(address(site, Made(replace(one.file, after=pointer), one.texts)))

    expect(page.get_by_text("Git LFS: these lines are its pointer")).to_contain_text("1.2 MB")


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">'
    "<script>document.title = 'owned'; top.document.title = 'owned'</script>"
    '<image href="http://127.0.0.1:1/x.png" width="10" height="10"/>'
    '<circle cx="50" cy="50" r="40" fill="{}" onload="top.document.title = 1"/></svg>\n'
)


def test_an_svg_is_text_with_a_drawing_on_request_in_which_nothing_acts(
    page: Page, site: ReviewSite
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address(site, made("logo.svg", SVG.format("red"), SVG.format("blue"))))
    expect(page.locator(".row.add")).to_contain_text("<svg")
    expect(page.locator("main img")).to_have_count(0)
    page.get_by_role("button", name="Rendered").click()
    shown = page.get_by_role("dialog", name="logo.svg")

    expect_shown(shown.get_by_role("img"), 200, 200)
    shown.get_by_role("radio", name="Difference").click()
    expect(shown.locator(".over")).to_be_visible()
    expect(page).to_have_title("feature/web · shop · diffx")
    assert all(url.startswith((site.url, "data:")) for url in asked)


def test_the_line_that_is_read_stays_while_images_above_it_arrive(
    page: Page, site: ReviewSite
) -> None:
    files = [picture(f"{n}.png", png(300, 60 * n), png(300, 70 * n)) for n in range(1, 5)]
    code = made("x.py", "1\n2\n3\n" + "4\n" * 90, "1\n2\n3!\n" + "4\n" * 90)
    page.goto(f"{address(site, *files, code)}?file={code.file.id}&line=R3")
    row = page.locator(".row.cursor")
    expect(row).to_be_in_viewport()
    expect_shown(group(page, "4.png").get_by_role("img"), 300, 300)

    expect(row).to_be_in_viewport()
    expect(row).to_contain_text("3!")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_images_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str, width: int
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": width, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(
        address(
            site,
            picture("a.png", png(300, 200), png(320, 240)),
            picture("b.png", png(40, 30), bomb(60_000, 60_000)),
        )
    )
    expect_shown(group(page, "a.png").get_by_role("img"), 300, 320)
    assert violations(page) == []

    group(page, "a.png").get_by_role("radio", name="Swipe").click()
    expect(page.get_by_role("slider")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
