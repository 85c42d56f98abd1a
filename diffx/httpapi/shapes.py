"""The JSON shapes of answers, and how records become them; the contract is openapi.yaml."""

import base64
from typing import NotRequired, TypedDict

from diffx.records import (
    CatalogGroups,
    ContextPage,
    ContextRecord,
    FacetValue,
    PatchPage,
    ReviewCounts,
    ScopeRecord,
    StoredContents,
    StoredSide,
    StoredText,
    SubmissionRecord,
    Totals,
)
from diffx.review.model import Comparison, Provenance, Session


class SessionShape(TypedDict):
    harness: str
    sessionId: str
    name: str | None


class ProvenanceShape(TypedDict):
    repositoryName: str | None
    remoteUrl: str | None
    root: str | None
    worktreeName: str | None
    branch: str | None
    hostname: str | None
    runId: str | None
    trigger: str | None
    triggerDirectory: str | None
    engine: str
    collectorVersion: str


class ComparisonShape(TypedDict):
    policy: str
    kind: str
    baseRef: str | None
    baseCommit: str | None
    mergeBase: str | None
    fallback: str | None


class ObservationShape(TypedDict):
    sourceId: str
    sourceKind: str
    repositoryKey: str | None
    checkoutKey: str | None
    branchId: str | None
    head: str | None
    comparison: ComparisonShape
    provenance: ProvenanceShape
    collectedAt: int


class TotalsShape(TypedDict):
    files: int
    additions: int
    deletions: int
    binary: int


class ScopeShape(TypedDict):
    scope: str
    diffId: str
    revision: str
    totals: TotalsShape
    renamesLimited: bool


class SummaryShape(TypedDict):
    contextId: str
    observation: ObservationShape
    latest: bool
    storedAt: int
    expiresAt: int
    scopes: list[ScopeShape]


class PageShape(TypedDict):
    contexts: list[SummaryShape]
    nextCursor: str | None


class RepositoryGroupShape(TypedDict):
    key: str | None
    name: str | None
    contexts: int
    latest: int
    changed: int
    storedAt: int


class FacetShape(TypedDict):
    value: str
    contexts: int


class GroupsShape(TypedDict):
    repositories: list[RepositoryGroupShape]
    hostnames: list[FacetShape]
    branches: list[FacetShape]
    worktrees: list[FacetShape]


class CapabilitiesShape(TypedDict):
    scopes: list[str]
    contents: bool
    comments: bool
    reviewMarks: bool


class SubmissionShape(TypedDict):
    submissionId: str
    collectedAt: int
    storedAt: int
    provenance: ProvenanceShape


class CommentCountsShape(TypedDict):
    open: int
    resolved: int


class ContextShape(TypedDict):
    contextId: str
    observation: ObservationShape
    capabilities: CapabilitiesShape
    scopes: list[ScopeShape]
    latest: bool
    storedAt: int
    expiresAt: int
    sessions: list[SessionShape]
    submissions: list[SubmissionShape]
    comments: CommentCountsShape


class ManifestHeadShape(TypedDict):
    """A manifest without its files, which are spliced in as they were stored."""

    contextId: str
    diffId: str
    scope: str
    revision: str
    source: str
    root: str | None
    name: str | None
    branch: str | None
    head: str | None
    totals: TotalsShape
    renamesLimited: bool


class PatchShape(TypedDict):
    patch: str | None
    reason: str | None
    encoding: str
    patchBytes: NotRequired[str]


class PatchEntryShape(PatchShape):
    fileId: str


class PatchPageShape(TypedDict):
    patches: list[PatchEntryShape]
    nextCursor: str | None


class ContentSideShape(TypedDict):
    text: str | None
    size: int | None
    encoding: str
    reason: str | None


class ContentsShape(TypedDict):
    before: ContentSideShape | None
    after: ContentSideShape | None


def session_shape(session: Session) -> SessionShape:
    return SessionShape(harness=session.harness, sessionId=session.session_id, name=session.name)


def provenance_shape(provenance: Provenance) -> ProvenanceShape:
    return ProvenanceShape(
        repositoryName=provenance.repository_name,
        remoteUrl=provenance.remote_url,
        root=provenance.root,
        worktreeName=provenance.worktree_name,
        branch=provenance.branch,
        hostname=provenance.hostname,
        runId=provenance.run_id,
        trigger=provenance.trigger,
        triggerDirectory=provenance.trigger_directory,
        engine=provenance.engine,
        collectorVersion=provenance.collector_version,
    )


def comparison_shape(comparison: Comparison) -> ComparisonShape:
    return ComparisonShape(
        policy=comparison.policy,
        kind=comparison.kind,
        baseRef=comparison.base_ref,
        baseCommit=comparison.base_commit,
        mergeBase=comparison.merge_base,
        fallback=comparison.fallback,
    )


