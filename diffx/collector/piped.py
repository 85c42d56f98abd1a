"""A patch, as bytes → one Observation. No Git and no checkout is looked at (11.5)."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from diffx import __version__
from diffx.clock import Clock
from diffx.collector.contents.budget import Budget
from diffx.collector.contents.text import encoding_of
from diffx.review.model import (
    BlobId,
    ChangedFile,
    CommitId,
    Comparison,
    Digest,
    FilePatch,
    GitPath,
    Noise,
    Observation,
    Provenance,
    Side,
    Snapshot,
    SourceId,
    Status,
    Submodule,
    WithheldReason,
)
from diffx.review.noise import HEAD_BYTES, classify
from diffx.review.patch import (
    MAX_FILE_PATCH_BYTES,
    MAX_PATCH_BYTES,
    ParsedFile,
    PatchTooLargeError,
    SubmoduleMove,
    hunks,
)
from diffx.review.patch.series import parse
from diffx.review.paths import display_path, file_id

MAX_BYTES: Final = MAX_PATCH_BYTES
_TITLE_CHARS: Final = 80
_FINGERPRINT: Final = b"diffx piped file 1"
_CONTENT: Final = b"diffx piped content 1\0"
_UNCAPTURED: Final = Side(size=None, digest=None, reason="not-captured")


def too_large() -> PatchTooLargeError:
    """Return the error for a patch over the limit, with what to do instead."""
    return PatchTooLargeError(
        f"the patch is larger than {MAX_BYTES >> 20} MiB, the limit for a patch; "
        "review a part of it, or run diffx in the checkout"
    )


def observe(
    data: bytes,
    *,
    source_id: SourceId,
    now: Clock,
    name: str | None = None,
    folder: str | None = None,
) -> Observation:
    """Make an observation of a patch in any form that `review.patch` reads.

    It has only scope `all` (2.4), patches but no contents, and no identity of a repository:
    nothing says where the patch belongs. The same bytes are the same content (3.5). Without a
    name it is called by what it holds; `folder` is where it came in. Raises PatchError where
    there is no patch, and PatchTooLargeError beyond 16 MiB or 50,000 files.
    """
    if len(data) > MAX_BYTES:
        raise too_large()
    files = parse(data).files
    budget = Budget(total=MAX_BYTES, per_text=MAX_FILE_PATCH_BYTES)
    blobs = [budget.offer_patch(file.patch) if _is_text(file) else None for file in files]
    occurrences: Counter[GitPath] = Counter()
    changed: list[ChangedFile] = []
    for file, blob in zip(files, blobs, strict=True):
        changed.append(
            _changed_file(file, _file_patch(file, blob, budget), occurrences[file.path])
        )
        occurrences[file.path] += 1
    return Observation(
        source_id=source_id,
        source_kind="patch",
        collected_at=now(),
        comparison=Comparison(kind="patch", policy="patch"),
        provenance=Provenance(
            repository_name=name or _title(files),
            trigger_directory=folder,
            engine="patch",
            collector_version=__version__,
        ),
        snapshots=(Snapshot(scope="all", files=tuple(changed)),),
        texts=dict(budget.texts),
        content_hash=Digest(hashlib.sha256(_CONTENT + data).hexdigest()),
    )


def _title(files: Sequence[ParsedFile]) -> str:
    """Say what a patch is about, so that two of them are told apart: its commits, or its files."""
    subjects = {file.commit.subject: None for file in files if file.commit is not None}
    known = [subject for subject in subjects if subject]
    if known:
        return _and_more(f"Patch: {known[0][:_TITLE_CHARS]}", len(known) - 1, "commit")
    paths = list(dict.fromkeys(file.path for file in files))
    first = display_path(GitPath(paths[0].rstrip(b"/").rpartition(b"/")[2]))
    return _and_more(f"Patch of {first[:_TITLE_CHARS]}", len(paths) - 1, "file")


def _and_more(text: str, more: int, what: str) -> str:
    return f"{text} and {more} more {what}{'' if more == 1 else 's'}" if more else text


def _is_text(file: ParsedFile) -> bool:
    return bool(file.patch) and not file.binary


def _changed_file(file: ParsedFile, patch: FilePatch, occurrence: int) -> ChangedFile:
    text = _is_text(file)
    label = "" if file.commit is None else file.commit.label
    return ChangedFile(
        id=file_id(file.path, occurrence),
        path=file.path,
        status=_status(file),
        old_path=file.old_path,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        additions=file.figures.additions if text else None,
        deletions=file.figures.deletions if text else None,
        binary=file.binary,
        fingerprint=_fingerprint(file),
        submodule=None if file.submodule is None else _submodule(file.submodule),
        noise=_noise(file),
        rows=file.figures.rows if text else None,
        patch=patch,
        before=None if file.status == "A" else _UNCAPTURED,
        after=None if file.status == "D" else _UNCAPTURED,
        commit=label or None,
        damage=file.damage,
    )


def _status(file: ParsedFile) -> Status:
    """A copy is an added file that says what it was copied from."""
    return "A" if file.status == "C" else file.status


def _file_patch(file: ParsedFile, blob: BlobId | None, budget: Budget) -> FilePatch:
    if blob is None:
        return FilePatch(size=len(file.patch), reason=_absence(file))
    reason = budget.reason(blob)
    return FilePatch(
        size=len(file.patch),
        blob=blob if reason is None else None,
        reason=reason,
        encoding=encoding_of(file.patch),
    )


def _absence(file: ParsedFile) -> WithheldReason:
    """Say why a file has no text patch."""
    if file.binary:
        return "binary"
    if file.submodule is not None:
        return "submodule"
    return "conflict" if file.status == "U" else "not-captured"


def _submodule(move: SubmoduleMove) -> Submodule:
    return Submodule(
        old_commit=_full(move.old),
        new_commit=_full(move.new),
        modified_content=move.modified_content,
        untracked_content=move.untracked_content,
    )


def _full(commit: str | None) -> CommitId | None:
    """Return a full commit id; `diff.submodule=log` has abbreviations, which name nothing."""
    return CommitId(commit) if commit is not None and len(commit) in (40, 64) else None


def _fingerprint(file: ParsedFile) -> Digest | None:
    """Name the change by its patch; None where the patch does not show what changed (3.6).

    `Binary files differ` is told apart by its index line alone, so without one nothing is.
    """
    shown = bool(file.patch)
    if file.binary and b"\nindex " not in file.patch[: file.patch.find(b"\nBinary files ") + 1]:
        shown = b"\nGIT binary patch\n" in file.patch
    if not shown:
        return None
    parts = (
        _FINGERPRINT,
        file.path,
        file.old_path,
        file.status.encode("ascii"),
        None if file.old_mode is None else file.old_mode.encode("ascii"),
        None if file.new_mode is None else file.new_mode.encode("ascii"),
        file.patch,
    )
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"-" if part is None else b"%d:" % len(part))
        digest.update(part or b"")
    return Digest(digest.hexdigest())


def _noise(file: ParsedFile) -> Noise | None:
    """Classify by name, and by the file's beginning where the patch shows it."""
    return classify(file.path, {}, _head(file))


def _head(file: ParsedFile) -> bytes | None:
    if not _is_text(file):
        return None
    first = next(hunks(file.patch[: 2 * HEAD_BYTES]), None)
    if first is None:
        return None
    gone = file.status == "D"
    if (first.old_start if gone else first.new_start) > 1:
        return None
    other = "+" if gone else "-"
    return b"\n".join([line.text for line in first.lines if line.kind != other])
