"""The agents' endpoint under test: a store with one review, and a client that speaks both eras."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from diffx.mcpapi.contexts import Contexts
from diffx.mcpapi.messages import Answer, Call
from diffx.mcpapi.protocol import About, Endpoint
from diffx.mcpapi.texts import MAX_BYTES
from diffx.mcpapi.tools import INSTRUCTIONS, tool_table
from diffx.mcpapi.waiting import Waits
from diffx.review.comments import Author, Lines
from diffx.review.model import ContextId, OwnerId, Submission
from diffx.review.paths import file_id
from diffx.server.application import Application, compose
from diffx.store.database import open_store
from tests.support.stores import ME, NOW, counted_ids

MODERN: Final = "2026-07-28"
META: Final = "io.modelcontextprotocol/"
ORIGIN: Final = "http://127.0.0.1:7981"


def meta(name: str | None = "claude-code", version: str = MODERN) -> dict[str, Any]:
    info = {} if name is None else {META + "clientInfo": {"name": name, "version": "1"}}
    return {META + "protocolVersion": version, META + "clientCapabilities": {}, **info}


def modern_headers(method: str, name: str | None = None) -> dict[str, str]:
    named = {} if name is None else {"mcp-name": name}
    return {"mcp-protocol-version": MODERN, "mcp-method": method, **named}


class Agents:
    """Ask an endpoint as a client would; every answer is held against what all answers are."""

    def __init__(self, endpoint: Endpoint, application: Application) -> None:
        self.endpoint = endpoint
        self.application = application
        self.shown: ContextId | None = None

    def post(
        self,
        body: object,
        headers: Mapping[str, str] | None = None,
        *,
        owner: OwnerId = ME,
        context: ContextId | None = None,
    ) -> Answer:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.endpoint.answer(
            Call(owner=owner, body=raw, headers=headers or {}, context=context)
        )
        check(answer)
        return answer

    def modern(self, method: str, *, agent: str | None = "claude-code", **params: Any) -> Any:
        """Send a request of the modern era; return the whole message that comes back."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**params, "_meta": meta(agent)},
        }
        return json.loads(self.post(body, modern_headers(method, params.get("name"))).body)

    def legacy(self, method: str, headers: Mapping[str, str] | None = None, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return json.loads(self.post(body, headers).body)

    def tool(self, name: str, *, agent: str = "claude-code", **arguments: Any) -> Any:
        """Call a tool; return its data, or its text where it has no other form."""
        result = self.modern("tools/call", agent=agent, name=name, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        assert "isError" not in result, text
        assert len(text.encode()) <= MAX_BYTES
        if "structuredContent" not in result:
            return text
        assert json.loads(text) == result["structuredContent"]
        return result["structuredContent"]

    def refused(self, name: str, **arguments: Any) -> str:
        """Call a tool that refuses; return what it tells the model."""
        result = self.modern("tools/call", name=name, arguments=arguments)["result"]
        assert result["isError"] is True, result
        return str(result["content"][0]["text"])

    def comment(self, context: ContextId, path: str | None, body: str, line: int = 1) -> str:
        """Write a comment as the person at the browser does."""
        from diffx.services.reviews import NewComment

        written = self.application.reviews.comment(
            ME,
            context,
            NewComment(
                scope="all",
                file=None if path is None else file_id(path.encode()),  # type: ignore[arg-type]
                lines=None if path is None else Lines(side="new", start=line, end=line),
                body=body,
            ),
            Author(),
        )
        return written.id


def check(answer: Answer) -> None:
    """Whatever came in, the answer is JSON-RPC or an empty 202, or one that comes later."""
    if answer.stream is not None:
        return
    if answer.status == 202:
        assert answer.body == b""
        return
    message = json.loads(answer.body)
    assert answer.media_type == "application/json"
    assert message["jsonrpc"] == "2.0"
    assert ("result" in message) != ("error" in message)
    assert set(message) <= {"jsonrpc", "id", "result", "error"}
    if "error" in message:
        assert isinstance(message["error"]["code"], int)
        assert isinstance(message["error"]["message"], str)


@contextmanager
def serving_agents(*submissions: Submission) -> Iterator[Agents]:
    """Serve these reviews from memory; the last of them is the one being shown."""
    with open_store(None, new_id=counted_ids()) as store:
        application = compose(store, lambda: NOW, counted_ids("thing"))
        waits = Waits(application.changes)
        waits.start()
        try:
            served: list[Agents] = []
            shown: Callable[[OwnerId], ContextId | None] = lambda owner: (  # noqa: E731 - needs `served`
                served[0].shown if owner == ME else None
            )
            contexts = Contexts(
                catalog=application.catalog,
                reviews=application.reviews,
                shown=shown,
                origin=ORIGIN,
            )
            tools = tool_table(
                application.catalog, application.reviews, contexts, counted_ids("fence")
            )
            about = About(version="0", instructions=INSTRUCTIONS)
            agents = Agents(Endpoint(about, tools, waits), application)
            served.append(agents)
            for each in submissions:
                agents.shown = application.publisher.publish(ME, each).context
            yield agents
        finally:
            waits.stop()
            application.elsewhere.close()
