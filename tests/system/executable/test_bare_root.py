"""The file alone, in a root that has Python and a shell: no git, no packages, no home, no /proc."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.bareroot import make_bare_root
from tests.support.executable import load_libgit2, run
from tests.support.viewer import viewing

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the root folder"),
]
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin:/usr/sbin",
    "HOME": "/root",
    "XDG_CACHE_HOME": "/root/.cache",
    "XDG_STATE_HOME": "/root/.local/state",
    "XDG_CONFIG_HOME": "/root/.config",
}
PATCH = b"""--- a/greeting.txt
+++ b/greeting.txt
@@ -1 +1 @@
-hello
+hello, world
"""


@pytest.fixture(scope="module")
def bare_root(tmp_path_factory: pytest.TempPathFactory, executable: Path) -> Path:
    root = tmp_path_factory.mktemp("root")
    make_bare_root(root)
    (root / "usr/local/bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(executable, root / "usr/local/bin/diffx")
    return root


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def test_it_answers(bare_root: Path) -> None:
    outcome = run(["chroot", bare_root, "/usr/local/bin/diffx", "--version"])

    assert outcome.code == 0, outcome.stderr
    assert outcome.stdout.startswith("diffx ")


def test_it_brings_its_own_libgit2(bare_root: Path) -> None:
    words = load_libgit2(Path("/usr/local/bin/diffx"))
    outcome = run(["chroot", bare_root, "/usr/bin/python3", *words])

    assert outcome.code == 0, outcome.stderr
    assert "/root/.cache/diffx/native/" in outcome.stdout


def test_it_serves_a_piped_patch(bare_root: Path) -> None:
    command = ["chroot", str(bare_root), "/usr/local/bin/diffx"]
    with viewing("--port", "0", stdin=PATCH, command=command) as viewer:
        files = viewer.manifest()["files"]

    assert [file["path"] for file in files] == ["greeting.txt"]


def test_it_reviews_a_checkout_without_git(bare_root: Path) -> None:
    work = bare_root / "work"
    work.mkdir()
    git = ["git", "-C", str(work), "-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    assert run([*git, "init", "--quiet", "--initial-branch=main"]).code == 0
    (work / "greeting.txt").write_text("hello\n")
    assert run([*git, "add", "."]).code == 0
    assert run([*git, "commit", "--quiet", "--message=first"]).code == 0
    (work / "greeting.txt").write_text("hello, world\n")

    command = ["chroot", str(bare_root), "/usr/local/bin/diffx"]
    with viewing("/work", "--port", "0", command=command) as viewer:
        manifest = viewer.manifest()

    assert [(file["path"], file["status"]) for file in manifest["files"]] == [
        ("greeting.txt", "M")
    ]
