"""What a page learns while the first review is still being collected."""

import json
import threading

from diffx.httpapi.messages import Request
from diffx.httpapi.opening import Opening
from diffx.review.model import ContextId


def seen(opening: Opening) -> object:
    return json.loads(opening.get(Request(method="GET", path="/api/v2/opening")).body)


def test_progress_is_told_until_the_review_is_there() -> None:
    opening = Opening()
    opening.progress("comparing 3 scopes")
    assert seen(opening) == {
        "state": "collecting",
        "message": "comparing 3 scopes",
        "contextId": None,
    }

    opening.ready(ContextId("c1"))
    assert seen(opening) == {"state": "ready", "message": "", "contextId": "c1"}


def test_a_failure_waits_for_a_page_to_learn_of_it() -> None:
    opening = Opening()
    opening.failed("no checkout here")
    reader = threading.Timer(0.05, lambda: seen(opening))
    reader.start()

    opening.wait_until_told(30)

    reader.join()
    assert seen(opening) == {"state": "failed", "message": "no checkout here", "contextId": None}
