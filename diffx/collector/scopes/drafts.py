"""What each scope lists, before any content is read: a survey put in order (2.4-2.8). Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from diffx.collector.repository import Change, PatchText, Survey
from diffx.review.model import (
    CommitId,
    GitPath,
    Scope,
    Status,
    Submodule,
    WithheldReason,
)

GITLINK: Final = "160000"


@dataclass(slots=True, kw_only=True, eq=False)
class Draft:
    """One file of one scope in the making.

    `on_disk` says that its scope ends at the working tree, where git looked; `in_worktree` that
    its after side is a file there, not an object. `patch_reason` says
    why there is no patch; a draft with neither gets one made in process. An `unchanged` one is
    listed only because it is in conflict: both its sides are the file on disk.
    """

    path: GitPath
    status: Status
    old_path: GitPath | None = None
    old_mode: str | None = None
    new_mode: str | None = None
    old_oid: str | None = None
    new_oid: str | None = None
    on_disk: bool = False
    in_worktree: bool = False
    untracked: bool = False
    repository: bool = False
    conflict: str | None = None
    submodule: Submodule | None = None
    patch: PatchText | None = None
    patch_reason: WithheldReason | None = None
    after_reason: WithheldReason | None = None
    unchanged: bool = False


class Letters(NamedTuple):
    """The two letters of `git status` for each path that has any."""

    staged: Mapping[GitPath, str]
    worktree: Mapping[GitPath, str]


def drafts_of(survey: Survey) -> dict[Scope, list[Draft]]:
    """Return each surveyed scope's files in bytewise path order, every path once."""
    found: dict[Scope, list[Draft]] = {}
    for scope, changes in survey.changes.items():
        on_disk = scope == "unstaged" or (scope == "all" and "unstaged" in survey.changes)
        listed = {
            change.path: _draft(change, on_disk and change.path not in survey.pinned)
            for change in changes
        }
        if on_disk:
            _add_untracked(listed, survey, scope)
            _add_submodules(listed, survey)
        _mark_conflicts(listed, survey)
        found[scope] = [listed[path] for path in sorted(listed)]
    return found


def letters_of(survey: Survey) -> Letters:
    """Read the status letters off the two scopes that git status is made of."""
    index = {change.path: str(change.status) for change in survey.changes.get("staged", ())}
    worktree = {change.path: str(change.status) for change in survey.changes.get("unstaged", ())}
    worktree |= dict.fromkeys(survey.submodules, "M")
    for path, kind in survey.conflicts.items():
        index[path], worktree[path] = kind[0], kind[1]
    for path in (*survey.untracked, *survey.nested):
        index.setdefault(path, "?")
        worktree[path] = "?"
    return Letters(index, worktree)


def _draft(change: Change, on_disk: bool) -> Draft:
    draft = Draft(
        path=change.path,
        status=change.status,
        old_path=change.old_path,
        old_mode=change.old_mode,
        new_mode=change.new_mode,
        old_oid=change.old_oid,
        new_oid=change.new_oid,
        on_disk=on_disk,
        in_worktree=on_disk and change.status != "D" and change.new_mode != GITLINK,
        patch=change.patch,
        patch_reason=change.trouble,
    )
    if on_disk and change.trouble in ("special-file", "unreadable", "unsettled"):
        draft.after_reason = change.trouble
    if GITLINK in (change.old_mode, change.new_mode):
        draft.submodule = Submodule(
            old_commit=_commit(change.old_oid, change.old_mode),
            new_commit=_commit(change.new_oid, change.new_mode),
        )
    return draft


def _commit(oid: str | None, mode: str | None) -> CommitId | None:
    return CommitId(oid) if oid is not None and mode == GITLINK else None


def _add_untracked(listed: dict[GitPath, Draft], survey: Survey, scope: Scope) -> None:
    for path in survey.untracked:
        if scope == "all" and path in survey.returned:
            continue
        listed[path] = Draft(path=path, status="A", on_disk=True, in_worktree=True, untracked=True)
    for path in survey.nested:
        if path not in listed:
            listed[path] = Draft(
                path=path,
                status="A",
                new_mode=GITLINK,
                repository=True,
                untracked=True,
                patch_reason="submodule",
            )


def _add_submodules(listed: dict[GitPath, Draft], survey: Survey) -> None:
    """Mark dirty submodules, and list those whose commit is unchanged (A15)."""
    for path, state in survey.submodules.items():
        draft = listed.get(path)
        if draft is None:
            draft = listed[path] = Draft(
                path=path,
                status="M",
                old_mode=GITLINK,
                new_mode=GITLINK,
                old_oid=state.commit,
                new_oid=state.commit,
                patch_reason="submodule",
            )
        if draft.new_mode == GITLINK:
            draft.submodule = Submodule(
                old_commit=_commit(draft.old_oid, draft.old_mode),
                new_commit=_commit(draft.new_oid, draft.new_mode),
                modified_content=state.modified_content,
                untracked_content=state.untracked_content,
            )


def _mark_conflicts(listed: dict[GitPath, Draft], survey: Survey) -> None:
    """Give every unmerged path one entry, in every scope.

    Its patch is what git itself compares the file with: our side (unstaged) or the base (all),
    under its former name where git saw a rename. Where there is no such side there is none.
    """
    on_disk = {change.path: change for change in survey.changes.get("unstaged", ())}
    for path, kind in survey.conflicts.items():
        draft = listed.get(path)
        if draft is None:
            found = on_disk.get(path)
            mode = found.new_mode if found is not None else None
            draft = listed[path] = Draft(
                path=path,
                status="U",
                old_mode=mode,
                new_mode=mode,
                unchanged=True,
                on_disk=True,
            )
        draft.status, draft.conflict = "U", kind
        draft.in_worktree = draft.new_mode not in (None, GITLINK)
        if draft.patch is None and draft.patch_reason is None:
            draft.patch_reason = "conflict"


def worktree_paths(drafts: Iterable[Draft]) -> set[GitPath]:
    """Return the files on disk whose content is wanted."""
    return {draft.path for draft in drafts if draft.in_worktree and draft.after_reason is None}


def object_ids(drafts: Iterable[Draft]) -> list[str]:
    """Return the objects whose content is wanted, each once, in order of first use."""
    wanted: dict[str, None] = {}
    for draft in drafts:
        if draft.old_oid is not None and draft.old_mode != GITLINK:
            wanted[draft.old_oid] = None
        if draft.new_oid is not None and not draft.in_worktree and draft.new_mode != GITLINK:
            wanted[draft.new_oid] = None
    return list(wanted)
