"""What a composition hands to the endpoint and gets back; no socket and no HTTP library."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from diffx.review.model import ContextId, OwnerId

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"

Push = Callable[[bytes], None]
"""Send bytes to one waiting client; nothing at all (b"") ends its answer. Never blocks."""
Stream = Callable[[Push], Callable[[], None]]
"""Start an answer that comes later; the returned function gives it up."""
Shown = Callable[[OwnerId], ContextId | None]
"""Say which review this server shows to an owner right now, if there is one such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One POST as the endpoint sees it.

    Header names are lower-case. `context` is the one that the address names, if it names one.
    """

    owner: OwnerId
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    context: ContextId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to send back. With `stream` set, `body` is only the beginning."""

    status: int = 200
    body: bytes = b""
    media_type: str | None = None
    stream: Stream | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who calls a tool, and about what.

    `agent` is the name that its client gave itself: a label and proof of nothing (3.7).
    """

    owner: OwnerId
    context: ContextId | None = None
    agent: str | None = None
