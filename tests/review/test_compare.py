"""What became of each file between two iterations: golden histories (9.1)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.compare import FileComparison
from diffx.review.interdiff import unified
from tests.support.iterations import (
    Comparison,
    Rebase,
    compared,
    count,
    edits,
    iteration,
    numbered,
    patched,
    rebases,
    states,
    texts,
)


def only(comparison: Comparison) -> FileComparison:
    (file,) = comparison.files
    return file


def test_a_rebase_over_a_busy_main_shows_no_author_change() -> None:
    main = {f"src/{at}.py": numbered(40, {at % 30 + 1: ""}) for at in range(300)}
    old = iteration({path: (text, text + "mine\n") for path, text in main.items()})
    new = iteration(
        {path: ("top\n" + text, "top\n" + text + "mine\n") for path, text in main.items()}
    )

    found = compared(old, new)

    assert found.pure_rebase
    assert set(states(found).values()) == {"upstream"}


def test_an_edit_among_a_rebase_is_the_only_author_change() -> None:
    base, moved = numbered(40), numbered(40, {3: "upstream\n", 38: ""})
    old = iteration(
        {"a.py": (base, base + "mine\n"), "b.py": (base, numbered(40, {20: "mine\n"}))}
    )
    new = iteration(
        {
            "a.py": (moved, moved + "mine\n"),
            "b.py": (moved, moved.replace("line 20\n", "better\n")),
        }
    )

    found = compared(old, new)

    assert states(found) == {"a.py": "upstream", "b.py": "changed"}
    assert found.author_change
    assert not found.pure_rebase
    diff = found.files[1].diff
    assert diff is not None
    changed = [(row.kind, row.text) for row in diff.rows if row.origin == "author"]
    assert changed == [("-", b"mine\n"), ("+", b"better\n")]
    assert count(diff, "-", "upstream") == 2


def test_a_squash_changes_nothing() -> None:
    before, after = numbered(9), numbered(9, {5: "five\n"})

    found = compared(
        iteration({"a.py": (before, after)}),
        iteration({"a.py": (before, after)}),
        same_base=True,
    )

    assert states(found) == {"a.py": "unchanged"}
    assert found.author_change is False
    assert not found.pure_rebase


def test_a_change_taken_back_is_gone_and_shown_in_reverse() -> None:
    old = iteration({"a.py": (numbered(5), numbered(5, {2: "two\n"}))})

    file = only(compared(old, iteration({}), same_base=True))

    assert file.state == "gone"
    assert file.diff is not None
    assert (
        patched(numbered(5, {2: "two\n"}).encode(), unified(file.diff.rows))
        == numbered(5).encode()
    )


def test_a_change_taken_back_and_made_again_is_unchanged() -> None:
    first = iteration({"a.py": ("a\n", "b\n")})
    third = iteration({"a.py": ("a\n", "b\n")})

    assert states(compared(first, third, same_base=True)) == {"a.py": "unchanged"}


def test_a_change_that_vanished_over_a_moved_base_is_not_explained() -> None:
    found = compared(iteration({"a.py": ("a\n", "b\n")}), iteration({}))

    file = only(found)
    assert (file.state, file.diff, file.reason) == ("gone", None, "not-captured")
    assert found.author_change is None


def test_a_file_renamed_then_edited_is_one_file() -> None:
    old = iteration({"a.py": (numbered(9), numbered(9, {2: "two\n"}))})
    new = iteration(
        {"b.py": (numbered(9), numbered(9, {2: "two\n", 7: "seven\n"}))}, renamed={"b.py": "a.py"}
    )

    file = only(compared(old, new, same_base=True))

    assert file.pair.renamed
    assert file.state == "changed"
    assert file.diff is not None
    assert count(file.diff, "+", "author") == 1


def test_a_rename_taken_back_is_followed() -> None:
    old = iteration({"b.py": ("a\n", "b\n")}, renamed={"b.py": "a.py"})
    new = iteration({"a.py": ("a\n", "b\n")})

    assert only(compared(old, new, same_base=True)).pair.renamed


def test_a_new_file_that_moved_is_found_by_its_lines() -> None:
    old = iteration({"draft.md": (None, numbered(20)), "other.md": (None, "x\n")})
    new = iteration({"final.md": (None, numbered(20, {4: "four\n"}))})

    found = compared(old, new, same_base=True)

    assert states(found) == {"final.md": "changed", "other.md": "gone"}


def test_a_file_that_the_base_renamed_under_the_same_edit_is_no_author_change() -> None:
    base, moved = numbered(40), numbered(40, {2: "theirs\n"})
    old = iteration({"a.py": (base, base + "mine\n")})
    new = iteration({"lib/a.py": (moved, moved + "mine\n")})

    found = compared(old, new)

    file = only(found)
    assert (file.state, file.pair.renamed) == ("upstream", True)
    assert found.pure_rebase


def test_a_like_file_with_another_edit_is_not_taken_for_a_renamed_one() -> None:
    base = numbered(40)
    old = iteration({"a.py": (base, base + "mine\n")})

    other = compared(old, iteration({"b.py": (base, base + "another\n")}))
    same_base = compared(old, iteration({"b.py": (base, base + "mine\n")}), same_base=True)

    for found in (other, same_base):
        assert states(found) == {"a.py": "gone", "b.py": "new"}


def test_files_too_large_to_be_guessed_at_are_left_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("diffx.review.compare._MAX_GUESSED_BYTES", 100)
    text = numbered(20)
    old = iteration({"draft.md": (None, text), "x.md": (None, text)})
    new = iteration({"final.md": (None, text)})

    assert set(states(compared(old, new, same_base=True)).values()) == {"gone", "new"}


def test_a_file_that_could_not_be_read_is_not_said_to_be_changed() -> None:
    old = iteration({"f": ("a\n", "b\n")}, withheld={"f": "unreadable"})
    unread = type(old)(tuple(replace(file, fingerprint=None) for file in old.files), old.contents)

    found = compared(unread, unread, same_base=True)

    assert (only(found).state, only(found).reason) == ("unknown", "unreadable")
    assert found.author_change is None


def test_a_file_that_appears_is_shown_from_its_base() -> None:
    file = only(compared(iteration({}), iteration({"a.py": ("a\n", "b\n")}), same_base=True))

    assert (file.state, file.own) == ("new", False)
    assert file.diff is not None
    assert patched(b"a\n", unified(file.diff.rows)) == b"b\n"


def test_what_is_not_stored_is_said() -> None:
    old = iteration({"logo": ("a\n", "b\n")}, withheld={"logo": "binary"})
    new = iteration({"logo": ("a\n", "c\n")}, withheld={"logo": "binary"})

    over_one_base = only(compared(old, new, same_base=True))
    over_two = compared(old, new)

    assert (over_one_base.state, over_one_base.reason) == ("changed", "binary")
    assert (only(over_two).state, over_two.author_change) == ("unknown", None)


def test_without_the_bases_nobody_is_named() -> None:
    old = iteration({"a": ("a\n", "b\n")})
    new = iteration({"a": ("x\n", "c\n")})
    name = new.files[0].id
    bare = type(new)(
        new.files,
        {name: type(new.contents[name])(before=None, after=new.contents[name].after)},
    )
    unstored = iteration({"a": ("x\n", "c\n")}, withheld={"a": "budget"})
    half = type(bare)(
        bare.files,
        {
            name: type(bare.contents[name])(
                before=unstored.contents[name].before, after=bare.contents[name].after
            )
        },
    )

    found = compared(old, half)

    assert (only(found).state, only(found).separated) == ("unknown", False)
    assert only(found).diff is not None


@given(rebases())
def test_a_pure_rebase_of_any_file_is_one(rebase: Rebase) -> None:
    old = iteration({"f": (rebase.base.decode(), rebase.version.decode())})
    new = iteration({"f": (rebase.later_base.decode(), rebase.later_version.decode())})

    found = compared(old, new)

    assert found.author_change is False


@given(st.data())
def test_every_shown_change_leads_to_the_new_after_side(data: st.DataObject) -> None:
    base = data.draw(texts())
    names = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True, min_size=1))
    old = {name: data.draw(edits(base)) for name in names}
    new = {name: data.draw(edits(base)) for name in names}
    moved = data.draw(edits(base))

    def text(value: bytes) -> str:
        return value.decode("latin-1")

    found = compared(
        iteration({name: (text(base), text(old[name])) for name in names}),
        iteration({name: (text(moved), text(new[name])) for name in names}),
        same_base=base == moved,
    )

    for file in found.files:
        name = file.pair.listed.path.decode()
        before, after = text(old[name]).encode(), text(new[name]).encode()
        if file.diff is not None:
            assert patched(before, unified(file.diff.rows)) == after
        else:
            assert (file.state, before) == ("unchanged", after)
