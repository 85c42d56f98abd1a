"""One stateless endpoint for both eras of the protocol: a POST in, an answer out, no socket.

A message goes through the same steps whatever its era: is the answer's form acceptable, is it one
JSON-RPC message, which era is it, may it be asked, and only then the method. The two eras differ
in what a request must carry and in what an answer adds; `modern` and `legacy` hold that.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from diffx.errors import DiffxError, InvalidError
from diffx.mcpapi import legacy, modern, rpc
from diffx.mcpapi.arguments import ToolError
from diffx.mcpapi.messages import EVENTS, JSON, Answer, Asker, Call
from diffx.mcpapi.rpc import Json, Message, RpcError
from diffx.mcpapi.tool import Outcome, Tool, Waiting
from diffx.mcpapi.waiting import Waits

log = logging.getLogger(__name__)

_MAX_AGENT_CHARS: Final = 100
_JSON_RANGES: Final = (JSON, "application/*", "*/*")
# Shorter than the pause between two beats of a stream.
_SILENT_S: Final = 10.0

Result = Json | Waiting
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the server says of itself, and when a model should call what."""

    version: str
    instructions: str

    @property
    def server(self) -> Json:
        return {"name": "diffx", "version": self.version}


class Endpoint:
    """Answer each POST by itself. Whatever comes in, the answer is JSON-RPC or an empty 202."""

    def __init__(self, about: About, tools: Sequence[Tool], waits: Waits) -> None:
        self._about = about
        self._waits = waits
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._listed = [tool.shape() for tool in tools]
        self._introductions = legacy.Introductions()

    def answer(self, call: Call) -> Answer:
        accept = call.headers.get("accept", "*/*")
        if not accepts(accept, _JSON_RANGES):
            return _refused(
                RpcError(
                    rpc.INVALID_REQUEST,
                    f"Not Acceptable: answers are {JSON}; send Accept: {JSON}, {EVENTS}",
                    status=406,
                )
            )
        try:
            message = rpc.decode(call.body)
        except RpcError as error:
            return _refused(error)
        version = call.headers.get("mcp-protocol-version")
        stated = None if version is None else version.strip(" \t")
        is_modern = modern.is_modern(stated, message, legacy.KNOWN)
        if message.id is None:
            return _without_answer(message, stated if is_modern else None)
        if is_modern:
            return self._modern(call, message, message.id)
        return self._legacy(call, message, message.id)

    def _modern(self, call: Call, message: Message, number: rpc.RequestId) -> Answer:
        try:
            agent = modern.check(call.headers, message)
            result = self._modern_result(call, message, agent)
        except RpcError as error:
            return _json(rpc.error_bytes(number, error), error.status)
        listed = message.method in ("server/discover", "tools/list")
        return self._finished(
            call,
            number,
            result,
            lambda done: modern.finished(done, listed=listed, server=self._about.server),
        )

    def _modern_result(self, call: Call, message: Message, agent: str | None) -> Result:
        if message.method == "server/discover":
            return {
                "supportedVersions": list(modern.SUPPORTED),
                "capabilities": {"tools": {}},
                "instructions": self._about.instructions,
            }
        return self._shared_result(call, message, agent)

    def _legacy(self, call: Call, message: Message, number: rpc.RequestId) -> Answer:
        try:
            result = self._legacy_result(call, message)
        except RpcError as error:
            # In this era an error of a method is an answer like any other; only a fault of the
            # transport has a status.
            return _json(rpc.error_bytes(number, error))
        return self._finished(call, number, result, lambda done: done)

    def _finished(
        self,
        call: Call,
        number: rpc.RequestId,
        result: Result,
        finish: Callable[[Json], Json],
    ) -> Answer:
        """Answer with a result, now or when there is one."""
        if not isinstance(result, Waiting):
            return _json(rpc.result_bytes(number, finish(result)))
        waiting = result
        as_events = accepts(call.headers.get("accept", ""), (EVENTS, "text/*", "*/*"))

        def settle(is_due: bool) -> bytes | None:
            try:
                outcome = _attempt(lambda: waiting.give_up() if is_due else waiting.look())
            except RpcError as error:
                body = rpc.error_bytes(number, error)
            else:
                if outcome is None:
                    return None
                body = rpc.result_bytes(number, finish(outcome.shape()))
            return b"event: message\ndata: %b\n\n" % body if as_events else body

        # Nothing may stand before JSON, not even the beat that keeps a longer stream alive.
        seconds = waiting.seconds if as_events else min(waiting.seconds, _SILENT_S)
        return Answer(
            body=b": waiting\n\n" if as_events else b"",
            media_type=EVENTS if as_events else JSON,
            stream=self._waits.stream(call.owner, settle, seconds),
        )

    def _legacy_result(self, call: Call, message: Message) -> Result:
        if message.method == "ping":
            return {}
        if message.method == "initialize":
            version = legacy.agreed_version(message)
            name = legacy.client_name(message)
            if name is not None:
                self._introductions.remember(call, name)
            return legacy.initialized(version, self._about.server, self._about.instructions)
        return self._shared_result(call, message, self._introductions.recall(call))

    def _shared_result(self, call: Call, message: Message, agent: str | None) -> Result:
        """Answer the methods that both eras have; before and after differ, these do not."""
        methods: Mapping[str, Callable[[], Result]] = {
            "tools/list": lambda: self._list(message),
            "tools/call": lambda: self._call(call, message, agent),
        }
        method = methods.get(message.method)
        if method is None:
            raise RpcError(
                rpc.METHOD_NOT_FOUND, f"Method not found: {rpc.shown(message.method)}", status=404
            )
        return method()

    def _list(self, message: Message) -> Json:
        if message.params is not None and message.params.get("cursor") is not None:
            raise RpcError(rpc.INVALID_PARAMS, "no cursor was given out: the list is one page")
        return {"tools": self._listed}

    def _call(self, call: Call, message: Message, agent: str | None) -> Result:
        params = message.params or {}
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or name not in self._tools:
            unknown = rpc.shown(name) if isinstance(name, str) else "params.name is no string"
            raise RpcError(rpc.INVALID_PARAMS, f"Unknown tool: {unknown}")
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise RpcError(rpc.INVALID_PARAMS, "params.arguments is not an object")
        asker = Asker(
            owner=call.owner,
            context=call.context,
            agent=None if agent is None else agent[:_MAX_AGENT_CHARS],
        )
        tool = self._tools[name]
        found = _attempt(lambda: tool.run(asker, tool.takes.read(given)))
        return found if isinstance(found, Waiting) else found.shape()


