"""Instances start, replace each other and are killed at random; nothing is lost or stuck (11.3).

DIFFX_SOAK_ROUNDS sets the number of rounds; the suite runs a few, a soak some hundreds.
"""

import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from tests.support.viewer import COMMAND, environment, viewing

pytestmark = pytest.mark.system

ROUNDS: Final = int(os.environ.get("DIFFX_SOAK_ROUNDS", "12"))


def make_checkout(top: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    (top / "a.txt").write_text("start\n")


def kill_somewhere(checkout: Path, chance: random.Random) -> None:
    """Start a viewer and kill it at a random moment between its first line of code and serving."""
    process = subprocess.Popen(
        [*COMMAND, str(checkout), "--no-browser", "--replace"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    time.sleep(chance.uniform(0.0, 0.9))
    process.kill()
    process.wait()


def test_no_review_is_lost_and_no_lock_is_stuck(tmp_path: Path, home: Path) -> None:
    chance = random.Random(11)
    checkout = tmp_path / "checkout"
    make_checkout(checkout)
    acknowledged: set[str] = set()
    for turn in range(ROUNDS):
        (checkout / "a.txt").write_text(f"turn {turn}\n")
        kill_somewhere(checkout, chance)
        with viewing(checkout, "--replace") as viewer:
            acknowledged.add(viewer.context)
            if chance.random() < 0.5:
                kill_somewhere(checkout, chance)  # beside a live one, perhaps replacing it
            elif chance.random() < 0.5:
                viewer.end(signal.SIGKILL)
            else:
                assert viewer.end()[0] == 0

    with viewing(checkout, "--replace") as viewer:
        stored: set[str] = set()
        cursor = ""
        while True:
            page = viewer.get(f"/contexts?limit=50{cursor}")
            stored |= {each["contextId"] for each in page["contexts"]}
            if page["nextCursor"] is None:
                break
            cursor = f"&cursor={page['nextCursor']}"
        for context in stored:
            assert viewer.get(f"/contexts/{context}/diffs/current")["files"]

    assert acknowledged <= stored
    with sqlite3.connect(home / ".local/state/diffx/state.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
