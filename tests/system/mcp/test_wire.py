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

from tests.support.agents import MODERN, meta
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
def test_no_spelling_of_the_address_is_a_redirect(lasting: Viewer, path: str) -> None:
    response = send(lasting, path, INITIALIZE, Accept=BOTH)

    assert response.status == 200
    assert answer(response)["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", MODERN])
def test_nothing_but_post_is_offered_in_any_version(
    lasting: Viewer, method: str, version: str
) -> None:
    for path in ("/mcp", f"/mcp/contexts/{lasting.context}"):
        with send(
            lasting, path, b"", method, Accept="text/event-stream", MCP_Protocol_Version=version
        ) as response:
            assert (response.status, response.headers["Allow"]) == (405, "POST")
            assert response.headers["Mcp-Session-Id"] is None


@pytest.mark.parametrize(
    "path",
    [
        "/mcp/contexts",
        "/mcp/contexts/",
        "/mcp/contexts/a/b",
        "/mcp/contexts/..%2f..",
        "/mcp/contexts/" + "a" * 300,
        "/mcp//",
        "/MCP",
        "/mcp/.well-known/oauth-authorization-server",
    ],
)
def test_every_other_address_below_is_a_404_in_json(lasting: Viewer, path: str) -> None:
    with send(lasting, path, INITIALIZE) as response:
        assert response.status == 404
        assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({}, 200),
    ],
)
def test_only_what_is_meant_for_this_server_and_not_sent_by_another_page_is_heard(
    lasting: Viewer, headers: dict[str, str], status: int
) -> None:
    with send(lasting, "/mcp", INITIALIZE, **headers) as response:
        assert response.status == status
        assert response.headers["Access-Control-Allow-Origin"] is None


def test_a_page_of_this_server_is_heard(lasting: Viewer) -> None:
    with send(lasting, "/mcp", INITIALIZE, Origin=lasting.origin) as response:
        assert response.status == 200


LISTED = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta()}}


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/list"], None),
        ([f"mcp-protocol-version:  {MODERN} ", "MCP-METHOD:tools/list\t"], None),
        ([f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/list"] * 2, -32020),
        ([f"MCP-Protocol-Version: {MODERN}"], -32020),
        ([f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/call"], -32020),
        (["MCP-Protocol-Version: 2025-06-18", "Mcp-Method: tools/list"], -32020),
        (["MCP-Protocol-Version: 2027-01-01", "Mcp-Method: tools/list"], -32020),
    ],
)
def test_headers_are_held_against_the_body_as_they_come(
    lasting: Viewer, lines: list[str], code: int | None
) -> None:
    status, message = raw(lasting, lines, json.dumps(LISTED).encode())

    assert message["id"] == 7
    assert (status, message.get("error", {}).get("code")) == (200 if code is None else 400, code)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[" + json.dumps(LISTED).encode() + b"]", -32600),
        (b"[]", -32600),
        (b"[" * 500_000, -32700),
        (b'{"a":' * 200_000, -32700),
        (b"\0" * 1_000, -32700),
        (b'"' + b"x" * ((1 << 20) - 2) + b'"', -32600),
    ],
)
def test_what_is_no_single_message_is_refused_on_a_connection_that_goes_on(
    lasting: Viewer, body: bytes, code: int
) -> None:
    connection = HTTPConnection(urlsplit(lasting.origin).netloc, timeout=60)
    for _ in range(2):
        connection.request("POST", "/mcp", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        message = json.loads(response.read())
        assert (response.status, message["id"], message["error"]["code"]) == (400, None, code)
    connection.close()


def raw(viewer: Viewer, lines: list[str], body: bytes) -> tuple[int, Any]:
    """Send a request whose fields are spelled out, doubled ones too."""
    parts = urlsplit(viewer.origin)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as sock:
        fields = [
            f"Host: {parts.netloc}",
            "Content-Type: application/json",
            "Connection: close",
            f"Content-Length: {len(body)}",
            *lines,
        ]
        sock.sendall("\r\n".join(["POST /mcp HTTP/1.1", *fields, "", ""]).encode() + body)
        response = HTTPResponse(sock)
        response.begin()
        return response.status, json.loads(response.read())


def test_an_unknown_session_id_is_ignored(lasting: Viewer) -> None:
    body = {"jsonrpc": "2.0", "id": "abc", "method": "tools/list"}
    response = send(
        lasting, "/mcp", body, Mcp_Session_Id="0000", MCP_Protocol_Version="2025-06-18"
    )

    assert (response.status, answer(response)["id"]) == (200, "abc")


def test_a_notification_has_no_answer_and_the_connection_goes_on(lasting: Viewer) -> None:
    connection = HTTPConnection(urlsplit(lasting.origin).netloc, timeout=60)
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
def test_json_is_json_in_any_letter_case(lasting: Viewer, kind: str) -> None:
    with send(lasting, "/mcp", INITIALIZE, Content_Type=kind) as response:
        assert response.status == 200


def test_a_body_of_another_kind_is_refused(lasting: Viewer) -> None:
    with send(lasting, "/mcp", INITIALIZE, Content_Type="text/plain") as response:
        assert response.status == 415


def test_a_body_over_the_limit_is_refused_before_it_is_read(lasting: Viewer) -> None:
    parts = urlsplit(lasting.origin)
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


def test_a_wait_in_plain_json_ends_with_its_connection(lasting: Viewer) -> None:
    response = send(lasting, "/mcp", wait_call(1), Accept="application/json")

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
