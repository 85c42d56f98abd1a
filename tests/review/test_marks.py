"""Reviewed marks by fingerprint (8.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.marks import (
    ChangedSince,
    FingerprintChangedError,
    carried,
    changed_since,
    check_seen,
)
from diffx.review.model import ContextId, Digest, FileId, Millis

prints = st.sampled_from([Digest(letter * 64) for letter in "abc"])
files = st.dictionaries(st.sampled_from([FileId(f"f{at}") for at in range(5)]), prints)


@given(files, st.dictionaries(prints, st.just(Millis(1))))
def test_unchanged_files_keep_their_mark_and_changed_files_lose_it(
    new: dict[FileId, Digest], reviewed: dict[Digest, Millis]
) -> None:
    marks = {mark.file: mark for mark in carried(new.items(), reviewed)}

    for file, fingerprint in new.items():
        assert (file in marks) == (fingerprint in reviewed)
    assert all(mark.carried for mark in marks.values())


def test_a_file_that_could_not_be_read_carries_nothing() -> None:
    assert carried([(FileId("f"), None)], {Digest("a" * 64): Millis(1)}) == []


def since(file: str, fingerprint: str, at: int) -> ChangedSince:
    return ChangedSince(
        file=FileId(file),
        context=ContextId(f"c{at}"),
        fingerprint=Digest(fingerprint),
        marked_at=Millis(at),
    )


def test_a_changed_file_links_to_its_last_review() -> None:
    found = changed_since([since("f", "a", 1), since("f", "b", 2)], {FileId("f"): Digest("c")}, ())

    assert found == [since("f", "b", 2)]


@pytest.mark.parametrize(
    ("now", "marked"),
    [
        ({"f": "a"}, []),  # its mark was taken back, and it is what it was
        ({"f": "b"}, ["f"]),  # reviewed anew
        ({}, []),  # not there any more
    ],
)
def test_what_is_as_it_was_reviewed_has_not_changed(
    now: dict[str, str], marked: list[str]
) -> None:
    current = {FileId(file): Digest(value) for file, value in now.items()}

    assert changed_since([since("f", "a", 1)], current, [FileId(f) for f in marked]) == []


def test_only_what_was_seen_can_be_marked() -> None:
    assert check_seen(Digest("a"), Digest("a")) == "a"
    for stored in (Digest("b"), None):
        with pytest.raises(FingerprintChangedError):
            check_seen(stored, Digest("a"))
