"""Threads for tests: say the point, the rest has a default."""

from typing import Any

from diffx.review.comments import Anchor, Author, Lines, Reply, ReplyId, Thread, ThreadId
from diffx.review.model import ContextId, Digest, GitPath, Millis
from diffx.review.paths import file_id
from diffx.review.port import Place, SeenThread

PRINT = Digest("a" * 64)


def anchor(path: str | bytes | None = "a.py", start: int | None = 2, **more: Any) -> Anchor:
    name = path.encode() if isinstance(path, str) else path
    lines = None if start is None else Lines(side="new", start=start, end=start)
    values: dict[str, Any] = {
        "scope": "all",
        "file": None if name is None else file_id(GitPath(name)),
        "path": None if name is None else GitPath(name),
        "lines": None if name is None else lines,
        "fingerprint": None if name is None else PRINT,
    }
    return Anchor(**(values | more))


def thread(id: str = "t1", **more: Any) -> Thread:  # noqa: A002 - the name that the field has
    values: dict[str, Any] = {
        "id": ThreadId(id),
        "context": ContextId("c1"),
        "anchor": anchor(),
        "author": Author(),
        "body": "why?",
        "created_at": Millis(1_000),
        "updated_at": Millis(1_000),
        "sequence": 1,
        "quote": b"two\n",
    }
    return Thread(**(values | more))


def reply(id: str = "r1", **more: Any) -> Reply:  # noqa: A002 - likewise
    values: dict[str, Any] = {
        "id": ReplyId(id),
        "author": Author(),
        "body": "because",
        "created_at": Millis(2_000),
    }
    return Reply(**(values | more))


def seen(of: Thread, **more: Any) -> SeenThread:
    values: dict[str, Any] = {
        "thread": of,
        "applicability": "anchored",
        "actionable": of.status == "open",
        "place": Place(
            placement="exact", in_file=of.anchor.path is not None, lines=of.anchor.lines
        ),
        "path": of.anchor.path,
    }
    return SeenThread(**(values | more))
