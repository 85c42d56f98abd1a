"""The line diff: right whatever it is given, and bounded (9.1)."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.linediff import DEFAULT_STEPS, Effort, LineDiff, diff, split_lines

lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\n"]), max_size=24)


def check(old: list[bytes], new: list[bytes], found: LineDiff) -> None:
    """Every match is one, matches rise, and changes fill exactly what is left."""
    at_old = at_new = 0
    rebuilt: list[bytes] = []
    changes = list(found.changes())
    for old_start, old_end, new_start, new_end in [*changes, (len(old),) * 2 + (len(new),) * 2]:
        assert old[at_old:old_start] == new[at_new:new_start]
        rebuilt += old[at_old:old_start] + new[new_start:new_end]
        at_old, at_new = old_end, new_end
    assert rebuilt == new


def shortest(old: list[bytes], new: list[bytes]) -> int:
    """The most lines that can be matched, the slow and certain way."""
    row = [0] * (len(new) + 1)
    for line in old:
        last = row
        row = [0]
        for at, other in enumerate(new):
            row.append(last[at] + 1 if line == other else max(last[at + 1], row[at]))
    return row[-1]


@given(st.binary(max_size=60))
def test_lines_join_to_the_text_that_was_cut(text: bytes) -> None:
    cut = split_lines(text)

    assert b"".join(cut) == text
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in cut[:-1])


@given(lines, lines)
def test_the_changes_lead_from_one_text_to_the_other(old: list[bytes], new: list[bytes]) -> None:
    found = diff(old, new)

    check(old, new, found)
    assert not found.coarse


@given(lines, lines, st.integers(0, 60))
def test_a_spent_budget_makes_a_larger_change_never_a_wrong_one(
    old: list[bytes], new: list[bytes], steps: int
) -> None:
    found = diff(old, new, Effort(steps))

    check(old, new, found)


few = st.lists(st.sampled_from([b"x\n", b"y\n"]), max_size=16)


@given(few, few)
def test_repeated_lines_are_matched_by_the_shortest_script(
    some: list[bytes], others: list[bytes]
) -> None:
    # Ends that differ, and no line alone on both sides: nothing but Myers decides.
    old = [b"old start\n", b"x\n", b"x\n", b"y\n", b"y\n", *some, b"old end\n"]
    new = [b"new start\n", *others, b"new end\n"]

    found = diff(old, new)

    assert sum(match.size for match in found.matches) == shortest(old, new)


def test_lines_of_one_kind_on_each_side_anchor_the_rest() -> None:
    old = [b"{\n", b"one\n", b"}\n", b"{\n", b"two\n", b"}\n"]
    new = [b"{\n", b"new\n", b"}\n", *old]

    kept = diff(old, new).to_new()

    assert [kept[1], kept[4]] == [4, 7]


def test_a_hostile_pair_ends_within_its_budget_and_says_so() -> None:
    old = [b"%d\n" % (at * 7919 % 3) for at in range(20_000)]
    new = [b"%d\n" % (at * 104_729 % 3 ^ at % 2) for at in range(20_000)]
    effort = Effort()

    found = diff(old, new, effort)

    check(old, new, found)
    assert found.coarse
    # One search may be in its last round when the budget ends.
    assert effort.left > -2 * DEFAULT_STEPS


def test_the_same_pair_has_the_same_answer() -> None:
    old = [b"%d\n" % (at % 5) for at in range(400)]
    new = [b"%d\n" % (at % 7) for at in range(400)]

    assert diff(old, new) == diff(list(old), list(new))
