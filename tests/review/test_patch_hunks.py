"""One file's patch: where its hunks end, their numbers, their figures."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.model import Rows
from diffx.review.patch import Line, hunks, measure
from tests.support.patches import Change, changes

HEAD = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n"


def test_lines_carry_their_numbers_on_both_sides() -> None:
    (hunk,) = hunks(HEAD + b"@@ -4,3 +9,3 @@ def f():\n a\n-b\n+c\n d\n")

    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (4, 3, 9, 3)
    assert hunk.section == b"def f():"
    assert hunk.lines == (
        Line(" ", 4, 9, b"a"),
        Line("-", 5, None, b"b"),
        Line("+", None, 10, b"c"),
        Line(" ", 6, 11, b"d"),
    )


def test_the_marker_of_a_missing_line_end_belongs_to_the_line_above_and_is_no_line() -> None:
    (hunk,) = hunks(
        HEAD + b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenende\n"
    )

    assert [(line.text, line.no_newline) for line in hunk.lines] == [(b"a", True), (b"b", True)]
    assert measure(HEAD + b"@@ -1 +1 @@\n-a\n\\ No newline\n+b\n").rows.unified == 3


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\rb\x0bc\x0cd\x85e\u2028f".encode() + b"\r"

    (hunk,) = hunks(HEAD + b"@@ -0,0 +1 @@\n+" + text + b"\n")

    assert [line.text for line in hunk.lines] == [text]


def test_what_looks_like_a_header_inside_the_counts_is_content() -> None:
    patch = HEAD + b"@@ -1,3 +1,3 @@\n--- a/y\n+++ b/y\n diff --git a/y b/y\n-@@ -1 +1 @@\n+-- \n"

    figures = measure(patch)

    assert (figures.additions, figures.deletions, figures.rows.hunks) == (2, 2, 1)
    assert figures.damage is None


def test_rows_are_known_before_the_patch_arrives() -> None:
    patch = HEAD + b"@@ -1,4 +1,4 @@\n a\n-b\n-c\n+d\n e\n+f\n@@ -9 +9,0 @@\n-g\n"

    rows = measure(patch).rows

    # Side by side: 2 headers, 2 context lines, runs of (2, 1), (0, 1) and (1, 0).
    assert rows == Rows(hunks=2, unified=9, split=8, max_columns=1)


def test_a_run_of_changes_ends_at_the_hunk() -> None:
    patch = HEAD + b"@@ -1,2 +1 @@\n-a\n-b\n+c\n@@ -5 +4,2 @@\n-d\n+e\n+f\n"

    assert measure(patch).rows.split == 2 + 2 + 2


def test_width_counts_characters_and_a_tab_as_four() -> None:
    def width(line: bytes) -> int:
        return measure(
            HEAD + b"@@ -0,0 +1 @@ a long section that is no line\n" + line
        ).rows.max_columns

    assert width(b"+abc\n") == 3
    assert width(b"+\tx\n") == 5
    assert width("+h\u00e9\u65e5\U0001f600\n".encode()) == 4
    assert width(b"+\xe9\x80\n") == 2  # not UTF-8: a byte is a character
    assert width(b"+\n") == 0


def test_a_patch_without_hunks_measures_nothing() -> None:
    figures = measure(b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")

    assert (figures.additions, figures.deletions) == (0, 0)
    assert figures.rows == Rows(hunks=0, unified=0, split=0, max_columns=0)


def test_a_type_change_of_two_sections_measures_as_one() -> None:
    gone = b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    came = b"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n"

    figures = measure(gone + came)

    assert (figures.additions, figures.deletions, figures.rows.split) == (1, 1, 4)


def test_a_short_hunk_is_said() -> None:
    figures = measure(HEAD + b"@@ -1,9 +1,9 @@\n a\n+b\n")

    assert figures.damage is not None
    assert "counts 9 old and 9 new lines and has 1 and 2" in figures.damage


@given(changes())
def test_hunks_give_back_every_line_that_was_written(change: Change) -> None:
    found = list(hunks(change.written()))

    assert [[(line.kind, line.text) for line in hunk.lines] for hunk in found] == [
        [(line.kind, line.text) for line in hunk.lines] for hunk in change.hunks
    ]
    for hunk, wanted in zip(found, change.hunks, strict=True):
        assert [line.old for line in hunk.lines if line.old is not None] == list(
            range(wanted.old_start, wanted.old_start + wanted.count(" ", "-"))
        )
        assert [line.new for line in hunk.lines if line.new is not None] == list(
            range(wanted.new_start, wanted.new_start + wanted.count(" ", "+"))
        )
        assert tuple(i for i, line in enumerate(hunk.lines) if line.no_newline) == tuple(
            sorted(set(wanted.unended))
        )


@given(changes())
def test_figures_are_what_counting_line_by_line_gives(change: Change) -> None:
    split = widest = 0
    for hunk in change.hunks:
        removed = added = 0
        for line in [*hunk.lines, None]:
            if line is None or line.kind == " ":
                split += max(removed, added) + (line is not None)
                removed = added = 0
            else:
                removed += line.kind == "-"
                added += line.kind == "+"
    patch = change.written()
    try:
        patch.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    for hunk in change.hunks:
        for line in hunk.lines:
            widest = max(widest, len(line.text.decode(encoding).replace("\t", "    ")))

    figures = measure(patch)

    assert figures.additions == sum(hunk.count("+") for hunk in change.hunks)
    assert figures.deletions == sum(hunk.count("-") for hunk in change.hunks)
    assert figures.rows == Rows(
        hunks=len(change.hunks),
        unified=len(change.hunks) + sum(len(hunk.lines) for hunk in change.hunks),
        split=len(change.hunks) + split,
        max_columns=widest,
    )
    assert figures.damage is None


@given(st.binary(max_size=300))
def test_no_bytes_make_measuring_fail(noise: bytes) -> None:
    patch = HEAD + b"@@ -1,3 +1,3 @@\n" + noise

    figures = measure(patch)

    assert figures.additions == sum(
        line.kind == "+" for hunk in hunks(patch) for line in hunk.lines
    )
    assert figures.rows.hunks == len(list(hunks(patch)))
