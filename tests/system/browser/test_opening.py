"""The page that follows a collection which takes a while: the real command, a slow git (11.1)."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviewsite import ROOT

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
    (folder / "slow.txt").write_text("it was worth the wait\n")
    return folder


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file; while it is there, every git of the command waits."""
    path = tmp_path / "closed"
    path.touch()
    return path


@contextmanager
def collecting(
    checkout: Path, assets: Path, gate: Path, *more: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command with a git that waits at the gate; yield the address it opens meanwhile."""
    tools = gate.parent / "tools"
    tools.mkdir()
    opened = gate.parent / "opened"
    scripts = {
        "git": f'while [ -e "{gate}" ]; do sleep 0.05; done\nexec {shutil.which("git")} "$@"\n',
        "browser": f'echo "$1" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n',
    }
    for name, body in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}")
        (tools / name).chmod(0o755)
    command = [sys.executable, "-m", "diffx", str(checkout), "--state", "memory", "--port", "0"]
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "DISPLAY": ":9",
        "BROWSER": str(tools / "browser"),
        "DIFFX_WEB_DIR": str(assets),
    }
    process = subprocess.Popen(
        [*command, *more],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, _written(opened, process)
    finally:
        gate.unlink(missing_ok=True)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def _written(path: Path, process: subprocess.Popen[str]) -> str:
    for _ in range(600):
        if path.exists():
            return path.read_text().strip()
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("no page was opened while git waited")


def test_a_page_follows_a_slow_collection_and_gives_way_to_its_review(
    page: Page, checkout: Path, assets: Path, gate: Path
) -> None:
    with collecting(checkout, assets, gate) as (_, address):
        assert address.endswith("/opening")
        page.goto("about:blank")
        page.goto(address)
        expect(page.get_by_role("heading", name="Collecting the changes")).to_be_visible()
        expect(page.get_by_role("status")).not_to_be_empty()
        gate.unlink()

        expect(page.locator(".row", has_text="it was worth the wait")).to_be_visible()
        assert re.search(r"/contexts/[^/]+$", page.url)
        page.go_back()
        assert page.url == "about:blank"  # the page of the collection is no stop on the way back


def test_a_collection_that_fails_says_why_on_the_page(
    browser: Browser, checkout: Path, assets: Path, gate: Path
) -> None:
    """What cannot be read is an error there, too, and no empty list (case A09)."""
    page = browser.new_context().new_page()
    with collecting(checkout, assets, gate, "--base", "nowhere") as (process, address):
        page.goto(address)
        expect(page.get_by_role("heading", name="Collecting the changes")).to_be_visible()
        gate.unlink()

        expect(page.get_by_role("heading", name="could not be collected")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("nowhere")
        process.wait(20)
        expect(page.get_by_role("alert")).to_contain_text("nowhere")
    page.context.close()


def test_a_command_that_was_stopped_meanwhile_is_said_to_be_gone(
    browser: Browser, checkout: Path, assets: Path, gate: Path
) -> None:
    page = browser.new_context().new_page()
    with collecting(checkout, assets, gate) as (process, address):
        page.goto(address)
        expect(page.get_by_role("heading", name="Collecting the changes")).to_be_visible()
        process.kill()

        expect(page.get_by_role("heading", name="diffx does not answer")).to_be_visible()
    page.context.close()
