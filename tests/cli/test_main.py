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
