"""Twenty processes that enrol one repository at once end with one winner (3.1, 3.2)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

_PROGRAM = """
import sys
from pathlib import Path
from diffx.clock import random_id
from diffx.collector.enrolment.enrol import enrol, source_id
root, config = Path(sys.argv[1]), Path(sys.argv[2])
sys.stdin.read()
source = source_id(config, random_id)
found = enrol(git_dir=root / ".git", common_dir=root / ".git", root=root, remote_url=None,
              branch="main", source_id=source, new_id=random_id)
print(source, found.repository_key, found.checkout_key, found.branch_id)
"""


def test_twenty_processes_at_once_agree(tmp_path: Path) -> None:
    root = tmp_path / "r"
    (root / ".git").mkdir(parents=True)
    project = Path(__file__).parents[3]
    read, write = os.pipe()
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(root), str(tmp_path / "config")],
            stdin=read,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=project,
        )
        for _ in range(20)
    ]
    os.close(read)
    os.close(write)  # the end of every worker's stdin is the starting shot
    answers = [worker.communicate() for worker in workers]
    assert [error for _, error in answers] == [""] * 20
    assert len({answer for answer, _ in answers}) == 1
    left = sorted(entry.name for entry in (root / ".git" / "diffx").iterdir())
    assert [name.partition("-")[0] for name in left] == [
        "branches.json",
        "checkout",
        "repository.json",
    ]
