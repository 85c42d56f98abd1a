"""Waiting for the next comment: in time, for one's own reviews only, and never for ever."""

import json
import queue
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from diffx.httpapi.shared import Limits
from diffx.mcpapi.messages import Call
from diffx.mcpapi.waiting import Waits
from diffx.review.model import ContextId, OwnerId
from diffx.services.changes import Change, Changes
from tests.support.agents import Agents
from tests.support.stores import ME, OTHER

PATIENCE_S = 60.0  # a bound for what hangs; nothing here takes a time of its own


class Client:
    """Collect what is pushed to one waiting client."""

    def __init__(self) -> None:
        self.pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def push(self, piece: bytes) -> None:
        self.pieces.put(piece)

    def whole(self) -> bytes:
        parts = []
        while piece := self.pieces.get(timeout=PATIENCE_S):
            parts.append(piece)
        return b"".join(parts)


def wait_body(seconds: int) -> Mapping[str, Any]:
    arguments = {"timeout_seconds": seconds}
    params = {"name": "wait_for_review_comments", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def comments(message: bytes) -> Any:
    return json.loads(message)["result"]["structuredContent"]["comments"]


def test_the_next_comment_ends_the_wait(agents: Agents, context: ContextId) -> None:
    agents.comment(context, "a.py", "before", 1)
    client = Client()
    answer = agents.post(wait_body(50), {"accept": "application/json, text/event-stream"})
    assert answer.stream is not None
    assert (answer.media_type, answer.body) == ("text/event-stream", b": waiting\n\n")
    answer.stream(client.push)

    said = agents.comment(context, "a.py", "now", 2)

    event = client.whole()
    assert event.startswith(b"event: message\ndata: ")
    assert event.endswith(b"\n\n")
    (heard,) = comments(event.split(b"data: ", 1)[1])
    assert heard["id"] == said


def test_what_was_said_between_the_question_and_the_wait_is_heard(
    agents: Agents, context: ContextId
) -> None:
    answer = agents.post(wait_body(50))
    said = agents.comment(context, "a.py", "now", 2)
    client = Client()
    assert answer.stream is not None
    answer.stream(client.push)

    assert [each["id"] for each in comments(client.whole())] == [said]


def test_a_wait_ends_without_news_too(agents: Agents) -> None:
    client = Client()
    answer = agents.post(wait_body(1))
    assert answer.stream is not None
    answer.stream(client.push)

    assert comments(client.whole()) == []


def test_a_client_that_takes_json_only_is_answered_in_json_before_any_beat(
    agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beat would stand before the JSON; the listener sends one every 15 seconds."""
    asked: list[float] = []

    def stream(_: Waits, owner: OwnerId, settle: object, timeout_s: float) -> None:
        asked.append(timeout_s)

    monkeypatch.setattr(Waits, "stream", stream)
    answer = agents.endpoint.answer(
        Call(
            owner=ME,
            body=json.dumps(wait_body(50)).encode(),
            headers={"accept": "application/json"},
        )
    )

    assert (answer.media_type, answer.body) == ("application/json", b"")
    assert asked == [10.0]
    assert Limits().heartbeat_s > asked[0]


def test_a_review_that_is_deleted_meanwhile_ends_the_wait_in_words(
    agents: Agents, context: ContextId
) -> None:
    client = Client()
    answer = agents.post(wait_body(50))
    assert answer.stream is not None
    answer.stream(client.push)

    agents.application.catalog.delete(ME, context)

    assert json.loads(client.whole())["result"]["isError"] is True


@pytest.fixture
def changes() -> Changes:
    return Changes()


def test_only_changes_of_the_owner_are_looked_at(changes: Changes) -> None:
    looked: queue.SimpleQueue[OwnerId] = queue.SimpleQueue()
    waits = Waits(changes)
    waits.start()
    try:
        for owner in (ME, OTHER):

            def settle(is_due: bool, owner: OwnerId = owner) -> bytes | None:
                looked.put(owner)
                return None

            waits.stream(owner, settle, 60)(Client().push)
        first = {looked.get(timeout=PATIENCE_S), looked.get(timeout=PATIENCE_S)}
        changes.announce(Change(kind="review", owner=OTHER))
        second = looked.get(timeout=PATIENCE_S)
    finally:
        waits.stop()

    assert first == {ME, OTHER}
    assert second == OTHER
    assert looked.empty()


def test_whoever_left_is_not_answered(changes: Changes) -> None:
    looked: queue.SimpleQueue[bool] = queue.SimpleQueue()
    waits = Waits(changes)
    waits.start()
    left, stayed = Client(), Client()
    heard = threading.Event()

    def settle(is_due: bool) -> bytes | None:
        looked.put(is_due)
        return b"answer" if heard.is_set() else None

    try:
        leave = waits.stream(ME, settle, 3_600)(left.push)
        looked.get(timeout=PATIENCE_S)
        waits.stream(ME, settle, 3_600)(stayed.push)
        looked.get(timeout=PATIENCE_S)
        leave()
        heard.set()
        changes.announce(Change(kind="review", owner=ME))
        assert stayed.whole() == b"answer"
    finally:
        waits.stop()

    assert left.pieces.empty()


def test_stopping_ends_the_thread_while_somebody_waits(changes: Changes) -> None:
    waits = Waits(changes)
    waits.start()
    waits.stream(ME, lambda is_due: None, 3_600)(Client().push)

    waits.stop()  # the fixture of every test fails if a thread is left

    changes.announce(Change(kind="review", owner=ME))
