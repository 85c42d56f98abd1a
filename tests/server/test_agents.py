"""The endpoint for agents in the one route table."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from diffx.clock import random_id
from diffx.httpapi.messages import Request
from diffx.review.model import ContextId
from diffx.server.agents import agent_routes, started_waits
from diffx.server.application import compose
from diffx.store.database import Store, open_store
from tests.support.http import CONTRACT, NOW, Api, dispatcher, publish

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def context(store: Store) -> ContextId:
    return publish(store)


@pytest.fixture
def api(store: Store, context: ContextId) -> Iterator[Api]:
    application = compose(store, lambda: NOW)
    with ExitStack() as stack:
        routes = agent_routes(
            application,
            started_waits(stack, application),
            shown=lambda _owner: context,
            origin="http://127.0.0.1:7981",
            new_id=random_id,
        )
        yield Api(dispatcher(store, more=routes))


def call(api: Api, path: str, method: str, **params: object) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    response = api.ask("POST", path, HEADERS, body.encode())
    assert response.status == 200, response.body
    return json.loads(response.body)


def test_every_operation_for_agents_in_the_contract_has_a_route(api: Api) -> None:
    served = {
        (route.method, route.template)
        for route in api.dispatcher.routes
        if route.template.startswith("/mcp")
    }

    assert served == {each for each in CONTRACT.operations() if each[1].startswith("/mcp")}


@pytest.mark.parametrize("slash", ["", "/"])
def test_an_address_is_the_same_with_and_without_a_slash_at_its_end(
    api: Api, context: ContextId, slash: str
) -> None:
    for path in (f"/mcp{slash}", f"/mcp/contexts/{context}{slash}"):
        answer = call(api, path, "tools/call", name="get_review_summary")

        assert answer["result"]["structuredContent"]["context_id"] == context


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "OPTIONS"])
def test_other_methods_are_told_that_only_post_is_taken(api: Api, method: str) -> None:
    response = api.dispatcher.dispatch(
        Request(method=method, path="/mcp", headers={"host": "127.0.0.1:7981", **HEADERS})
    )

    assert response.status == 405
    assert ("Allow", "POST") in response.headers


def test_a_page_of_another_origin_reaches_no_tool(api: Api) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

    for origin in ("https://evil.example", "null"):
        response = api.ask("POST", "/mcp", {**HEADERS, "origin": origin}, body)

        assert response.status == 403


def test_our_own_origin_may_ask(api: Api) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

    response = api.ask("POST", "/mcp", {**HEADERS, "origin": "http://127.0.0.1:7981"}, body)

    assert response.status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/mcp/.well-known/openid-configuration",
        "/register",
    ],
)
def test_a_client_that_looks_for_a_sign_in_is_told_in_json_that_there_is_none(
    api: Api, path: str
) -> None:
    response = api.get(path)

    assert (response.status, response.media_type) == (404, "application/problem+json")
