"""Names in headers come back byte for byte (2.6)."""

import pytest
from hypothesis import given

from diffx.review.patch.names import quote, unquote
from diffx.review.patch.series import parse
from tests.support.patches import Change, Hunk, Line, c_quoted, names

ONE = (Hunk(1, 1, (Line("-", b"a"), Line("+", b"b"))),)


def only(patch: bytes) -> tuple[bytes, bytes | None, str]:
    (file,) = parse(patch).files
    return file.path, file.old_path, file.status


@given(names)
def test_a_name_survives_quoting(name: bytes) -> None:
    for written in (quote(name), c_quoted(name)):
        if written.startswith(b'"'):
            assert unquote(written) == (name, len(written))
        else:
            assert written == name


@given(names)
def test_any_name_is_read_from_a_change_of_text(name: bytes) -> None:
    assert only(Change(name, hunks=ONE).written()) == (name, None, "M")


@given(names)
def test_any_name_is_read_where_only_the_first_line_has_it(name: bytes) -> None:
    assert only(Change(name, new_mode="100755").written()) == (name, None, "M")


@given(names, names)
def test_any_two_names_of_a_rename_are_read(old: bytes, new: bytes) -> None:
    if old != new:
        assert only(Change(new, "R", old).written()) == (new, old, "R")


@pytest.mark.parametrize(
    "prefixes",
    [(b"a/", b"b/"), (b"b/", b"a/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"1/", b"2/"), (b"", b""),
     (b"left/of/", b"right/"), (b"", b"new/"), (b"old/", b"")],
)  # fmt: skip
@pytest.mark.parametrize(
    "name", [b"x.py", b"a/x.py", b"b/b/x.py", b"with blank/x y.py", b"tab\t.py"]
)
@pytest.mark.parametrize("status", ["M", "A", "D"])
def test_a_prefix_is_found_whatever_it_is(
    prefixes: tuple[bytes, bytes], name: bytes, status: str
) -> None:
    kind = {"M": " -+", "A": "+", "D": "-"}[status]
    hunk = Hunk(1, 1, (*(Line(" ", b"c") for _ in kind if _ == " "), Line(kind[-1], b"x")))

    patch = Change(name, status, hunks=(hunk,)).written(*prefixes)

    assert only(patch) == (name, None, status)


@pytest.mark.parametrize("prefixes", [(b"a/", b"b/"), (b"i/", b"w/"), (b"", b"")])
@pytest.mark.parametrize(
    "name", [b"x", b"a b", b"x b/x b/x", b"a/b and b/c", b'q"', b"\xff\xfe x"]
)
def test_a_file_without_hunks_is_named_whatever_its_blanks(
    prefixes: tuple[bytes, bytes], name: bytes
) -> None:
    assert only(Change(name, new_mode="100755").written(*prefixes)) == (name, None, "M")


def test_names_quoted_on_one_side_only_are_read() -> None:
    patch = b'diff --git "a/t\\tb" b/plain x\nsimilarity index 100%\nrename from "t\\tb"\nrename to plain x\n'

    assert only(patch) == (b"plain x", b"t\tb", "R")
    assert only(patch.replace(b"similarity index 100%\n", b"")) == (b"plain x", b"t\tb", "R")


def test_two_files_compared_outside_a_repository_keep_both_names() -> None:
    patch = b"diff --git a/one.txt b/two.txt\nindex 1111111..2222222 100644\n--- a/one.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-a\n+b\n"

    assert only(patch) == (b"two.txt", b"one.txt", "R")


def test_header_names_that_disagree_are_said() -> None:
    (file,) = parse(
        b"diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
    ).files

    assert (file.path, file.figures.additions) == (b"x", 1)
    assert file.damage is not None and "names disagree" in file.damage


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (b"x.c.orig\t2024-01-01 00:00:00", b"x.c\t2024-01-02 00:00:00", b"x.c"),
        (b"x.c 2024-01-01 00:00:00.000 +0200", b"x.c 2024-01-02 00:00:00.000 +0200", b"x.c"),
        (b"orig/lib/x.c\t2024", b"new/lib/x.c\t2024", b"lib/x.c"),
        (b"/tmp/one/x.c", b"/home/two/x.c", b"x.c"),
        (b"trunk/x.c\t(revision 7)", b"trunk/x.c\t(working copy)", b"trunk/x.c"),
    ],
)
def test_plain_names_lose_their_stamps_and_folders(old: bytes, new: bytes, path: bytes) -> None:
    assert only(b"--- " + old + b"\n+++ " + new + b"\n@@ -1 +1 @@\n-a\n+b\n") == (path, None, "M")


@pytest.mark.parametrize(
    "stamp", [b"1970-01-01 00:00:00.000000000 +0000", b"1969-12-31 19:00:00 -0500",
              b"Thu Jan 01 00:00:00 1970 +0000", b"(nonexistent)", b"(revision 0)"]
)  # fmt: skip
def test_a_side_that_never_was_makes_an_added_or_deleted_file(stamp: bytes) -> None:
    there = b"x\t2024-01-01 00:00:00 +0000\n"
    gone = b"x\t" + stamp + b"\n"

    assert only(b"--- " + gone + b"+++ " + there + b"@@ -0,0 +1 @@\n+a\n") == (b"x", None, "A")
    assert only(b"--- " + there + b"+++ " + gone + b"@@ -1 +0,0 @@\n-a\n") == (b"x", None, "D")


def test_an_unusable_name_is_said_and_hides_nothing() -> None:
    files = parse(
        b'diff --git "a/\\000" "b/\\000"\nindex 1111111..2222222 100644\n--- "a/\\000"\n+++ "b/\\000"\n'
        b"@@ -1 +1 @@\n-a\n+b\n" + Change(b"next", hunks=ONE).written()
    ).files

    assert [file.path for file in files] == [b"(no name)", b"next"]
    assert files[0].damage is not None and "name cannot be used" in files[0].damage
