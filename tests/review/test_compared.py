"""A packed comparison says what the rows said, and holds no more than it must (9.1)."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.compared import MAX_PATCH_BYTES, ComparedFile, collect
from diffx.review.interdiff import Interdiff, unified
from tests.support.iterations import compared, count, edits, iteration, numbered, texts


def packed(before: str, after: str, moved: str, later: str) -> tuple[Interdiff, ComparedFile]:
    found = compared(iteration({"f": (before, after)}), iteration({"f": (moved, later)}))
    (file,) = found.files
    assert file.diff is not None
    (small,) = collect(found.files, same_base=False).files
    return file.diff, small


@given(st.data())
def test_patch_counts_and_upstream_lines_are_those_of_the_rows(data: st.DataObject) -> None:
    base = data.draw(texts())
    moved = data.draw(edits(base))
    drawn = (base, data.draw(edits(base)), moved, data.draw(edits(moved)) + b"end\n")
    before, after, later_base, later = (text.decode("latin-1") for text in drawn)
    if (before, after) == (later_base, later):
        return

    rows, file = packed(before, after, later_base, later)

    assert file.diff is not None
    assert file.diff.patch == unified(rows.rows)
    assert file.counts.additions == count(rows, "+", "author")
    assert file.counts.deletions == count(rows, "-", "author")
    assert file.counts.upstream_additions == count(rows, "+", "upstream")
    assert file.counts.upstream_deletions == count(rows, "-", "upstream")
    for ranges, numbers in (
        (file.diff.upstream_old, [row.old for row in rows.rows if row.origin == "upstream"]),
        (file.diff.upstream_new, [row.new for row in rows.rows if row.origin == "upstream"]),
    ):
        held = [number for first, last in ranges for number in range(first, last + 1)]
        assert held == [number for number in numbers if number is not None]


def test_a_patch_that_is_too_large_is_left_out_and_its_size_said() -> None:
    rows, file = packed("a\n", "b\n", "a\n", numbered(MAX_PATCH_BYTES // 8))

    assert file.diff is not None
    assert (file.diff.patch, file.diff.size) == (None, len(unified(rows.rows)))
    assert file.counts.additions == count(rows, "+", "author")


def test_who_changed_anything_is_known_or_said_to_be_unknown() -> None:
    mine = iteration({"a": ("a\n", "b\n")})
    unread = iteration({"a": ("a\n", "b\n")}, withheld={"a": "binary"})
    for old, new, change in (
        (mine, iteration({"a": ("x\na\n", "x\nb\n")}), False),
        (mine, iteration({"a": ("x\na\n", "x\nc\n")}), True),
        (unread, iteration({"a": ("a\n", "c\n")}, withheld={"a": "binary"}), None),
        (mine, iteration({}), None),
    ):
        whole = compared(old, new).whole

        assert (whole.author_change, whole.pure_rebase) == (change, change is False)
