"""Which commit a part of a stream belongs to: `git log`, mail and Mercurial export headers."""

import binascii
import re
from collections.abc import Iterator
from typing import Final

from diffx.review.patch.mail import fields_end
from diffx.review.patch.model import Commit

_LOG: Final = re.compile(rb"commit ([0-9a-f]{7,64})(?: \([^\n]*\))?\r?(?:\n|\Z)")
_MAIL: Final = re.compile(
    rb"From (?:([0-9a-f]{40,64}) |[^\n]{0,200}?)"
    rb"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}[^\n]{0,40}\n(?=[A-Za-z0-9-]{1,80}:)"
)
_SUBJECT: Final = re.compile(rb"^Subject:[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)", re.M | re.I)
_TAG: Final = re.compile(r"^(?:\s*(?:\[[^\]]*\]|re:))*\s*", re.I)
_WORD: Final = re.compile(rb"=\?([A-Za-z0-9-]+)(?:\*[^?]*)?\?([bqBQ])\?([^?\s]*)\?=(\s+(?==\?))?")
_NODE: Final = re.compile(rb"# Node ID +([0-9a-f]{40})\s*")
_ONELINE: Final = re.compile(rb"([0-9a-f]{7,64}) (?:\([^)\n]*\) )?([^\n]+)\n(?=diff --)")
# Where `git mailinfo` ends a message, also where no patch follows (patchbreak in its mailinfo.c).
MESSAGE_END: Final = re.compile(rb"diff -|Index: |---(?: [^ \t\r\n]|[ \t\r]*\n)")
_MAX_SUBJECT: Final = 300
_MAX_HEAD: Final = 1 << 14
_MAX_LINES: Final = 64


def read_log(data: bytes, at: int) -> tuple[Commit, int] | None:
    """Read `commit …` and the subject below it; the message is indented, so it hides nothing."""
    found = _LOG.match(data, at)
    if found is None:
        return None
    subject = b""
    for line in _lines(data, found.end()):
        if line.startswith(b"commit "):
            break
        if line.startswith(b"    ") and line.strip():
            subject = line
            break
    return Commit(id=found[1].decode("ascii"), subject=_clean(subject)), found.end()


def read_mail(data: bytes, at: int) -> tuple[Commit, int] | None:
    """Read the `From ` line of a mailbox and the mail's headers."""
    found = _MAIL.match(data, at)
    if found is None:
        return None
    end = fields_end(data, found.end())
    id_ = None if found[1] is None else found[1].decode("ascii")
    return Commit(id=id_, subject=mail_subject(data[found.end() : end])), end


def read_bare_mail(data: bytes) -> tuple[Commit, int] | None:
    """Read the headers of a mail that was saved without a `From ` line."""
    end = fields_end(data)
    if _SUBJECT.search(data[: min(end, _MAX_HEAD)]) is None:
        return None
    return Commit(id=None, subject=mail_subject(data[:end])), end


def read_mercurial(data: bytes, at: int) -> tuple[Commit, int] | None:
    """Read the comment lines of `hg export` and the subject below them."""
    if not data.startswith(b"# HG changeset patch", at):
        return None
    end, id_, subject = at, None, b""
    for line in _lines(data, at):
        if not line.startswith(b"#"):
            subject = line
            break
        end += len(line) + 1
        if (node := _NODE.fullmatch(line)) is not None:
            id_ = node[1].decode("ascii")
    return Commit(id=id_, subject=_clean(subject)), min(end, len(data))


def read_oneline(data: bytes, at: int) -> tuple[Commit, int] | None:
    """Read a line of `git log --oneline -p`, known by the diff that follows at once."""
    found = _ONELINE.match(data, at)
    if found is None:
        return None
    return Commit(id=found[1].decode("ascii"), subject=_clean(found[2])), found.end()


def mail_subject(fields: bytes) -> str:
    """Return a mail's subject without `[PATCH n/m]`, with RFC 2047 words decoded."""
    found = _SUBJECT.search(fields[:_MAX_HEAD])
    if found is None:
        return ""
    text = _WORD.sub(_decoded_word, found[1].replace(b"\n", b""))
    return _TAG.sub("", _clean(text), count=1)


def _lines(data: bytes, at: int) -> Iterator[bytes]:
    """Yield the next lines, at most as many as any commit's head has."""
    last = min(len(data), at + _MAX_HEAD)
    for _ in range(_MAX_LINES):
        end = data.find(b"\n", at, last)
        yield data[at : last if end < 0 else end]
        if end < 0:
            return
        at = end + 1


def _decoded_word(found: re.Match[bytes]) -> bytes:
    try:
        if found[2] in b"bB":
            raw = binascii.a2b_base64(found[3])
        else:
            raw = binascii.a2b_qp(found[3], header=True)
        return raw.decode(found[1].decode("ascii")).encode("utf-8")
    except (ValueError, LookupError):
        return found[0]


def _clean(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split())[:_MAX_SUBJECT]
