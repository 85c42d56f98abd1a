"""One round of an agent's work, whatever the client; returns what a test looks at."""

from collections.abc import Awaitable, Callable
from typing import Any

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


async def work_off(tools: list[str], call: Call) -> dict[str, Any]:
    """Call every tool once, in the order of a review that is worked off."""

    async def ask(name: str, **arguments: Any) -> Any:
        failed, text, data = await call(name, arguments)
        assert not failed, text
        return text if data is None else data

    contexts = await ask("list_contexts")
    summary = await ask("get_review_summary")
    files = await ask("list_changed_files")
    patch = await ask("read_patch", path="a.txt")
    content = await ask("read_file", path="a.txt")
    first = await ask("get_review_comments")
    (comment,) = first["comments"]
    reply = await ask("reply_to_review_comment", comment_id=comment["id"], body="a typo")
    done = await ask("resolve_review_comment", comment_id=comment["id"], note="gone")
    added = await ask("add_review_comment", body="and here?", path="a.txt", start_line=1)
    waited = await ask("wait_for_review_comments", since=first["next_since"], timeout_seconds=1)
    last = await ask("get_review_comments", status="all")
    failed, text, _ = await call("read_patch", {"path": "none"})
    return {
        "tools": tools,
        "contexts": len(contexts["contexts"]),
        "files": summary["scopes"]["all"]["files"],
        "paths": [file["path"] for file in files["untrusted"]["files"]],
        "patch": "+five" in patch,
        "content": "five" in content,
        "reply": reply["status"],
        "done": done["status"],
        "added": added["comment_id"],
        "waited": waited["comments"],
        "last": [each["id"] for each in last["comments"]],
        "refused": text if failed else None,
    }
