"""The end of a review: a verdict and a summary, by keyboard alone (9.3)."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.support.reviewsite import ReviewSite, made

pytestmark = pytest.mark.system


def test_a_review_is_finished_by_keyboard_and_its_summary_is_never_lost(
    page: Page, site: ReviewSite
) -> None:
    context = site.publish([made("a.py", "x = 1\n", "x = 2\n")])
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("F")
    dialog = page.get_by_role("dialog", name="Finish the review")
    expect(dialog).to_contain_text("0 of 1 file reviewed")
    expect(dialog.get_by_role("radio", name=re.compile("Approve"))).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("Nearly there")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)  # gone, and not merely closed

    page.keyboard.press("F")
    expect(dialog.get_by_role("textbox")).to_have_value("Nearly there")
    dialog.get_by_role("radio", name=re.compile("Request changes")).check()
    dialog.get_by_role("textbox").press("Control+Enter")
    expect(page.get_by_text("Review finished: request changes").first).to_be_visible()
    with urllib.request.urlopen(f"{site.url}/api/v2/contexts/{context}/iterations") as answer:
        verdicts = json.load(answer)["iterations"][0]["verdicts"]
    assert [(one["verdict"], one["summary"]) for one in verdicts] == [
        ("request-changes", "Nearly there")
    ]
