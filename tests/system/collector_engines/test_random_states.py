"""Random repository states: both engines agree on everything, and with git (2.7, 2.8)."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffx.review.model import ChangedFile, Observation
from tests.support.engines import assert_same
from tests.support.repositories import Checkout, assert_as_git_says, files_of
from tests.support.states import build_state

pytestmark = pytest.mark.system


@settings(max_examples=40)
@given(seed=st.integers(0, 1_000_000))
def test_both_engines_agree_on_any_state(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder: Path = tmp_path_factory.mktemp("state")
    assert_same(build_state(folder / "repo", seed).top)


@settings(max_examples=20)
@given(seed=st.integers(0, 1_000_000))
def test_any_form_of_index_is_told_as_git_tells_it_and_known_in_full(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder: Path = tmp_path_factory.mktemp("state")
    checkout = build_state(folder / "repo", seed, only_git_reads=True)

    observation = checkout.collect(engine="git")

    base = observation.comparison.merge_base
    assert_as_git_says(checkout, _as_git_diff_shows(observation), base)
    assert observation.content_hash is not None
    pinned = _pinned(checkout)
    files = [*files_of(observation).values(), *files_of(observation, "unstaged").values()]
    for file in files:
        _assert_after_is_there(checkout, file, pinned)


def _as_git_diff_shows(observation: Observation) -> Observation:
    """Leave out submodules with untracked files alone: git status lists those, git diff not."""
    return replace(
        observation,
        snapshots=tuple(
            replace(found, files=tuple(file for file in found.files if not _is_only_loose(file)))
            for found in observation.snapshots
        ),
    )


def _is_only_loose(file: ChangedFile) -> bool:
    found = file.submodule
    return (
        found is not None
        and file.status == "M"
        and found.old_commit == found.new_commit
        and found.untracked_content
        and not found.modified_content
    )


def _pinned(checkout: Checkout) -> set[bytes]:
    listed = checkout.git("ls-files", "-v", "-z").split(b"\0")[:-1]
    return {record[2:] for record in listed if record[:1] not in b"HM"}


def _assert_after_is_there(checkout: Checkout, file: ChangedFile, pinned: set[bytes]) -> None:
    """Hold the after side against the file on disk, or the index where git does not look there."""
    if file.after is None or file.repository or file.new_mode == "160000":
        return
    path = checkout.path(file.path)
    if file.path in pinned:
        content = checkout.blob(f":{os.fsdecode(file.path)}")
    elif path.is_symlink():
        content = os.fsencode(path.readlink())
    else:
        content = path.read_bytes()
    assert file.after.digest == hashlib.sha256(content).hexdigest(), file.path
