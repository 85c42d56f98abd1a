"""Observations for tests: say the point, the rest has a default."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from diffx.review.model import (
    BlobId,
    BranchId,
    ChangedFile,
    CheckoutKey,
    CommitId,
    Comparison,
    Digest,
    FilePatch,
    GitPath,
    Image,
    Millis,
    Observation,
    Provenance,
    RepositoryKey,
    Rows,
    Side,
    Snapshot,
    SourceId,
    Submission,
    SubmissionId,
)
from diffx.review.paths import file_id
from diffx.review.picture import recognise

FROM_FILES: Any = object()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Change:
    """A changed file with the texts that it names."""

    file: ChangedFile
    texts: Mapping[BlobId, bytes] = field(default_factory=dict)

    def but(self, **overrides: Any) -> "Change":
        return Change(replace(self.file, **overrides), self.texts)


Changes = Iterable[Change] | Mapping[Any, Iterable[Change]]
"""Changes of scope `all`, or changes by scope."""


def change(
    path: str | bytes = "a.py",
    after: str | bytes | None = "new\n",
    *,
    before: str | bytes | None = "old\n",
    patch: str | bytes | None = None,
    **overrides: Any,
) -> Change:
    """Change one text file; `before` or `after` is None where that side does not exist."""
    raw = path.encode() if isinstance(path, str) else path
    texts: dict[BlobId, bytes] = {}
    old, new = _side(before, texts), _side(after, texts)
    body = _bytes(patch) if patch is not None else _patch(raw, _bytes(before), _bytes(after))
    shown = _keep(body, texts)
    file = ChangedFile(
        id=file_id(GitPath(raw)),
        path=GitPath(raw),
        status="A" if before is None else "D" if after is None else "M",
        old_mode=None if before is None else "100644",
        new_mode=None if after is None else "100644",
        additions=_bytes(after).count(b"\n"),
        deletions=_bytes(before).count(b"\n"),
        size=len(_bytes(after)),
        fingerprint=Digest(sha256(b"\0".join((raw, _bytes(before), _bytes(after))))),
        rows=Rows(hunks=1, unified=3, split=2, max_columns=10),
        patch=FilePatch(size=len(body), blob=shown),
        before=old,
        after=new,
    )
    return Change(replace(file, **overrides), texts)


def withheld(path: str = "logo.png", reason: Any = "binary") -> Change:
    """Change a file of which nothing is readable."""
    side = Side(size=9, digest=Digest(sha256(path.encode())), reason=reason)
    nothing = Change(change(path).file)
    return nothing.but(
        additions=None,
        deletions=None,
        binary=True,
        rows=None,
        patch=FilePatch(size=0, reason=reason),
        before=side,
        after=replace(side, size=11),
    )


def pictured(
    path: str = "logo.png", after: bytes | None = None, *, before: bytes | None = None
) -> Change:
    """Change an image whose bytes are stored; None is a side that does not exist."""
    texts: dict[BlobId, bytes] = {}
    nothing = withheld(path)
    return Change(
        replace(
            nothing.file,
            status="A" if before is None else "D" if after is None else "M",
            before=None if before is None else image_side(before, texts),
            after=None if after is None else image_side(after, texts),
        ),
        texts,
    )


def image_side(data: bytes, texts: dict[BlobId, bytes]) -> Side:
    """Return an image as it is collected."""
    found = recognise(data)
    assert found is not None
    return Side(
        size=len(data),
        digest=Digest(sha256(data)),
        reason="binary",
        image=Image(
            media_type=found.media_type,
            width=found.width,
            height=found.height,
            blob=_keep(data, texts),
        ),
    )


def observation(
    changes: Changes = (),
    *,
    content: str | None = FROM_FILES,
    collected_at: int = 1_000,
    source: str = "laptop",
    repository: str | None = "github.com/acme/shop",
    checkout: str | None = "checkout-1",
    branch: str | None = "main",
    policy: str = "auto",
    provenance: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> Observation:
    """Observe changes, in scope `all` unless scopes are given.

    `content` is what the content hash is made of: the changes themselves unless it is given,
    None for a collection that could not read everything.
    """
    scopes: Mapping[Any, Iterable[Change]] = (
        changes if isinstance(changes, Mapping) else {"all": changes}
    )
    listed = {scope: tuple(each) for scope, each in scopes.items()}
    texts = {
        name: text for some in listed.values() for one in some for name, text in one.texts.items()
    }
    if content is FROM_FILES:
        content = repr(
            [(s, [(c.file.path, c.file.fingerprint) for c in cs]) for s, cs in listed.items()]
        )
    said: dict[str, Any] = {
        "repository_name": None if repository is None else repository.rpartition("/")[2],
        "branch": branch,
        "hostname": "box",
        "root": "/home/me/shop",
        "collector_version": "0.1.0",
    }
    values: dict[str, Any] = {
        "source_id": SourceId(source),
        "source_kind": "checkout",
        "collected_at": Millis(collected_at),
        "comparison": Comparison(policy=policy, kind="branch", base_ref="main"),
        "provenance": Provenance(**(said | dict(provenance or {}))),
        "snapshots": tuple(
            Snapshot(
                scope=scope,
                files=tuple(sorted((c.file for c in some), key=lambda f: f.path)),
            )
            for scope, some in listed.items()
        ),
        "texts": texts,
        "content_hash": None if content is None else Digest(sha256(content.encode())),
        "repository_key": None if repository is None else RepositoryKey(repository),
        "checkout_key": None if checkout is None else CheckoutKey(checkout),
        "branch_id": None if branch is None else BranchId(f"branch-{branch}"),
        "head": CommitId("a" * 40),
    }
    return Observation(**(values | overrides))


def submission(
    id: str = "s1",  # noqa: A002 - the name that the field has
    changes: Changes = (),
    **more: Any,
) -> Submission:
    return Submission(id=SubmissionId(id), observation=observation(changes, **more))


def _side(text: str | bytes | None, texts: dict[BlobId, bytes]) -> Side | None:
    if text is None:
        return None
    data = _bytes(text)
    name = _keep(data, texts)
    return Side(size=len(data), digest=Digest(name), blob=name)


def _keep(data: bytes, texts: dict[BlobId, bytes]) -> BlobId:
    name = BlobId(sha256(data))
    texts[name] = data
    return name


def _bytes(text: str | bytes | None) -> bytes:
    return b"" if text is None else text.encode() if isinstance(text, str) else text


def _patch(path: bytes, before: bytes, after: bytes) -> bytes:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return b"".join(
        [
            b"--- a/%b\n+++ b/%b\n@@ -1,%d +1,%d @@\n" % (path, path, len(old), len(new)),
            *(b"-" + line for line in old),
            *(b"+" + line for line in new),
        ]
    )
