"""Iterations and comparisons over HTTP (9)."""

import json
from typing import Any

import pytest

from diffx.httpapi import iterations
from diffx.httpapi.messages import Response
from diffx.review.model import CommitId, Comparison, ContextId, Session
from diffx.store.database import Store
from tests.support.http import NOW, OTHER_OWNER, OWNER, Api, dispatcher
from tests.support.iterations import numbered, patched
from tests.support.observations import change, submission


def publish(store: Store, number: int, before: str, after: str, base: str = "b") -> ContextId:
    given = submission(
        f"s{number}",
        [change("a.py", after, before=before)],
        collected_at=number,
        comparison=Comparison(policy="auto", kind="branch", merge_base=CommitId(base * 40)),
    )
    return store.publish(OWNER, given, NOW).context


def compare(old: ContextId, new: ContextId, rest: str = "") -> str:
    return f"/api/v2/contexts/{old}/compare/{new}{rest}"


def send(api: Api, method: str, target: str, body: Any = None) -> Response:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.ask(method, target, {"content-type": "application/json"}, raw)


def test_a_pure_rebase_says_so(store: Store, api: Api) -> None:
    old = publish(store, 1, numbered(40), numbered(40, {20: "mine\n"}))
    moved = numbered(40, {2: "theirs\n"})
    new = publish(store, 2, moved, moved.replace("line 20\n", "mine\n"), base="c")

    found = api.json(compare(old, new))

    assert (found["pureRebase"], found["authorChange"], found["sameBase"]) == (True, False, False)
    (file,) = found["files"]
    assert file["state"] == "upstream"
    assert (file["upstreamAdditions"], file["additions"]) == (1, 0)


def test_a_files_interdiff_is_a_patch_with_upstreams_lines_named(store: Store, api: Api) -> None:
    before = numbered(40)
    moved = numbered(40, {2: "theirs\n"})
    after = moved.replace("line 30\n", "mine\n")
    old, new = publish(store, 1, before, before), publish(store, 2, moved, after, base="c")
    (file,) = api.json(compare(old, new))["files"]

    found = api.json(compare(old, new, f"/files/{file['fileId']}"))

    assert patched(before.encode(), found["patch"].encode()) == after.encode()
    assert found["upstream"] == {"old": [[2, 2]], "new": [[2, 2]]}
    assert found["file"] == file


def test_many_files_interdiffs_come_in_one_answer_as_far_as_it_holds(
    store: Store, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a.py", "b.py", "c.py")
    old, new = (
        store.publish(
            OWNER,
            submission(
                f"s{number}",
                [change(name, f"{name} {number}\n", before="x\n") for name in names],
                collected_at=number,
            ),
            NOW,
        ).context
        for number in (1, 2)
    )
    ids = [file["fileId"] for file in api.json(compare(old, new))["files"]]
    asked = [ids[2], ids[0]]

    found = api.json(compare(old, new, f"/files?ids={','.join(asked)}"))["files"]
    assert [each["file"]["fileId"] for each in found] == asked
    assert found[0] == api.json(compare(old, new, f"/files/{asked[0]}"))
    monkeypatch.setattr(iterations, "_MOST_PATCH_BYTES", 1)
    (only,) = api.json(compare(old, new, f"/files?ids={','.join(asked)}"))["files"]
    assert only["file"]["fileId"] == asked[0]
    for wrong, status in (("/files", 400), ("/files?ids=a,,b", 400), ("/files?ids=no", 404)):
        assert api.get(compare(old, new, wrong)).status == status


def test_an_iteration_names_the_agent_sessions_that_observed_it(store: Store, api: Api) -> None:
    session = Session(harness="claude", session_id="7", name="Cart")
    given = submission(
        "s1", [change("a.py", "b\n", before="a\n")], provenance={"session": session}
    )
    context = store.publish(OWNER, given, NOW).context

    (found,) = api.json(f"/api/v2/contexts/{context}/iterations")["iterations"]
    assert found["sessions"] == [{"harness": "claude", "sessionId": "7", "name": "Cart"}]


def test_a_known_comparison_is_not_made_again(store: Store, api: Api) -> None:
    old, new = publish(store, 1, "a\n", "b\n"), publish(store, 2, "a\n", "c\n")
    first = api.get(compare(old, new))

    assert api.get(compare(old, new), if_none_match=f'"{first.etag}"').status == 304
    assert api.get(compare(new, old), if_none_match=f'"{first.etag}"').status == 200


def test_a_file_that_neither_has_is_missing(store: Store, api: Api) -> None:
    old, new = publish(store, 1, "a\n", "b\n"), publish(store, 2, "a\n", "c\n")

    assert api.get(compare(old, new, "/files/no")).status == 404
    assert api.get(compare(old, new, "?scope=staged")).status == 404


def test_finishing_a_review_makes_it_the_start_of_the_next_comparison(
    store: Store, api: Api
) -> None:
    old, new = publish(store, 1, "a\n", "b\n"), publish(store, 2, "a\n", "c\n")
    target = f"/api/v2/contexts/{old}/review/finish"
    assert api.json(f"/api/v2/contexts/{new}/iterations")["default"] is None

    response = send(api, "POST", target, {"verdict": "request-changes", "summary": "tests"})

    assert response.status == 201
    found = api.json(f"/api/v2/contexts/{new}/iterations")
    assert found["default"] == {"from": old, "to": new}
    assert [each["number"] for each in found["iterations"]] == [1, 2]
    (verdict,) = found["iterations"][0]["verdicts"]
    assert (verdict["verdict"], verdict["summary"]) == ("request-changes", "tests")
    assert send(api, "POST", target, {"verdict": "maybe"}).status == 400
    assert send(api, "POST", target, {}).status == 400


def test_another_accounts_context_is_compared_with_nothing(store: Store) -> None:
    old, new = publish(store, 1, "a\n", "b\n"), publish(store, 2, "a\n", "c\n")
    theirs = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))

    for target in (
        compare(old, new),
        compare(old, new, "/files/x"),
        f"/api/v2/contexts/{old}/iterations",
    ):
        assert theirs.get(target).status == 404
    assert (
        send(
            theirs, "POST", f"/api/v2/contexts/{old}/review/finish", {"verdict": "approve"}
        ).status
        == 404
    )
