import itertools

import hypothesis
import hypothesis.strategies as st
import pytest

from diffx.collector.gitexe.output import (
    MAX_PATCH_BYTES,
    DiffReader,
    changes,
    listed_changes,
    quoted_path,
)
from diffx.collector.repository import Change
from diffx.review.model import GitPath

ZERO, OLD, NEW = "0" * 40, "a" * 40, "b" * 40


def raw(status: str, *paths: bytes, modes: str = "100644 100644", oids: str = "") -> bytes:
    meta = f":{modes} {oids or f'{OLD} {ZERO}'} {status}".encode()
    return b"\0".join((meta, *paths)) + b"\0"


def patch(path: bytes, body: bytes, *, new: str = NEW) -> bytes:
    a, b = quoted_path(b"a/", GitPath(path)), quoted_path(b"b/", GitPath(path))
    head = b"diff --git %b %b\nindex %b..%b 100644\n" % (a, b, OLD.encode(), new.encode())
    return head + b"--- %b\n+++ %b\n" % (a, b) + body


def read(stream: bytes, *cuts: int) -> DiffReader:
    reader = DiffReader()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in itertools.pairwise(edges):
        reader.feed(stream[start:end])
    reader.finish()
    return reader


STREAM = (
    raw("M", b"a.txt")
    + raw("R087", b"old name", b"new\tname", oids=f"{OLD} {NEW}")
    + raw("T", b"kind", modes="100644 120000")
    + raw("U", b"conflict")
    + raw("M", b"conflict")
    + raw("M", b"mode", modes="100644 100755")
    + raw("M", b"touched")
    + raw("A", b"z.bin", modes="000000 100644", oids=f"{ZERO} {NEW}")
    + b"\0"
    + patch(b"a.txt", b"@@ -1 +1 @@\n-diff --git a/x b/x\n+* Unmerged path a.txt\n")
    + b'diff --git a/old name "b/new\\tname"\nsimilarity index 87%\nrename from old name\n'
    + b'rename to "new\\tname"\n'
    + patch(b"kind", b"@@ -1 +0,0 @@\n-text\n", new=ZERO)
    + patch(b"kind", b"@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n")
    + b"* Unmerged path conflict\n"
    + patch(b"conflict", b"@@ -1 +1,2 @@\n ours\n+theirs\n")
    + b"diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
    + b"diff --git a/z.bin b/z.bin\nnew file mode 100644\nindex 0..b\n"
    + b"Binary files /dev/null and b/z.bin differ\n"
)


def test_entries_and_patches_are_joined_by_the_names_in_the_headers() -> None:
    found = {change.path: change for change in changes(read(STREAM))}

    assert [(path, change.status) for path, change in found.items()] == [
        (b"a.txt", "M"),
        (b"new\tname", "R"),
        (b"kind", "T"),
        (b"conflict", "U"),
        (b"mode", "M"),
        (b"z.bin", "A"),
    ]
    assert found[GitPath(b"new\tname")].old_path == b"old name"
    assert _text(found[GitPath(b"kind")]).count(b"diff --git") == 2
    assert _text(found[GitPath(b"conflict")]).endswith(b"+theirs\n")
    assert _text(found[GitPath(b"a.txt")]).count(b"\n") == 7
    assert found[GitPath(b"mode")].new_mode == "100755"
    binary = found[GitPath(b"z.bin")].patch
    assert binary is not None
    assert binary.binary


def _text(change: Change) -> bytes:
    assert change.patch is not None
    assert change.patch.text is not None
    return change.patch.text


def test_a_file_that_was_only_touched_is_left_out() -> None:
    assert b"touched" not in {change.path for change in changes(read(STREAM))}
    assert b"touched" in {change.path for change in listed_changes(read(STREAM))}


def test_the_after_content_is_named_by_what_git_hashed_for_the_patch() -> None:
    found = {change.path: change.new_oid for change in changes(read(STREAM))}

    assert found[GitPath(b"a.txt")] == NEW
    assert found[GitPath(b"kind")] == NEW
    assert found[GitPath(b"mode")] == OLD  # no index line: the content is the same


@hypothesis.given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_it_does_not_matter_how_the_stream_is_cut(cuts: list[int]) -> None:
    assert changes(read(STREAM, *cuts)) == changes(read(STREAM))


@pytest.mark.parametrize("piece", [1 << 16, 1 << 20, 1 << 26])
def test_a_patch_over_the_limit_is_counted_and_the_next_is_whole(piece: int) -> None:
    lines = MAX_PATCH_BYTES // 50
    body = b"@@ -1,%d +1,%d @@\n" % (lines, lines)
    body += b"-%b\n" % (b"o" * 99) * lines + b"+%b\n" % (b"n" * 99) * lines
    big = patch(b"big", body)
    stream = (
        raw("M", b"big")
        + raw("M", b"next")
        + b"\0"
        + big
        + patch(b"next", b"@@ -1 +1 @@\n-o\n+n\n")
    )

    found = changes(read(stream, *range(0, len(stream), piece)))

    assert [change.path for change in found] == [b"big", b"next"]
    big_patch = found[0].patch
    assert big_patch is not None
    assert (big_patch.text, big_patch.size) == (None, len(big))
    assert (big_patch.additions, big_patch.deletions) == (lines, lines)
    assert _text(found[1]).endswith(b"-o\n+n\n")


def test_one_endless_line_is_not_held() -> None:
    size = 20 * MAX_PATCH_BYTES
    head = patch(b"one", b"@@ -1 +1 @@\n-")
    reader = DiffReader()
    reader.feed(raw("M", b"one") + b"\0" + head)
    for _ in range(size // (1 << 20)):
        reader.feed(b"x" * (1 << 20))
        assert len(reader._buffer) <= 3 * MAX_PATCH_BYTES  # noqa: SLF001 - what is bounded
    reader.feed(b"\n+y\n")
    reader.finish()

    (change,) = changes(reader)

    assert change.patch is not None
    assert (change.patch.additions, change.patch.deletions) == (1, 1)
    assert change.patch.size == len(head) + size + 4


def test_an_unmerged_name_cannot_forge_a_section() -> None:
    evil = b"x\ndiff --git a/f b/f"
    stream = (
        raw("U", evil) + raw("M", b"f") + b"\0" + b"* Unmerged path " + evil + b"\n"
        + patch(b"f", b"@@ -1 +1 @@\n-o\n+n\n")
    )  # fmt: skip

    found = changes(read(stream))

    assert [change.path for change in found] == [evil, b"f"]
    assert _text(found[1]).endswith(b"-o\n+n\n")
    assert found[0].patch is None
