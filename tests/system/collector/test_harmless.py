"""Collecting writes nothing but enrolment, takes no lock and runs nobody's program (2.2)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.collector.enrolment.metadata import EnrolmentError
from diffx.errors import DiffxError
from tests.support.engines import ENGINES
from tests.support.fieldcases import manifest
from tests.support.ordinary_user import collect_as_an_ordinary_user, shared_folder
from tests.support.repositories import (
    Checkout,
    assert_as_git_says,
    collect_at,
    files_of,
    patch_of,
    statuses,
)

pytestmark = pytest.mark.system


@pytest.fixture
def shared() -> Iterator[Path]:
    with shared_folder() as folder:
        yield folder


@pytest.mark.parametrize("state", ["stale", "locked", "settings"])
def test_the_git_folder_is_the_same_before_and_after(tmp_path: Path, state: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for number in range(20):
        checkout.write(f"f{number}.txt", f"{number}\n")
    checkout.commit()
    checkout.write("f1.txt", "changed\n")
    checkout.write("new.txt", "new\n")
    for number in (2, 3, 4):  # touched only: `git status` and `git diff` would rewrite the index
        os.utime(checkout.path(f"f{number}.txt"), (1_000_000_000, 1_000_000_000))
    if state == "locked":
        checkout.write(".git/index.lock")
    if state == "settings":
        checkout.git("config", "core.untrackedCache", "true")
        checkout.git("config", "core.splitIndex", "true")
        checkout.git("config", "core.fsmonitor", "true")
        checkout.git("config", "gc.auto", "1")
    before = manifest(checkout.path(".git"))

    observation = checkout.collect()

    assert manifest(checkout.path(".git")) == before
    assert statuses(observation) == {"f1.txt": "M", "new.txt": "A"}


def test_a_git_folder_that_cannot_be_written_needs_given_keys(shared: Path) -> None:
    checkout = Checkout.init(shared / "repo")
    checkout.write("f.txt", "1\n")
    checkout.commit()
    checkout.write("f.txt", "2\n")
    for path in [checkout.path(".git"), *checkout.path(".git").rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)

    with pytest.raises(EnrolmentError, match="--repository-key"):
        collect_as_an_ordinary_user(checkout)
    observation = collect_as_an_ordinary_user(
        checkout, repository_key="repo-key", checkout_key="checkout-key", base="HEAD"
    )

    assert statuses(observation) == {"f.txt": "M"}
    assert (observation.repository_key, observation.checkout_key) == ("repo-key", "checkout-key")


class Traps:
    """Programs that leave a file behind when they run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def command(self, name: str) -> str:
        return f"touch '{self.folder}/{name}'; cat"

    def script(self, path: Path, name: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{self.folder}/{name}'\n")
        path.chmod(0o755)

    def reset(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()

    def sprung(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


def arm(checkout: Checkout, traps: Traps, who: str) -> None:
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.spy.command",
        "diff.spy.textconv",
        "filter.spy.clean",
        "filter.spy.smudge",
        "filter.proc.process",
        "filter.a=b.clean",
        "filter.lfs.process",
        "gpg.program",
        "interactive.diffFilter",
        "pager.diff",
        "sequence.editor",
    ):
        checkout.git("config", name, traps.command(f"{who}-{name}"))
    for name in ("credential.helper", "alias.status", "alias.diff-index"):
        checkout.git("config", name, "!" + traps.command(f"{who}-{name}"))
    for name in ("spy", "proc", "lfs"):
        checkout.git("config", f"filter.{name}.required", "true")
    hooks = checkout.path(".git/hooks-here")
    for hook in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        traps.script(hooks / hook, f"{who}-{hook}")
        traps.script(checkout.path(".git/hooks") / hook, f"{who}-default-{hook}")
    checkout.git("config", "core.hooksPath", str(hooks))


@pytest.mark.parametrize("engine", ENGINES)
def test_no_program_that_a_repository_names_ever_runs(tmp_path: Path, engine: str) -> None:
    """Filters, diff and merge programs, hooks, fsmonitor, of a submodule too (case A23)."""
    traps = Traps(tmp_path / "traps")
    inner = Checkout.init(tmp_path / "inner")
    inner.write("i.txt", "i\n")
    inner.commit()
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("a.spy", "b.proc", "c.txt", "d.eq", "e.bin"):
        checkout.write(name, "old\n")
    checkout.write(
        ".gitattributes",
        "*.spy filter=spy diff=spy\n*.proc filter=proc\n*.eq filter=a=b\n*.bin filter=lfs\n",
    )
    checkout.commit()
    allow = ("-c", "protocol.file.allow=always")
    checkout.git(*allow, "submodule", "--quiet", "add", str(inner.top), "sub")
    checkout.commit("sub")
    for name in ("a.spy", "b.proc", "c.txt", "d.eq", "e.bin", "sub/i.txt", "new.spy"):
        checkout.write(name, "new!\n")
    checkout.git("remote", "add", "origin", f"ext::sh -c touch% {traps.folder}/ext")
    sub = Checkout(checkout.path("sub"))
    sub.git("config", "core.fsmonitor", traps.command("sub-fsmonitor"))
    sub.git("config", "filter.spy.clean", traps.command("sub-clean"))
    sub.write(".git-attributes-are-elsewhere")
    arm(checkout, traps, "repo")
    traps.reset()

    observation = checkout.collect(engine=engine)

    assert traps.sprung() == []
    listed = statuses(observation)
    assert {"a.spy", "b.proc", "c.txt", "d.eq", "e.bin", "new.spy", "sub"} <= set(listed)
    for path in (b"a.spy", b"b.proc", b"d.eq"):
        assert files_of(observation)[path].patch.reason == "filtered"
    assert patch_of(observation, files_of(observation)[b"c.txt"]).endswith(b"-old\n+new!\n")


def test_the_traps_above_do_spring(tmp_path: Path) -> None:
    traps = Traps(tmp_path / "traps")
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.spy", "old\n")
    checkout.write(".gitattributes", "*.spy filter=spy diff=spy\n")
    checkout.commit()
    checkout.write("a.spy", "new!\n")
    arm(checkout, traps, "repo")

    checkout.git("diff", "--ext-diff", ok=(0, 128))

    assert {"repo-core.fsmonitor", "repo-filter.spy.clean"} <= set(traps.sprung())


def test_programs_of_the_user_do_not_run_either(tmp_path: Path, home: Path) -> None:
    traps = Traps(tmp_path / "traps")
    (home / ".gitconfig").write_text(
        f"[core]\n\tfsmonitor = {traps.command('fsmonitor')}\n"
        f"[diff]\n\texternal = {traps.command('external')}\n"
        f"[trace2]\n\teventTarget = {traps.folder}/trace\n"
        f'[filter "spy"]\n\tclean = {traps.command("clean")}\n\trequired = true\n'
    )
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.spy", "old\n")
    checkout.commit()
    checkout.write(".gitattributes", "*.spy filter=spy\n")
    checkout.write("a.spy", "new!\n")
    traps.reset()

    observation = checkout.collect()

    assert traps.sprung() == []
    assert files_of(observation)[b"a.spy"].patch.reason == "filtered"


def test_a_git_in_the_checkout_itself_is_never_the_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traps = Traps(tmp_path / "traps")
    checkout = Checkout.init(tmp_path / "repo")
    traps.script(checkout.path("git"), "planted")
    monkeypatch.chdir(checkout.top)
    environment = {**os.environ, "PATH": f".:{os.environ['PATH']}"}

    collect_at(checkout.top, environment=environment)

    assert traps.sprung() == []


SETTINGS = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.srcPrefix": "x/",
    "diff.context": "0",
    "diff.interHunkContext": "9",
    "diff.renames": "copies",
    "diff.renameLimit": "1",
    "diff.algorithm": "patience",
    "diff.indentHeuristic": "false",
    "diff.suppressBlankEmpty": "true",
    "diff.orderFile": "order",
    "diff.relative": "true",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "log",
    "diff.dirstat": "nonsense",
    "diff.wordRegex": ".",
    "diff.wsErrorHighlight": "all",
    "diff.colorMoved": "zebra",
    "diff.autoRefreshIndex": "false",
    "diff.tool": "nonsense",
    "diff.python.xfuncname": "^nothing$",
    "diff.python.binary": "true",
    "diff.python.algorithm": "histogram",
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "true",
    "core.pager": "less",
    "core.abbrev": "7",
    "core.attributesFile": "attributes",
    "core.whitespace": "trailing-space",
    "core.bigFileThreshold": "1",
    "core.warnAmbiguousRefs": "true",
    "status.showUntrackedFiles": "no",
    "status.relativePaths": "true",
    "submodule.recurse": "true",
    "i18n.logOutputEncoding": "latin1",
    "safe.bareRepository": "explicit",
    "advice.detachedHead": "true",
}


def test_no_setting_changes_the_result(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.py diff=python\n")
    body = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(30))
    checkout.write("code.py", body)
    checkout.write("sub/caf\u00e9 \x01.txt", body)
    checkout.write("old.txt", body + "old\n")
    checkout.write("copied.txt", body + "copied\n")
    checkout.commit()
    checkout.write("code.py", body.replace("return 9\n", "return 99\n").replace("27", "72"))
    checkout.write("sub/caf\u00e9 \x01.txt", body.replace("    return 3\n\n", ""))
    checkout.git("mv", "old.txt", "new.txt")
    checkout.write("copy.txt", body + "copied\n")
    checkout.git("add", "copy.txt")
    checkout.write("copied.txt", body)
    checkout.write("loose.txt", "loose\n")
    checkout.write("order", "*.txt\n*.py\n")
    checkout.write("attributes", "*.py -diff\n")
    plain = checkout.collect()
    for name, value in SETTINGS.items():
        checkout.git("config", name, value)

    configured = checkout.collect()

    assert configured.snapshots == plain.snapshots
    assert configured.texts == plain.texts


@pytest.mark.parametrize("engine", ENGINES)
def test_somebody_elses_repository_needs_safe_directory_and_says_so(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Refused in one line until the user names the repository, or all (case A24)."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository to somebody else")
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "1\n")
    checkout.commit()
    checkout.write("f.txt", "2\n")
    checkout.write("n.txt", "n\n")
    for path in [checkout.top, *checkout.top.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)

    with pytest.raises(DiffxError, match=r"safe\.directory") as refused:
        checkout.collect(engine=engine)
    assert str(checkout.top) in str(refused.value)
    assert "\n" not in str(refused.value)

    monkeypatch.chdir(tmp_path)
    named = re.escape(str(checkout.top))
    with pytest.raises(DiffxError, match=rf"directory( =)? {named}\b"):
        collect_at(Path("repo"), engine=engine)

    for value in (str(checkout.top), "*"):
        (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {value}\n")
        observation = checkout.collect(engine=engine)
        assert statuses(observation) == {"f.txt": "M", "n.txt": "A"}
        assert_as_git_says(checkout, observation)


def test_a_home_that_cannot_be_entered_does_not_matter(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("n.txt", "n\n")
    environment = {"PATH": os.environ["PATH"], "HOME": "/dev/null/nowhere"}

    assert statuses(collect_at(checkout.top, environment=environment)) == {"n.txt": "A"}
