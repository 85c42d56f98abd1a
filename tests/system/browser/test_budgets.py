"""What stays bounded however much there is to read: figures that no busy machine changes."""

from dataclasses import replace
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from diffx.review.model import GitPath
from diffx.review.paths import file_id
from tests.support.reviewsite import Made, ReviewSite, made

pytestmark = pytest.mark.system

MOST_NODES: Final = 6_000
MOST_HEAP_BYTES: Final = 25_000_000

# Scroll in steps; wherever the page stops, something of a file must be in its middle.
SCROLL: Final = """async (steps) => {
  const view = document.querySelector(".diff");
  const box = view.getBoundingClientRect();
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let [blank, nodes] = [0, 0];
  for (let step = 0; step < steps; step++) {
    view.scrollTop += 700;
    await frame();
    const met = document.elementFromPoint(box.left + 300, box.top + box.height / 2);
    if (!met.closest(".row, .file-head, .tail, .waiting, .notice")) blank++;
    nodes = Math.max(nodes, document.getElementsByTagName("*").length);
  }
  return {blank, nodes, scrolled: view.scrollTop};
}"""


def big_review(count: int) -> list[Made]:
    """Many files that share their texts, so that making them is quick."""
    before = "".join(f"value_{n} = compute({n})\n" for n in range(120))
    one = made("x.py", before, before.replace("compute", "calculate"))
    names = [b"pkg%02d/file_%05d.py" % (n * 50 // count, n) for n in range(count)]
    return [
        Made(replace(one.file, path=GitPath(name), id=file_id(GitPath(name))), one.texts)
        for name in names
    ]


@pytest.mark.parametrize("count", [300, 5_000])
def test_scrolling_never_shows_nothing_and_keeps_few_elements_and_little_memory(
    page: Page, site: ReviewSite, count: int
) -> None:
    context = site.publish(big_review(count))
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".row").first).to_be_visible()
    found = page.evaluate(SCROLL, 120)

    assert found["scrolled"] > 50_000
    assert found["blank"] == 0
    assert found["nodes"] <= MOST_NODES
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    assert session.send("Runtime.getHeapUsage")["usedSize"] <= MOST_HEAP_BYTES


def test_both_ends_of_a_review_taller_than_a_browser_can_scroll_are_reached(
    page: Page, site: ReviewSite
) -> None:
    files = big_review(5_000)
    context = site.publish(files)
    page.goto(f"{site.url}/contexts/{context}?file={files[-1].file.id}&line=R120")
    expect(page.locator(".row.cursor")).to_be_in_viewport()
    # Found and measured in one step: a row may be painted anew at any time.
    moved = page.evaluate(
        """async () => {
            const top = () => document.querySelector(".row.cursor").getBoundingClientRect().top;
            const before = top();
            document.querySelector(".diff").scrollTop -= 100;
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return top() - before;
        }"""
    )
    assert round(moved) == 100
    page.locator(".diff").evaluate("element => { element.scrollTop = 0; }")
    expect(page.get_by_role("heading", name="pkg00/file_00000.py")).to_be_in_viewport()
