"""The JSON shapes of reviews: threads, marks, iterations, comparisons; see openapi.yaml."""

from collections.abc import Sequence
from typing import Final, NotRequired, TypedDict

from diffx.httpapi.shapes import ScopeShape, SessionShape, scope_shape, session_shape
from diffx.records import IterationRecord, VerdictRecord
from diffx.review.comments import Author, Lines, Reply, Thread
from diffx.review.compared import Compared, ComparedFile
from diffx.review.export import NOTICE, author_name, code_text, visible
from diffx.review.model import ContextId, Scope
from diffx.review.paths import display_path
from diffx.review.port import SeenThread
from diffx.services.iterations import StreamView
from diffx.services.reviews import SeenThreads


class AuthorShape(TypedDict):
    kind: str
    name: str | None
    harness: str | None
    sessionId: str | None
    sessionName: str | None


class LinesShape(TypedDict):
    side: str
    startLine: int
    endLine: int


class AnchorShape(TypedDict):
    fileId: str | None
    path: str | None
    lines: LinesShape | None
    fingerprint: str | None


class PlaceShape(TypedDict):
    placement: str
    fileId: str | None
    path: str | None
    lines: LinesShape | None


class ReplyShape(TypedDict):
    id: str
    author: AuthorShape
    body: str
    createdAt: int
    editedAt: int | None


class ThreadShape(TypedDict):
    id: str
    contextId: str
    ported: bool
    scope: str
    anchor: AnchorShape
    place: PlaceShape
    applicability: str
    actionable: bool
    code: str | None
    hunk: str | None
    author: AuthorShape
    body: str
    status: str
    resolution: str | None
    createdAt: int
    updatedAt: int
    editedAt: int | None
    resolvedAt: int | None
    resolvedBy: AuthorShape | None
    replies: list[ReplyShape]


class ThreadsShape(TypedDict):
    contextId: str
    scope: str
    threads: list[ThreadShape]
    review: int
    cursor: int


class SaidShape(TypedDict):
    author: str
    body: str
    createdAt: int


class UntrustedShape(TypedDict):
    author: str
    body: str
    code: str | None
    replies: list[SaidShape]


class AgentCommentShape(TypedDict):
    id: str
    scope: str
    path: str | None
    lines: LinesShape | None
    status: str
    applicability: str
    actionable: bool
    placement: str
    ported: bool
    authorKind: str
    createdAt: int
    untrusted: UntrustedShape


class AgentViewShape(TypedDict):
    contextId: str
    scope: str
    notice: str
    comments: list[AgentCommentShape]
    cursor: int


class VerdictShape(TypedDict):
    verdict: str
    summary: str | None
    finishedAt: int


class IterationShape(TypedDict):
    contextId: str
    number: int
    collectedAt: int
    storedAt: int
    head: str | None
    latest: bool
    scopes: list[ScopeShape]
    sessions: list[SessionShape]
    verdicts: list[VerdictShape]


DefaultShape = TypedDict("DefaultShape", {"from": str, "to": str})  # `from` is a keyword


class IterationsShape(TypedDict):
    contextId: str
    iterations: list[IterationShape]
    default: DefaultShape | None


class ComparedFileShape(TypedDict):
    fileId: str
    path: str
    fromFileId: str | None
    fromPath: str | None
    state: str
    renamed: bool
    modeChanged: bool
    separated: bool
    own: bool
    coarse: bool
    additions: int
    deletions: int
    upstreamAdditions: int
    upstreamDeletions: int
    undone: int
    reason: str | None


ComparisonShape = TypedDict(
    "ComparisonShape",
    {
        "from": str,
        "to": str,
        "scope": str,
        "sameBase": bool,
        "authorChange": "bool | None",
        "pureRebase": bool,
        "coarse": bool,
        "counts": dict[str, int],
        "files": list[ComparedFileShape],
    },
)


class UpstreamShape(TypedDict):
    old: list[list[int]]
    new: list[list[int]]


