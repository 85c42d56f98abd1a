"""What holds for every route of a composition, whatever is added to it (10.2, 12.3)."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

import pytest

from diffx.clock import random_id
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.origin import SAFE_METHODS, Hosts
from diffx.httpapi.routes import Dispatcher, Route
from diffx.review.model import ContextId
from diffx.server.agents import agent_routes, started_waits
from diffx.server.application import compose
from diffx.store.database import Store, open_store
from tests.support.http import (
    HOST,
    NOW,
    OTHER_OWNER,
    OWNER,
    PORT,
    dispatcher,
    plain_body,
    publish,
    submission,
)

JSON: Final = {"host": HOST, "content-type": "application/json"}


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def context(store: Store) -> ContextId:
    return publish(store)


@pytest.fixture
def table(store: Store, context: ContextId) -> Iterator[tuple[Route, ...]]:
    application = compose(store, lambda: NOW)
    with ExitStack() as stack:
        routes = agent_routes(
            application,
            started_waits(stack, application),
            shown=lambda owner: context if owner == OWNER else None,
            origin=f"http://{HOST}",
            new_id=random_id,
        )
        yield dispatcher(store, more=routes).routes


def send(
    table: tuple[Route, ...],
    request: Request,
    *,
    owner: Any = OWNER,
) -> Response:
    served = Dispatcher(table, hosts=Hosts.of([("127.0.0.1", PORT)]), authenticate=lambda _: owner)
    return served.dispatch(request)


def address(route: Route, **params: str) -> str:
    path = route.template
    for part in path.split("/"):
        if part.startswith("{"):
            name = part.strip("{}")
            path = path.replace(part, params.get(name, "0000"))
    return path


FOREIGN: Final[tuple[tuple[Mapping[str, str], int], ...]] = (
    ({"origin": "https://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"sec-fetch-site": "same-site"}, 403),
    ({"host": "evil.example"}, 421),
    ({"host": f"127.0.0.1.evil.example:{PORT}"}, 421),
    ({"content-type": "text/plain"}, 415),
    ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ({"content-type": "text/plain; application/json"}, 415),
)


@pytest.mark.parametrize(("fields", "status"), FOREIGN)
def test_no_route_that_changes_something_is_reached_by_another_sites_page(
    table: tuple[Route, ...], fields: Mapping[str, str], status: int
) -> None:
    reached: list[str] = []

    def spy(route: Route) -> Route:
        def handle(_request: Request) -> Response:
            reached.append(f"{route.method} {route.template}")
            return Response()

        return replace(route, handler=handle)

    spied = tuple(spy(route) for route in table)
    changing = [route for route in spied if route.method not in SAFE_METHODS]
    for route in changing:
        asked = Request(
            method=route.method, path=address(route), headers={**JSON, **fields}, body=b"{}"
        )
        assert send(spied, asked).status == status, route.template

    assert len(changing) >= 20
    assert reached == []


def test_every_route_takes_our_own_page(table: tuple[Route, ...]) -> None:
    own = {**JSON, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    for route in table:
        asked = Request(method=route.method, path=address(route), headers=own, body=b"{}")
        assert send(table, asked).status not in (403, 415, 421), route.template


BODIES: Final[tuple[Any, ...]] = (
    {},
    {"body": "why?"},
    {"verdict": "approve"},
    {"fingerprint": "0" * 64},
    {"format": "diffx-review", "version": 1, "threads": []},
    {"preferences": {}},
    {"key": "k", "body": "b"},
)
QUERIES: Final = ("", "status=all", "q=x", "scope=staged")


def test_nothing_tells_another_owners_context_from_a_missing_one(
    store: Store, table: tuple[Route, ...], context: ContextId
) -> None:
    theirs = publish(store, submission(2), owner=OTHER_OWNER)
    record = store.get(OWNER, context, NOW)
    diff = next(scope.diff for scope in record.scopes if scope.scope == "all")
    file = json.loads(store.manifest(OWNER, context, "all", NOW).files_json)[0]["id"]
    named = {"contextId": str(context), "diffId": str(diff), "fileId": file}
    routes = [route for route in table if "{contextId}" in route.template]
    for route in routes:
        if route.template == "/contexts/{contextId}":
            continue  # the page itself, which asks the API
        for body in BODIES if route.method in ("POST", "PUT", "PATCH") else (None,):
            for query in QUERIES:
                raw = b"" if body is None else json.dumps(body).encode()
                asked = Request(method=route.method, path="", query=query, headers=JSON, body=raw)
                for other in (named["contextId"], str(theirs)):
                    answers = [
                        send(
                            table,
                            replace(
                                asked,
                                path=address(
                                    route, **named | {"contextId": each, "otherContextId": other}
                                ),
                            ),
                            owner=OTHER_OWNER,
                        )
                        for each in (str(context), "m" * len(context))
                    ]
                    bodies = [
                        plain_body(answer).replace(name, b"?")
                        for answer, name in zip(
                            answers, (context.encode(), b"m" * len(context)), strict=True
                        )
                    ]
                    assert answers[0].status == answers[1].status, route.template
                    assert bodies[0] == bodies[1], route.template
                    assert answers[0].status >= 400 or "/mcp" in route.template

    assert len(routes) >= 25
    assert store.get(OWNER, context, NOW) == record
