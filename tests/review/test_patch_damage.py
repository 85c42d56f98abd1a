"""What is wrong with a patch is said on the file it concerns, with the line; nothing is swallowed."""

import pytest

from diffx.review.patch import ParsedFile, measure
from diffx.review.patch.series import parse

HEAD = b"diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n"
NEXT = (
    b"diff --git a/y b/y\nindex 1111111..2222222 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
)


def first(patch: bytes) -> ParsedFile:
    file, following = parse(patch + NEXT).files
    assert (following.path, following.damage) == (b"y", None)
    return file


@pytest.mark.parametrize(
    ("hunks", "words", "kept"),
    [
        # Cut in the middle, and the next header follows.
        (b"@@ -1,4 +1,4 @@\n a\n-b\n", "line 5: the hunk @@ -1 +1 @@ counts 4 old and 4 new lines and has 2 and 1",
         b"@@ -1,2 +1,1 @@\n a\n-b\n"),
        # A mailer took the leading blanks.
        (b"@@ -1,3 +1,3 @@ f()\n-a\n+b\nc\nd\n", "has 1 and 1", b"@@ -1,1 +1,1 @@ f()\n-a\n+b\n"),
        # Edited by hand: more lines than counted.
        (b"@@ -1 +1 @@\n-a\n+b\n+c\n+d\n", "line 8: lines that the hunk header does not count are left out: 2",
         b"@@ -1 +1 @@\n-a\n+b\n"),
        # Edited by hand: one side is passed before the other.
        (b"@@ -1 +1 @@\n-a\n-b\n+c\n", "counts 1 old and 1 new lines and has 2 and 1", b"@@ -1,2 +1,1 @@\n-a\n-b\n+c\n"),
        (b"@@ -1 +1 @@\n-a\n+b\ntext\n@@ -5 +5 @@\n-c\n+d\n", "line 9: text between this hunk and the one before",
         b"@@ -1 +1 @@\n-a\n+b\n@@ -5 +5 @@\n-c\n+d\n"),
        (b"@@ -1 +1 @@\n-a\n+b\n@@ -x +y @@\n-c\n+d\n", "line 8: a hunk header that cannot be read", b"@@ -1 +1 @@\n-a\n+b\n"),
        (b"@@ -1 +1 @@\n-a\n+b\n@@ -99999999999999999999 +1 @@\n-c\n", "cannot be read", b"@@ -1 +1 @@\n-a\n+b\n"),
        (b"", "no hunk follows", b""),
    ],
)  # fmt: skip
def test_damage_is_said_with_its_line(hunks: bytes, words: str, kept: bytes) -> None:
    file = first(HEAD + hunks)

    assert file.damage is not None and words in file.damage
    assert file.patch == (HEAD + kept if kept else HEAD.partition(b"--- ")[0])


def test_the_patch_of_a_damaged_file_counts_what_it_has() -> None:
    file = first(HEAD + b"@@ -1,4 +1,4 @@\n a\n-b\n")

    assert measure(file.patch) == file.figures
    assert file.figures.damage is None


def test_a_header_behind_a_cut_hunk_is_still_a_header() -> None:
    cut = b"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"

    files = parse(cut).files

    assert [file.path for file in files] == [b"x", b"y"]
    assert files[0].damage is not None


def test_a_mail_signature_is_no_damage_and_no_line() -> None:
    cut = HEAD + b"@@ -1,9 +1,9 @@\n-a\n+b\n-- \n2.39.5\n"

    assert first(cut).figures.deletions == 1


def test_trimmed_blank_context_is_mended() -> None:
    file = first(HEAD + b"@@ -1,4 +1,4 @@\n a\n\n\n-b\n+c\n")

    assert file.damage is None
    assert file.patch.endswith(b" a\n \n \n-b\n+c\n")


def test_a_stream_without_a_last_line_feed_may_be_cut() -> None:
    (file,) = parse(HEAD + b"@@ -1 +1 @@\n-a\n+b").files

    assert file.damage is not None and "may be cut short" in file.damage
    assert file.patch.endswith(b"+b\n")


@pytest.mark.parametrize("keep", range(5, len(NEXT)))
def test_no_cut_goes_unnoticed_or_fails_badly(keep: int) -> None:
    files = parse(HEAD + b"@@ -1 +1 @@\n-a\n+b\n" + NEXT[:keep]).files

    if len(files) == 2:
        assert files[1].damage is not None
    else:
        # Too little for a header: git apply does not see a file there either.
        assert NEXT[:keep].count(b"\n") <= 1


def test_a_cut_combined_hunk_is_said() -> None:
    patch = b"diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,4 -1,4 +1,4 @@@\n  a\n++b\n"

    (file,) = parse(patch).files

    assert file.damage is not None and "fewer lines than its header counts" in file.damage
    assert measure(file.patch) == file.figures


def test_very_many_remarks_stay_readable() -> None:
    patch = HEAD + b"@@ -1 +1 @@\n-a\n+b\n" + b"text\n@@ -1 +1 @@\n-a\n+b\n" * 500

    (file,) = parse(patch).files

    assert file.damage is not None
    assert len(file.damage) < 1000
    assert file.damage.endswith("and more of the kind")
    assert file.figures.rows.hunks == 501
