"""`--debug` says what a person who looks for a fault from afar has to know, and no secret (issue 10)."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.repositories import Checkout
from tests.support.viewer import COMMAND, environment, viewing

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout.init(tmp_path / "it")
    made.write("a.txt", "one\n")
    made.commit("base")
    made.git("checkout", "-q", "-b", "topic")
    made.git("remote", "add", "origin", "https://me:s3cret@example.invalid/x.git")
    made.write("a.txt", "two\n")
    made.write("b\x1b[31m.txt", "three\n")
    return made


def lines(said: str) -> list[str]:
    """Return what was said after the time of each line."""
    found = re.findall(r"^diffx: +\d+ ms DEBUG diffx\.[\w.]+ (.*)$", said, re.MULTILINE)
    assert len(found) == said.count(" DEBUG ")
    return found


def test_a_run_tells_its_versions_choices_counts_and_addresses(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFX_TOKEN", "s3cret")
    monkeypatch.setenv("DIFFX_RETENTION_DAYS", "3")
    with viewing(checkout.top, "--debug", "--port", "0") as viewer:
        viewer.manifest()
        _, said = viewer.end()
    told = "\n".join(lines(said))
    version = subprocess.run(["git", "version"], capture_output=True, check=True).stdout.decode()

    for words in (
        "python=3.",
        "setting retentionDays=3 from=DIFFX_RETENTION_DAYS",
        "setting port=0 from=--port",
        "setting token=******** from=DIFFX_TOKEN",
        f"engine=git asked_for=auto is {version.strip()} at /",
        f"checkout={checkout.top} ",
        "policy=auto kind=branch base=main ",
        "scope=all files=2 additions=2 deletions=1 ",
        "scope=staged files=0 ",
        f"database={Path.home()}/.local/state/diffx/state.db",
        f"'{viewer.origin.split('//')[1].split(':')[0]}', {viewer.origin.rsplit(':', 1)[1]}",
        f"published context={viewer.context} reused=False",
        "status=200",
        "serving garbage_collection=True frozen=",
    ):
        assert words in told
    assert "s3cret" not in said
    assert "\x1b" not in said


def test_a_failure_says_where_it_came_from_and_ends_with_the_one_line(checkout: Checkout) -> None:
    done = subprocess.run(
        [*COMMAND, "--no-browser", "--debug", "--base", "nope\x1b[31m", checkout.top],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "Traceback (most recent call last):" in done.stderr
    assert "no local branch, tag or commit" in done.stderr.splitlines()[-1]
    assert "\x1b" not in done.stderr


def test_without_git_it_says_why_libgit2_reads_the_checkout(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with viewing(checkout.top, "--debug", "--state", "memory") as viewer:
        _, said = viewer.end()

    assert "no usable git, so libgit2 reads the checkout error=there is no git on PATH" in said
    assert re.search(r"engine=libgit2 asked_for=auto is libgit2 \d+\.\d+\.\d+ with pygit2 ", said)
