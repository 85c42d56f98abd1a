"""The open review's tools for an agent that the browser brings: there while it is open, and only then.

Most tests put a stand-in where such a browser has its own; one takes the browser's own.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from diffx.review.model import ContextId
from tests.support.agents import meta, modern_headers
from tests.support.browser import Watch, launched, wait_until
from tests.support.reviewsite import ReviewSite, made

pytestmark = pytest.mark.system

FILES: Final = [made("src/notes.txt", "one\ntwo\n", "one\n2\n"), made("new.txt", None, "x\n")]
READS: Final = [
    "get_review_comments",
    "get_review_summary",
    "list_changed_files",
    "read_file",
    "read_patch",
]
WRITES: Final = ["add_review_comment", "reply_to_review_comment", "resolve_review_comment"]
# As Chromium has it: a name is there once, a signal takes it back, input is not checked.
STAND_IN: Final = """(() => {
  const tools = new Map();
  globalThis.registrations = [];
  Object.defineProperty(Document.prototype, "modelContext", { value: {
    async registerTool(tool, { signal } = {}) {
      if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
      if (signal?.aborted) return;
      JSON.stringify(tool.inputSchema);
      tools.set(tool.name, tool);
      globalThis.registrations.push(tool.name);
      signal?.addEventListener("abort", () => tools.delete(tool.name));
    },
    getTools: async () => [...tools.values()],
    executeTool: async (tool, input, options) => JSON.stringify(await tool.execute(input, options)),
  } });
})()"""


@pytest.fixture
def context(browser: Browser, site: ReviewSite) -> Iterator[BrowserContext]:
    """A browser's window whose pages lend tools; it is gone before the site is."""
    del site
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(STAND_IN)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    watch = Watch(page)
    yield page
    assert watch.complaints == []


def names(page: Page) -> list[str]:
    return sorted(
        page.evaluate("document.modelContext.getTools().then((all) => all.map((one) => one.name))")
    )


def await_tools(page: Page, count: int) -> None:
    """Wait until so many are there; a bound for what hangs, and no measurement."""
    page.evaluate(
        """async (count) => {
            const until = performance.now() + 60_000;
            while ((await document.modelContext.getTools()).length !== count) {
                if (performance.now() > until) throw new Error(`never ${count} tools`);
                await new Promise((done) => setTimeout(done, 10));
            }
        }""",
        count,
    )


def open_review(page: Page, site: ReviewSite) -> ContextId:
    """Open a review and wait until its tools are there; return its id."""
    context = site.publish(FILES)
    page.goto(f"{site.url}/contexts/{context}")
    await_tools(page, len(READS + WRITES))
    return context


def call(page: Page, tool: str, given: object) -> Any:
    """Call a tool as the browser's agent does; what it gets is text, mostly JSON."""
    return json.loads(
        page.evaluate(
            """async ([name, given]) => {
                const tools = await document.modelContext.getTools();
                const tool = tools.find((one) => one.name === name);
                return document.modelContext.executeTool(tool, given);
            }""",
            [tool, given],
        )
    )


def said(refused: Any) -> str:
    assert refused["isError"] is True
    (content,) = refused["content"]
    assert content["type"] == "text"
    return str(content["text"])


