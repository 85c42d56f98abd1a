"""When two submissions are the same (semantics 4.3, 6.2)."""

import zlib
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.ingestion.identity import BLOCK_LIMIT, BLOCK_MEAN, Identity, blocks, identify
from diffx.review.model import (
    ChangedFile,
    Comparison,
    FilePatch,
    GitPath,
    Noise,
    Observation,
    Provenance,
    Rows,
    Session,
    Side,
    Submodule,
)
from tests.support.observations import Change, change, submission

paths = st.lists(st.binary(min_size=1, max_size=12), max_size=200, unique=True)


def identity(changes: Any = (), name: str = "s1", **more: Any) -> Identity:
    return identify(submission(name, changes, **more))


def full_file() -> ChangedFile:
    """A file that has a value in every field."""
    return change(
        "a.py",
        old_path=GitPath(b"b.py"),
        index_status="R",
        worktree_status="M",
        conflict="UU",
        submodule=Submodule(old_commit=None, new_commit=None),
        noise=Noise(noise_class="lock", reason="a lock file"),
        commit="c",
        damage="d",
    ).file


def test_the_canonical_bytes_are_pinned() -> None:
    """A change here makes every retry that crosses an upgrade a conflict: it must be wanted."""
    found = identity(
        [Change(full_file())], provenance={"session": Session(harness="h", session_id="i")}
    )

    assert found.payload.hex()[:16] == "c2d39b5bd0bc0c4e"
    assert found.stream.hex()[:16] == "af4b190d77f7bbc7"
    assert (found.content or b"").hex()[:16] == "9ec324fc8bb3c2fe"
    assert found.scopes[0].revision[:16] == "385c09b88d269bff"


def other(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case None:
            return "x"
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case bytes():
            return value + b"x"
        case _:
            first = fields(value)[0].name
            return replace(value, **{first: other(getattr(value, first))})


@pytest.mark.parametrize("name", [field.name for field in fields(ChangedFile)])
def test_every_field_of_a_file_is_part_of_the_payload(name: str) -> None:
    file = full_file()
    differing = replace(file, **{name: other(getattr(file, name))})

    first, second = identity([Change(file)]), identity([Change(differing)])

    assert first.payload != second.payload
    assert first.scopes[0].revision != second.scopes[0].revision


@pytest.mark.parametrize("kind", [FilePatch, Rows, Side, Noise, Submodule])
def test_every_field_of_a_file_s_parts_is_part_of_the_payload(kind: type[Any]) -> None:
    file = full_file()
    place = next(f.name for f in fields(file) if isinstance(getattr(file, f.name), kind))
    part = getattr(file, place)
    for field in fields(kind):
        differing = replace(part, **{field.name: other(getattr(part, field.name))})
        changed = replace(file, **{place: differing})
        assert identity([Change(file)]).payload != identity([Change(changed)]).payload


@pytest.mark.parametrize(
    "name", [f.name for f in fields(Observation) if f.name not in ("texts", "snapshots")]
)
def test_every_field_of_an_observation_is_part_of_the_payload(name: str) -> None:
    given = submission("s1", [change()])
    value = getattr(given.observation, name)
    differing = replace(given, observation=replace(given.observation, **{name: other(value)}))

    assert identify(given).payload != identify(differing).payload


@pytest.mark.parametrize("kind", [Comparison, Provenance])
def test_every_label_is_part_of_the_payload(kind: type[Any]) -> None:
    given = submission("s1", [change()])
    place = kind.__name__.lower()
    part = getattr(given.observation, place)
    for field in fields(kind):
        value = getattr(part, field.name)
        differing = (
            Session(harness="h", session_id="i") if field.name == "session" else other(value)
        )
        changed = replace(given.observation, **{place: replace(part, **{field.name: differing})})
        assert identify(given).payload != identify(replace(given, observation=changed)).payload


def test_scopes_are_the_same_in_any_order_and_differ_in_any_content() -> None:
    given = submission("s1", {"all": [change()], "staged": [change()], "unstaged": []})
    turned = replace(
        given,
        observation=replace(given.observation, snapshots=given.observation.snapshots[::-1]),
    )
    moved = submission("s1", {"all": [change()], "staged": [], "unstaged": [change()]})

    assert identify(given) == identify(turned)
    assert identify(given).payload != identify(moved).payload


def test_a_cut_rename_search_is_another_revision() -> None:
    given = submission("s1", [change()])
    (snapshot,) = given.observation.snapshots
    limited = replace(
        given,
        observation=replace(
            given.observation, snapshots=(replace(snapshot, renames_limited=True),)
        ),
    )

    assert identify(given).scopes[0].revision != identify(limited).scopes[0].revision


def test_labels_and_times_are_no_part_of_the_content_identity() -> None:
    first = identity([change()])
    second = identity(
        [change()], "s2", collected_at=99, provenance={"hostname": "elsewhere", "run_id": "7"}
    )

    assert first.content == second.content
    assert first.payload != second.payload


def test_an_id_and_a_name_that_look_alike_are_different_branches() -> None:
    by_id = identity([change()], branch_id="main")
    by_name = identity([change()], branch="main", branch_id=None)

    assert by_id.stream != by_name.stream


@given(paths)
def test_blocks_keep_every_file_in_order_and_are_bounded(names: list[bytes]) -> None:
    files = [change(name).file for name in names]

    cut = list(blocks(files))

    assert [file for block in cut for file in block.files] == files
    assert all(0 < len(block.files) <= BLOCK_LIMIT for block in cut)


@given(paths.filter(len), st.data())
def test_one_edit_changes_one_block(names: list[bytes], data: st.DataObject) -> None:
    files = [change(name).file for name in names]
    place = data.draw(st.integers(0, len(files) - 1))
    edited = [*files]
    edited[place] = replace(files[place], additions=77)

    before, after = ([block.digest for block in blocks(each)] for each in (files, edited))

    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


def test_a_list_that_never_asks_for_a_cut_is_cut_all_the_same() -> None:
    names = (b"%d" % number for number in range(1_000))
    uncut = [name for name in names if zlib.crc32(name) % BLOCK_MEAN][: BLOCK_LIMIT * 2 + 1]
    files = [change(name).file for name in uncut]

    assert [len(block.files) for block in blocks(files)] == [BLOCK_LIMIT, BLOCK_LIMIT, 1]


def test_an_added_file_leaves_the_blocks_around_it() -> None:
    files = [change(f"{number:04}.py").file for number in range(1_000)]
    added = sorted([*files, change("0500b.py").file], key=lambda file: file.path)

    before, after = ({block.digest for block in blocks(each)} for each in (files, added))

    assert len(before - after) == 1
