import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.errors import KINDS, BusyError, DiffxError, FailedError
from diffx.httpapi.messages import STATUS, Request, Response
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Dispatcher, Route
from diffx.review.model import OwnerId
from diffx.store.database import Store
from tests.support.http import (
    CONTRACT,
    HOST,
    OTHER_OWNER,
    OWNER,
    Api,
    dispatcher,
    plain_body,
    publish,
)


def test_every_route_is_in_the_contract_and_every_operation_has_a_route(store: Store) -> None:
    served = {(route.method, route.template) for route in dispatcher(store).routes}

    # tests/server/test_agents.py holds the contract's other part against the other transport.
    agents = {each for each in CONTRACT.operations() if each[1].startswith("/mcp")}
    assert served == CONTRACT.operations() - agents


def test_every_kind_of_failure_has_a_status() -> None:
    assert set(STATUS) == set(KINDS)


def test_every_code_a_problem_may_have_is_in_the_contract() -> None:
    def leaves(cls: type[DiffxError]) -> Iterator[type[DiffxError]]:
        yield cls
        for sub in cls.__subclasses__():
            yield from leaves(sub)

    known = set(
        CONTRACT.document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    )

    served = {cls.code for cls in leaves(DiffxError) if cls.__module__ == "diffx.records"}
    assert served <= known


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v2", "/api/v1/contexts", "/mcp/x", "/.well-known/oauth", "/nothing", "/api/"],
)
def test_an_unknown_path_is_a_problem_document_and_never_the_page(api: Api, path: str) -> None:
    response = api.get(path)

    assert response.status == 404
    assert response.media_type == "application/problem+json"
    assert json.loads(response.body)["code"] == "not_found"


def test_a_wrong_method_names_the_right_ones(api: Api) -> None:
    response = api.ask("PUT", "/api/v2/contexts/x", {"content-type": "application/json"}, b"{}")

    assert response.status == 405
    assert dict(response.headers)["Allow"] == "DELETE, GET, HEAD"


@pytest.mark.parametrize("path", ["/contexts/a%zz", "/contexts/%00", "/contexts/%ff"])
def test_a_broken_escape_is_invalid(api: Api, path: str) -> None:
    assert api.get(path).status == 400


@pytest.mark.parametrize("path", ["/contexts/..", "/contexts/a%2Fb", "/assets/../x", "/contexts/"])
def test_a_path_that_names_no_id_is_not_found(api: Api, path: str) -> None:
    assert api.get(path).status == 404


def test_another_owners_context_cannot_be_told_from_a_missing_one(store: Store) -> None:
    context = publish(store)
    mine = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))

    theirs = mine.get(f"/api/v2/contexts/{context}")
    missing = mine.get("/api/v2/contexts/0000")

    assert theirs.status == missing.status == 404
    body = theirs.body.replace(context.encode(), b"0000")
    assert body == missing.body


def test_a_request_without_credentials_reaches_no_handler_but_liveness(store: Store) -> None:
    refusal = Response(status=401)
    api = Api(dispatcher(store, authenticate=lambda _: refusal))
    routes = [
        (route.method, route.template.replace("{", "").replace("}", ""))
        for route in api.dispatcher.routes
    ]
    json_type = {"content-type": "application/json"}

    answered = [each for each in routes if api.ask(*each, json_type).status != 401]

    assert answered == [("GET", "/livez")]


@pytest.mark.parametrize(
    ("path", "status"), [("/api/v2/contexts/x/comments/y", 401), ("/livez", 405)]
)
def test_credentials_are_asked_for_before_a_method_is_refused(
    store: Store, path: str, status: int
) -> None:
    api = Api(dispatcher(store, authenticate=lambda _: Response(status=401)))

    assert api.ask("OPTIONS", path).status == status


def raising(error: Exception) -> Dispatcher:
    def handler(request: Request) -> Response:
        raise error

    route = Route(method="GET", template="/x", handler=handler)
    return Dispatcher([route], hosts=_hosts(), authenticate=lambda _: OWNER)


def _hosts() -> Hosts:
    return Hosts.of([("127.0.0.1", 7981)])


def test_a_bug_is_logged_with_its_traceback_and_answered_without_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    response = Api(raising(ZeroDivisionError("secret"))).get("/x")

    assert response.status == 500
    assert json.loads(response.body)["code"] == "internal"
    assert b"secret" not in response.body
    assert "handler failed method=GET route=/x" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_busy_server_says_when_to_come_back() -> None:
    response = Api(raising(BusyError("full"))).get("/x")

    assert response.status == 503
    assert dict(response.headers)["Retry-After"] == "2"


def test_a_failure_of_the_outside_world_is_told_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        response = Api(raising(FailedError("the disk is full"))).get("/x")

    assert json.loads(response.body)["detail"] == "the disk is full"
    assert "the disk is full" in caplog.text


def test_a_foreign_page_cannot_delete(store: Store) -> None:
    context = publish(store)
    api = Api(dispatcher(store))
    target = f"/api/v2/contexts/{context}"

    refused = [
        api.ask("DELETE", target, {"origin": "http://evil.example"}).status,
        api.ask("DELETE", target, {"sec-fetch-site": "cross-site"}).status,
    ]

    assert refused == [403, 403]
    assert api.get(target).status == 200
    assert api.ask("DELETE", target, {"origin": f"http://{HOST}"}).status == 204
    assert api.get(target).status == 410


def test_a_body_in_a_content_coding_is_refused_where_none_is_read() -> None:
    def handler(request: Request) -> Response:
        return Response()

    route = Route(method="POST", template="/x", handler=handler)
    api = Api(Dispatcher([route], hosts=_hosts(), authenticate=lambda _: OwnerId("o")))
    headers = {"content-type": "application/json", "content-encoding": "gzip"}

    assert api.ask("POST", "/x", headers, b"abcd").status == 415


def test_two_routes_for_one_address_are_a_mistake_found_at_once() -> None:
    route = Route(method="GET", template="/x", handler=lambda _: Response())

    with pytest.raises(ValueError, match="twice"):
        Dispatcher([route, route], hosts=_hosts(), authenticate=lambda _: OWNER)


def test_the_contract_is_served_as_it_is(api: Api) -> None:
    response = api.get("/openapi.yaml")

    assert plain_body(response).startswith(b"openapi: 3.1")
    assert api.get("/openapi.yaml", if_none_match=f'"{response.etag}"').status == 304


def test_a_copy_without_web_ui_says_how_to_build_it(api: Api) -> None:
    response = api.get("/")

    assert response.status == 200
    assert b"python3 build.py" in response.body
    assert not Path("/nonexistent").exists()
