"""When two submissions are the same: canonical bytes, and the three names made from them.

The bytes are JSON arrays of values in the order in which `review.model` declares its fields.
They are identity: a change here makes a retry look like different content (4.3).
"""

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final

from diffx.review.model import (
    SCOPES,
    ChangedFile,
    Comparison,
    Digest,
    FilePatch,
    Image,
    LfsObject,
    Noise,
    Observation,
    Provenance,
    Rows,
    Session,
    Side,
    Snapshot,
    Submission,
    Submodule,
)

BLOCK_MEAN: Final = 32
BLOCK_LIMIT: Final = 128

# All declared fields, so that a new one cannot be forgotten. attrgetter returns them as one tuple.
_VALUES: Final = {
    kind: attrgetter(*(field.name for field in fields(kind)))
    for kind in (
        ChangedFile,
        Comparison,
        FilePatch,
        Image,
        LfsObject,
        Noise,
        Provenance,
        Rows,
        Session,
        Side,
        Submodule,
    )
}
_file_values: Final = _VALUES[ChangedFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Neighbouring files of one scope, cut where their own paths say so.

    A change to one file changes one block; the others keep their digests, in every scope and
    observation. `digest` is SHA-256 over the files' canonical bytes.
    """

    digest: bytes
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeIdentity:
    """One scope cut into blocks; `revision` differs exactly when its content does."""

    snapshot: Snapshot
    blocks: tuple[Block, ...]
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a submission is compared by.

    `payload` covers all that was submitted (4.3). `content` names what a later collection must
    equal to join the same context, None where it must stay independent (6.2). `stream` names
    the checkout's line of observations (1). All three are within one owner.
    """

    payload: bytes
    content: bytes | None
    stream: bytes
    scopes: tuple[ScopeIdentity, ...]


def identify(submission: Submission) -> Identity:
    """Name a validated submission; equal submissions have equal names, on every machine."""
    observation = submission.observation
    content = _content(observation)
    scopes = tuple(
        _identify_scope(snapshot)
        for snapshot in sorted(observation.snapshots, key=lambda each: SCOPES.index(each.scope))
    )
    return Identity(
        payload=_payload(submission, scopes),
        content=content,
        stream=_stream(submission),
        scopes=scopes,
    )


def blocks(files: Sequence[ChangedFile]) -> Iterator[Block]:
    """Cut files into blocks of about BLOCK_MEAN, never more than BLOCK_LIMIT, keeping order."""
    start = 0
    for end, file in enumerate(files, 1):
        if zlib.crc32(file.path) % BLOCK_MEAN == 0 or end - start == BLOCK_LIMIT:
            yield _block(files[start:end])
            start = end
    if start < len(files):
        yield _block(files[start:])


def _block(files: Sequence[ChangedFile]) -> Block:
    rows = [_file_values(file) for file in files]
    return Block(digest=_sha256(rows), files=tuple(files))


def _identify_scope(snapshot: Snapshot) -> ScopeIdentity:
    cut = tuple(blocks(snapshot.files))
    revision = _sha256([snapshot.renames_limited, [block.digest for block in cut]])
    return ScopeIdentity(snapshot=snapshot, blocks=cut, revision=revision.hex()[:32])


def _payload(submission: Submission, scopes: Sequence[ScopeIdentity]) -> bytes:
    observation = submission.observation
    # Texts are covered by the SHA-256 names that the files give them (4.2).
    return _sha256(
        [
            submission.id,
            observation.source_id,
            observation.source_kind,
            observation.collected_at,
            observation.comparison,
            observation.provenance,
            observation.content_hash,
            observation.repository_key,
            observation.checkout_key,
            observation.branch_id,
            observation.head,
            [[scope.snapshot.scope, scope.revision] for scope in scopes],
        ]
    )


def _content(observation: Observation) -> bytes | None:
    content: Digest | str | None = observation.content_hash
    if content is None:
        if any(snapshot.files for snapshot in observation.snapshots):
            return None
        content = "empty"
    return _sha256(
        [
            *_place(observation),
            observation.head,
            observation.source_kind,
            sorted(snapshot.scope for snapshot in observation.snapshots),
            content,
        ]
    )


def _stream(submission: Submission) -> bytes:
    observation = submission.observation
    place = _place(observation)
    if observation.repository_key is None and observation.checkout_key is None:
        # Nothing says that two loose patches are states of one thing, so neither is stale.
        place.append(observation.content_hash or submission.id)
    return _sha256(place)


def _place(observation: Observation) -> list[object]:
    branch = observation.branch_id
    return [
        observation.source_id,
        observation.repository_key,
        observation.checkout_key,
        # A producer without enrolment (3.2) has only the branch's name to tell streams apart.
        ["name", observation.provenance.branch] if branch is None else ["id", branch],
        observation.comparison.policy,
    ]


def _sha256(value: object) -> bytes:
    return hashlib.sha256(_ENCODER.encode(value).encode("ascii")).digest()


def _plain(value: Any) -> object:
    # Latin-1 maps every byte to one character and back: lossless for paths that are not UTF-8.
    return value.decode("latin-1") if isinstance(value, bytes) else _VALUES[type(value)](value)


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False, default=_plain)