def over_mcp(page: Page, site: ReviewSite, context: str, method: str, **params: Any) -> Any:
    """Ask as an agent with MCP does."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta()}}
    answer = page.request.post(
        f"{site.url}/mcp/contexts/{context}",
        data=body,
        headers=modern_headers(method, params.get("name")),
    )
    return answer.json()["result"]


def test_an_open_review_lends_the_tools_that_mcp_has(page: Page, site: ReviewSite) -> None:
    context = open_review(page, site)
    listed = {tool["name"]: tool for tool in over_mcp(page, site, context, "tools/list")["tools"]}
    lent = page.evaluate(
        "document.modelContext.getTools().then((all) => JSON.parse(JSON.stringify(all)))"
    )

    assert names(page) == sorted(READS + WRITES)
    for tool in lent:
        of_mcp = listed[tool["name"]]
        for what in ("title", "description", "inputSchema", "outputSchema"):
            assert tool.get(what) == of_mcp.get(what)
        assert tool["annotations"] == (
            {"readOnlyHint": True, "untrustedContentHint": True}
            if tool["name"] in READS
            else {"readOnlyHint": False, "consequentialHint": False}
        )


def test_what_is_read_is_what_mcp_says_label_and_all(page: Page, site: ReviewSite) -> None:
    context = open_review(page, site)
    added = call(
        page,
        "add_review_comment",
        {"body": "why?\u202e", "path": "src/notes.txt", "start_line": 2},
    )
    for tool in ("get_review_comments", "get_review_summary", "list_changed_files"):
        of_mcp = over_mcp(page, site, context, "tools/call", name=tool)["structuredContent"]
        assert call(page, tool, {}) == of_mcp

    (comment,) = call(page, "get_review_comments", {"limit": 1})["comments"]
    assert comment["id"] == added["comment_id"]
    assert comment["untrusted"]["body"] == "why?\\u202e"
    assert comment["untrusted"]["author"] == "agent webmcp"
    text = call(page, "read_patch", {"path": "src/notes.txt"})
    assert re.search(r"<<diffx:untrusted (\S+)\n(.|\n)+\+2\n\1>>", text)


def test_what_an_agent_writes_appears_in_the_page(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    added = call(
        page, "add_review_comment", {"body": "Why 2?", "path": "src/notes.txt", "start_line": 2}
    )
    thread = page.locator(".diff .thread", has_text="Why 2?")
    expect(thread).to_be_visible()
    replied = call(
        page, "reply_to_review_comment", {"comment_id": added["comment_id"], "body": "A typo."}
    )
    expect(thread).to_contain_text("A typo.")
    resolved = call(
        page, "resolve_review_comment", {"comment_id": added["comment_id"], "note": "Gone."}
    )
    expect(thread).to_have_attribute("aria-label", re.compile("resolved"))

    assert (replied["status"], resolved["status"]) == ("open", "resolved")


def test_tools_go_with_the_review_and_come_with_the_next(page: Page, site: ReviewSite) -> None:
    first = open_review(page, site)
    tools = page.evaluate_handle("document.modelContext.getTools()")
    page.get_by_role("link", name="diffx").click()
    expect(page).to_have_url(re.compile(r"/(\?|$)"))
    assert names(page) == []
    kept = json.loads(tools.evaluate("(all) => document.modelContext.executeTool(all[0], {})"))
    assert "no longer open" in said(kept)

    page.go_back()
    await_tools(page, len(READS + WRITES))
    second = site.publish(FILES, checkout="checkout-2")
    page.evaluate(
        "(to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }",
        f"/contexts/{second}",
    )
    wait_until(page, "() => registrations.length === 24")
    assert names(page) == sorted(READS + WRITES)
    assert call(page, "get_review_summary", {})["context_id"] == second != first


def test_another_scope_of_the_same_review_keeps_its_tools(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile("scope=staged"))

    assert page.evaluate("registrations.length") == len(READS + WRITES)


@pytest.mark.parametrize(
    ("tool", "given", "reason"),
    [
        ("resolve_review_comment", {"comment_id": "nope"}, "there is no such comment here"),
        ("reply_to_review_comment", {"comment_id": "nope"}, "body is required"),
        ("get_review_comments", {"limit": 51}, "limit must be between 1 and 50"),
        ("get_review_comments", {"context_id": "other"}, "leave context_id out"),
        ("get_review_comments", {"nonsense": 1}, "unknown argument"),
        ("get_review_comments", [], "takes an object"),
        ("get_review_comments", "text", "takes an object"),
    ],
)
def test_what_is_refused_is_told_in_words(
    page: Page, site: ReviewSite, tool: str, given: object, reason: str
) -> None:
    open_review(page, site)

    assert reason in said(call(page, tool, given))


def test_a_review_that_is_deleted_under_its_tools_says_so(
    context: BrowserContext, site: ReviewSite
) -> None:
    page = context.new_page()  # the browser itself reports what the page asks and does not get
    review = open_review(page, site)
    site.delete(review)

    assert "was deleted" in said(call(page, "get_review_comments", {}))


def test_a_server_that_is_gone_is_told_in_words(context: BrowserContext, site: ReviewSite) -> None:
    page = context.new_page()
    open_review(page, site)
    page.route("**/mcp/**", lambda route: route.abort())

    assert "is it still running" in said(call(page, "get_review_comments", {}))


def test_a_call_that_the_browser_gives_up_ends(page: Page, site: ReviewSite) -> None:
    open_review(page, site)
    refused = page.evaluate(
        """async () => {
            const [tool] = await document.modelContext.getTools();
            return JSON.parse(await document.modelContext.executeTool(tool, {}, { signal: AbortSignal.abort() }));
        }"""
    )

    assert "given up" in said(refused)


def test_no_review_no_tools(context: BrowserContext, site: ReviewSite) -> None:
    page = context.new_page()
    page.goto(f"{site.url}/contexts/nowhere")
    expect(page.get_by_role("heading", name="There is no such review")).to_be_visible()
    page.wait_for_load_state("networkidle")

    assert names(page) == []


def test_a_name_that_is_taken_costs_that_tool_only(page: Page, site: ReviewSite) -> None:
    warned: list[str] = []
    page.on("console", lambda message: warned.append(message.text))
    page.add_init_script("document.modelContext.registerTool({ name: 'read_patch' })")
    open_review(page, site)

    assert page.evaluate("registrations.filter((name) => name === 'read_patch').length") == 1
    assert [text for text in warned if "did not take the tool read_patch" in text] == warned


def test_a_server_that_did_not_answer_at_first_lends_its_tools_once_it_does(
    context: BrowserContext, site: ReviewSite
) -> None:
    page = context.new_page()
    page.route("**/mcp/**", lambda route: route.abort())
    # Events that end at once are asked for anew: each time the server is there again.
    page.route(
        "**/api/v2/events",
        lambda route: route.fulfill(content_type="text/event-stream", body="retry: 50\n\n"),
    )
    review = site.publish(FILES)
    with page.expect_request("**/mcp/**"):
        page.goto(f"{site.url}/contexts/{review}")
    with page.expect_request("**/mcp/**"):  # and again, in vain
        expect(page.locator(".row").first).to_be_visible()
    assert names(page) == []
    page.unroute("**/mcp/**")

    await_tools(page, len(READS + WRITES))


def test_a_browser_without_agents_is_sent_nothing_of_it(
    browser: Browser, site: ReviewSite
) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}/contexts/{site.publish(FILES)}")
    expect(page.locator(".row").first).to_be_visible()
    wait_until(page, "() => document.adoptedStyleSheets.length > 0")  # what comes later is here
    context.close()

    assert not [url for url in asked if "webmcp" in url or "/mcp" in url]


@pytest.fixture
def agentic(browser: Browser) -> Iterator[Browser]:
    """A browser in which WebMCP is not yet on by itself, with it switched on."""
    agentic = launched(browser.browser_type, "--enable-features=WebMCP")
    yield agentic
    agentic.close()


def test_a_browser_that_has_it_takes_and_calls_the_tools(
    agentic: Browser, site: ReviewSite
) -> None:
    page = agentic.new_page()
    watch = Watch(page)
    page.goto(site.url)
    if not page.evaluate("'modelContext' in document"):
        pytest.skip("this browser has no document.modelContext, with or without its flag")
    review = open_review(page, site)
    assert names(page) == sorted(READS + WRITES)
    added = call(page, "add_review_comment", {"body": "hm"})
    (comment,) = call(page, "get_review_comments", {})["comments"]
    assert comment["id"] == added["comment_id"]
    assert call(page, "get_review_summary", {})["context_id"] == review
    assert "no such comment" in said(call(page, "resolve_review_comment", {"comment_id": "nope"}))
    page.get_by_role("link", name="diffx").click()
    await_tools(page, 0)
    page.close()
    assert watch.complaints == []