class FileInterdiffsShape(TypedDict):
    files: list["FileInterdiffShape"]


class FileInterdiffShape(TypedDict):
    file: ComparedFileShape
    patch: str | None
    reason: str | None
    upstream: UpstreamShape
    patchBytes: NotRequired[int]


_STATES: Final = ("unchanged", "upstream", "changed", "new", "gone", "unknown")


def thread_shape(seen: SeenThread) -> ThreadShape:
    thread = seen.thread
    return ThreadShape(
        id=thread.id,
        contextId=thread.context,
        ported=seen.ported,
        scope=thread.anchor.scope,
        anchor=_anchor_shape(thread),
        place=_place_shape(seen),
        applicability=seen.applicability,
        actionable=seen.actionable,
        code=None if thread.quote is None else code_text(thread.quote),
        hunk=None if thread.hunk is None else code_text(thread.hunk),
        author=author_shape(thread.author),
        body=thread.body,
        status=thread.status,
        resolution=thread.resolution,
        createdAt=thread.created_at,
        updatedAt=thread.updated_at,
        editedAt=thread.edited_at,
        resolvedAt=thread.resolved_at,
        resolvedBy=None if thread.resolved_by is None else author_shape(thread.resolved_by),
        replies=[_reply_shape(reply) for reply in thread.replies],
    )


def threads_shape(context: ContextId, scope: Scope, seen: SeenThreads) -> ThreadsShape:
    return ThreadsShape(
        contextId=context,
        scope=scope,
        threads=[thread_shape(each) for each in seen.threads],
        review=seen.review,
        cursor=seen.cursor,
    )


def agent_view_shape(
    context: ContextId, scope: Scope, seen: SeenThreads, *, resolved: bool
) -> AgentViewShape:
    """Show threads to an agent: everything that others wrote is under `untrusted` (8.5)."""
    return AgentViewShape(
        contextId=context,
        scope=scope,
        notice=NOTICE,
        comments=[
            _agent_comment_shape(each)
            for each in seen.threads
            if resolved or each.thread.status == "open"
        ],
        cursor=seen.cursor,
    )


def author_shape(author: Author) -> AuthorShape:
    session = author.session
    return AuthorShape(
        kind=author.kind,
        name=author.name,
        harness=None if session is None else session.harness,
        sessionId=None if session is None else session.session_id,
        sessionName=None if session is None else session.name,
    )


def iterations_shape(context: ContextId, view: StreamView) -> IterationsShape:
    latest = view.latest
    default: DefaultShape | None = None
    if view.since is not None and latest is not None:
        default = {"from": view.since, "to": latest}
    return IterationsShape(
        contextId=context,
        iterations=[
            _iteration_shape(number, each) for number, each in enumerate(view.iterations, 1)
        ],
        default=default,
    )


def comparison_shape(
    old: ContextId, new: ContextId, scope: Scope, found: Compared
) -> ComparisonShape:
    counts = dict.fromkeys(_STATES, 0)
    for file in found.files:
        counts[file.state] += 1
    return {
        "from": old,
        "to": new,
        "scope": scope,
        "sameBase": found.same_base,
        "authorChange": found.author_change,
        "pureRebase": found.pure_rebase,
        "coarse": found.coarse,
        "counts": counts,
        "files": [compared_file_shape(file) for file in found.files],
    }


def compared_file_shape(file: ComparedFile) -> ComparedFileShape:
    counts = file.counts
    return ComparedFileShape(
        fileId=file.id,
        path=display_path(file.path),
        fromFileId=file.old_id,
        fromPath=None if file.old_path is None else display_path(file.old_path),
        state=file.state,
        renamed=file.renamed,
        modeChanged=file.mode_changed,
        separated=file.separated,
        own=file.own,
        coarse=file.coarse,
        additions=counts.additions,
        deletions=counts.deletions,
        upstreamAdditions=counts.upstream_additions,
        upstreamDeletions=counts.upstream_deletions,
        undone=counts.undone,
        reason=file.reason,
    )


