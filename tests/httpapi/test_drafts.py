"""Comments that are still being written, over HTTP."""

import json
from typing import Any

import pytest

from diffx.httpapi.messages import Response
from diffx.review.model import ContextId, Millis
from diffx.store.database import Store
from diffx.store.drafts import MAX_DRAFTS
from tests.support.http import OTHER_OWNER, OWNER, Api, dispatcher, publish, submission

KEY = "lines.all.file-1.new.3-5"


@pytest.fixture
def context(store: Store) -> ContextId:
    return publish(store, submission(files=3))


def send(api: Api, method: str, target: str, body: Any = None) -> Response:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.ask(method, target, {"content-type": "application/json"}, raw)


def drafts(context: ContextId, key: str = "") -> str:
    return f"/api/v2/contexts/{context}/drafts{key and '/'}{key}"


def words(body: str) -> dict[str, str]:
    return {"body": body, "idempotencyKey": "a1"}


def test_a_draft_is_kept_replaced_and_forgotten(api: Api, context: ContextId) -> None:
    assert api.json(drafts(context)) == {"drafts": []}
    assert send(api, "PUT", drafts(context, KEY), words("half a")).status == 204
    assert send(api, "PUT", drafts(context, KEY), words("half a sentence")).status == 204
    (draft,) = api.json(drafts(context))["drafts"]
    assert (draft["key"], draft["body"], draft["idempotencyKey"]) == (KEY, "half a sentence", "a1")

    for _ in range(2):
        assert send(api, "DELETE", drafts(context, KEY)).status == 204
    assert api.json(drafts(context)) == {"drafts": []}


def test_drafts_are_their_owners_alone(store: Store, context: ContextId, api: Api) -> None:
    send(api, "PUT", drafts(context, KEY), words("mine"))
    other = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))

    assert other.ask("GET", drafts(context)).status == 404
    assert send(other, "PUT", drafts(context, KEY), words("yours")).status == 404
    assert send(other, "DELETE", drafts(context, KEY)).status == 404
    assert api.json(drafts(context))["drafts"][0]["body"] == "mine"


def test_drafts_end_with_their_context(store: Store, context: ContextId, api: Api) -> None:
    send(api, "PUT", drafts(context, KEY), words("late"))
    store.delete(OWNER, context, Millis(0))

    assert api.ask("GET", drafts(context)).status == 410
    assert send(api, "PUT", drafts(context, KEY), words("later")).status == 410


@pytest.mark.parametrize(
    ("key", "body"),
    [
        ("a%2Fb", words("x")),
        ("x" * 201, words("x")),
        ("sp%20ace", words("x")),
        (KEY, words(" \n")),
        (KEY, {"body": "x"}),
        (KEY, {"idempotencyKey": "a"}),
        (KEY, words("x" * 20_001)),
        (KEY, words("x") | {"more": 1}),
        (KEY, []),
    ],
)
def test_what_is_no_draft_is_refused(api: Api, context: ContextId, key: str, body: Any) -> None:
    assert send(api, "PUT", drafts(context, key), body).status == 400
    assert api.json(drafts(context)) == {"drafts": []}


def test_so_many_drafts_are_kept_and_no_more(api: Api, context: ContextId) -> None:
    for number in range(MAX_DRAFTS):
        assert send(api, "PUT", drafts(context, f"d{number}"), words("x")).status == 204
    full = send(api, "PUT", drafts(context, "one-more"), words("x"))

    assert full.status == 413
    assert "send or discard one" in json.loads(full.body)["detail"]
    assert send(api, "PUT", drafts(context, "d7"), words("longer")).status == 204
