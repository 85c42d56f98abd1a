"""Reviewed marks and settings over HTTP (8.3)."""

import json
from typing import Any

import pytest

from diffx.httpapi.messages import Response
from diffx.review.model import ContextId, GitPath
from diffx.review.paths import file_id
from diffx.store.database import Store
from tests.support import observations
from tests.support.http import OTHER_OWNER, Api, dispatcher, publish, submission
from tests.support.hunks import edited

FILE = file_id(GitPath(b"00000.txt"))


@pytest.fixture
def context(store: Store) -> ContextId:
    return publish(store, submission(files=3))


def send(api: Api, method: str, target: str, body: Any = None) -> Response:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.ask(method, target, {"content-type": "application/json"}, raw)


def marks(context: ContextId, file: str = "") -> str:
    return f"/api/v2/contexts/{context}/review-marks{file and '/'}{file}"


def fingerprint(api: Api, context: ContextId) -> str:
    files = api.json(f"/api/v2/contexts/{context}/diffs/current")["files"]
    return next(str(each["fingerprint"]) for each in files if each["id"] == FILE)


def test_a_file_is_marked_shown_and_unmarked(api: Api, context: ContextId) -> None:
    seen = fingerprint(api, context)

    assert send(api, "PUT", marks(context, FILE), {"fingerprint": seen}).status == 204
    (mark,) = api.json(marks(context))["marks"]
    assert (mark["fileId"], mark["fingerprint"], mark["carried"]) == (FILE, seen, False)
    files = api.json(f"/api/v2/contexts/{context}/diffs/current")["files"]
    assert [each["id"] for each in files if each["reviewed"]] == [FILE]

    assert send(api, "DELETE", marks(context, FILE)).status == 204
    assert api.json(marks(context))["marks"] == []


def test_what_was_not_seen_cannot_be_marked(api: Api, context: ContextId) -> None:
    response = send(api, "PUT", marks(context, FILE), {"fingerprint": "0" * 64})

    assert (response.status, json.loads(response.body)["code"]) == (409, "state_changed")
    assert send(api, "PUT", marks(context, FILE), {}).status == 400
    unreadable = file_id(GitPath(b"bin"))
    assert send(api, "PUT", marks(context, unreadable), {"fingerprint": "0"}).status == 409
    assert send(api, "PUT", marks(context, "no"), {"fingerprint": "0"}).status == 404


def test_all_marks_of_a_scope_are_taken_back_at_once(api: Api, context: ContextId) -> None:
    send(api, "PUT", marks(context, FILE), {"fingerprint": fingerprint(api, context)})

    assert send(api, "DELETE", marks(context) + "?scope=staged").status == 204
    assert len(api.json(marks(context))["marks"]) == 1
    assert send(api, "DELETE", marks(context)).status == 204
    assert api.json(marks(context))["marks"] == []


def test_two_accounts_never_see_each_others_marks(store: Store, context: ContextId) -> None:
    mine = Api(dispatcher(store))
    theirs = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))
    send(mine, "PUT", marks(context, FILE), {"fingerprint": fingerprint(mine, context)})
    other = publish(store, submission(files=3), owner=OTHER_OWNER)

    assert theirs.get(marks(context)).status == 404
    assert theirs.json(marks(other))["marks"] == []


def test_a_hunk_is_marked_shown_and_unmarked(store: Store, api: Api) -> None:
    given = edited("one", "two")
    context = publish(store, observations.submission("s1", [given]))
    body = {"fingerprint": given.file.fingerprint}
    hunk = marks(context, given.file.id) + "/hunks/1"

    assert send(api, "PUT", hunk, body).status == 204
    (mark,) = api.json(marks(context))["hunks"]
    assert (mark["fileId"], mark["hunk"], mark["carried"]) == (given.file.id, 1, False)
    assert api.json(f"/api/v2/contexts/{context}/view")["marks"]["hunks"] == [mark]
    assert send(api, "PUT", marks(context, given.file.id) + "/hunks/0", body).status == 204
    shown = api.json(marks(context))
    assert ([each["fileId"] for each in shown["marks"]], shown["hunks"]) == ([given.file.id], [])
    assert send(api, "DELETE", hunk).status == 204
    assert [each["hunk"] for each in api.json(marks(context))["hunks"]] == [0]


def test_what_is_no_hunk_that_was_seen_cannot_be_marked(store: Store, api: Api) -> None:
    given = edited("one")
    context = publish(store, observations.submission("s1", [given]))
    body = {"fingerprint": given.file.fingerprint}
    at = marks(context, given.file.id) + "/hunks/"

    assert send(api, "PUT", at + "1", body).status == 404
    assert send(api, "PUT", at + "x", body).status == 400
    assert send(api, "PUT", at + "0", {}).status == 400
    refused = send(api, "PUT", at + "0", {"fingerprint": "0" * 64})
    assert (refused.status, json.loads(refused.body)["code"]) == (409, "state_changed")
    theirs = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))
    assert send(theirs, "PUT", at + "0", body).status == 404


def test_settings_come_back_and_have_a_limit(api: Api) -> None:
    target = "/api/v2/preferences"
    assert api.json(target) == {"preferences": {}}

    kept = {"preferences": {"layout": "split", "keys": {"next": "j"}}}
    assert json.loads(send(api, "PUT", target, kept).body) == kept
    assert api.json(target) == kept
    assert send(api, "PUT", target, {"preferences": []}).status == 400
    assert send(api, "PUT", target, {"preferences": {"a": "x" * 17_000}}).status == 413
    assert api.json(target) == kept
