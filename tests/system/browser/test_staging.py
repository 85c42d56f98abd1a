"""Where git has a change shows in the tree and in the file's head: by shape, and in words."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import ReviewSite, made
from tests.system.browser.test_pages import violations

pytestmark = pytest.mark.system

PLACES = {
    "index.py": ("M", None, "staged"),
    "partly.py": ("A", "M", "partly staged"),
    "edited.py": (None, "M", "unstaged"),
    "new.py": ("?", "?", "untracked"),
}
FILES = [
    made(name, "x\n", "y\n", index_status=index, worktree_status=worktree)
    for name, (index, worktree, _) in PLACES.items()
]
COMMITTED = made("committed.py", "x\n", "y\n", index_status=None, worktree_status=None)


def test_each_place_has_a_shape_and_words_of_its_own(page: Page, site: ReviewSite) -> None:
    page.goto(f"{site.url}/contexts/{site.publish([*FILES, COMMITTED])}")
    looks = set()
    for name, (_, _, words) in PLACES.items():
        row = page.get_by_role("treeitem", name=re.compile(name))
        dot = row.get_by_role("img", name=words, exact=True)
        expect(dot).to_be_visible()
        expect(row).to_have_attribute("title", re.compile(f"\n{words}$"))
        expect(row).to_have_accessible_name(re.compile(words))
        style = "e => { const s = getComputedStyle(e);"
        style += " return [s.backgroundColor, s.backgroundImage, s.borderStyle].join() }"
        looks.add(dot.evaluate(style))
        expect(page.get_by_role("region", name=name).locator(".tag.faint")).to_have_text(words)
    assert len(looks) == len(PLACES)

    committed = page.get_by_role("treeitem", name=re.compile("committed.py"))
    expect(committed).to_be_visible()
    expect(committed.locator(".dot")).to_have_count(0)
    expect(page.get_by_role("region", name="committed.py").locator(".tag")).to_have_text([""])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_places_have_no_accessibility_violation(
    browser: Browser, site: ReviewSite, theme: str
) -> None:
    options = {"bypass_csp": True, "viewport": {"width": 1400, "height": 900}}
    page = browser.new_context(color_scheme=theme, **options).new_page()  # type: ignore[arg-type]
    page.goto(f"{site.url}/contexts/{site.publish(FILES)}")
    expect(page.locator(".dot")).to_have_count(len(PLACES))

    assert violations(page) == []
    page.context.close()
