"""Patches read as git itself reads and counts them (2.7), over hundreds of commits and by properties."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffx.review.patch import ParsedFile, PatchError
from diffx.review.patch.render import render
from diffx.review.patch.series import parse
from tests.support.histories import grow
from tests.support.patches import HEADER_LIKE, Change, Hunk, Line, changes

pytestmark = pytest.mark.system

COMMITS: Final = 300
OURSELVES: Final = Path(__file__).resolve().parents[3]
Row = tuple[bytes, bytes, bytes]


def git(folder: Path, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), *words],
        input=stdin,
        stdout=subprocess.PIPE,
        check=True,
        env=None if env is None else os.environ | env,
    ).stdout


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grow(tmp_path_factory.mktemp("history") / "grown.git", commits=COMMITS)


# Further repositories to read, by path; none is at hand on a machine without a network.
ELSEWHERE: Final = [each for each in os.environ.get("DIFFX_HISTORIES", "").split(":") if each]


@pytest.fixture(scope="module", params=["this project", "evolved sources", *ELSEWHERE])
def history(request: pytest.FixtureRequest, grown: Path) -> Path:
    if request.param == "evolved sources":
        return grown
    if request.param in ELSEWHERE:
        return Path(request.param)
    if not (OURSELVES / ".git").exists():
        pytest.skip("the project was unpacked without its history")
    return OURSELVES


def numstat(raw: bytes) -> Iterator[Row]:
    """Read `--numstat -z`; a rename has its two names behind an empty one."""
    words = iter(raw.split(b"\0"))
    for word in words:
        if word.strip(b"\n"):
            added, removed, path = word.lstrip(b"\n").split(b"\t", 2)
            if not path:
                next(words)
                path = next(words)
            yield added, removed, path


def row(file: ParsedFile) -> Row:
    if file.binary:
        return b"-", b"-", file.path
    return b"%d" % file.figures.additions, b"%d" % file.figures.deletions, file.path


def is_untold(file: ParsedFile) -> bool:
    """Say if the patch does not tell what git counts: a type change, or a move of unseen bytes."""
    moved = not file.figures.rows.hunks and not file.binary
    return file.status == "T" or (file.status in ("R", "C", "M") and moved)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-U0",),
        ("--no-prefix",),
        ("--src-prefix=left/of/", "--dst-prefix=right/"),
        ("--color=always", "--color-moved=zebra", "--ws-error-highlight=all"),
        ("--binary", "--full-index"),
        ("-C", "-W", "--stat"),
        ("--no-renames",),
        ("-R",),
        ("--oneline",),
    ],
    ids=" ".join,
)
def test_hundreds_of_commits_are_counted_as_git_counts_them(
    history: Path, options: Sequence[str]
) -> None:
    log = ("log", f"-{COMMITS}", "-m", "--first-parent")
    same = [word for word in options if word in ("-C", "--no-renames", "-R")]
    # Without context git compares in another way, also where it counts; -U0 would print patches.
    context = ("-c", "diff.context=0") if "-U0" in options else ()
    counted = git(history, *context, *log, "--format=%x01%H", "--numstat", "-z", *same)
    stream = git(history, "-c", "diff.mnemonicPrefix=true", *log, "-p", *options)

    files = parse(stream).files

    untold: set[tuple[str | None, bytes]] = {
        (commit_id(file), file.path) for file in files if is_untold(file)
    }
    want = [
        (commit, found)
        for commit, rows in by_commit(counted)
        for found in rows
        if not is_known(untold, commit, found[2])
    ]
    got = [(commit_id(file), row(file)) for file in files if not is_untold(file)]
    assert [found for _, found in got] == [found for _, found in want]
    assert all(
        commit.startswith(mine or "?") for (commit, _), (mine, _) in zip(want, got, strict=True)
    )
    remarks = {file.damage for file in files} - {None}
    assert all("escape sequences of the file" in str(remark) for remark in remarks)


def commit_id(file: ParsedFile) -> str | None:
    return None if file.commit is None else file.commit.id


def by_commit(raw: bytes) -> Iterator[tuple[str, list[Row]]]:
    for part in raw.split(b"\x01")[1:]:
        commit, _, rest = part.partition(b"\0")
        yield commit.decode(), list(numstat(rest))


def is_known(untold: set[tuple[str | None, bytes]], commit: str, path: bytes) -> bool:
    return any(path == name and commit.startswith(known or "?") for known, name in untold)


def test_a_rendered_history_reads_the_same_again(history: Path) -> None:
    files = parse(git(history, "log", f"-{COMMITS}", "-m", "--first-parent", "-p")).files

    assert parse(render(files)).files == files


def test_every_patch_applies_and_yields_the_commit(grown: Path, tmp_path: Path) -> None:
    """However the stream was made, a file's own patch is one that `git apply` takes (2.7)."""
    env = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    for commit in git(grown, "rev-list", "-60", "HEAD").decode().split():
        if not git(grown, "diff-tree", "--no-commit-id", "-r", commit):
            # The edits of such a commit cancelled each other: git shows its message alone.
            with pytest.raises(PatchError, match="names a commit and no diff follows"):
                parse(git(grown, "show", commit))
            continue
        stream = git(grown, "show", "--no-prefix", "--binary", "--full-index", commit)
        patch = b"".join(file.patch for file in parse(stream).files)

        git(grown, "read-tree", f"{commit}~", env=env)
        git(grown, "apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, env=env)

        tree = git(grown, "rev-parse", f"{commit}^{{tree}}")
        assert git(grown, "write-tree", env=env) == tree


def applied(patch: bytes, folder: Path) -> list[Row]:
    return list(numstat(git(folder, "apply", "--numstat", "-z", "-", stdin=patch)))


@given(st.lists(changes(), min_size=1, max_size=4))
@settings(max_examples=60)
def test_any_patch_is_counted_as_git_apply_counts_it(
    tmp_path_factory: pytest.TempPathFactory, made: list[Change]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    stream = b"".join(change.written() for change in made)
    files = parse(stream).files

    want = applied(stream, folder)

    assert [row(file) for file in files] == want
    assert applied(b"".join(file.patch for file in files), folder) == want


HUNK: Final = Hunk(1, 1, (Line("-", b"was"), Line("+", b"is")))
REAL: Final = Change(b"real", hunks=(HUNK,)).written()
FORGED: Final = (
    # A line that begins another mail is for `git mailsplit`, which is not asked here.
    *(line for line in HEADER_LIKE if not line.startswith(b"From ")),
    Change(b"whole", hunks=(HUNK,)).written().removesuffix(b"\n"),
    b"--- a/pair\n+++ b/pair\n@@ -1 +1 @@\n-was\n+is",
    b"--- a/none\n+++ b/none",
    b"--- a/alone",
    b"---",
    b"--- \t",
    b"diff -u a b",
    b"Index: indexed",
    b"Index: indexed\n===================",
    b"Only in a: b",
    b"Binary files a/one and b/one differ",
    b"\n# HG changeset patch",
    b"1234567 subject",
    b"  --- a/indented\n  +++ b/indented\n  @@ -1 +1 @@\n  -was\n  +is",
)


def mail(message: list[bytes]) -> bytes:
    head = b"From %s Mon Sep 17 00:00:00 2001\nFrom: A <a@b.invalid>\nSubject: [PATCH] s\n\n" % (
        b"1" * 40
    )
    body = b"".join(line + b"\n" for line in message)
    return head + body + b"---\n real | 2 +-\n\n" + REAL + b"-- \n2.39.5\n\n"


@given(st.lists(st.sampled_from(FORGED), max_size=5))
@settings(max_examples=100)
def test_a_mail_has_the_files_that_git_am_would_apply(
    tmp_path_factory: pytest.TempPathFactory, message: list[bytes]
) -> None:
    """Whatever stands in a commit's message, no change is forged by it and none is hidden.

    Below a first patch, what only names a file is listed too, as in any stream; git passes it over.
    """
    folder = tmp_path_factory.getbasetemp()
    stream = mail(message)
    git(folder, "mailinfo", str(folder / "message"), str(folder / "patch"), stdin=stream)
    told = subprocess.run(
        ["git", "-C", str(folder), "apply", "--numstat", "-z", str(folder / "patch")],
        capture_output=True,
        check=False,
    )
    try:
        files = parse(stream).files
    except PatchError:
        assert told.returncode != 0
        return

    if told.returncode == 0:
        changed = [each for each in numstat(told.stdout) if each[:2] != (b"0", b"0")]
        assert [row(file) for file in files if file.figures.rows.hunks] == changed
    else:
        assert (b"1", b"1", b"real") in [row(file) for file in files]
    assert files[0].commit is not None and files[0].commit.subject == "s"
