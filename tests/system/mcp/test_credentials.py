"""A server that asks for credentials: a plain 401, and nothing that sets off a search for OAuth (12.3)."""

import hmac
import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from diffx.clock import random_id, system_clock
from diffx.httpapi.listener import Listener
from diffx.httpapi.messages import Request, Response, problem
from diffx.httpapi.meta import Identity
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Services, Settings, build
from diffx.review.model import OwnerId
from diffx.server.agents import agent_routes, started_waits
from diffx.server.application import compose
from diffx.store.database import open_store
from tests.support.agents import meta, modern_headers
from tests.support.observations import change, submission
from tests.support.stores import ME
from tests.support.viewer import COMMAND, environment

pytestmark = pytest.mark.system

TOKEN = "t0ken"
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c"}}


def authenticate(request: Request) -> OwnerId | Response:
    given = request.headers.get("authorization", "").encode("latin-1")
    if hmac.compare_digest(given, f"Bearer {TOKEN}".encode()):
        return ME
    asked = (("WWW-Authenticate", 'Bearer realm="diffx"'),)
    return problem(401, "unauthorized", "this server asks for a token", headers=asked)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HTTPConnection]:
    """A connection to a server with one review, which everybody must name themselves for."""
    with ExitStack() as stack:
        store = stack.enter_context(open_store(None))
        application = compose(store, system_clock)
        stack.callback(application.elsewhere.close)
        waits = started_waits(stack, application)
        listener = Listener.bind("127.0.0.1", (0,))
        stack.callback(listener.stop, 0.2)
        application.publisher.publish(ME, submission("s1", [change("a.py")]))
        services = Services(
            catalog=application.catalog,
            changes=application.changes,
            reviews=application.reviews,
            iterations=application.iterations,
        )
        settings = Settings(
            identity=Identity(state_id=application.state_id, version="0"),
            hosts=Hosts.of(listener.addresses),
            authenticate=authenticate,
            assets=tmp_path,
            more=agent_routes(
                application, waits, shown=lambda _: None, origin=None, new_id=random_id
            ),
        )
        listener.start(build(services, settings))
        connection = HTTPConnection(*listener.addresses[0], timeout=60)
        stack.callback(connection.close)
        yield connection


def ask(
    server: HTTPConnection, method: str, path: str, body: object = None, **headers: str
) -> tuple[int, dict[str, str], Any]:
    """Ask on the one connection that all requests of a test share."""
    raw = None if body is None else json.dumps(body)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    server.request(method, path, raw, {"Content-Type": "application/json", **given})
    with server.getresponse() as answer:
        fields = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, fields, json.loads(answer.read())


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/contexts/any", "/mcp/contexts/any/"])
@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "Bearer", "Basic bWU6dDBrZW4="])
def test_without_the_token_the_answer_is_a_plain_401_in_both_eras(
    server: HTTPConnection, path: str, authorization: str | None
) -> None:
    given = {} if authorization is None else {"Authorization": authorization}
    for body, headers in (
        (request("initialize", **INITIALIZE), {}),
        (request("server/discover", _meta=meta()), modern_headers("server/discover")),
    ):
        status, fields, said = ask(server, "POST", path, body, **headers, **given)

        assert (status, said["code"]) == (401, "unauthorized")
        assert fields["www-authenticate"] == 'Bearer realm="diffx"'
        assert not {"mcp-session-id", "access-control-allow-origin", "location"} & set(fields)


def test_a_client_that_tries_a_stream_first_is_told_of_the_token(server: HTTPConnection) -> None:
    """OpenCode does, and shows the person the status it got."""
    stream = {"Accept": "text/event-stream"}
    refused, fields, _ = ask(server, "GET", "/mcp", **stream)
    taken, *_ = ask(server, "GET", "/mcp", **stream, Authorization=f"Bearer {TOKEN}")

    assert (refused, taken) == (401, 405)
    assert fields["www-authenticate"] == 'Bearer realm="diffx"'


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/oauth-authorization-server/mcp"),
        ("GET", "/.well-known/openid-configuration"),
        ("GET", "/mcp/.well-known/openid-configuration"),
        ("POST", "/register"),
    ],
)
@pytest.mark.parametrize("token", [None, TOKEN])
def test_whoever_looks_for_oauth_finds_a_404_in_json(
    server: HTTPConnection, method: str, path: str, token: str | None
) -> None:
    given = {} if token is None else {"Authorization": f"Bearer {token}"}
    status, fields, said = ask(server, method, path, {} if method == "POST" else None, **given)

    assert (status, said["code"]) == (404, "not_found")
    assert fields["content-type"] == "application/problem+json"
    assert "www-authenticate" not in fields


def test_with_the_token_tools_are_listed_and_called(server: HTTPConnection) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    refused, *_ = ask(server, "POST", "/mcp", request("tools/list"))
    listed, _, tools = ask(server, "POST", "/mcp", request("tools/list"), **bearer)
    call = request("tools/call", name="list_contexts")
    _, _, called = ask(server, "POST", "/mcp", call, **bearer)

    assert (refused, listed) == (401, 200)
    assert len(tools["result"]["tools"]) == 10
    assert len(called["result"]["structuredContent"]["contexts"]) == 1


@pytest.mark.parametrize(
    ("token", "code", "said"), [(TOKEN, 0, '"open_comments":0'), ("x", 1, "set the token with")]
)
def test_the_verbs_of_the_command_line_send_the_configured_token(
    server: HTTPConnection, token: str, code: int, said: str
) -> None:
    configured = {
        "DIFFX_SERVER_URL": f"http://{server.host}:{server.port}",
        "DIFFX_TOKEN": token,
    }
    done = subprocess.run(
        [*COMMAND, "contexts"],
        capture_output=True,
        text=True,
        env={**environment(), **configured},
        timeout=300,
        check=False,
    )

    assert done.returncode == code
    assert said in done.stdout + done.stderr
