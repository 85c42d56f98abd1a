"""Review threads as agents read them: state and place outside, every word written under a label."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from diffx.mcpapi import rpc
from diffx.mcpapi.arguments import Arguments, ToolError
from diffx.mcpapi.contexts import timestamp
from diffx.mcpapi.files import label_path
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.untrusted import KEY, line_text, one_line
from diffx.records import ThreadMissingError
from diffx.review.comments import Author, AuthorKind, Thread, ThreadId
from diffx.review.export import author_name, visible
from diffx.review.model import Millis
from diffx.review.paths import display_path
from diffx.review.port import SeenThread

Found = TypeVar("Found")

MAX_CODE_LINES: Final = 20
LISTED_BYTES: Final = 2_000
LISTED_REPLY_BYTES: Final = 1_000
LISTED_REPLIES: Final = 5
READ_BYTES: Final = 15_000
_MAX_CODE_BYTES: Final = 3_000
_MAX_PATH_BYTES: Final = 2_000
_MAX_AUTHOR_BYTES: Final = 200
_KINDS: Final[Mapping[AuthorKind, str]] = {
    "account": "human",
    "agent": "agent",
    "import": "import",
}


@dataclass(frozen=True, slots=True)
class _Said:
    """One contribution to a thread: the comment itself, or a reply."""

    author: Author
    body: str
    at: Millis


def counts(threads: Iterable[SeenThread]) -> Json:
    """Say how much there is to do before any detail."""
    listed = list(threads)
    status = Counter(each.thread.status for each in listed)
    return {
        "open": status["open"],
        "resolved": status["resolved"],
        "actionable": sum(each.actionable for each in listed),
        "by_applicability": dict(sorted(Counter(each.applicability for each in listed).items())),
    }


def listed_shape(seen: SeenThread, *, code: bool) -> Json:
    """Show a thread in a list: its beginning and its latest replies, cut where they are long."""
    thread = seen.thread
    untrusted = _untrusted(seen, code=code)
    untrusted["author"] = _author(thread.author)
    untrusted["body"] = _cut(thread.body, LISTED_BYTES, thread)
    latest = thread.replies[-LISTED_REPLIES:]
    untrusted["replies"] = [
        _said_shape(_Said(reply.author, reply.body, reply.created_at), thread) for reply in latest
    ]
    hidden = len(thread.replies) - len(latest)
    earlier = {"earlier_replies": hidden} if hidden else {}
    return {**_state(seen), **earlier, KEY: untrusted}


def read_shape(seen: SeenThread, cursor: str | None, *, code: bool) -> tuple[Json, str | None]:
    """Show one thread in full from a cursor on, and the cursor behind what was shown."""
    thread = seen.thread
    said = [
        _Said(thread.author, thread.body, thread.created_at),
        *(_Said(reply.author, reply.body, reply.created_at) for reply in thread.replies),
    ]
    untrusted = _untrusted(seen, code=code and cursor is None)
    whole = {**_state(seen), "replies": len(thread.replies), KEY: untrusted}
    first, offset = _position(cursor, said)
    shown: list[Json] = []
    left = READ_BYTES - len(rpc.encode(whole))
    untrusted["said"] = shown
    for index, each in enumerate(said[first:], first):
        text = visible(each.body)[offset:]
        piece: dict[str, Any] = {
            "author": _author(each.author),
            "at": timestamp(each.at),
            "body": "",
        }
        if offset:
            piece["continued"] = True
        left -= len(rpc.encode(piece))
        if shown and left <= 0:
            return whole, f"{index}:0"
        piece["body"] = _fitting(text, left)
        shown.append(piece)
        if len(piece["body"]) < len(text):
            return whole, f"{index}:{offset + len(piece['body'])}"
        left -= _size(text)
        offset = 0
    return whole, None


def _state(seen: SeenThread) -> dict[str, object]:
    thread = seen.thread
    shape: dict[str, object] = {
        "id": thread.id,
        "status": thread.status,
        "applicability": seen.applicability,
        "actionable": seen.actionable,
        "scope": thread.anchor.scope,
        "author_kind": _KINDS[thread.author.kind],
        "created_at": timestamp(thread.created_at),
    }
    if thread.resolution is not None:
        shape["resolution"] = thread.resolution.replace("-", "_")
    if seen.ported:
        shape |= {"placement": seen.place.placement, "written_on": thread.context}
    # Where the words stand now; where they are no longer found, where they were written.
    lines = seen.place.lines or thread.anchor.lines
    if lines is not None:
        shape |= {"side": lines.side, "start_line": lines.start, "end_line": lines.end}
    return shape


def _untrusted(seen: SeenThread, *, code: bool) -> dict[str, object]:
    path = seen.path if seen.path is not None else seen.thread.anchor.path
    shape: dict[str, object] = {}
    if path is not None:
        shape["path"] = _fitting(label_path(display_path(path)), _MAX_PATH_BYTES)
    quote = seen.thread.quote
    if code and quote is not None:
        shape["code"] = _code(quote)
    return shape


def _code(quote: bytes) -> str:
    lines = quote.removesuffix(b"\n").split(b"\n")
    shown = [line_text(line, "utf-8") for line in lines[:MAX_CODE_LINES]]
    text = "\n".join(shown)
    kept = _fitting(text, _MAX_CODE_BYTES)
    if len(lines) > MAX_CODE_LINES or len(kept) < len(text):
        kept += f"\n… [{len(lines)} lines in all; read_file shows them]"
    return kept


def _said_shape(said: _Said, thread: Thread) -> Json:
    return {
        "author": _author(said.author),
        "author_kind": _KINDS[said.author.kind],
        "at": timestamp(said.at),
        "body": _cut(said.body, LISTED_REPLY_BYTES, thread),
    }


def _author(author: Author) -> str:
    return _fitting(one_line(author_name(author)), _MAX_AUTHOR_BYTES)


def _cut(body: str, limit: int, thread: Thread) -> str:
    text = visible(body)
    kept = _fitting(text, limit)
    if len(kept) == len(text):
        return text
    return f"{kept}… [{len(text) - len(kept)} more characters; call with comment_id={thread.id}]"


def _fitting(text: str, limit: int) -> str:
    """Return as much of a text as fits into so many bytes of JSON; at least one character."""
    if _size(text) <= limit:
        return text
    shortest, longest = 1, max(1, limit)
    while shortest < longest:
        middle = (shortest + longest + 1) // 2
        if _size(text[:middle]) <= limit:
            shortest = middle
        else:
            longest = middle - 1
    return text[:shortest]


def _size(text: str) -> int:
    # Quotes and backslashes double on the way, and an answer's limit is about what arrives.
    return len(rpc.encode(text)) - 2


def _position(cursor: str | None, said: Sequence[_Said]) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    index, _, offset = cursor.partition(":")
    if index.isascii() and index.isdigit() and offset.isascii() and offset.isdigit():
        place = int(index), int(offset)
        if place[0] < len(said) and place[1] <= len(visible(said[place[0]].body)):
            return place
    raise ToolError("this cursor is not from here; leave it out to start anew", field="cursor")


def thread_id(arguments: Arguments) -> ThreadId:
    return ThreadId(arguments.text("comment_id") or "")


def found(look: Callable[[], Found]) -> Found:
    try:
        return look()
    except ThreadMissingError as error:
        raise ToolError(
            "there is no such comment here; call get_review_comments for the ids",
            field="comment_id",
        ) from error
