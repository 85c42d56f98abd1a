"""One whole review: a real checkout, the real command, a real browser."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.reviewsite import ROOT

pytestmark = pytest.mark.system

CODE = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(40))


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A branch with a commit, a staged rename, an unstaged edit and an untracked file."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "src").mkdir()
    (folder / "src" / "steps.py").write_text(CODE)
    (folder / "src" / "moved.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    (folder / "README.md").write_text("# Shop\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "switch", "-q", "-c", "feature/steps")
    (folder / "src" / "steps.py").write_text(CODE.replace("return 7", "return 7 * 6"))
    git(folder, "commit", "-q", "-am", "second")
    git(folder, "mv", "src/moved.txt", "src/renamed.txt")
    (folder / "README.md").write_text("# Shop\n\nNow with steps.\n")
    (folder / "new file.md").write_text("fresh\n")
    return folder


@contextmanager
def diffx(checkout: Path, assets: Path) -> Iterator[str]:
    """Run the command on a checkout and yield the address it prints."""
    command = [sys.executable, "-m", "diffx", str(checkout), "--no-browser", "--print"]
    process = subprocess.Popen(
        [*command, "--state", "memory", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "DIFFX_WEB_DIR": str(assets)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def test_a_change_is_reviewed_from_the_command_to_its_last_line(
    page: Page, checkout: Path, assets: Path
) -> None:
    with diffx(checkout, assets) as url:
        page.goto(url)
        expect(page.get_by_role("heading", level=1)).to_have_text("shop")
        expect(page.locator(".subject-branch")).to_have_text("feature/steps")
        assert listed(page) == {"README.md", "new file.md", "renamed.txt", "steps.py"}
        expect(page.locator(".footer-base")).to_contain_text("this branch left main")

        page.get_by_role("treeitem", name=re.compile("steps.py")).click()
        changed = page.locator(".row.add", has_text="return 7 * 6").locator(".word")
        expect(changed.last).to_be_visible()
        assert "".join(changed.all_inner_texts()) == " * 6"
        page.keyboard.press("n")
        page.keyboard.press("j")
        expect(page).to_have_url(re.compile(r"line=R30$"))
        link = page.url
        page.keyboard.press("X")
        expect(page.locator(".row", has_text="step_0()").first).to_be_attached()

        page.keyboard.press("2")
        expect(page.get_by_text("Renamed without a change of content.")).to_be_visible()
        assert listed(page) == {"renamed.txt"}
        page.keyboard.press("3")
        expect(page.locator(".row.add", has_text="Now with steps.")).to_be_visible()
        assert listed(page) == {"README.md", "new file.md"}
        expect(page.locator(".tag", has_text="untracked")).to_be_visible()

        page.goto(link)
        expect(page.locator(".row.cursor")).to_contain_text("return 7 * 6")
        page.keyboard.press("u")
        expect(page.get_by_role("region", name="shop")).to_be_visible()
        page.goto("about:blank")


def listed(page: Page) -> set[str]:
    expect(page.get_by_role("treeitem").first).to_be_visible()
    names = page.locator(".node.leaf .node-name").all_inner_texts()
    return {name.strip() for name in names}


def test_every_scope_shows_the_lines_that_git_shows(
    page: Page, checkout: Path, assets: Path
) -> None:
    with diffx(checkout, assets) as url:
        for scope, arguments in (("all", ["main"]), ("staged", ["--cached"]), ("unstaged", [])):
            page.goto(f"{url}?scope={scope}")
            expect(page.locator(".file").first).to_be_visible()
            patch = git(checkout, "diff", "-M", *arguments)
            lines = [line for line in patch.splitlines() if re.match(r"[+-](?![+-]{2} )", line)]
            if scope != "staged":
                lines.append("+fresh")
            shown = page.locator(".row.add, .row.del")
            expect(shown).to_have_count(len(lines))
            signs = {"add": "+", "del": "-"}
            found = [
                signs[(row.get_attribute("class") or "").split()[1]]
                + row.locator(".text").inner_text()
                for row in shown.all()
            ]
            assert sorted(found) == sorted(lines)
        page.goto("about:blank")
