"""Names and folders that broke other tools in the field."""

import hashlib
import shutil
import stat
from pathlib import Path
from typing import Final

from tests.support.repositories import Checkout, run_git

ODD_NAMES: Final[tuple[str | bytes, ...]] = (
    "app/[id]/page.tsx", "app/i/page.tsx", "routes/$user.tsx", ":(top)magic", ":!not", "-rf",
    "--help", "tab\there", "new\nline", '"quoted"', "back\\slash", "trail ", " lead",
    "a b/c b/d.txt", "x -> y", "a => b", "%2e%2e%2fescape", "q?query=1#frag.txt", "<img src=x>.md",
    "</script><b>.js", "semi;colon&amp;.txt", "emoji-\U0001f600.txt", "caf\u00e9.txt",
    "cafe\u0301.txt", "README", "readme", "con.txt", "rtl-\u202egnp.exe", "ctl\x01\x7f", "*",
    "dev/null", "a/.gitkeep", "~", "HEAD", "main", b"not-\xff-utf8", b"latin-\xe9.txt",
    "bell\a\b\v\f\r",
)  # fmt: skip
"""What means something to a shell, a pattern, an address, HTML or a patch."""


def build_paths(folder: Path) -> None:
    """Make every kind of folder that somebody may name.

    `repo` with three changes, `by-link` to it, `store` with a bare repository `.bare` and a `.git`
    that leads there, its worktree `topic` with one change, `orphan`, a worktree whose repository
    is gone, and `plain`, a folder that Git knows nothing of.
    """
    repo = Checkout.init(folder / "repo")
    for name in ("web/src/a.txt", "api/b.txt"):
        repo.write(name, "old\n")
    repo.commit()
    run_git(folder, "clone", "-q", "--bare", "repo", "store/.bare")
    (folder / "store/.git").write_text("gitdir: ./.bare\n")
    run_git(folder / "store", "worktree", "add", "-q", "-b", "topic", str(folder / "topic"))
    lost = repo.clone(folder / "lost")
    lost.git("worktree", "add", "-q", "-b", "side", str(folder / "orphan"))
    shutil.rmtree(lost.top)
    for name in ("web/src/a.txt", "api/b.txt", "web/src/new.txt"):
        repo.write(name, "new\n")
    Checkout(folder / "topic").write("api/b.txt", "topic\n")
    (folder / "by-link").symlink_to("repo")
    (folder / "plain").mkdir()
    (folder / "plain/file.txt").write_text("not versioned\n")


def edited(top: Path, *options: str) -> Checkout:
    """Make a repository whose only file, `f.txt`, went from `one` to `two`."""
    checkout = Checkout.init(top, *options)
    checkout.write("f.txt", "one\n")
    checkout.commit()
    checkout.write("f.txt", "two\n")
    return checkout


def extend(checkout: Checkout, name: str, value: str) -> None:
    """Say in its settings what a reader of this repository must understand."""
    checkout.git("config", "core.repositoryFormatVersion", "1")
    checkout.git("config", f"extensions.{name}", value)


def git_reads(checkout: Checkout) -> bool:
    return checkout.git("rev-parse", "--git-dir", ok=(0, 128)) != b""


def manifest(folder: Path) -> dict[str, tuple[object, ...]]:
    """Describe every entry below a Git folder, times included; enrolment's own left out (3.2)."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] == "diffx":
            continue
        state = path.lstat()
        is_file = stat.S_ISREG(state.st_mode)
        content = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else ""
        found[name] = (state.st_mode, state.st_mtime_ns, state.st_ino, content)
    return found
