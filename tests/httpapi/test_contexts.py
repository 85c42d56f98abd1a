import json

import pytest

from diffx.review.model import ContextId
from diffx.store.database import Store
from tests.support.http import OTHER_OWNER, Api, publish, submission


def test_the_catalog_lists_newest_first_and_pages(store: Store, api: Api) -> None:
    stored = [publish(store, submission(number)) for number in range(1, 6)]

    first = api.json("/api/v2/contexts?limit=3")
    second = api.json(f"/api/v2/contexts?limit=3&cursor={first['nextCursor']}")

    listed = [entry["contextId"] for entry in first["contexts"] + second["contexts"]]
    assert listed == stored[::-1]
    assert second["nextCursor"] is None


def test_values_of_one_filter_are_alternatives_and_filters_add_up(store: Store, api: Api) -> None:
    stored = [publish(store, submission(number)) for number in range(1, 5)]

    found = api.json("/api/v2/contexts?branch=branch-1&branch=branch-3&sessionId=session-3")

    assert [entry["contextId"] for entry in found["contexts"]] == [stored[2]]


def test_nobody_sees_what_another_owner_stored(store: Store, api: Api) -> None:
    publish(store, owner=OTHER_OWNER)

    assert api.json("/api/v2/contexts")["contexts"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=1&limit=2", "limit"),
        ("state=old", "state"),
        ("changed=1", "changed"),
        ("q=" + "x" * 201, "q"),
        ("branch=" + "x" * 401, "branch"),
        ("cursor=nonsense", "cursor"),
    ],
)
def test_a_bad_filter_is_named(api: Api, query: str, field: str) -> None:
    response = api.get(f"/api/v2/contexts?{query}")

    assert response.status == 400
    assert json.loads(response.body)["field"] == field


def test_one_context_says_what_it_holds(api: Api, context: ContextId) -> None:
    shown = api.json(f"/api/v2/contexts/{context}")

    assert shown["observation"]["provenance"]["repositoryName"] == '<img src=x onerror="1">'
    assert shown["sessions"] == [{"harness": "claude", "sessionId": "session-1", "name": "first"}]
    assert [scope["scope"] for scope in shown["scopes"]] == ["all", "staged", "unstaged"]
    assert shown["submissions"][0]["submissionId"] == "submission-1"


def test_an_unchanged_catalog_answers_304_and_a_changed_one_does_not(
    store: Store, api: Api
) -> None:
    publish(store)
    tag = f'"{api.get("/api/v2/contexts").etag}"'

    unchanged = api.get("/api/v2/contexts", if_none_match=f'"x", W/{tag}')
    publish(store, submission(2))
    changed = api.get("/api/v2/contexts", if_none_match=tag)

    assert (unchanged.status, unchanged.body) == (304, b"")
    assert changed.status == 200


def test_a_deleted_context_is_gone(api: Api, context: ContextId) -> None:
    assert api.ask("DELETE", f"/api/v2/contexts/{context}").status == 204

    gone = api.get(f"/api/v2/contexts/{context}")
    assert gone.status == 410
    assert json.loads(gone.body)["code"] == "deleted"


def test_the_picker_starts_from_repositories_and_filter_values(store: Store, api: Api) -> None:
    publish(store, submission(1))
    publish(store, submission(2))

    groups = api.json("/api/v2/catalog?branch=branch-2")

    assert [group["key"] for group in groups["repositories"]] == ["repository"]
    assert groups["branches"] == [{"value": "branch-2", "contexts": 1}]
