"""A writer that hardly rests: every survey without git is true of each file on its own (2.12)."""

import re
import threading
from pathlib import Path

import pytest

from diffx.collector.libgit2.files import blob_name
from tests.support.engines import opened, survey_of
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system

_NAMES = ("a.txt", "b.txt", "sub/c.txt")


def test_a_patch_and_the_content_that_it_names_are_of_one_moment(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for name in _NAMES:
        checkout.write(name, "base\n")
    checkout.commit()
    stop = threading.Event()

    def churn() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            for name in _NAMES:
                checkout.write(name, f"version {turn}\n" * 300)
            stop.wait(0.1)

    writer = threading.Thread(target=churn)
    writer.start()
    with opened("libgit2", checkout.top) as repository:
        try:
            found = [survey_of(repository) for _ in range(25)]
        finally:
            stop.set()
            writer.join()
        found.append(survey_of(repository))  # whatever moved all the time is told of now
    told = 0
    for change in (one for each in found for one in each.changes["unstaged"]):
        if change.patch is None or change.patch.text is None:
            continue  # it kept moving, and nothing is said of it
        added = b"".join(re.findall(rb"^\+(?!\+\+ )(.*\n)", change.patch.text, re.MULTILINE))
        assert len(set(added.splitlines())) <= 1
        assert change.new_oid == blob_name(added)
        told += 1
    assert told >= len(_NAMES)
