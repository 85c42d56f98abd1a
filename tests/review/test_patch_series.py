"""One stream, many files: what begins a file, which commit it belongs to, what is said of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.patch import (
    MAX_FILES,
    Commit,
    ParsedFile,
    PatchError,
    PatchTooLargeError,
    Series,
    SubmoduleMove,
    measure,
)
from diffx.review.patch.render import render
from diffx.review.patch.series import parse
from tests.support.patches import HEADER_LIKE, Change, Hunk, Line, changes

X = Change(b"x", hunks=(Hunk(1, 1, (Line("-", b"a"), Line("+", b"b"))),)).written()
Y = X.replace(b"/x", b"/y")


def paths(patch: bytes) -> list[bytes]:
    return [file.path for file in parse(patch).files]


def only(patch: bytes) -> ParsedFile:
    (file,) = parse(patch).files
    return file


@given(st.lists(changes(), min_size=1, max_size=5))
def test_every_change_of_a_stream_is_found_in_order(made: list[Change]) -> None:
    files = parse(b"".join(change.written() for change in made)).files

    assert [(f.path, f.status, f.old_path) for f in files] == [
        (c.path, c.status, c.old_path) for c in made
    ]
    for file, change in zip(files, made, strict=True):
        assert file.damage is None
        assert file.figures == measure(change.written())
        assert file.old_mode == (None if change.status == "A" else known(change, change.old_mode))
        assert file.new_mode == (None if change.status == "D" else known(change, change.new_mode))


def known(change: Change, mode: str) -> str | None:
    """A rename without hunks has no line that tells an unchanged mode."""
    told = change.hunks or change.old_mode != change.new_mode or change.status in "AD"
    return mode if told else None


commits = st.builds(
    Commit,
    id=st.text(alphabet="0123456789abcdef", min_size=40, max_size=40),
    subject=st.sampled_from(["one", "two words", "caf\u00e9", ""]),
)


@given(st.lists(st.tuples(st.none() | commits, changes()), min_size=1, max_size=5))
def test_parsing_what_was_rendered_gives_the_same_files(
    made: list[tuple[Commit | None, Change]],
) -> None:
    # Files without a commit come first, because nothing in a stream ends a commit but the next.
    made.sort(key=lambda pair: pair[0] is not None)
    stream = b""
    for commit, change in made:
        if commit is not None:
            stream += f"commit {commit.id}\nAuthor: A\n\n    {commit.subject}\n\n".encode()
        stream += change.written()
    files = parse(stream).files

    again = parse(render(files))

    assert again == Series(files=files)
    assert [file.patch for file in parse(files[0].patch).files] == [files[0].patch]


@given(st.lists(st.sampled_from(HEADER_LIKE), min_size=1, max_size=6), st.sampled_from("+- "))
def test_a_header_inside_a_line_neither_makes_nor_hides_a_file(
    forged: list[bytes], kind: str
) -> None:
    hunk = Hunk(1, 1, (*(Line(kind, text) for text in forged), Line("+", b"end")))
    patch = X + Change(b"f", hunks=(hunk,)).written() + Y

    files = parse(patch).files

    assert [file.path for file in files] == [b"x", b"f", b"y"]
    assert files[1].figures.rows.unified == len(forged) + 2


def test_a_pair_after_a_complete_hunk_is_the_next_file() -> None:
    plain = b"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n--- not a header\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"

    files = parse(plain).files

    assert [(f.path, f.figures.additions, f.figures.deletions) for f in files] == [
        (b"x", 0, 1),
        (b"y", 1, 1),
    ]


def test_a_pair_without_a_hunk_is_text() -> None:
    assert paths(b"tag v1\n\n--- a/fake\n+++ b/fake\n\n" + X) == [b"x"]


def test_a_patch_quoted_in_an_indented_or_cited_message_is_text() -> None:
    quoted = X.replace(b"/x", b"/fake")
    message = b"".join(b"    " + line + b"\n" for line in quoted.splitlines())
    message += b"".join(b"> " + line + b"\n" for line in quoted.splitlines())

    assert paths(b"commit " + b"1" * 40 + b"\nAuthor: A\n\n" + message + b"\n" + X) == [b"x"]


def test_a_path_that_two_commits_change_stays_two_files() -> None:
    one, two = b"commit " + b"1" * 40, b"commit " + b"2" * 40
    stream = (
        one
        + b"\nAuthor: A\n\n    First\n\n"
        + X
        + b"\n"
        + two
        + b"\nAuthor: A\n\n    Second\n\n"
        + X
    )

    files = parse(stream).files

    assert [(f.path, f.commit and f.commit.subject) for f in files] == [
        (b"x", "First"),
        (b"x", "Second"),
    ]
    assert files[0].commit is not None and files[0].commit.label == "1111111111 First"


@pytest.mark.parametrize(
    ("head", "commit"),
    [
        (b"1234567 Third change\n", Commit(id="1234567", subject="Third change")),
        (b"# HG changeset patch\n# User a\n# Node ID " + b"a" * 40 + b"\n# Parent  0\nWhat and why\n\n",
         Commit(id="a" * 40, subject="What and why")),
        (b"commit " + b"b" * 40 + b" (HEAD -> main)\nMerge: 1 2\nAuthor: A\n\n    \n    Subject\n    more\n\n",
         Commit(id="b" * 40, subject="Subject")),
        (b"From: a@b\nSubject: [PATCH] Re: words\n\nbody\n---\n", Commit(id=None, subject="words")),
    ],
)  # fmt: skip
def test_the_commit_is_read_from(head: bytes, commit: Commit) -> None:
    assert only(head + X).commit == commit


def test_a_mail_signature_is_no_part_of_the_hunk_and_a_removed_line_like_it_is() -> None:
    removed = X.replace(b"@@ -1,1 +1,1 @@\n-a\n+b\n", b"@@ -1,2 +1 @@\n a\n-- \n")

    files = parse(removed + b"-- \n2.39.5\n\n").files

    assert [(f.figures.deletions, f.damage) for f in files] == [(1, None)]


def test_the_marker_of_a_missing_line_end_before_a_signature_belongs_to_the_hunk() -> None:
    patch = X + b"\\ No newline at end of file\n"

    file = only(patch + b"-- \n2.39.5\n")

    assert (file.patch, file.damage) == (patch, None)


def test_records_without_a_hunk_are_files() -> None:
    stream = (
        b"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        b"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
        b"diff --git a/src b/copy\nsimilarity index 100%\ncopy from src\ncopy to copy\n"
        b"diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n"
        b"diff --git a/gone b/gone\ndeleted file mode 100644\nindex e69de29..0000000\n"
        b"diff --git a/pkg.lock b/pkg.lock\nindex 1111111..2222222 100644\nBinary files a/pkg.lock and b/pkg.lock differ\n"
    )

    files = parse(stream).files

    assert [(f.status, f.path, f.old_path, f.binary, f.damage) for f in files] == [
        ("M", b"run.sh", None, False, None),
        ("R", b"new", b"old", False, None),
        ("C", b"copy", b"src", False, None),
        ("A", b"empty", None, False, None),
        ("D", b"gone", None, False, None),
        ("M", b"pkg.lock", None, True, None),
    ]
    assert (files[0].old_mode, files[0].new_mode) == ("100644", "100755")
    assert b"".join(file.patch for file in files) == stream


def test_a_type_change_is_one_file() -> None:
    gone = b"diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    came = b"diff --git a/x b/x\nnew file mode 120000\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n"

    file = only(gone + came)

    assert (file.status, file.old_mode, file.new_mode) == ("T", "100644", "120000")
    assert file.patch == gone + came
    assert (file.figures.additions, file.figures.deletions) == (1, 1)


def test_a_file_that_was_deleted_and_added_again_by_another_commit_is_two() -> None:
    gone = b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    came = b"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n"
    head = b"commit " + b"1" * 40 + b"\n\n    s\n\n"

    assert [f.status for f in parse(head + gone + head.replace(b"1", b"2") + came).files] == [
        "D",
        "A",
    ]


BINARY = (
    b"diff --git a/b.bin b/b.bin\nindex 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644\n"
    b"GIT binary patch\ndelta 17\nZcmeyU_f>DhPHq-g7tfH*JGpmo0{}*m2O9tY\n\ndelta 12\nUcmeyW_fc=dPVUWnxp!~_04r(*^#A|>\n\n"
)


def test_a_binary_patch_is_passed_over_whole() -> None:
    files = parse(BINARY + X).files

    assert [(f.path, f.binary, f.damage) for f in files] == [
        (b"b.bin", True, None),
        (b"x", False, None),
    ]
    assert files[0].patch == BINARY


def test_a_cut_binary_patch_is_said_and_hides_nothing() -> None:
    files = parse(BINARY[: BINARY.index(b"\n\ndelta 12")] + b"\n" + X).files

    assert [f.path for f in files] == [b"b.bin", b"x"]
    assert files[0].damage is not None and "binary patch is cut short" in files[0].damage


CC = (
    b"diff --cc f.txt\nindex 0be0f3c,f1a38e8..3ed5c4c\n--- a/f.txt\n+++ b/f.txt\n"
    b"@@@ -1,4 -1,4 +1,4 @@@ here\n  one\n- ours\n -theirs\n++both\n--lost\n+ new in ours only\n +new in theirs only\n"
)


def test_a_combined_diff_is_shown_against_the_first_parent_and_says_so() -> None:
    patch = CC.replace(b"-1,4 -1,4 +1,4", b"-1,4 -1,4 +1,4")

    file = only(patch)

    assert file.parents == 2
    assert file.damage is not None and "merge of 2 parents, shown against the first" in file.damage
    assert file.patch.endswith(
        b"@@ -1,4 +1,4 @@ here\n one\n-ours\n+both\n-lost\n+new in ours only\n new in theirs only\n"
    )
    assert file.figures == measure(file.patch)
    assert file.figures.damage is None


def test_three_parents_have_three_columns() -> None:
    patch = (
        b"diff --cc f\nindex 1,2,3..4\n--- a/f\n+++ b/f\n@@@@ -1,2 -1,2 -1,1 +1,2 @@@@\n"
        b"   same\n-- gone from two\n+++ come\n"
    )

    assert only(patch).patch.endswith(b"@@ -1,2 +1,2 @@\n same\n-gone from two\n+ come\n")
    assert only(patch).parents == 3


def test_a_conflict_is_unmerged_with_or_without_a_diff() -> None:
    stream = (
        b"diff --cc f.txt\nindex 1111111,2222222..0000000\n--- a/f.txt\n+++ b/f.txt\n@@@ -1,1 -1,1 +1,2 @@@\n- a\n -b\n++c\n++d\n"
        b"diff --cc pic\nindex 1111111,2222222..0000000\nBinary files differ\n"
        b"* Unmerged path gone.txt\n* Unmerged path x\n" + X
    )

    files = parse(stream).files

    assert [(f.status, f.path, f.binary) for f in files] == [
        ("U", b"f.txt", False),
        ("U", b"pic", True),
        ("U", b"gone.txt", False),
        ("U", b"x", False),
    ]
    assert files[2].patch == b"" and files[3].patch == X


def test_a_merge_that_deletes_a_file_is_no_conflict() -> None:
    patch = b"diff --cc f\nindex 1111111,2222222..0000000\ndeleted file mode 100644,100644\n--- a/f\n+++ /dev/null\n"

    assert only(patch).status == "D"


def test_submodules_are_read_in_every_notation() -> None:
    short = (
        b"diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n"
        b"-Subproject commit " + b"1" * 40 + b"\n+Subproject commit " + b"2" * 40 + b"-dirty\n"
    )
    log = (
        b"Submodule lib contains untracked content\nSubmodule lib contains modified content\n"
        b"Submodule lib 1111111..2222222:\n  > one\n  < two\nSubmodule new 0000000...3333333 (new submodule)\n"
        b"Submodule old 4444444...0000000 (submodule deleted)\n"
    )

    files = parse(short + log + X).files

    assert [(f.path, f.status, f.submodule) for f in files] == [
        (b"lib", "M", SubmoduleMove(old="1" * 40, new="2" * 40, modified_content=True)),
        (b"lib", "M", SubmoduleMove(old="1111111", new="2222222", modified_content=True, untracked_content=True)),
        (b"new", "A", SubmoduleMove(old=None, new="3333333")),
        (b"old", "D", SubmoduleMove(old="4444444", new=None)),
        (b"x", "M", None),
    ]  # fmt: skip
    assert files[1].damage is not None and "1111111..2222222: one; two" in files[1].damage


def test_a_file_that_only_talks_of_a_submodule_is_none() -> None:
    patch = X.replace(b"-a\n", b"-Subproject commit " + b"1" * 40 + b"\n")

    assert only(patch).submodule is None


MAIL = b"From " + b"1" * 40 + b" Mon Sep 17 00:00:00 2001\nSubject: s\n\n"
NAMING = (
    b"Submodule fake contains modified content\n* Unmerged path fake\nOnly in fake: fake\n"
    b"Binary files fake and fake differ\ncommit "
    + b"2"
    * 40
    + b"\n# HG changeset patch\n# User x\n"
    b"Index: fake\n====================\n"
)


@pytest.mark.parametrize(
    "message",
    [NAMING + b"---\n", b"@@ -1 +1 @@\n---\n", b"---\n" + NAMING, b"--- a/fake\n" + NAMING],
    ids=["above the line", "a hunk", "below the line", "below a name"],
)
def test_the_message_of_a_mail_names_no_file_and_no_other_commit(message: bytes) -> None:
    file = only(MAIL + message + X)

    assert file.path == b"x"
    assert file.commit is not None and file.commit.id == "1" * 40


def test_a_whole_patch_in_the_message_of_a_mail_is_shown_as_git_am_applies_it() -> None:
    plain = X.partition(b"--- a/x")[1] + X.partition(b"--- a/x")[2]

    assert paths(MAIL + plain.replace(b"/x", b"/q") + b"\ntext\n---\n x | 2 +-\n\n" + X) == [
        b"q",
        b"x",
    ]
    assert paths(MAIL + Y + b"\ntext\n---\n x | 2 +-\n\n" + X) == [b"y", b"x"]


@pytest.mark.parametrize(
    "end", [b"---\n", b"--- \t\n", b"--- name\n", b"diff -u a b\n", b"Index: a\n"]
)
def test_a_hunk_below_the_end_of_a_message_needs_a_file(end: bytes) -> None:
    with pytest.raises(PatchError, match="line 5: a hunk stands there"):
        parse(MAIL + end + b"@@ -1 +1 @@\n-a\n+b\n" + X)


def test_a_changeset_of_mercurial_is_known_where_its_mail_begins() -> None:
    changeset = b"# HG changeset patch\n# Node ID " + b"a" * 40 + b"\nWhat\n\n"

    assert only(MAIL + changeset + X).commit == Commit(id="a" * 40, subject="What")


def test_more_files_than_anybody_reviews_are_refused_in_one_line() -> None:
    most = b"".join([b"Only in a: %d\n" % number for number in range(MAX_FILES)])

    assert len(parse(most).files) == MAX_FILES
    with pytest.raises(PatchTooLargeError, match=r"more than 50,000 files.*review a part"):
        parse(most + X)


def test_subversion_and_recursive_diffs_lose_no_file() -> None:
    bar = b"=" * 67 + b"\n"
    stream = (
        b"Index: t/x\n"
        + bar
        + b"--- t/x\t(revision 1)\n+++ t/x\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n"
        b"Index: t/pic\n"
        + bar
        + b"Cannot display: file marked as a binary type.\nsvn:mime-type = x\n"
        b"Index: t/empty\n" + bar + b"Only in new: more\nBinary files old/p and new/p differ\n"
    )

    files = parse(stream).files

    assert [(f.path, f.binary, f.damage is not None) for f in files] == [
        (b"t/x", False, False),
        (b"t/pic", True, False),
        (b"t/empty", False, True),
        (b"new/more", False, True),
        (b"p", True, False),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\n\nhello\n", "line 3 is 'hello'"),
        (b"*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "context diff"),
        (b"commit " + b"1" * 40 + b"\nAuthor: A\n\n    s\n", "names a commit and no diff follows"),
        (b"text\n@@ -1 +1 @@\n-a\n+b\n", "line 2: a hunk"),
    ],
)
def test_what_is_no_patch_is_an_error_that_says_where(data: bytes, words: str) -> None:
    with pytest.raises(PatchError, match=words):
        parse(data)
