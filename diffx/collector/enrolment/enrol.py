"""Stable identities of a repository, a checkout and a branch, kept in Git's own folders (3.1-3.3).

`<common>/diffx/repository.json` and `branches.json` belong to the repository,
`<git dir>/diffx/checkout-<source>.json` to one checkout as one source sees it. These files are
the one thing that collection writes.
"""

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from diffx.clock import NewId
from diffx.collector.enrolment.branches import branch_id
from diffx.collector.enrolment.metadata import (
    FOLDER,
    EnrolmentError,
    create,
    damaged,
    load,
    read_bounded,
    replace,
)
from diffx.collector.enrolment.remote import repository_key_of, sanitised_remote
from diffx.errors import ConflictError, InvalidError
from diffx.files import create_once, private_directory
from diffx.review.model import BranchId, CheckoutKey, RepositoryKey, SourceId

_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~:/@+=-]{0,127}")


class CopiedCheckoutError(ConflictError):
    """The checkout is a copy of one that still exists; two would share one identity."""

    code = "copied_checkout"


class Enrolment(NamedTuple):
    """Who a checkout is; `branch_id` is None where HEAD is detached."""

    repository_key: RepositoryKey
    checkout_key: CheckoutKey
    branch_id: BranchId | None


def source_id(config_dir: Path, new_id: NewId) -> SourceId:
    """Return this installation's id, made once however many processes ask first (3.1)."""
    file = config_dir / "source-id"
    try:
        if not file.exists():
            create_once(private_directory(config_dir) / file.name, f"{new_id()}\n".encode())
        text = read_bounded(file).decode("utf-8", "replace").strip()
    except OSError as error:
        raise EnrolmentError(
            f"cannot keep a source id in {file}: {error.strerror}; "
            "name one with --source-id or DIFFX_SOURCE_ID"
        ) from error
    if not _KEY.fullmatch(text):
        raise EnrolmentError(f"{file} is damaged; restore it, or delete it to become a new source")
    return SourceId(text)


def enrol(
    *,
    git_dir: Path,
    common_dir: Path,
    root: Path,
    remote_url: str | None,
    branch: str | None,
    source_id: SourceId,
    new_id: NewId,
    repository_key: str | None = None,
    checkout_key: str | None = None,
    head: str | None = None,
) -> Enrolment:
    """Return the checkout's identities, creating what is missing.

    Keys that are given are used and nothing is written for them. A copy of a checkout that
    still exists raises CopiedCheckoutError; folders that cannot be written, and damaged files,
    raise EnrolmentError. `head` lets a branch without a reflog be known again after a rename.
    """
    if repository_key is None:
        remote = None if remote_url is None else sanitised_remote(remote_url)
        repository = _repository(common_dir, repository_key_of(remote, source_id), new_id)
    else:
        repository = RepositoryKey(_given(repository_key, "--repository-key"))
    if checkout_key is None:
        checkout = _checkout(git_dir, root, source_id, new_id)
    else:
        checkout = CheckoutKey(_given(checkout_key, "--checkout-key"))
    return Enrolment(
        repository_key=repository,
        checkout_key=checkout,
        branch_id=None
        if branch is None
        else branch_id(common_dir, branch, repository=repository, new_id=new_id, head=head),
    )


def _given(key: str, option: str) -> str:
    if not _KEY.fullmatch(key):
        raise InvalidError(
            f"{option}: {key[:40]!r} is not a key; use up to 128 letters, digits and ._~:/@+=-",
            field=option,
        )
    return key


def _repository(common_dir: Path, derived: RepositoryKey | None, new_id: NewId) -> RepositoryKey:
    file = common_dir / FOLDER / "repository.json"
    found = load(file) or create(file, {"key": derived or new_id()})
    return RepositoryKey(_key_of(found, file))


def _checkout(git_dir: Path, root: Path, source: SourceId, new_id: NewId) -> CheckoutKey:
    # One file per source: a container that mounts the checkout is another source (3.2).
    owner = hashlib.sha256(source.encode()).hexdigest()[:16]
    file = git_dir / FOLDER / f"checkout-{owner}.json"
    here = root.stat()
    found = load(file) or create(file, _checkout_record(new_id(), root, here))
    key = _key_of(found, file)
    place = found.get("path")
    if not isinstance(place, str) or not place.startswith("/") or "\0" in place:
        raise damaged(file)
    recorded = (found.get("device"), found.get("inode"))
    if place != str(root):
        _refuse_copy(Path(place), root, here=here, git_dir=git_dir, name=file.name, key=key)
    if (place, recorded) != (str(root), (here.st_dev, here.st_ino)) and not _is_at(place, here):
        # Moved. A checkout that became read-only keeps its old place, which is no harm.
        with contextlib.suppress(OSError):
            replace(file, _checkout_record(key, root, here))
    return CheckoutKey(key)


def _checkout_record(key: str, root: Path, here: os.stat_result) -> dict[str, object]:
    return {
        "key": key,
        "path": str(root),
        "device": here.st_dev,
        "inode": here.st_ino,
    }


def _is_at(place: str, here: os.stat_result) -> bool:
    """Say whether the place is this very folder, perhaps under another name (link, bind mount)."""
    try:
        there = Path(place).stat()
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _refuse_copy(
    place: Path, root: Path, *, here: os.stat_result, git_dir: Path, name: str, key: str
) -> None:
    """Raise if the recorded place is another folder that still lives under this key."""
    if _is_at(str(place), here):
        return
    original = _git_dir_of(place)
    if original is None:
        return
    try:
        holds = json.loads(read_bounded(original / FOLDER / name)).get("key") == key
    except (OSError, ValueError, AttributeError, RecursionError):
        return  # another checkout lives there now
    if holds:
        raise CopiedCheckoutError(
            f"{root} is a copy of {place}, which still exists, and two checkouts must not share "
            f"one identity; delete {git_dir / FOLDER} to give the copy its own, "
            "or name one with --checkout-key or DIFFX_CHECKOUT_KEY"
        )


def _git_dir_of(place: Path) -> Path | None:
    """Find a checkout's Git folder as far as its own `.git` tells."""
    git = place / ".git"
    try:
        if stat.S_ISDIR(git.lstat().st_mode):
            return git
        text = read_bounded(git)
    except OSError:
        return None
    prefix, _, target = text.partition(b"gitdir: ")
    return None if prefix or not target else place / os.fsdecode(target.strip())


def _key_of(found: Mapping[str, object], file: Path) -> str:
    key = found.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise damaged(file)
    return key
