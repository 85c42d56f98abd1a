"""The tools that answer a review: reply, resolve, comment. Who wrote is recorded with every word."""

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from diffx.mcpapi.arguments import Argument, Arguments, Number, Text, ToolError
from diffx.mcpapi.contexts import CONTEXT, SCOPE, Contexts, read_scope, stored_scope
from diffx.mcpapi.files import Files
from diffx.mcpapi.identity import AGENT, author_of
from diffx.mcpapi.messages import Asker
from diffx.mcpapi.threads import found, thread_id
from diffx.mcpapi.tool import Outcome
from diffx.records import ContextRecord
from diffx.review.comments import RESOLUTIONS, Author, Lines, Resolution
from diffx.review.model import OwnerId
from diffx.services.reviews import NewComment, Reviews

MAX_BODY_CHARS: Final = 8_192
_WRITES: Final = 60
_WRITES_S: Final = 60.0

_KEY: Final = Text(
    about="Any text of your own; the same one again writes nothing twice.", limit=64
)
_ID: Final = Text(about="id of a comment, from get_review_comments.", limit=80)
_BODY: Final = Text(about="What to say, in Markdown.", limit=MAX_BODY_CHARS)
REPLY_TAKES: Final[dict[str, Argument]] = {
    "comment_id": _ID,
    "body": _BODY,
    "context_id": CONTEXT,
    "agent_name": AGENT,
    "idempotency_key": _KEY,
}
RESOLVE_TAKES: Final[dict[str, Argument]] = {
    "comment_id": _ID,
    "resolution": Text(
        about="What became of it.",
        choices=tuple(each.replace("-", "_") for each in RESOLUTIONS),
        default="fixed",
    ),
    "note": Text(about="A last word, kept as a reply.", limit=MAX_BODY_CHARS),
    "context_id": CONTEXT,
    "agent_name": AGENT,
}
ADD_TAKES: Final[dict[str, Argument]] = {
    "body": _BODY,
    "path": Text(about="A changed file; leave it out to speak of the whole review.", limit=8_192),
    "file_id": Text(about="file_id, where list_changed_files shows one.", limit=80),
    "side": Text(
        about="The file after or before the change.", choices=("new", "old"), default="new"
    ),
    "start_line": Number(
        about="First line; leave it out to speak of the file.", low=1, high=10**9
    ),
    "end_line": Number(about="Last line. Default: start_line.", low=1, high=10**9),
    "context_id": CONTEXT,
    "scope": SCOPE,
    "agent_name": AGENT,
    "idempotency_key": _KEY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """What agents write, at a bounded pace."""

    reviews: Reviews
    contexts: Contexts
    files: Files
    pace: "Pace" = field(default_factory=lambda: Pace(_WRITES, _WRITES_S))

    def reply(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, author = self._writing(asker, arguments)
        body = arguments.text("body") or ""
        thread = found(
            lambda: self.reviews.reply(
                asker.owner,
                record.context,
                thread_id(arguments),
                body,
                author,
                key=arguments.text("idempotency_key"),
            )
        )
        mine = [each.id for each in thread.replies if each.author == author and each.body == body]
        return Outcome.of({"comment_id": thread.id, "status": thread.status, "reply_id": mine[-1]})

    def resolve(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, author = self._writing(asker, arguments)
        wanted = (arguments.text("resolution") or "fixed").replace("_", "-")
        resolution: Resolution = next(each for each in RESOLUTIONS if each == wanted)
        before = found(
            lambda: self.reviews.thread(
                asker.owner, record.context, record.scopes[0].scope, thread_id(arguments)
            )
        )
        thread = self.reviews.resolve(
            asker.owner,
            record.context,
            before.thread.id,
            author,
            resolution=resolution,
            note=arguments.text("note"),
        )
        return Outcome.of(
            {
                "comment_id": thread.id,
                "status": thread.status,
                "already_resolved": before.thread.status == "resolved",
                "resolution": (thread.resolution or "none").replace("-", "_"),
            }
        )

    def add(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope = self.contexts.resolve(asker, arguments), read_scope(arguments)
        stored_scope(record, scope)
        file = None
        if arguments.text("path") is not None or arguments.text("file_id") is not None:
            rows = self.files.of(asker.owner, record, scope)
            file = rows.find(arguments.text("path"), arguments.text("file_id")).id
        body = arguments.text("body") or ""
        comment = NewComment(scope=scope, file=file, lines=_lines(arguments, file), body=body)
        _, author = self._writing(asker, arguments)
        thread = self.reviews.comment(
            asker.owner, record.context, comment, author, key=arguments.text("idempotency_key")
        )
        return Outcome.of({"comment_id": thread.id, "status": thread.status})

    def _writing(self, asker: Asker, arguments: Arguments) -> tuple[ContextRecord, Author]:
        record = self.contexts.resolve(asker, arguments)
        self.pace.check(asker.owner)
        return record, author_of(asker, arguments)


class Pace:
    """A bound on how fast one owner's agents may write: a loop gone wrong stays small."""

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._lock = threading.Lock()
        self._recent: dict[OwnerId, deque[float]] = {}

    def check(self, owner: OwnerId) -> None:
        now = time.monotonic()
        with self._lock:
            recent = self._recent.setdefault(owner, deque())
            while recent and recent[0] <= now - self._seconds:
                recent.popleft()
            if len(recent) >= self._count:
                wait = int(recent[0] + self._seconds - now) + 1
                raise ToolError(
                    f"{self._count} writes in {int(self._seconds)} seconds are enough;"
                    f" go on in {wait} seconds"
                )
            recent.append(now)


def _lines(arguments: Arguments, file: object) -> Lines | None:
    start, end = arguments.maybe_number("start_line"), arguments.maybe_number("end_line")
    if start is None:
        if end is not None:
            raise ToolError("end_line needs a start_line", field="start_line")
        return None
    if file is None:
        raise ToolError("lines need a path", field="path")
    last = start if end is None else end
    if last < start:
        raise ToolError("end_line is before start_line", field="end_line")
    return Lines(side="old" if arguments.text("side") == "old" else "new", start=start, end=last)