def _attempt(run: Callable[[], Found]) -> Found | Outcome:
    """Run a tool. What it refuses is text for the model, which can try again."""
    try:
        return run()
    except DiffxError as error:
        return Outcome(text=_worded(error), failed=True)
    except Exception:
        log.exception("tool failed")
        raise RpcError(
            rpc.INTERNAL_ERROR, "diffx failed to answer; its log says why", status=200
        ) from None


def _worded(error: DiffxError) -> str:
    """Say which argument is meant, where the rule that refused it does not."""
    field = error.field if isinstance(error, InvalidError) else None
    named = field is None or isinstance(error, ToolError)
    return str(error) if named else f"{field}: {error}"


def accepts(field: str, ranges: Collection[str]) -> bool:
    """Say whether an Accept field has one of these (RFC 9110 12.5.1); any weight but zero will do."""
    for item in field.lower().split(","):
        media_range, _, parameters = item.partition(";")
        refused = parameters.replace(" ", "") in ("q=0", "q=0.0", "q=0.00", "q=0.000")
        if media_range.strip() in ranges and not refused:
            return True
    return False


def _without_answer(message: Message, stated: str | None) -> Answer:
    """Take a notification or a posted response. Nothing here waits for either.

    `stated` is the version that a modern client names in its header.
    """
    try:
        if message.kind == "response" and stated is not None:
            raise RpcError(rpc.INVALID_REQUEST, "Invalid Request: nothing was asked of a client")
        if stated is not None:
            modern.check_version(stated)
    except RpcError as error:
        return _refused(error)
    return Answer(status=202)


def _refused(error: RpcError) -> Answer:
    return _json(rpc.error_bytes(None, error), error.status)


def _json(body: bytes, status: int = 200) -> Answer:
    return Answer(status=status, body=body, media_type=JSON)
