"""Turn a survey and the contents behind it into the snapshots of an observation (2.5, 2.10, 2.12).

Every object and every file is read once, every patch is measured once, and scopes share both.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from diffx.collector.contents.budget import TEXT_BYTES, Budget
from diffx.collector.contents.lfs import lfs_clean
from diffx.collector.contents.text import Readable, readable
from diffx.collector.contents.worktree import Look, open_root
from diffx.collector.identity import fingerprint
from diffx.collector.repository import Attributes, Blob, PatchText, Repository, Survey
from diffx.collector.scopes.drafts import (
    GITLINK,
    Draft,
    Letters,
    drafts_of,
    letters_of,
    object_ids,
    worktree_paths,
)
from diffx.collector.scopes.measured import Measured, Patches, without_patch
from diffx.collector.scopes.newfile import blob_id, new_file_patch, replacement_patch
from diffx.collector.scopes.sides import Content, Patience, Shelf, of_blob, of_look, read_worktree
from diffx.review.model import (
    SCOPES,
    BlobId,
    ChangedFile,
    CommitId,
    Digest,
    GitPath,
    Noise,
    Snapshot,
    Submodule,
)
from diffx.review.noise import classify
from diffx.review.paths import file_id

_LFS: Final = "lfs"
_NOTHING: Final[Attributes] = {}
_NOT_FETCHED: Final = Content(size=None, digest=None, reason="not-fetched")
_UNSETTLED: Final = Content(size=None, digest=None, reason="unsettled")


class Assembly(NamedTuple):
    """The snapshots, the texts that they name, and the files that moved while they were read.

    The snapshots are true as they are: a file that moved is withheld as `unsettled` in them. The
    caller may prefer to collect again.
    """

    snapshots: tuple[Snapshot, ...]
    texts: Mapping[BlobId, bytes]
    moved: frozenset[GitPath]


def assemble(
    repository: Repository, survey: Survey, *, started_ns: int, deadline: float
) -> Assembly:
    """Read what the survey names and build every scope.

    `started_ns` is the file clock's time before the walk began: a file that changed since may
    have been seen in two states. `deadline` is a time of `time.monotonic`.
    """
    scopes = drafts_of(survey)
    drafts = [draft for listed in scopes.values() for draft in listed]
    attributes = repository.attributes(sorted(_names(drafts)))
    objects = repository.blobs(object_ids(drafts), keep=TEXT_BYTES)  # runs beside the next lines
    reading = _Reading(repository, survey, attributes, started_ns)
    root = open_root(repository.layout.top)
    try:
        reading.read_files(root, drafts, Patience(repository.layout.top, deadline=deadline))
    finally:
        os.close(root)
    reading.read_objects(objects, drafts)
    building = _Building(reading, letters_of(survey))
    for listed in scopes.values():
        listed[:] = [draft for draft in listed if reading.is_change(draft)]
    measured = {scope: [building.measure(draft) for draft in scopes[scope]] for scope in scopes}
    reading.shelf.move_to(reading.budget)
    snapshots = tuple(
        Snapshot(
            scope=scope,
            files=tuple(map(building.file, scopes[scope], measured[scope])),
            renames_limited=scope in survey.renames_limited,
        )
        for scope in SCOPES
        if scope in scopes
    )
    return Assembly(snapshots, reading.budget.texts, frozenset(reading.moved))


def _names(drafts: Iterable[Draft]) -> set[GitPath]:
    """Return every path, and every former one, that attributes may speak of."""
    names = {draft.path for draft in drafts}
    names.update(draft.old_path for draft in drafts if draft.old_path is not None)
    return names


class _Reading:
    """Reads both kinds of sides, and finds out which files moved meanwhile."""

    def __init__(
        self,
        repository: Repository,
        survey: Survey,
        attributes: Mapping[GitPath, Attributes],
        started_ns: int,
    ) -> None:
        self.format = repository.layout.object_format
        self.attributes = attributes
        self.budget = Budget()
        self.shelf = Shelf()
        self.patches = Patches(self.budget)
        self.files: dict[GitPath, Content | None] = {}
        self.objects: dict[str, Content] = {}
        self.pointers: dict[GitPath, bytes] = {}
        self.originals: dict[str, bytes] = {}
        self.new_files: dict[GitPath, tuple[str | None, Measured]] = {}
        self.moved: set[GitPath] = set()
        self._filters = survey.filters - {_LFS}
        self._modes_count = survey.modes_count
        self._started_ns = started_ns

    def of(self, path: GitPath) -> Attributes:
        return self.attributes.get(path, _NOTHING)

    def is_filtered(self, draft: Draft) -> bool:
        """Say whether a filter that was not run stands between the file and git (2.9)."""
        return (
            draft.in_worktree
            and not draft.untracked
            and self.of(draft.path).get("filter") in self._filters
        )

    def is_change(self, draft: Draft) -> bool:
        """Say whether there is something to show, now that the file was read.

        Not a new file that is gone again, and not a Git LFS file that has the pointer it had.
        """
        if draft.untracked and draft.in_worktree and self.files[draft.path] is None:
            return False
        pointer = self.pointers.get(draft.path)
        return not (
            pointer is not None
            and draft.in_worktree
            and draft.status == "M"
            and draft.old_mode == draft.new_mode
            and blob_id(pointer, self.format) == draft.old_oid
        )

    def read_files(self, root: int, drafts: Sequence[Draft], patience: Patience) -> None:
        """Read every file on disk once; make the patches of new ones while their bytes are here."""
        untracked = {draft.path for draft in drafts if draft.untracked and draft.in_worktree}
        vouched = _vouched(drafts)
        gone = {draft.path for draft in drafts if draft.status == "D" and draft.on_disk}
        wanted = worktree_paths(drafts)
        for path, look in read_worktree(root, wanted | gone, patience):
            if path in wanted:
                self._take(path, look, vouched.get(path, ()), path in untracked)
            if path in gone and look.kind in ("regular", "symlink") and self._is_fresh(look):
                self.moved.add(path)

    def read_objects(self, blobs: Iterable[Blob], drafts: Sequence[Draft]) -> None:
        originals = {draft.old_oid for draft in drafts if draft.path in self.pointers}
        for blob in blobs:
            self.objects[blob.oid] = of_blob(blob, self.shelf)
            if blob.oid in originals and blob.data is not None:
                self.originals[blob.oid] = blob.data

    def _take(
        self, path: GitPath, look: Look, vouched: Iterable[str | None], untracked: bool
    ) -> None:
        attributes = self.of(path)
        if attributes.get("filter") == _LFS and look.kind == "regular" and look.digest:
            look = self._as_pointer(path, look)
        declared = attributes.get("working-tree-encoding")
        content = of_look(look, self.shelf, declared)
        self.files[path] = content
        if untracked and content is not None:
            if look.mode == "100755" and not self._modes_count:
                look = look._replace(mode="100644")  # as `git add` would record it
            self.new_files[path] = (look.mode, self._new_file(path, look, content, declared))
        if look.unsettled or content is None or self._has_just_gone(look):
            self.moved.add(path)
        elif self._is_fresh(look) and path not in self.pointers:
            seen = blob_id(look.data, self.format) if look.data is not None else None
            if any(oid != seen for oid in vouched):
                self.moved.add(path)

    def _has_just_gone(self, look: Look) -> bool:
        """Say whether a file is unreadable because it went away while it was read."""
        return look.kind == "unreadable" and self._is_fresh(look)

    def _is_fresh(self, look: Look) -> bool:
        """Say whether a file may have changed since the walk began."""
        return look.stamp is not None and look.stamp.ctime_ns >= self._started_ns

    def _as_pointer(self, path: GitPath, look: Look) -> Look:
        """Return the look that git-lfs would give git: the pointer instead of the content."""
        assert look.digest is not None and look.size is not None
        pointer = lfs_clean(look.digest, look.size, look.data)
        self.pointers[path] = pointer
        digest = Digest(hashlib.sha256(pointer).hexdigest())
        return Look(
            kind=look.kind, mode=look.mode, size=len(pointer), digest=digest, data=pointer,
            stamp=look.stamp,
        )  # fmt: skip

    def _new_file(
        self, path: GitPath, look: Look, content: Content, declared: str | None
    ) -> Measured:
        data = look.data
        if data is None or look.mode is None:
            return without_patch(content.reason or "too-large")
        diff = self.of(path).get("diff")
        if declared is not None and isinstance(
            text := readable(data, declared=declared), Readable
        ):
            data = text.text
        binary = diff == "unset" or (diff != "set" and content.binary and declared is None)
        binary = binary and bool(data)  # of an empty file git has no more to say than that it is
        patch = new_file_patch(path, look.mode, data, self.format, binary=binary)
        return self.patches.take(PatchText(size=len(patch), text=patch, binary=binary), None)


def _vouched(drafts: Iterable[Draft]) -> dict[GitPath, set[str | None]]:
    """Return, for each tracked file on disk, the ids that git gave its content."""
    found: dict[GitPath, set[str | None]] = {}
    for draft in drafts:
        if draft.in_worktree and not draft.untracked and not draft.unchanged:
            found.setdefault(draft.path, set()).add(draft.new_oid)
    return found


class _Building:
    """Builds files out of drafts, once everything is read."""

    def __init__(self, reading: _Reading, letters: Letters) -> None:
        self._reading = reading
        self._letters = letters
        self._noise: dict[tuple[GitPath, int], Noise | None] = {}
        self._built: dict[tuple[object, ...], tuple[Measured, ChangedFile]] = {}

    def measure(self, draft: Draft) -> Measured:
        """Return the draft's patch, at the budget; every patch comes before the first content."""
        reading = self._reading
        if draft.path in reading.moved and draft.on_disk:
            return without_patch("unsettled")
        if draft.untracked and draft.in_worktree:
            draft.new_mode, measured = reading.new_files[draft.path]
            return measured
        if reading.is_filtered(draft):
            draft.after_reason = "filtered"
            return without_patch("filtered")
        if draft.path in reading.pointers and draft.in_worktree and draft.status != "U":
            return self._pointer_patch(draft)
        if draft.patch is None:
            return without_patch(draft.patch_reason or "submodule")
        key = (
            draft.old_oid, draft.new_oid, draft.old_path, draft.path, draft.old_mode,
            draft.new_mode,
        )  # fmt: skip
        return reading.patches.take(
            draft.patch, key if draft.new_oid or not draft.new_mode else None
        )

    def _pointer_patch(self, draft: Draft) -> Measured:
        reading = self._reading
        pointer = reading.pointers[draft.path]
        original = reading.originals.get(draft.old_oid or "")
        if draft.old_oid is None or draft.old_mode is None or draft.new_mode is None:
            patch = new_file_patch(
                draft.path, draft.new_mode or "100644", pointer, reading.format, binary=False
            )
        elif original is None or draft.old_path is not None:
            return without_patch("filtered")
        else:
            patch = replacement_patch(
                draft.path, (draft.old_mode, draft.new_mode), original, pointer, reading.format
            )
        return reading.patches.take(PatchText(size=len(patch), text=patch), None)

    def file(self, draft: Draft, measured: Measured) -> ChangedFile:
        """Build a file; a change that two scopes have in common is built once."""
        if draft.submodule is not None:
            return self._build(draft, measured)
        key = (
            draft.path, draft.status, draft.old_path, draft.old_mode, draft.new_mode,
            draft.old_oid, draft.new_oid, draft.in_worktree, draft.unchanged, id(measured),
        )  # fmt: skip
        known = self._built.get(key)
        if known is None:
            # The measured patch is kept beside it, so that its id stays its own.
            known = self._built[key] = (measured, self._build(draft, measured))
        return known[1]

    def _build(self, draft: Draft, measured: Measured) -> ChangedFile:
        reading = self._reading
        before, after = self._before(draft), self._after(draft)
        shown = after or before
        before_side = None if before is None else reading.shelf.side(before, reading.budget)
        after_side = None if after is None else reading.shelf.side(after, reading.budget)
        binary = measured.binary or self._is_same_binary(draft, measured, before)
        return ChangedFile(
            id=file_id(draft.path),
            path=draft.path,
            status=draft.status,
            old_path=draft.old_path,
            index_status=self._letters.staged.get(draft.path),
            worktree_status=self._letters.worktree.get(draft.path),
            old_mode=draft.old_mode,
            new_mode=draft.new_mode,
            additions=None if binary else measured.additions,
            deletions=None if binary else measured.deletions,
            binary=binary,
            size=None if shown is None else shown.size,
            fingerprint=fingerprint(
                path=draft.path,
                old_path=draft.old_path,
                status=draft.status,
                old_mode=draft.old_mode,
                new_mode=draft.new_mode,
                before=before_side,
                after=after_side,
            ),
            conflict=draft.conflict,
            submodule=draft.submodule,
            repository=draft.repository,
            noise=self._classified(draft.path, shown),
            rows=measured.rows,
            patch=measured.final(reading.budget),
            before=before_side,
            after=after_side,
        )

    def _is_same_binary(self, draft: Draft, measured: Measured, before: Content | None) -> bool:
        """Say whether a patch without hunks is about a binary file.

        Where only the name or the mode changes, or an empty file comes or goes, the patch does
        not tell; `git diff --numstat` does.
        """
        if measured.blob is None or measured.rows is None or measured.rows.hunks:
            return False
        if not any((mode or "").startswith("100") for mode in (draft.old_mode, draft.new_mode)):
            return False  # only of a plain file do the attributes say what it is
        names = {draft.path, draft.old_path or draft.path}
        said = [self._reading.of(name).get("diff") for name in names]
        looks_binary = before is not None and before.binary
        return any(one == "unset" or (one != "set" and looks_binary) for one in said)

    def _before(self, draft: Draft) -> Content | None:
        if draft.unchanged:
            return self._after(draft)
        if draft.old_oid is None or draft.old_mode is None:
            return None
        if draft.old_mode == GITLINK:
            return _pointer_content(Submodule(old_commit=None, new_commit=_old(draft)))
        return self._reading.objects.get(draft.old_oid, _NOT_FETCHED)

    def _after(self, draft: Draft) -> Content | None:
        reading = self._reading
        if draft.path in reading.moved and draft.on_disk:
            return _UNSETTLED
        if draft.repository:
            return _NESTED
        if draft.new_mode is None:
            return None
        if draft.new_mode == GITLINK:
            return None if draft.submodule is None else _pointer_content(draft.submodule)
        if draft.in_worktree:
            return self._file_content(draft)
        return None if draft.new_oid is None else reading.objects.get(draft.new_oid, _NOT_FETCHED)

    def _file_content(self, draft: Draft) -> Content | None:
        content = self._reading.files.get(draft.path)
        if draft.after_reason is None:
            return content
        # A filtered file's own bytes still say whether it is the same as last time (3.5).
        size, digest = (content.size, content.digest) if content is not None else (None, None)
        return Content(size=size, digest=digest, reason=draft.after_reason)

    def _classified(self, path: GitPath, shown: Content | None) -> Noise | None:
        key = (path, id(shown))
        if key not in self._noise:
            head = None if shown is None else shown.head
            self._noise[key] = classify(path, self._reading.of(path), head)
        return self._noise[key]


def _old(draft: Draft) -> CommitId | None:
    return None if draft.submodule is None else draft.submodule.old_commit


def _pointer_content(submodule: Submodule) -> Content:
    """Return what stands for a submodule's content: its commit, and whether it is dirty."""
    text = (
        f"Subproject commit {submodule.new_commit}\n"
        f"{submodule.modified_content} {submodule.untracked_content}\n"
    )
    digest = Digest(hashlib.sha256(text.encode()).hexdigest())
    return Content(size=None, digest=digest, reason="submodule")


_NESTED: Final = Content(
    size=None,
    digest=Digest(hashlib.sha256(b"a repository of its own").hexdigest()),
    reason="submodule",
)
