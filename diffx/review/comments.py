"""Threads: where they are anchored, who wrote them, what state they are in, who may act (8.1, 8.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, NewType, get_args

from diffx.errors import ConflictError, InvalidError
from diffx.review.model import (
    ContextId,
    Digest,
    FileId,
    GitPath,
    Millis,
    Scope,
    Session,
)
from diffx.review.patch import hunks

ThreadId = NewType("ThreadId", str)
ReplyId = NewType("ReplyId", str)

Side = Literal["old", "new"]
ThreadStatus = Literal["open", "resolved"]
Resolution = Literal["fixed", "answered", "wont-fix", "outdated"]
RESOLUTIONS: Final[tuple[Resolution, ...]] = get_args(Resolution)
Applicability = Literal["anchored", "stale", "other-scope", "unknown"]
AuthorKind = Literal["account", "agent", "import"]
Verdict = Literal["approve", "request-changes", "comment"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

MAX_BODY_CHARS: Final = 20_000
MAX_QUOTE_BYTES: Final = 64 << 10
MAX_QUOTE_LINES: Final = 1_000
MAX_HUNK_LINES: Final = 24
MAX_HUNK_COLUMNS: Final = 1_000
MAX_REPLIES: Final = 200
MAX_VERDICTS: Final = 200
"""Of one context."""
MAX_THREADS: Final = 5_000
"""Of one stream."""
MAX_REVIEW_BYTES: Final = 16 << 20
"""Of all words and quoted code of one stream."""


class KeyReusedError(ConflictError):
    """An idempotency key came again with other words than those that it was kept for."""


class Retry(NamedTuple):
    """What makes a request that comes twice count once: its key, and the words that came with it."""

    key: str
    words: str

    def check(self, said: str) -> None:
        """Refuse a key that was kept for other words: they would be lost in silence."""
        if said != self.words:
            raise KeyReusedError(
                "other words were saved under this idempotency key; take a new one to add these too"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote something: the account itself, an agent session of its, or an import's claim."""

    kind: AuthorKind = "account"
    session: Session | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A range of lines on one side of a file, counted from 1, both ends in it."""

    side: Side
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What a thread is about: lines, a whole file (`lines` None), or the review (no file).

    `fingerprint` is the file's in the scope that the thread was written on (3.6).
    """

    scope: Scope
    file: FileId | None = None
    path: GitPath | None = None
    lines: Lines | None = None
    fingerprint: Digest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer in a thread."""

    id: ReplyId
    author: Author
    body: str
    created_at: Millis
    edited_at: Millis | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A comment with its replies.

    `context` is where it was written; that context may have ended. `quote` is the code it is
    about, exactly; `hunk` is the patch around it. `sequence` rises with every change of any
    thread of the owner, so "since" needs no clock.
    """

    id: ThreadId
    context: ContextId
    anchor: Anchor
    author: Author
    body: str
    created_at: Millis
    updated_at: Millis
    sequence: int
    quote: bytes | None = None
    hunk: bytes | None = None
    edited_at: Millis | None = None
    status: ThreadStatus = "open"
    resolution: Resolution | None = None
    resolved_at: Millis | None = None
    resolved_by: Author | None = None
    replies: tuple[Reply, ...] = ()


def resolved(thread: Thread, by: Author, now: Millis, resolution: Resolution | None) -> Thread:
    """Resolve a thread; one that is resolved stays exactly as it is (8.2)."""
    if thread.status == "resolved":
        return thread
    return replace(
        thread,
        status="resolved",
        resolution=resolution,
        resolved_at=now,
        resolved_by=by,
        updated_at=now,
    )


def reopened(thread: Thread, now: Millis) -> Thread:
    """Open a thread again; an open one stays as it is."""
    if thread.status == "open":
        return thread
    return replace(
        thread,
        status="open",
        resolution=None,
        resolved_at=None,
        resolved_by=None,
        updated_at=now,
    )


def replied(thread: Thread, reply: Reply) -> Thread:
    """Add a reply, which opens a resolved thread again (8.2)."""
    if len(thread.replies) >= MAX_REPLIES:
        raise InvalidError(f"a thread takes at most {MAX_REPLIES} replies", field="body")
    opened = reopened(thread, reply.created_at)
    return replace(
        opened,
        replies=(*thread.replies, reply),
        updated_at=max(thread.updated_at, reply.created_at),
    )


