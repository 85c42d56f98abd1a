"""The cases that this parser and the web UI's share (tests/contracts/patch)."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from diffx.review.patch import hunks, measure
from diffx.review.patch.series import parse
from diffx.review.paths import display_path

CONTRACTS: Final = Path(__file__).parents[1] / "contracts" / "patch"


def cases(name: str) -> list[Any]:
    found = json.loads((CONTRACTS / name).read_text())
    assert isinstance(found, list)
    return [pytest.param(case, id=case["name"]) for case in found]


@pytest.mark.parametrize("case", cases("hunks.json"))
def test_one_file_is_read_as_agreed(case: dict[str, Any]) -> None:
    patch = case["patch"].encode()

    figures = measure(patch)

    assert (figures.additions, figures.deletions) == (case["additions"], case["deletions"])
    assert {
        "hunks": figures.rows.hunks,
        "unified": figures.rows.unified,
        "split": figures.rows.split,
        "maxColumns": figures.rows.max_columns,
    } == case["rows"]
    assert [
        {
            "oldStart": hunk.old_start,
            "oldCount": hunk.old_count,
            "newStart": hunk.new_start,
            "newCount": hunk.new_count,
            "section": hunk.section.decode(),
            "lines": [
                {
                    "kind": line.kind,
                    "old": line.old,
                    "new": line.new,
                    "text": line.text.decode(),
                    "noNewline": line.no_newline,
                }
                for line in hunk.lines
            ],
        }
        for hunk in hunks(patch)
    ] == case["hunks"]


@pytest.mark.parametrize("case", cases("series.json"))
def test_a_stream_is_read_as_agreed(case: dict[str, Any]) -> None:
    found = [
        {
            "path": display_path(file.path),
            "oldPath": None if file.old_path is None else display_path(file.old_path),
            "status": file.status,
            "oldMode": file.old_mode,
            "newMode": file.new_mode,
            "binary": file.binary,
            "additions": file.figures.additions,
            "deletions": file.figures.deletions,
            "parents": file.parents,
            "commit": None if file.commit is None else file.commit.label,
            "damage": file.damage,
            "patch": file.patch.decode(),
        }
        for file in parse(case["input"].encode()).files
    ]

    assert found == case["files"]
