"""The tools that read a review's comments, and wait for the next ones."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from diffx.mcpapi.arguments import Argument, Arguments, Flag, Number, Text, ToolError
from diffx.mcpapi.contexts import CONTEXT, SCOPE, Contexts, read_scope, stored_scope
from diffx.mcpapi.identity import AGENT, author_of
from diffx.mcpapi.messages import Asker
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.threads import counts, found, listed_shape, read_shape, thread_id
from diffx.mcpapi.tool import Outcome, Waiting
from diffx.records import ContextRecord
from diffx.review.comments import ThreadId
from diffx.review.model import FileId, Scope
from diffx.review.paths import display_path
from diffx.review.port import SeenThread
from diffx.services.reviews import Reviews, SeenThreads

PAGE_BYTES: Final = 16 << 10
MAX_WAIT_S: Final = 50
"""Below the minute after which common clients give a call up."""

_SINCE: Final = Number(
    about="next_since of an earlier answer: only what others changed after it.",
    low=0,
    high=2**53 - 1,
)
_CODE: Final = Flag(about="Quote the code that a comment is about.", default=True)
_SCOPED: Final[dict[str, Argument]] = {"context_id": CONTEXT, "scope": SCOPE, "agent_name": AGENT}

COMMENTS_TAKES: Final[dict[str, Argument]] = {
    **_SCOPED,
    "since": _SINCE,
    "status": Text(
        about="Default: open, or with since: all.", choices=("open", "resolved", "all")
    ),
    "actionable_only": Flag(about="Only open comments on code that is still as it was."),
    "path": Text(about="Only comments on this file.", limit=8_192),
    "comment_id": Text(about="Only this comment, in full.", limit=80),
    "include_code": _CODE,
    "limit": Number(about="How many to show at most.", low=1, high=50, default=20),
    "cursor": Text(about="next_cursor of the answer before.", limit=120),
}
WAIT_TAKES: Final[dict[str, Argument]] = {
    **_SCOPED,
    "since": _SINCE,
    "timeout_seconds": Number(
        about="How long to wait at most.", low=1, high=MAX_WAIT_S, default=25
    ),
    "include_code": _CODE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """What agents read of a review's comments; nobody hears what they wrote themselves."""

    reviews: Reviews
    contexts: Contexts

    def comments(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope = self._scope(asker, arguments)
        if arguments.text("comment_id") is not None:
            return self._one(asker, record, scope, arguments)
        shown = self.reviews.threads(asker.owner, record.context, scope)
        since = _since(arguments, shown)
        if since is not None:
            return self._changed(asker, record, scope, arguments, since)
        chosen = _chosen(shown, arguments, arguments.text("status") or "open")
        data: dict[str, object] = {"counts": counts(shown.threads), "next_since": shown.cursor}
        start = _after(shown, chosen, arguments.text("cursor"))
        pieces = _fitting(chosen[start:], arguments)
        data["comments"] = pieces
        left = len(chosen) - start - len(pieces)
        if left and pieces:
            data |= {"remaining": left, "next_cursor": chosen[start + len(pieces) - 1].thread.id}
        return Outcome.of(data)

    def wait(self, asker: Asker, arguments: Arguments) -> Waiting:
        record, scope = self._scope(asker, arguments)
        shown = self.reviews.threads(asker.owner, record.context, scope)
        since = _since(arguments, shown)
        begun = shown.cursor if since is None else since

        def now() -> Outcome:
            return self._changed(asker, record, scope, arguments, begun)

        def look() -> Outcome | None:
            outcome = now()
            return outcome if outcome.data is not None and outcome.data["comments"] else None

        return Waiting(look=look, give_up=now, seconds=arguments.number("timeout_seconds"))

    def figures(self, asker: Asker, record: ContextRecord, scope: Scope) -> dict[str, object]:
        """Tell how far the review is, for the summary."""
        shown = self.reviews.threads(asker.owner, record.context, scope)
        marks = self.reviews.marks(asker.owner, record.context, scope)
        return {"comments": counts(shown.threads), "reviewed_files": len(marks.marks)}

    def open_by_file(
        self, asker: Asker, record: ContextRecord, scope: Scope
    ) -> Mapping[FileId, int]:
        """Count the open comments that a scope shows on each of its files."""
        shown = self.reviews.threads(asker.owner, record.context, scope).threads
        return Counter(
            each.file for each in shown if each.file is not None and each.thread.status == "open"
        )

    def _scope(self, asker: Asker, arguments: Arguments) -> tuple[ContextRecord, Scope]:
        record, scope = self.contexts.resolve(asker, arguments), read_scope(arguments)
        stored_scope(record, scope)
        return record, scope

    def _one(
        self, asker: Asker, record: ContextRecord, scope: Scope, arguments: Arguments
    ) -> Outcome:
        seen = found(
            lambda: self.reviews.thread(asker.owner, record.context, scope, thread_id(arguments))
        )
        shape, following = read_shape(
            seen, arguments.text("cursor"), code=arguments.flag("include_code")
        )
        data: dict[str, object] = {"comments": [shape]}
        return Outcome.of(data if following is None else data | {"next_cursor": following})

    def _changed(
        self,
        asker: Asker,
        record: ContextRecord,
        scope: Scope,
        arguments: Arguments,
        since: int,
    ) -> Outcome:
        """Return what others changed since, as much as fits, and the cursor behind that."""
        limit = arguments.number("limit") if "limit" in arguments.values else 20
        while True:
            changes = self.reviews.changed(
                asker.owner,
                since,
                context=record.context,
                but=author_of(asker, arguments),
                limit=limit,
            )
            seen = self._as_seen(asker, record, scope, [each.id for each in changes.threads])
            status = str(arguments.values.get("status") or "all")
            chosen = [each for each in seen if _wanted(each, arguments, status)]
            data: dict[str, object] = {
                "comments": [
                    listed_shape(each, code=arguments.flag("include_code")) for each in chosen
                ],
                "next_since": changes.cursor,
                "more": changes.more,
            }
            outcome = Outcome.of(data)
            if limit <= 1 or len(outcome.text.encode("utf-8", "replace")) <= PAGE_BYTES:
                return outcome
            # The cursor stands behind what was asked for, so less is asked for, not less shown.
            limit = max(1, len(changes.threads) // 2)

    def _as_seen(
        self, asker: Asker, record: ContextRecord, scope: Scope, ids: list[ThreadId]
    ) -> list[SeenThread]:
        if not ids:
            return []
        shown = self.reviews.threads(asker.owner, record.context, scope).threads
        known = {each.thread.id: each for each in shown}
        return [
            known.get(each) or self.reviews.thread(asker.owner, record.context, scope, each)
            for each in ids
        ]


def _since(arguments: Arguments, shown: SeenThreads) -> int | None:
    """Return the cursor that a call goes on from; one that is ahead is from another database."""
    since = arguments.maybe_number("since")
    if since is not None and since > shown.cursor:
        raise ToolError("this since is not from here; leave it out to start anew", field="since")
    return since


def _wanted(seen: SeenThread, arguments: Arguments, status: str) -> bool:
    values = arguments.values
    path = values.get("path")
    at = seen.path if seen.path is not None else seen.thread.anchor.path
    return (
        status in ("all", seen.thread.status)
        and (seen.actionable or not values.get("actionable_only"))
        and (path is None or (at is not None and display_path(at) == path))
    )


def _chosen(shown: SeenThreads, arguments: Arguments, status: str) -> list[SeenThread]:
    return [each for each in shown.threads if _wanted(each, arguments, status)]


def _after(shown: SeenThreads, chosen: list[SeenThread], cursor: str | None) -> int:
    """Count what comes up to a cursor; it may have been resolved since and be none of the chosen."""
    if cursor is None:
        return 0
    places = {each.thread.id: place for place, each in enumerate(shown.threads)}
    place = places.get(ThreadId(cursor))
    if place is None:
        raise ToolError("this cursor is outdated; leave it out to start anew", field="cursor")
    return sum(places[each.thread.id] <= place for each in chosen)


def _fitting(chosen: list[SeenThread], arguments: Arguments) -> list[Json]:
    shown: list[Json] = []
    size = 0
    for each in chosen[: arguments.number("limit")]:
        shape = listed_shape(each, code=arguments.flag("include_code"))
        size += len(Outcome.of(shape).text.encode("utf-8", "replace")) + 1
        if shown and size > PAGE_BYTES - 1_000:
            break
        shown.append(shape)
    return shown
