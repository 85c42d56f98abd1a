"""What a page shows while the first review is still being collected (11.1)."""

import threading
from typing import Literal, TypedDict

from diffx.httpapi.messages import Request, Response
from diffx.review.model import ContextId

State = Literal["collecting", "ready", "failed"]


class OpeningShape(TypedDict):
    state: State
    message: str
    contextId: str | None


class Opening:
    """The progress of one collection; written by the collector, read by pages."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shape = OpeningShape(
            state="collecting", message="looking at the checkout", contextId=None
        )
        self._told_of_failure = threading.Event()

    def progress(self, message: str) -> None:
        self._put("collecting", message)

    def ready(self, context: ContextId) -> None:
        self._put("ready", "", context)

    def failed(self, message: str) -> None:
        self._put("failed", message)

    def wait_until_told(self, seconds: float) -> None:
        """Wait until a page has learned of the failure, so that it can still be read there."""
        self._told_of_failure.wait(seconds)

    @property
    def context(self) -> ContextId | None:
        """The review that pages are sent to, once it is there."""
        with self._lock:
            ready = self._shape["contextId"]
        return None if ready is None else ContextId(ready)

    def get(self, request: Request) -> Response:
        with self._lock:
            shape = self._shape
        if shape["state"] == "failed":
            self._told_of_failure.set()
        return Response.json(shape)

    def _put(self, state: State, message: str, context: ContextId | None = None) -> None:
        with self._lock:
            self._shape = OpeningShape(state=state, message=message, contextId=context)
