import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.hunkmarks import HunkMissingError, carried_hunks, check_hunk, hunk_keys
from diffx.review.model import FileId, Millis

HEAD = b"--- a/a.py\n+++ b/a.py\n"


def hunk(start: int, *lines: str, section: str = "") -> bytes:
    old = sum(not line.startswith("+") for line in lines)
    new = sum(not line.startswith("-") for line in lines)
    text = "".join(f"{line}\n" for line in lines)
    return f"@@ -{start},{old} +{start},{new} @@{section}\n{text}".encode()


ONE = (" a", "-b", "+c", " d")
TWO = (" x", "+y", " z")


def test_a_hunk_keeps_its_name_wherever_it_stands() -> None:
    here = hunk_keys(HEAD + hunk(3, *ONE) + hunk(50, *TWO))
    there = hunk_keys(HEAD + hunk(9, *TWO, section=" def f():") + hunk(700, *ONE))

    assert here == (there[1], there[0])
    assert len({*here}) == 2


@pytest.mark.parametrize(
    "other",
    [(" a", "-b", "+C", " d"), (" A", "-b", "+c", " d"), (" a", "+c", "-b", " d"), ONE[:3]],
)
def test_another_line_or_another_order_is_another_hunk(other: tuple[str, ...]) -> None:
    assert hunk_keys(HEAD + hunk(3, *ONE)) != hunk_keys(HEAD + hunk(3, *other))


def test_hunks_with_the_same_lines_are_told_apart_by_their_turn() -> None:
    twice = hunk_keys(HEAD + hunk(3, *ONE) + hunk(50, *ONE))

    assert twice[0] != twice[1]
    assert hunk_keys(HEAD + hunk(9, *ONE)) == twice[:1]


def test_a_patch_without_hunks_has_none() -> None:
    assert hunk_keys(b"") == ()
    assert hunk_keys(b"old mode 100644\nnew mode 100755\n") == ()


def test_what_was_seen_is_carried_with_its_time_and_nothing_else_is() -> None:
    keys = hunk_keys(HEAD + hunk(3, *ONE) + hunk(50, *TWO))

    (found,) = carried_hunks(FileId("f"), keys, {keys[1]: Millis(7)})
    assert (found.hunk, found.marked_at, found.carried) == (1, 7, True)
    assert check_hunk(keys, 1) == keys[1]
    with pytest.raises(HunkMissingError, match="none of number 2"):
        check_hunk(keys, 2)


@given(st.binary(max_size=300), st.lists(st.sampled_from([ONE, TWO]), max_size=4))
def test_any_bytes_have_names_and_each_hunk_its_own(
    noise: bytes, hunks: list[tuple[str, ...]]
) -> None:
    patch = HEAD + b"".join(hunk(n * 20 + 1, *lines) for n, lines in enumerate(hunks))
    keys = hunk_keys(patch)

    assert len(keys) == len(set(keys)) == len(hunks)
    assert len(set(hunk_keys(noise))) == len(hunk_keys(noise))
