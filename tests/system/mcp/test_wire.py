"""What clients stumble over on the wire, byte by byte, against a live review."""

import json
import signal
import socket
import threading
import time
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.viewer import Viewer
from tests.system.mcp.conftest import comment

pytestmark = pytest.mark.system

BOTH = "application/json, text/event-stream"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c"}},
}


def wait_call(seconds: int, number: int = 1) -> dict[str, Any]:
    arguments = {"timeout_seconds": seconds}
    params = {"name": "wait_for_review_comments", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def send(
    viewer: Viewer, path: str, body: object, method: str = "POST", **headers: str
) -> HTTPResponse:
    connection = HTTPConnection(urlsplit(viewer.origin).netloc, timeout=60)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    usual = {"Content-Type": "application/json", "Connection": "close"}
    connection.request(method, path, raw, {**usual, **given})
    return connection.getresponse()


def answer(response: HTTPResponse) -> Any:
    with response:
        return json.loads(response.read())


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp?x=1"])
def test_no_spelling_of_the_address_is_a_redirect(viewer: Viewer, path: str) -> None:
    response = send(viewer, path, INITIALIZE, Accept=BOTH)

    assert response.status == 200
    assert answer(response)["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_stream_or_a_session_is_not_offered(viewer: Viewer, method: str) -> None:
    with send(viewer, "/mcp", b"", method, Accept="text/event-stream") as response:
        assert (response.status, response.headers["Allow"]) == (405, "POST")
        assert response.headers["Mcp-Session-Id"] is None


def test_an_unknown_session_id_is_ignored(viewer: Viewer) -> None:
    body = {"jsonrpc": "2.0", "id": "abc", "method": "tools/list"}
    response = send(viewer, "/mcp", body, Mcp_Session_Id="0000", MCP_Protocol_Version="2025-06-18")

    assert (response.status, answer(response)["id"]) == (200, "abc")


def test_a_notification_has_no_answer_and_the_connection_goes_on(viewer: Viewer) -> None:
    connection = HTTPConnection(urlsplit(viewer.origin).netloc, timeout=60)
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    connection.request("POST", "/mcp", body, headers)
    first = connection.getresponse()
    assert (first.status, first.read()) == (202, b"")

    connection.request("POST", "/mcp", '{"jsonrpc":"2.0","id":2,"method":"ping"}', headers)

    second = connection.getresponse()
    assert json.loads(second.read())["result"] == {}
    connection.close()


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_is_json_in_any_letter_case(viewer: Viewer, kind: str) -> None:
    with send(viewer, "/mcp", INITIALIZE, Content_Type=kind) as response:
        assert response.status == 200


def test_a_body_of_another_kind_is_refused(viewer: Viewer) -> None:
    with send(viewer, "/mcp", INITIALIZE, Content_Type="text/plain") as response:
        assert response.status == 415


def test_a_body_over_the_limit_is_refused_before_it_is_read(viewer: Viewer) -> None:
    parts = urlsplit(viewer.origin)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as sock:
        sock.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {2 << 20}\r\n\r\n".encode()
        )
        assert sock.recv(64).startswith(b"HTTP/1.1 413")


def test_many_agents_wait_while_the_review_is_read(viewer: Viewer) -> None:
    """More of them than there are threads; each hears the one comment that follows."""
    waiting = [send(viewer, "/mcp", wait_call(50, n), Accept=BOTH) for n in range(40)]
    assert [each.status for each in waiting] == [200] * 40
    assert viewer.manifest()["files"]

    said = comment(viewer, "now", 7)

    for number, each in enumerate(waiting):
        with each:
            body = each.read().decode()
        event = json.loads(body.partition("data: ")[2])
        assert event["id"] == number
        heard = event["result"]["structuredContent"]["comments"]
        assert [thread["id"] for thread in heard] == [said]


def test_a_wait_in_plain_json_ends_with_its_connection(viewer: Viewer) -> None:
    response = send(viewer, "/mcp", wait_call(1), Accept="application/json")

    assert response.headers["Content-Type"] == "application/json"
    assert answer(response)["result"]["structuredContent"]["comments"] == []


def test_a_server_with_waiting_agents_stops_at_once(viewer: Viewer) -> None:
    waiting = send(viewer, "/mcp", wait_call(50), Accept=BOTH)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(waiting.read()))
    reader.start()
    begun = time.monotonic()

    code, _ = viewer.end(signal.SIGTERM)
    reader.join(30)

    assert code == 0
    assert not reader.is_alive()
    assert time.monotonic() - begun < 30, "a bound for a hung test, not a measurement"
