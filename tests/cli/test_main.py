"""What the system has too little of is told in one line, not as a bug of ours (issue 10)."""

import argparse
import io
import sys
from pathlib import Path

import pytest

from diffx.cli import completion
from diffx.cli.main import main
from diffx.cli.world import World, real_world
from tests.support.world import said, world


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "not enough memory"),
        (RuntimeError("can't start new thread"), "start no more threads"),
    ],
)
def test_a_shortage_is_told_in_one_line(
    error: Exception, reason: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: argparse.Namespace, __: World) -> int:
        raise error

    monkeypatch.setattr(completion, "run", run)
    where = world(home)

    assert main(["completion", "bash"], where) == 1
    assert said(where).startswith("diffx: ")
    assert said(where).count("\n") == 1
    assert reason in said(where)


@pytest.mark.parametrize(
    "words", [["comment", "--actionable"], ["reslove", "ID"], ["context"], ["configs", "get"]]
)
def test_a_mistyped_command_is_told_before_anything_else(home: Path, words: list[str]) -> None:
    where = world(home)

    assert main(words, where) == 2
    assert said(where).startswith(
        f"diffx: {words[0]} is neither a path nor a command; is it `diff"
    )
    assert said(where).count("\n") == 1


def test_a_path_that_resembles_a_command_is_a_path(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "comment").mkdir()
    where = world(home)

    assert main(["comment", "--port", "many"], where) == 2
    assert said(where).startswith("diffx: --port must be")


def test_what_the_terminal_cannot_write_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", out)

    real_world().tell("caf\u00e9 \u65e5")

    assert out.buffer.getvalue() == b"caf\xe9 \\u65e5\n"


def test_any_other_fault_is_not_passed_off_as_a_shortage(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: argparse.Namespace, __: World) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr(completion, "run", run)

    with pytest.raises(RuntimeError, match="a bug"):
        main(["completion", "bash"], world(home))