def edited(thread: Thread, body: str, by: Author, now: Millis) -> Thread:
    """Change what a thread says; the same words change nothing.

    Nobody's words are changed under their name by another.
    """
    if body == thread.body:
        return thread
    if (thread.author.kind, thread.author.session) != (by.kind, by.session):
        raise InvalidError(
            "only who wrote a comment can change its words; answer it instead", field="body"
        )
    return replace(thread, body=body, edited_at=now, updated_at=now)


def applicability(
    anchor: Anchor, scope: Scope, fingerprints: Mapping[FileId, Digest | None]
) -> Applicability:
    """Say whether a thread still speaks of what a reader of `scope` sees (8.2).

    `fingerprints` has every file of that scope under its id. Equal fingerprints mean the same
    change in any scope, so such a thread is anchored wherever it was written.
    """
    if anchor.file is None:
        return "anchored" if anchor.scope == scope else "other-scope"
    shown = fingerprints.get(anchor.file)
    if anchor.fingerprint is not None and anchor.fingerprint == shown:
        return "anchored"
    if anchor.scope != scope:
        return "other-scope"
    if anchor.file in fingerprints and (anchor.fingerprint is None or shown is None):
        return "unknown"
    return "stale"


def actionable(status: ThreadStatus, applies: Applicability) -> bool:
    """Say whether an agent may act on a thread as it stands: open, and about what is there."""
    return status == "open" and applies == "anchored"


def check_body(body: str, field: str = "body") -> str:
    """Refuse a text that cannot be kept or shown: empty, too long, or no Unicode."""
    if not body.strip():
        raise InvalidError("a comment needs words", field=field)
    if len(body) > MAX_BODY_CHARS:
        raise InvalidError(f"longer than {MAX_BODY_CHARS} characters", field=field)
    return check_text(body, field)


def check_text(text: str, field: str) -> str:
    """Refuse what is no Unicode text; a lone surrogate can neither be stored nor sent."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidError("this is not Unicode text", field=field) from None
    return text


def quote_lines(lines: Sequence[bytes], wanted: Lines) -> bytes:
    """Return exactly the lines that a thread is about, or say that they are not there."""
    if not 1 <= wanted.start <= wanted.end <= len(lines):
        raise InvalidError(
            f"lines {wanted.start} to {wanted.end} are not on the {wanted.side} side,"
            f" which has {len(lines)}",
            field="startLine",
        )
    return _bounded(lines[wanted.start - 1 : wanted.end])


def quote_patch(patch: bytes, wanted: Lines) -> bytes:
    """Return the lines from a patch, where the full text of the side is not stored."""
    found: dict[int, bytes] = {}
    for hunk in hunks(patch):
        for line in hunk.lines:
            number = line.old if wanted.side == "old" else line.new
            if number is not None and wanted.start <= number <= wanted.end:
                found[number] = line.text + (b"" if line.no_newline else b"\n")
    if len(found) != wanted.end - wanted.start + 1:
        raise InvalidError(
            f"lines {wanted.start} to {wanted.end} of the {wanted.side} side are not stored:"
            " comment on lines of the patch or on the file",
            field="startLine",
        )
    return _bounded([found[number] for number in sorted(found)])


def hunk_around(patch: bytes, wanted: Lines) -> bytes | None:
    """Return the piece of the patch around a thread's lines, at most MAX_HUNK_LINES of it."""
    for hunk in hunks(patch):
        numbers = [line.old if wanted.side == "old" else line.new for line in hunk.lines]
        inside = [
            at
            for at, number in enumerate(numbers)
            if number is not None and wanted.start <= number <= wanted.end
        ]
        if inside:
            first = max(0, min(inside[0], inside[-1] - MAX_HUNK_LINES // 2) - 6)
            shown = hunk.lines[first : first + MAX_HUNK_LINES]
            return b"".join(
                line.kind.encode("ascii") + line.text[:MAX_HUNK_COLUMNS] + b"\n" for line in shown
            )
    return None


def _bounded(lines: Sequence[bytes]) -> bytes:
    quote = b"".join(lines)
    if len(lines) > MAX_QUOTE_LINES or len(quote) > MAX_QUOTE_BYTES:
        raise InvalidError(
            f"a comment is about at most {MAX_QUOTE_LINES} lines and {MAX_QUOTE_BYTES >> 10} KiB:"
            " choose fewer lines, or the file",
            field="endLine",
        )
    return quote


def order(thread: Thread) -> tuple[object, ...]:
    """Sort threads for every reader alike: the review first, then by file, place, and age."""
    lines = thread.anchor.lines
    return (
        thread.anchor.path or b"",
        (0, "", 0) if lines is None else (lines.start, lines.side, lines.end),
        thread.created_at,
        thread.id,
    )