def file_interdiff_shape(file: ComparedFile) -> FileInterdiffShape:
    """Show one file's interdiff: a patch, and which of its lines are upstream's doing."""
    shape = FileInterdiffShape(
        file=compared_file_shape(file),
        patch=None,
        reason=file.reason,
        upstream=UpstreamShape(old=[], new=[]),
    )
    patch = None if file.diff is None else file.diff.patch
    if file.diff is not None and patch is None:
        shape["reason"] = "too-large"
        shape["patchBytes"] = file.diff.size
    elif file.diff is not None and patch is not None:
        shape["patch"] = patch.decode("utf-8", "replace")
        shape["upstream"] = UpstreamShape(
            old=[list(each) for each in file.diff.upstream_old],
            new=[list(each) for each in file.diff.upstream_new],
        )
    return shape


def file_interdiffs_shape(
    files: Sequence[ComparedFile], *, most_bytes: int
) -> FileInterdiffsShape:
    """Show the first of many interdiffs: as many as hold so much patch, and at least one."""
    shown: list[FileInterdiffShape] = []
    for file in files:
        most_bytes -= 0 if file.diff is None or file.diff.deflated is None else file.diff.size
        if shown and most_bytes < 0:
            break
        shown.append(file_interdiff_shape(file))
    return FileInterdiffsShape(files=shown)


def _anchor_shape(thread: Thread) -> AnchorShape:
    anchor = thread.anchor
    return AnchorShape(
        fileId=anchor.file,
        path=None if anchor.path is None else display_path(anchor.path),
        lines=_lines_shape(anchor.lines),
        fingerprint=anchor.fingerprint,
    )


def _place_shape(seen: SeenThread) -> PlaceShape:
    return PlaceShape(
        placement=seen.place.placement,
        fileId=seen.file,
        path=None if seen.path is None else display_path(seen.path),
        lines=_lines_shape(seen.place.lines),
    )


def _lines_shape(lines: Lines | None) -> LinesShape | None:
    if lines is None:
        return None
    return LinesShape(side=lines.side, startLine=lines.start, endLine=lines.end)


def _reply_shape(reply: Reply) -> ReplyShape:
    return ReplyShape(
        id=reply.id,
        author=author_shape(reply.author),
        body=reply.body,
        createdAt=reply.created_at,
        editedAt=reply.edited_at,
    )


def _agent_comment_shape(seen: SeenThread) -> AgentCommentShape:
    thread = seen.thread
    path = seen.path if seen.path is not None else thread.anchor.path
    return AgentCommentShape(
        id=thread.id,
        scope=thread.anchor.scope,
        path=None if path is None else visible(display_path(path)),
        lines=_lines_shape(seen.place.lines),
        status=thread.status,
        applicability=seen.applicability,
        actionable=seen.actionable,
        placement=seen.place.placement,
        ported=seen.ported,
        authorKind=thread.author.kind,
        createdAt=thread.created_at,
        untrusted=UntrustedShape(
            author=visible(author_name(thread.author)),
            body=visible(thread.body),
            code=None if thread.quote is None else visible(code_text(thread.quote)),
            replies=[
                SaidShape(
                    author=visible(author_name(reply.author)),
                    body=visible(reply.body),
                    createdAt=reply.created_at,
                )
                for reply in thread.replies
            ],
        ),
    )


def _iteration_shape(number: int, record: IterationRecord) -> IterationShape:
    return IterationShape(
        contextId=record.context,
        number=number,
        collectedAt=record.collected_at,
        storedAt=record.stored_at,
        head=record.head,
        latest=record.latest,
        scopes=[scope_shape(scope) for scope in record.scopes],
        sessions=[session_shape(each) for each in record.sessions],
        verdicts=[_verdict_shape(each) for each in record.verdicts],
    )


def _verdict_shape(record: VerdictRecord) -> VerdictShape:
    return VerdictShape(
        verdict=record.verdict, summary=record.summary, finishedAt=record.finished_at
    )
