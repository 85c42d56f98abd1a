"""Streams that git really makes: merges, conflicts, mail, submodules, tags, stashes."""

from pathlib import Path

import pytest

from diffx.review.patch import ParsedFile, PatchError, SubmoduleMove, hunks
from diffx.review.patch.series import parse
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system

LINES = [f"line {number}" for number in range(1, 31)]


def body(**edits: str) -> str:
    """Thirty numbered lines, some of them edited: `body(l5="other")`."""
    return "".join(edits.get(f"l{i}", line) + "\n" for i, line in enumerate(LINES, 1))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout.init(tmp_path / "it")
    made.write("f.txt", body())
    made.write("gone.txt", body())
    made.write("pic", b"\0base")
    commit(made, "base")
    return made


def commit(checkout: Checkout, message: str) -> None:
    checkout.git("add", "-A")
    checkout.git("commit", "-q", "-m", message)


def merged(checkout: Checkout) -> None:
    """Make a merge that has lines of neither parent."""
    checkout.git("checkout", "-q", "-b", "one")
    checkout.write("f.txt", body(l5="ONE"))
    commit(checkout, "one")
    checkout.git("checkout", "-q", "-b", "two", "main")
    checkout.write("f.txt", body(l15="TWO"))
    commit(checkout, "two")
    checkout.git("checkout", "-q", "one")
    checkout.git("merge", "-q", "--no-commit", "two")
    checkout.write("f.txt", body(l5="ONE AND MORE", l15="TWO AND MORE", l29="MERGE ONLY"))
    commit(checkout, "merge with edits")


def only(stream: bytes) -> ParsedFile:
    (file,) = parse(stream).files
    return file


@pytest.mark.parametrize("option", ["--cc", "-c"])
def test_a_merge_reduced_to_its_first_parent_equals_the_diff_against_it(
    checkout: Checkout, option: str
) -> None:
    merged(checkout)
    direct = only(checkout.git("diff", "HEAD^1", "HEAD", "--", "f.txt"))

    file = only(checkout.git("show", option))

    assert file.parents == 2
    # The text behind a header's second @@ is git's own choice, and another one here.
    assert [h.lines for h in hunks(file.patch)] == [h.lines for h in hunks(direct.patch)]
    assert file.figures == direct.figures
    assert file.damage is not None and "shown against the first" in file.damage


def test_a_conflict_loses_no_path(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "theirs")
    checkout.write("f.txt", body(l5="THEIRS"))
    checkout.remove("gone.txt")
    checkout.write("pic", b"\0theirs")
    commit(checkout, "theirs")
    checkout.git("checkout", "-q", "main")
    checkout.write("f.txt", body(l5="OURS"))
    checkout.write("gone.txt", body(l2="kept by us"))
    checkout.write("pic", b"\0ours")
    checkout.write("calm.txt", "1\n")
    commit(checkout, "ours")
    checkout.git("merge", "theirs", ok=(1,))
    checkout.write("calm.txt", "2\n")

    files = sorted(parse(checkout.git("diff")).files, key=lambda file: file.path)
    staged = parse(checkout.git("diff", "--cached")).files
    ours = parse(checkout.git("diff", "--ours")).files

    assert [(f.path, f.status, f.binary) for f in files] == [
        (b"calm.txt", "M", False),
        (b"f.txt", "U", False),
        (b"gone.txt", "U", False),
        (b"pic", "U", True),
    ]
    assert {f.path for f in staged if f.status == "U"} == {b"f.txt", b"gone.txt", b"pic"}
    # `* Unmerged path f.txt` and then its diff are one file.
    assert {f.path for f in ours if f.status == "U"} == {b"f.txt", b"gone.txt", b"pic"}
    assert len({f.path for f in ours}) == len(ours)
    assert next(f for f in ours if f.path == b"f.txt").figures.rows.hunks == 1


@pytest.mark.parametrize(
    "form", [(), ("--attach",), ("--inline",), ("--no-signature",), ("--signature=-- x",)]
)
def test_a_mailbox_keeps_every_commit_apart(checkout: Checkout, form: tuple[str, ...]) -> None:
    quoted = "diff --git a/fake b/fake\n--- a/fake\n+++ b/fake\n@@ -1 +1 @@\n-was\n+is\n"
    message = "First caf\u00e9\n\n" + "".join(f"> {line}\n" for line in quoted.splitlines())
    checkout.write("f.txt", body(l5="-- "))
    commit(checkout, message)
    checkout.write("f.txt", body(l30="-- "))
    checkout.write("note.md", "x\n")
    commit(checkout, "Second\n\n---\nbelow a cut line\n")
    stream = checkout.git("format-patch", "--stdout", *form, "HEAD~2")

    files = parse(stream).files

    assert [(f.commit and f.commit.subject, f.path, f.damage) for f in files] == [
        ("First caf\u00e9", b"f.txt", None),
        ("Second", b"f.txt", None),
        ("Second", b"note.md", None),
    ]
    assert [f.figures for f in files] == [
        f.figures for f in parse(checkout.git("log", "-p", "--reverse", "HEAD~2..")).files
    ]


def test_submodules_are_read_in_the_three_notations_of_git(tmp_path: Path) -> None:
    inner = Checkout.init(tmp_path / "inner")
    for text in ("1\n", "2\n"):
        inner.write("s.txt", text)
        commit(inner, f"step {text}")
    old, new = (inner.git("rev-parse", name).decode().strip() for name in ("HEAD~1", "HEAD"))
    outer = Checkout.init(tmp_path / "outer")
    outer.write("top.txt", "1\n")
    outer.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner.top),
        "deps/lib",
    )
    module = Checkout(outer.top / "deps" / "lib")
    module.git("checkout", "-q", "HEAD~1")
    commit(outer, "add it")
    module.git("checkout", "-q", "main")
    module.write("s.txt", "dirty\n")
    outer.write("top.txt", "2\n")

    short, log, diff = (
        parse(outer.git("diff", f"--submodule={kind}")).files for kind in ("short", "log", "diff")
    )

    assert short[0].submodule == SubmoduleMove(old=old, new=new, modified_content=True)
    for files in (log, diff):
        assert files[0].submodule is not None and files[0].submodule.modified_content
        assert old.startswith(files[0].submodule.old or "?")
        assert files[0].status == "M"
    assert [[f.path for f in files] for files in (short, log, diff)] == [
        [b"deps/lib", b"top.txt"],
        [b"deps/lib", b"top.txt"],
        [b"deps/lib", b"deps/lib/s.txt", b"top.txt"],
    ]


def test_a_tag_and_a_stash_are_read(checkout: Checkout) -> None:
    checkout.git("tag", "-a", "-m", "text\n\n--- a/fake\n+++ b/fake\n", "v1")
    checkout.write("f.txt", body(l9="stashed"))
    checkout.git("stash", "-q")

    assert {f.path for f in parse(checkout.git("show", "v1")).files} == {
        b"f.txt",
        b"gone.txt",
        b"pic",
    }
    assert only(checkout.git("stash", "show", "-p")).figures.additions == 1


def test_what_git_shows_of_nothing_is_no_patch(checkout: Checkout) -> None:
    with pytest.raises(PatchError, match="is empty"):
        parse(checkout.git("diff"))
    with pytest.raises(PatchError, match="names a commit and no diff follows"):
        parse(checkout.git("log", "-1"))
