"""A reading that was answered 304 is what the client has: whatever changed a review since (10.4)."""

import json
from collections.abc import Callable
from typing import Any

from diffx.review.model import CommitId, ContextId
from diffx.store.database import Store
from tests.support.http import NOW, OWNER, Api, plain_body
from tests.support.observations import change, submission

JSON = {"content-type": "application/json"}
READINGS = (
    "",
    "/diffs/current",
    "/diffs/current?scope=staged",
    "/view",
    "/comments",
    "/comments?includePorted=true",
    "/review/comments?includeResolved=true",
    "/comments/export?includeResolved=true",
    "/review-marks",
    "/review-marks?scope=staged",
    "/iterations",
)


class Reader:
    """A client that keeps what it was sent, and asks only for what changed."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.kept: dict[str, tuple[str, bytes]] = {}
        self.count = 0

    def read(self, context: ContextId) -> int:
        """Read everything of a context anew and by its tags; return how much was not the same."""
        changed = 0
        for reading in READINGS:
            target = f"/api/v2/contexts/{context}{reading}"
            fresh = self.api.get(target)
            assert (fresh.status, fresh.etag is None) == (200, False), target
            body = plain_body(fresh)
            if target in self.kept:
                tag, known = self.kept[target]
                answer = self.api.get(target, if_none_match=f'"{tag}"')
                assert answer.status != 304 or known == body, target
                changed += answer.status != 304
            self.kept[target] = (str(fresh.etag), body)
        return changed

    def send(self, method: str, target: str, body: Any = None) -> Any:
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.api.ask(method, f"/api/v2/contexts/{target}", JSON, raw)
        assert answer.status < 300, (target, answer.body)
        return json.loads(plain_body(answer)) if answer.body else None


def test_no_change_of_a_review_hides_behind_a_tag(store: Store, api: Api) -> None:
    reader = Reader(api)
    kept, edited = change("a.py", "kept\n"), change("b.py", "1\n")
    numbers = iter(range(1, 100))

    def publish(*files: Any, head: int) -> ContextId:
        number = next(numbers)
        given = submission(
            f"s{number}",
            {"all": files, "staged": files[:1]},
            collected_at=number,
            head=CommitId(f"{head:040}"),
        )
        return store.publish(OWNER, given, NOW).context

    first = publish(kept, edited, head=1)
    second = publish(kept, change("b.py", "2\n"), head=2)
    file, print_ = kept.file.id, kept.file.fingerprint
    made: dict[str, str] = {}

    def comment(context: ContextId) -> None:
        body = {"body": "why?", "fileId": file, "side": "new", "startLine": 1}
        made["id"] = reader.send("POST", f"{context}/comments", body)["id"]

    exported: dict[str, Any] = {}

    def export() -> None:
        target = f"/api/v2/contexts/{second}/comments/export?format=json&includeResolved=true"
        exported.update(json.loads(plain_body(api.get(target))))
        exported["threads"] = [each | {"id": "elsewhere"} for each in exported["threads"]]

    steps: tuple[Callable[[], Any], ...] = (
        lambda: comment(first),
        lambda: comment(second),
        lambda: reader.send("PATCH", f"{second}/comments/{made['id']}", {"body": "what?"}),
        lambda: reader.send("POST", f"{second}/comments/{made['id']}/replies", {"body": "so"}),
        lambda: reader.send("POST", f"{second}/review/comments/{made['id']}/resolve", {}),
        export,
        lambda: reader.send("POST", f"{second}/comments/import", exported),
        lambda: reader.send("DELETE", f"{second}/comments/{made['id']}"),
        lambda: reader.send("PUT", f"{second}/review-marks/{file}", {"fingerprint": print_}),
        lambda: reader.send("DELETE", f"{second}/review-marks/{file}"),
        lambda: reader.send("PUT", f"{first}/review-marks/{file}", {"fingerprint": print_}),
        lambda: reader.send("POST", f"{second}/review/finish", {"verdict": "comment"}),
        lambda: publish(kept, change("b.py", "2\n"), head=2),
        lambda: reader.send("DELETE", f"{second}/comments?status=all"),
        lambda: reader.send("DELETE", f"{first}"),
    )
    for number, step in enumerate(steps):
        alive = [second] if number == len(steps) - 1 else [first, second]
        for context in alive:
            reader.read(context)
        step()
        changed = sum(reader.read(context) for context in alive)
        assert changed or step is export, number


def test_nothing_changed_is_answered_without_a_body(store: Store, api: Api) -> None:
    reader = Reader(api)
    context = store.publish(
        OWNER, submission("s1", {"all": [change("a.py")], "staged": []}), NOW
    ).context
    reader.read(context)

    assert reader.read(context) == 0
