"""What pipes, shells, editors and mail do to a patch is undone, and what was lost is said."""

import base64
import binascii
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.patch import ParsedFile, PatchError
from diffx.review.patch.series import parse
from tests.support.patches import Change, Hunk, Line, changes

PLAIN = (
    b"diff --git a/c.py b/c.py\nindex 1111111..2222222 100644\n--- a/c.py\n+++ b/c.py\n"
    b"@@ -1,3 +1,3 @@ def f():\n one\n-two\n+caf\xc3\xa9   \n three\n"
)
ESC = b"\x1b["


def only(patch: bytes) -> ParsedFile:
    (file,) = parse(patch).files
    return file


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_an_encoding_that_a_shell_wrote_is_read(encoding: str) -> None:
    file = only(PLAIN.decode().encode(encoding))

    assert file.patch == PLAIN
    assert file.damage is None


def test_powershell_output_is_read_and_its_line_ends_are_mentioned() -> None:
    file = only(b"\xff\xfe" + PLAIN.replace(b"\n", b"\r\n").decode().encode("utf-16-le"))

    assert file.patch == PLAIN
    assert file.damage is not None and "CRLF" in file.damage


def test_crlf_of_the_file_itself_stays() -> None:
    patch = PLAIN.replace(b"one\n", b"one\r\n").replace(b"two\n", b"two\r\n")

    assert only(patch).patch == patch
    assert only(patch).damage is None


def test_broken_utf_16_is_an_error_that_says_where() -> None:
    with pytest.raises(PatchError, match=r"UTF-16-LE.*position"):
        parse(b"\xff\xfe" + PLAIN.decode().encode("utf-16-le") + b"\x00")


def coloured(patch: bytes, end: bytes = b"m") -> bytes:
    """Colour as git does: bold headers, cyan hunks, red and green lines, resets everywhere."""
    out = []
    for line in patch.split(b"\n")[:-1]:
        carriage = b"\r" if line.endswith(b"\r") else b""
        line = line.removesuffix(b"\r")
        tab = b"\t" if line.startswith((b"--- ", b"+++ ")) and line.endswith(b"\t") else b""
        line = line.removesuffix(tab)
        if line.startswith(b"@@"):
            found = re.match(rb"(@@ .*? @@)( ?)(.*)", line, re.S)
            assert found is not None
            out.append(
                ESC
                + b"36m"
                + found[1]
                + ESC
                + end
                + found[2]
                + ESC
                + end
                + found[3]
                + ESC
                + end
                + carriage
            )
        elif line.startswith(b"-") and not line.startswith(b"--- "):
            out.append(ESC + b"31m" + line + ESC + end + carriage)
        elif line.startswith(b"+") and not line.startswith(b"+++ "):
            out.append(ESC + b"32m+" + ESC + end + ESC + b"32m" + line[1:] + ESC + end + carriage)
        elif line.startswith((b" ", b"\\")):
            out.append(line + ESC + end + carriage)
        else:
            out.append(ESC + b"1m" + line + ESC + end + tab + carriage)
    return b"\n".join(out) + b"\n"


def test_colour_is_taken_off() -> None:
    assert only(coloured(PLAIN)).patch == PLAIN


@pytest.mark.parametrize("before", [PLAIN, b"A note.\n" + PLAIN + b"-- \n2.39.5\n"])
def test_a_file_is_not_hidden_where_a_stream_turns_coloured_under_way(before: bytes) -> None:
    """As with `cat saved.patch <(git diff --color)`: nothing is passed over in silence."""
    later = PLAIN.replace(b"c.py", b"later.py")

    series = parse(before + coloured(later))

    assert [file.patch for file in series.files] == [PLAIN, later]
    assert series.notes == ("colour was taken off the patch",)


def test_marked_blanks_at_a_line_end_stay_blanks() -> None:
    marked = coloured(PLAIN).replace(
        b"   " + ESC + b"m", ESC + b"m" + ESC + b"41m   " + ESC + b"m"
    )

    assert only(marked).patch == PLAIN


def test_resets_behind_every_marker_are_taken_off() -> None:
    """As with `diff.wsErrorHighlight=all`: the marker is a piece of its own, also of context."""
    marked = coloured(PLAIN).replace(b"\n one", b"\n " + ESC + b"mone")
    marked = marked.replace(b"-two", b"-" + ESC + b"m" + ESC + b"31mtwo")

    assert only(marked).patch == PLAIN


def test_escapes_of_the_file_stay_in_a_patch_without_colour() -> None:
    patch = PLAIN.replace(b"one", ESC + b"31mone" + ESC + b"m")

    assert only(patch).patch == patch
    assert only(patch).damage is None


