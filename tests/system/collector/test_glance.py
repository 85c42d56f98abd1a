"""A glance sees every change that a collection would, without reading contents."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffx.collector.collect import CollectOptions
from diffx.collector.glance import glance
from diffx.review.model import Digest, SourceId
from tests.support.clocks import let_file_clock_pass
from tests.support.repositories import Checkout, statuses

pytestmark = pytest.mark.system


def look(checkout: Checkout, **options: Any) -> Digest | None:
    wanted = CollectOptions(source_id=SourceId("tests"), environment=dict(os.environ), **options)
    return glance(checkout.top, wanted)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("a.txt", "b.txt", "c d.txt"):
        checkout.write(name, "old\n")
    checkout.commit()
    checkout.write("a.txt", "dirty\n")
    checkout.write("loose.txt", "loose\n")
    return checkout


def test_an_unchanged_checkout_looks_the_same(checkout: Checkout) -> None:
    first = look(checkout)
    checkout.collect()

    assert look(checkout) == first is not None


def _edit_dirty(checkout: Checkout) -> None:
    checkout.write("a.txt", "DIRTY\n")


def _edit_untracked(checkout: Checkout) -> None:
    checkout.write("loose.txt", "LOOSE\n")


def _edit_clean(checkout: Checkout) -> None:
    checkout.write("c d.txt", "OLD\n")


def _stage(checkout: Checkout) -> None:
    checkout.git("add", "a.txt")


def _commit(checkout: Checkout) -> None:
    checkout.commit()


def _switch(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "other")


def _move_base(checkout: Checkout) -> None:
    checkout.git("update-ref", "refs/remotes/origin/main", "HEAD")


def _attributes(checkout: Checkout) -> None:
    checkout.write(".git/info/attributes", "*.txt -diff\n")


def _setting(checkout: Checkout) -> None:
    checkout.git("config", "core.autocrlf", "true")


def _mode(checkout: Checkout) -> None:
    checkout.path("a.txt").chmod(0o755)


def _link(checkout: Checkout) -> None:
    checkout.link("loose.txt", "a.txt")


@pytest.mark.parametrize(
    "change",
    [_edit_dirty, _edit_untracked, _edit_clean, _stage, _commit, _switch, _move_base, _attributes,
     _setting, _mode, _link],
)  # fmt: skip
def test_every_change_is_seen(checkout: Checkout, change: Callable[[Checkout], None]) -> None:
    before = look(checkout)
    let_file_clock_pass(*(checkout.path(name) for name in ("a.txt", "loose.txt", "c d.txt")))

    change(checkout)

    assert look(checkout) != before


def test_another_comparison_is_another_state(checkout: Checkout) -> None:
    checkout.git("branch", "other")

    assert look(checkout) != look(checkout, base="HEAD")
    assert look(checkout) != look(checkout, base="other")


def test_what_cannot_be_told_is_not_guessed(checkout: Checkout) -> None:
    assert look(checkout, engine="libgit2") is None
    assert look(checkout, branch="main") is None


def test_a_folder_with_a_line_end_in_its_name_is_collected(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "two\nlines")
    checkout.write("f.txt", "f\n")

    assert statuses(checkout.collect()) == {"f.txt": "A"}
