from diffx.collector.libgit2.patchtext import PatchSide, only_hunks, write_patch
from diffx.review.model import GitPath

ONE, TWO = "1" * 40, "2" * 40


def _hunks(old: bytes, new: bytes) -> tuple[bytes, int, int]:
    return b"@@ hunk @@\n-%b+%b" % (old, new), 1, 1


def _side(path: bytes, oid: str, data: bytes, mode: str = "100644") -> PatchSide:
    return PatchSide(path=GitPath(path), mode=mode, oid=oid, data=data)


def _text(old: PatchSide | None, new: PatchSide | None, similarity: int | None = None) -> bytes:
    patch = write_patch(old, new, _hunks, similarity=similarity)
    assert patch is not None and patch.text is not None
    return patch.text


def test_a_name_with_a_blank_ends_in_a_tab_and_odd_ones_are_quoted() -> None:
    text = _text(_side(b"a b", ONE, b"x\n"), _side(b"a b", TWO, b"y\n"))
    assert b"--- a/a b\t\n+++ b/a b\t\n" in text
    quoted = _text(_side(b'q"\n', ONE, b"x\n"), _side(b'q"\n', TWO, b"y\n"))
    assert quoted.startswith(b'diff --git "a/q\\"\\n" "b/q\\"\\n"\n')


def test_a_change_of_mode_alone_has_no_index_line() -> None:
    text = _text(_side(b"f", ONE, b"x\n"), _side(b"f", ONE, b"x\n", "100755"))
    assert text == b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"


def test_a_pure_rename_says_only_that() -> None:
    text = _text(_side(b"f", ONE, b"x\n"), _side(b"g", ONE, b"x\n"), 100)
    assert text == (b"diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n")


def test_a_change_of_type_is_a_deletion_and_a_creation() -> None:
    text = _text(_side(b"f", ONE, b"x\n"), _side(b"f", TWO, b"target", "120000"))
    assert text.count(b"diff --git a/f b/f\n") == 2
    assert b"deleted file mode 100644\n" in text
    assert b"new file mode 120000\n" in text


def test_an_empty_new_file_has_no_hunk() -> None:
    patch = write_patch(None, _side(b"f", ONE, b""), lambda old, new: (b"", 0, 0))
    assert patch is not None and patch.text is not None
    assert patch.text.endswith(b"index %b..%b\n" % (b"0" * 40, ONE.encode()))


def test_binary_contents_are_said_to_differ_and_equal_ones_are_nothing() -> None:
    patch = write_patch(_side(b"f", ONE, b"\0a"), _side(b"f", TWO, b"\0b"), _hunks)
    assert patch is not None and patch.binary
    assert patch.text is not None and patch.text.endswith(b"Binary files a/f and b/f differ\n")
    same = _side(b"f", ONE, b"x\n")
    assert write_patch(same, same, _hunks) is None


def test_a_patch_over_the_limit_is_counted_and_not_kept() -> None:
    def many(old: bytes, new: bytes) -> tuple[bytes, int, int]:
        return b"@@ @@\n" + b"+x\n" * 1_000_000, 1_000_000, 0

    patch = write_patch(None, _side(b"f", ONE, b"x\n"), many)
    assert patch is not None
    assert (patch.text, patch.additions, patch.deletions) == (None, 1_000_000, 0)
    assert patch.size > 3_000_000


def test_hunks_are_cut_from_a_whole_patch() -> None:
    assert only_hunks(b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n") == (
        b"@@ -1 +1 @@\n-a\n+b\n"
    )
    assert only_hunks(b"diff --git a/f b/f\n") == b""