def test_escapes_of_the_file_stay_in_a_coloured_patch_and_a_doubt_is_said() -> None:
    patch = PLAIN.replace(b"two", ESC + b"35mtwo" + ESC + b"0m kept \x1b]0;title\x07")

    file = only(coloured(patch))

    assert file.patch == patch
    assert file.damage is not None and "escape sequences" in file.damage


def test_colour_of_gnu_diff_is_taken_off() -> None:
    bold, red, green, cyan, off = (ESC + code for code in (b"1m", b"31m", b"32m", b"36m", b"0m"))
    patch = (
        bold + b"--- a/x" + off + b"\n" + bold + b"+++ b/x" + off + b"\n"
        + cyan + b"@@ -1,2 +1,2 @@" + off + b"\n" + red + b"-a" + off + b"\n" + green + b"+b" + off + b"\n c\n"
    )  # fmt: skip

    assert only(patch).patch.endswith(b"@@ -1,2 +1,2 @@\n-a\n+b\n c\n")


@given(changes())
def test_colour_never_changes_names_or_counts(change: Change) -> None:
    patch = change.written()
    want = only(patch)

    got = only(coloured(patch))

    assert (got.path, got.old_path, got.status) == (want.path, want.old_path, want.status)
    assert (got.figures.additions, got.figures.deletions) == (
        want.figures.additions,
        want.figures.deletions,
    )


MAIL = (
    b"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"
    b"From: Ada <ada@example.invalid>\nDate: Fri, 1 Mar 2024 12:00:00 +0000\n"
    b"Subject: [PATCH v2 1/2] =?UTF-8?q?caf=C3=A9_and?= =?UTF-8?b?IHRlYQ==?=\n and a second line\n"
    b"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
    b"Content-Transfer-Encoding: %s\n\n"
)
BODY = b"A message with 1=1 in it.\n---\n c.py | 2 +-\n\n" + PLAIN + b"-- \n2.39.5\n\n"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        (b"8bit", BODY),
        (b"quoted-printable", binascii.b2a_qp(BODY, istext=True)),
        (b"base64", base64.encodebytes(BODY)),
        (b"base64", base64.encodebytes(BODY.replace(b"\n", b"\r\n"))),
    ],
)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mail_is_decoded_and_named_by_its_subject(
    encoding: bytes, body: bytes, line_end: bytes
) -> None:
    mail = (MAIL % encoding + body).replace(b"\n", line_end)

    file = only(mail)

    assert file.patch == PLAIN
    assert file.commit is not None
    assert file.commit.subject == "caf\u00e9 and tea and a second line"
    assert file.commit.id == "0123456789abcdef0123456789abcdef01234567"


def test_every_mail_of_a_mailbox_has_its_own_encoding() -> None:
    mails = MAIL % b"quoted-printable" + binascii.b2a_qp(BODY) + MAIL % b"8bit" + BODY
    mails += MAIL % b"base64" + base64.encodebytes(BODY)

    assert [file.patch for file in parse(mails).files] == [PLAIN] * 3


def test_a_mail_without_an_envelope_is_read() -> None:
    assert only((MAIL % b"8bit").partition(b"\n")[2] + BODY).patch == PLAIN


def test_a_patch_attached_to_a_mail_is_read() -> None:
    head = (MAIL % b"8bit").replace(
        b"Content-Type: text/plain; charset=UTF-8",
        b'Content-Type: multipart/mixed;\n boundary="=-b1"',
    )
    parts = (
        b"This is a multi-part message in MIME format.\n--=-b1\nContent-Type: text/plain\n\nhello\n---\n"
        b"--=-b1\nContent-Type: text/x-patch\nContent-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(PLAIN)
        + b"--=-b1--\n"
    )

    assert only(head + parts).patch == PLAIN


def test_a_base64_body_that_is_none_is_an_error() -> None:
    with pytest.raises(PatchError, match="base64 body of a mail is damaged"):
        parse(MAIL % b"base64" + b"abcde\n")


def test_mail_headers_inside_a_hunk_decode_nothing() -> None:
    lines = (Line("+", b"Content-Transfer-Encoding: base64"), Line("+", b""), Line("+", b"QUJD"))
    patch = Change(b"x", "A", hunks=(Hunk(0, 1, lines),)).written()

    assert only(patch).patch == patch


@given(st.binary(max_size=400))
def test_no_bytes_make_the_parser_fail_otherwise_than_by_its_own_error(noise: bytes) -> None:
    for data in (
        noise,
        PLAIN + noise,
        MAIL % b"base64" + noise,
        b"\xff\xfe" + noise,
        ESC + b"1m" + PLAIN + noise,
    ):
        try:
            parse(data)
        except PatchError as error:
            assert "\n" not in str(error)