def observation_shape(record: ContextRecord) -> ObservationShape:
    return ObservationShape(
        sourceId=record.source_id,
        sourceKind=record.source_kind,
        repositoryKey=record.repository_key,
        checkoutKey=record.checkout_key,
        branchId=record.branch_id,
        head=record.head,
        comparison=comparison_shape(record.comparison),
        provenance=provenance_shape(record.provenance),
        collectedAt=record.collected_at,
    )


def totals_shape(totals: Totals) -> TotalsShape:
    return TotalsShape(
        files=totals.files,
        additions=totals.additions,
        deletions=totals.deletions,
        binary=totals.binary,
    )


def scope_shape(scope: ScopeRecord) -> ScopeShape:
    return ScopeShape(
        scope=scope.scope,
        diffId=scope.diff,
        revision=scope.revision,
        totals=totals_shape(scope.totals),
        renamesLimited=scope.renames_limited,
    )


def summary_shape(record: ContextRecord) -> SummaryShape:
    return SummaryShape(
        contextId=record.context,
        observation=observation_shape(record),
        latest=record.latest,
        storedAt=record.stored_at,
        expiresAt=record.expires_at,
        scopes=[scope_shape(scope) for scope in record.scopes],
    )


def page_shape(page: ContextPage) -> PageShape:
    return PageShape(
        contexts=[summary_shape(record) for record in page.contexts], nextCursor=page.next_cursor
    )


def groups_shape(groups: CatalogGroups) -> GroupsShape:
    return GroupsShape(
        repositories=[
            RepositoryGroupShape(
                key=group.key,
                name=group.name,
                contexts=group.contexts,
                latest=group.latest,
                changed=group.changed,
                storedAt=group.stored_at,
            )
            for group in groups.repositories
        ],
        hostnames=_facet_shapes(groups.hostnames),
        branches=_facet_shapes(groups.branches),
        worktrees=_facet_shapes(groups.worktrees),
    )


def _facet_shapes(values: tuple[FacetValue, ...]) -> list[FacetShape]:
    return [FacetShape(value=value.value, contexts=value.contexts) for value in values]


def context_shape(record: ContextRecord, counts: ReviewCounts) -> ContextShape:
    return ContextShape(
        contextId=record.context,
        observation=observation_shape(record),
        capabilities=_capabilities_shape(record),
        scopes=[scope_shape(scope) for scope in record.scopes],
        latest=record.latest,
        storedAt=record.stored_at,
        expiresAt=record.expires_at,
        sessions=[session_shape(session) for session in record.sessions],
        submissions=[_submission_shape(submission) for submission in record.submissions],
        comments=CommentCountsShape(open=counts.open, resolved=counts.resolved),
    )


def _capabilities_shape(record: ContextRecord) -> CapabilitiesShape:
    return CapabilitiesShape(
        scopes=[scope.scope for scope in record.scopes],
        contents=record.source_kind != "patch",  # a piped patch carries no full contents
        comments=True,
        reviewMarks=True,
    )


def _submission_shape(submission: SubmissionRecord) -> SubmissionShape:
    return SubmissionShape(
        submissionId=submission.id,
        collectedAt=submission.collected_at,
        storedAt=submission.stored_at,
        provenance=provenance_shape(submission.provenance),
    )


def manifest_head_shape(record: ContextRecord, scope: ScopeRecord) -> ManifestHeadShape:
    return ManifestHeadShape(
        contextId=record.context,
        diffId=scope.diff,
        scope=scope.scope,
        revision=scope.revision,
        source=record.source_kind,
        root=record.provenance.root,
        name=record.provenance.repository_name,
        branch=record.provenance.branch,
        head=record.head,
        totals=totals_shape(scope.totals),
        renamesLimited=scope.renames_limited,
    )


def patch_shape(stored: StoredText) -> PatchShape:
    """Show a patch as text; its own bytes come along only where they are not UTF-8 (2.7)."""
    shape = PatchShape(patch=None, reason=stored.reason, encoding=stored.encoding)
    if stored.text is not None:
        shape["patch"] = stored.shown()
        if not _is_utf8(stored.text):
            shape["patchBytes"] = base64.b64encode(stored.text).decode("ascii")
    return shape


def patch_page_shape(page: PatchPage) -> PatchPageShape:
    return PatchPageShape(
        patches=[
            PatchEntryShape(fileId=entry.file, **patch_shape(entry.patch))
            for entry in page.patches
        ],
        nextCursor=page.next_cursor,
    )


def contents_shape(contents: StoredContents) -> ContentsShape:
    return ContentsShape(
        before=_content_side_shape(contents.before), after=_content_side_shape(contents.after)
    )


def _content_side_shape(side: StoredSide | None) -> ContentSideShape | None:
    if side is None:
        return None
    return ContentSideShape(
        text=None if side.text is None else side.text.decode("utf-8", "replace"),
        size=side.size,
        encoding=side.encoding,
        reason=side.reason,
    )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
