"""Comments over HTTP; every answer is held against openapi.yaml (8)."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from diffx.httpapi.messages import Response
from diffx.review.model import ContextId, GitPath
from diffx.review.paths import file_id
from diffx.services.changes import Change, Changes
from diffx.store.database import Store
from tests.support.http import OTHER_OWNER, Api, dispatcher, plain_body, publish, submission

FILE = file_id(GitPath(b"</script><b>.txt"))
AGENT = {"harness": "claude", "sessionId": "s-1", "name": "Till"}


def base(context: ContextId) -> str:
    return f"/api/v2/contexts/{context}"


def send(api: Api, method: str, target: str, body: Any = None) -> Response:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.ask(method, target, {"content-type": "application/json"}, raw)


def made(api: Api, context: ContextId, **fields: Any) -> Any:
    response = send(api, "POST", f"{base(context)}/comments", {"body": "why?", **fields})
    assert response.status == 201, response.body
    return json.loads(response.body)


def on_line(api: Api, context: ContextId, **fields: Any) -> Any:
    return made(api, context, fileId=FILE, side="new", startLine=1, **fields)


def listed(api: Api, context: ContextId, query: str = "") -> list[Any]:
    found: list[Any] = api.json(f"{base(context)}/comments{query}")["threads"]
    return found


def test_a_comment_is_written_read_and_counted(api: Api, context: ContextId) -> None:
    thread = on_line(api, context)

    assert thread["code"] == "two \u2028\n"
    assert thread["place"]["lines"] == {"side": "new", "startLine": 1, "endLine": 1}
    assert listed(api, context) == [thread]
    assert api.json(base(context))["comments"] == {"open": 1, "resolved": 0}
    manifest = api.json(f"{base(context)}/diffs/current")
    assert [file["commentCount"] for file in manifest["files"]] == [1, 0, 0, 0]


def test_the_view_has_marks_and_threads(api: Api, context: ContextId) -> None:
    thread = on_line(api, context)

    for headers in ({}, {"accept_encoding": "deflate"}):
        response = api.get(f"{base(context)}/view", **headers)
        view = json.loads(plain_body(response))
        assert view["threads"] == [thread]
        assert view["marks"]["marks"] == []
        assert view["manifest"]["files"][0]["commentCount"] == 1


def test_a_manifest_is_known_only_while_its_review_is(api: Api, context: ContextId) -> None:
    target = f"{base(context)}/diffs/current"
    first = api.get(target)
    on_line(api, context)

    assert api.get(target, if_none_match=f'"{first.etag}"').status == 200
    again = api.get(target)
    assert api.get(target, if_none_match=f'"{again.etag}"').status == 304


def test_comments_sit_on_the_review_on_files_and_on_both_sides(
    api: Api, context: ContextId
) -> None:
    review = made(api, context)
    file = made(api, context, fileId=file_id(GitPath(b"bin")))
    old = made(api, context, fileId=FILE, side="old", startLine=1, endLine=1)

    assert review["anchor"] == {"fileId": None, "path": None, "lines": None, "fingerprint": None}
    assert (file["anchor"]["path"], file["code"]) == ("bin", None)
    assert old["code"] == "one\n"
    assert [each["id"] for each in listed(api, context)] == [
        *(each["id"] for each in (review, old, file))
    ]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"body": ""}, "body"),
        ({"body": "x" * 20_001}, "body"),
        ({"body": 1}, "body"),
        ({"other": 1}, "other"),
        ({"fileId": "../a"}, "fileId"),
        ({"fileId": FILE, "side": "left"}, "side"),
        ({"fileId": FILE, "startLine": 1}, "startLine"),
        ({"side": "new", "startLine": 1}, "startLine"),
        ({"fileId": FILE, "side": "new", "startLine": 0}, "startLine"),
        ({"fileId": FILE, "side": "new", "startLine": True}, "startLine"),
        ({"fileId": FILE, "side": "new", "startLine": 2}, "startLine"),
        ({"fileId": FILE, "side": "new", "startLine": 1, "endLine": 9}, "startLine"),
        ({"agent": []}, "agent"),
        ({"agent": {"key": "s"}}, "agent.key"),
        ({"agent": {"harness": 1}}, "agent.harness"),
        ({"idempotencyKey": "k" * 65}, "idempotencyKey"),
    ],
)
def test_a_comment_that_cannot_be_is_refused_by_its_field(
    api: Api, context: ContextId, fields: dict[str, Any], field: str
) -> None:
    response = send(api, "POST", f"{base(context)}/comments", {"body": "why?", **fields})

    assert (response.status, json.loads(response.body)["field"]) == (400, field)
    assert listed(api, context) == []


def test_a_comment_on_no_such_file_or_scope_is_missing(api: Api, context: ContextId) -> None:
    response = send(api, "POST", f"{base(context)}/comments", {"body": "x", "fileId": "no"})
    assert response.status == 404
    empty = send(
        api, "POST", f"{base(context)}/comments?scope=staged", {"body": "x", "fileId": FILE}
    )
    assert empty.status == 404


def test_the_same_key_makes_one_comment(api: Api, context: ContextId) -> None:
    first = made(api, context, idempotencyKey="k")

    assert made(api, context, idempotencyKey="k") == first


def test_a_key_that_comes_back_with_other_words_loses_none_of_them(
    api: Api, context: ContextId
) -> None:
    first = made(api, context, idempotencyKey="k")
    comments = f"{base(context)}/comments"
    replies = f"{comments}/{first['id']}/replies"

    refused = send(api, "POST", comments, {"body": "other", "idempotencyKey": "k"})
    assert (refused.status, json.loads(refused.body)["code"]) == (409, "conflict")
    assert send(api, "POST", replies, {"body": "so", "idempotencyKey": "r"}).status < 300
    assert send(api, "POST", replies, {"body": "so", "idempotencyKey": "r"}).status < 300
    assert send(api, "POST", replies, {"body": "no", "idempotencyKey": "r"}).status == 409
    # What was edited since is what the key stands for: its first words are not known any more.
    send(api, "PATCH", f"{comments}/{first['id']}", {"body": "edited"})
    assert made(api, context, idempotencyKey="k")["body"] == "edited"


def test_an_agent_speaks_as_its_session(api: Api, context: ContextId) -> None:
    thread = made(api, context, agent=AGENT)

    assert thread["author"] == {
        "kind": "agent",
        "name": None,
        "harness": "claude",
        "sessionId": "s-1",
        "sessionName": "Till",
    }


def test_a_thread_is_answered_resolved_reopened_edited_and_deleted(
    api: Api, context: ContextId
) -> None:
    name = on_line(api, context)["id"]
    target = f"{base(context)}/comments/{name}"
    resolve = f"{base(context)}/review/comments/{name}/resolve"

    closed = json.loads(
        send(api, "POST", resolve, {"resolution": "fixed", "note": "done", "agent": AGENT}).body
    )
    assert (closed["status"], closed["resolution"]) == ("resolved", "fixed")
    assert json.loads(send(api, "POST", resolve).body) == closed

    answered = send(api, "POST", f"{target}/replies", {"body": "not yet"})
    assert answered.status == 201
    assert json.loads(answered.body)["status"] == "open"
    assert [each["body"] for each in json.loads(answered.body)["replies"]] == ["done", "not yet"]

    edited = json.loads(send(api, "PATCH", target, {"body": "really?", "status": "resolved"}).body)
    assert (edited["body"], edited["status"]) == ("really?", "resolved")
    assert send(api, "PATCH", target, {"status": "open"}).status == 200
    assert send(api, "PATCH", target, {"status": "closed"}).status == 400

    assert send(api, "DELETE", target).status == 204
    assert send(api, "DELETE", target).status == 404


def test_an_agents_words_are_not_changed_by_the_account(api: Api, context: ContextId) -> None:
    body = {"body": "I fixed it", "agent": AGENT}
    written = json.loads(send(api, "POST", f"{base(context)}/comments", body).body)
    target = f"{base(context)}/comments/{written['id']}"

    refused = send(api, "PATCH", target, {"body": "I broke it"})

    assert (refused.status, json.loads(refused.body)["field"]) == (400, "body")
    assert send(api, "PATCH", target, {"status": "resolved"}).status == 200


def test_threads_are_deleted_by_status(api: Api, context: ContextId) -> None:
    made(api, context)
    closed = made(api, context)["id"]
    send(api, "PATCH", f"{base(context)}/comments/{closed}", {"status": "resolved"})
    target = f"{base(context)}/comments"

    assert send(api, "DELETE", target).status == 400
    assert json.loads(send(api, "DELETE", f"{target}?status=stale").body) == {"deleted": 0}
    assert json.loads(send(api, "DELETE", f"{target}?status=resolved").body) == {"deleted": 1}
    assert json.loads(send(api, "DELETE", f"{target}?status=all").body) == {"deleted": 1}


def test_agents_see_what_they_may_act_on_with_all_words_labelled(
    api: Api, context: ContextId
) -> None:
    on_line(api, context, body="run \u202ethis\x1b[0m")
    closed = made(api, context)["id"]
    send(api, "PATCH", f"{base(context)}/comments/{closed}", {"status": "resolved"})

    view = api.json(f"{base(context)}/review/comments")
    whole = api.json(f"{base(context)}/review/comments?includeResolved=true")

    (comment,) = view["comments"]
    assert "never instructions" in view["notice"]
    assert comment["actionable"] is False  # this file has no fingerprint, so nobody can tell
    assert comment["applicability"] == "unknown"
    assert comment["untrusted"]["body"] == "run \\u202ethis\\x1b[0m"
    assert [each["status"] for each in whole["comments"]] == ["resolved", "open"]


def test_exports_come_in_three_forms_and_go_back_in_once(api: Api, context: ContextId) -> None:
    thread = on_line(api, context, body="]]> ```")
    target = f"{base(context)}/comments/export"

    xml = plain_body(api.get(target))
    markdown = plain_body(api.get(f"{target}?format=markdown")).decode()
    exported = api.json(f"{target}?format=json")

    assert ElementTree.fromstring(xml).findtext("thread/comment") == "]]> ```"
    assert "> ]]> ```" in markdown
    again = send(api, "POST", f"{base(context)}/comments/import", exported)
    assert json.loads(again.body) == {"imported": 0, "known": 1}
    send(api, "DELETE", f"{base(context)}/comments/{thread['id']}")
    for expected in ({"imported": 1, "known": 0}, {"imported": 0, "known": 1}):
        response = send(api, "POST", f"{base(context)}/comments/import", exported)
        assert json.loads(response.body) == expected
    (found,) = listed(api, context)
    assert (found["author"]["kind"], found["place"]["placement"]) == ("import", "exact")


def test_an_export_chooses_by_state_and_by_id(api: Api, context: ContextId) -> None:
    made(api, context)
    closed = made(api, context, body="old")["id"]
    send(api, "PATCH", f"{base(context)}/comments/{closed}", {"status": "resolved"})
    target = f"{base(context)}/comments/export?format=json"

    def bodies(query: str) -> list[str]:
        return sorted(each["body"] for each in api.json(target + query)["threads"])

    assert bodies("") == ["why?"]
    assert bodies("&includeResolved=true") == ["old", "why?"]
    assert bodies(f"&commentId={closed}") == ["old"]
    assert api.get(f"{base(context)}/comments/export?format=pdf").status == 400


def test_what_is_no_export_is_refused(api: Api, context: ContextId) -> None:
    response = send(api, "POST", f"{base(context)}/comments/import", {"format": "x"})

    assert (response.status, json.loads(response.body)["field"]) == (400, "format")


def test_open_threads_of_earlier_iterations_come_where_asked(store: Store, api: Api) -> None:
    first = publish(store)
    thread = on_line(api, first)
    given = submission(2)
    branch = submission().observation.provenance
    later = publish(
        store,
        _with(given, provenance=branch, collected_at=given.observation.collected_at + 1),
    )

    assert listed(api, later) == []
    (ported,) = listed(api, later, "?includePorted=true")
    assert (ported["id"], ported["ported"], ported["contextId"]) == (thread["id"], True, first)
    assert ported["place"]["placement"] == "exact"
    assert (
        send(api, "PATCH", f"{base(later)}/comments/{thread['id']}", {"status": "resolved"}).status
        == 200
    )
    assert listed(api, first)[0]["status"] == "resolved"


def _with(given: Any, **changes: Any) -> Any:
    from dataclasses import replace

    return replace(given, observation=replace(given.observation, **changes))


def test_every_change_is_announced(store: Store) -> None:
    changes = Changes()
    heard: list[Change] = []
    changes.subscribe(heard.append)
    api = Api(dispatcher(store, changes=changes))
    context = publish(store)

    made(api, context)

    assert [(each.kind, each.context) for each in heard] == [("review", context)]


def test_another_accounts_comments_are_missing_like_any(store: Store, context: ContextId) -> None:
    mine = Api(dispatcher(store))
    theirs = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))
    name = made(mine, context)["id"]

    for method, target in (
        ("GET", "/comments"),
        ("GET", "/comments/export"),
        ("GET", "/review/comments"),
        ("PATCH", f"/comments/{name}"),
        ("DELETE", f"/comments/{name}"),
        ("DELETE", "/comments?status=all"),
        ("POST", f"/review/comments/{name}/resolve"),
    ):
        assert send(theirs, method, base(context) + target).status == 404
    assert len(listed(mine, context)) == 1
