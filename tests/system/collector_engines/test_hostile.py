"""Somebody else's repository under the engine without git: nothing runs, blocks or is written."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.support.engines import listed, opened, survey, survey_of
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout.init(tmp_path / "repo")
    found.write("a.txt", "a\n")
    found.write("sub/b.txt", "b\n")
    found.commit()
    return found


def test_no_program_that_the_repository_names_is_run(checkout: Checkout, tmp_path: Path) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\ntouch "{tmp_path}/RAN"\ncat\n')
    spy.chmod(0o755)
    checkout.write(".gitattributes", "* filter=spy diff=spy\n")
    checkout.commit()
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "credential.helper",
        "diff.external",
        "diff.spy.textconv",
        "diff.spy.command",
        "filter.spy.clean",
        "filter.spy.smudge",
        "filter.spy.process",
        "remote.origin.uploadpack",
    ):
        checkout.git("config", key, str(spy))
    checkout.git("config", "remote.origin.url", "ext::" + str(spy))
    hooks = checkout.path(".git/hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).write_bytes(spy.read_bytes())
        (hooks / name).chmod(0o755)
    checkout.write("a.txt", "a2\n")
    checkout.write("new.txt", "n\n")
    with opened("libgit2", checkout.top) as repository:
        found = survey_of(repository)
        repository.attributes([change.path for change in found.changes["all"]])
    assert listed(found, "all") == ["M a.txt"]
    assert found.filters == {"spy"}
    assert not (tmp_path / "RAN").exists()


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "loop"])
def test_rule_files_that_are_no_files_neither_block_nor_lead_out(
    checkout: Checkout, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "outside").write_text("*\n")
    for name in (".gitignore", ".gitattributes", ".gitmodules", "sub/.gitignore"):
        path = checkout.path(name)
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(path.name if kind == "loop" else tmp_path / "outside")
    for name in ("info/exclude", "info/attributes"):
        path = checkout.path(".git") / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    checkout.write("sub/new.txt", "n\n")
    found = survey("libgit2", checkout.top)
    assert b"sub/new.txt" in found.untracked


def test_reading_changes_nothing_in_the_git_folder(checkout: Checkout) -> None:
    os.utime(checkout.path("a.txt"), (1_000_000_000, 1_000_000_000))
    checkout.write("sub/b.txt", "b2\n")
    checkout.path(".git/index.lock").write_bytes(b"")
    before = _manifest(checkout.path(".git"))
    assert listed(survey("libgit2", checkout.top), "unstaged") == ["M sub/b.txt"]
    assert _manifest(checkout.path(".git")) == before


def _manifest(folder: Path) -> dict[str, tuple[int, int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.lstat().st_ino,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_a_caller_inside_a_hook_does_not_redirect_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Checkout.init(tmp_path / "other")
    checkout.write("a.txt", "a2\n")
    for name, value in (("DIR", ".git"), ("INDEX_FILE", ".git/none"), ("WORK_TREE", ".")):
        monkeypatch.setenv(f"GIT_{name}", str(other.path(value)))
    assert listed(survey("libgit2", checkout.top), "all") == ["M a.txt"]


def test_folders_nested_deeper_than_anyone_recurses_are_walked(checkout: Checkout) -> None:
    here = os.open(checkout.top, os.O_RDONLY)
    try:
        for _ in range(600):
            os.mkdir("d", dir_fd=here)
            inner = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    finally:
        os.close(here)
    found = survey("libgit2", checkout.top)
    assert found.untracked == (b"d/" * 600 + b"bottom",)


def test_a_file_in_a_folder_that_cannot_be_listed_is_not_a_deletion(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(path: int | str) -> object:
        if isinstance(path, int) and Path(f"/proc/self/fd/{path}").readlink().name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert listed(survey("libgit2", checkout.top), "unstaged") == []
