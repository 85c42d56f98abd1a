"""Patches for tests, written by hand rules and not by the code under test."""

import string
from dataclasses import dataclass, field
from typing import Final

from hypothesis import strategies as st

ESCAPES: Final = {
    7: b"a",
    8: b"b",
    9: b"t",
    10: b"n",
    11: b"v",
    12: b"f",
    13: b"r",
    34: b'"',
    92: b"\\",
}


def c_quoted(name: bytes) -> bytes:
    """Quote as `core.quotePath=true` does."""
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in name):
        return name
    pieces = []
    for byte in name:
        if byte in ESCAPES:
            pieces.append(b"\\" + ESCAPES[byte])
        elif 32 <= byte < 127:
            pieces.append(bytes([byte]))
        else:
            pieces.append(b"\\%03o" % byte)
    return b'"' + b"".join(pieces) + b'"'


@dataclass(frozen=True)
class Line:
    kind: str
    text: bytes


@dataclass(frozen=True)
class Hunk:
    old_start: int
    new_start: int
    lines: tuple[Line, ...]
    section: bytes = b""
    unended: tuple[int, ...] = ()
    """Indexes of lines that are followed by the marker of a missing line end."""

    def count(self, *kinds: str) -> int:
        return sum(line.kind in kinds for line in self.lines)

    def written(self) -> bytes:
        old, new = self.count(" ", "-"), self.count(" ", "+")
        out = [b"@@ -%d,%d +%d,%d @@" % (self.old_start, old, self.new_start, new)]
        out[0] += b" " + self.section if self.section else b""
        for index, line in enumerate(self.lines):
            out.append(line.kind.encode() + line.text)
            if index in self.unended:
                out.append(b"\\ No newline at end of file")
        return b"\n".join(out) + b"\n"


@dataclass(frozen=True)
class Change:
    """One file's change, and its patch in git's words."""

    path: bytes
    status: str = "M"
    old_path: bytes | None = None
    old_mode: str = "100644"
    new_mode: str = "100644"
    hunks: tuple[Hunk, ...] = field(default=())

    def written(self, src: bytes = b"a/", dst: bytes = b"b/") -> bytes:
        old = self.old_path or self.path
        out = [b"diff --git " + c_quoted(src + old) + b" " + c_quoted(dst + self.path)]
        out += self._modes()
        if self.status in "RC":
            word = b"rename" if self.status == "R" else b"copy"
            out += [b"similarity index 50%", word + b" from " + c_quoted(old)]
            out.append(word + b" to " + c_quoted(self.path))
        if self.hunks:
            out.append(b"index " + self._index())
            out.append(b"--- " + (b"/dev/null" if self.status == "A" else _ended(src + old)))
            out.append(b"+++ " + (b"/dev/null" if self.status == "D" else _ended(dst + self.path)))
        return b"\n".join(out) + b"\n" + b"".join(hunk.written() for hunk in self.hunks)

    def _modes(self) -> list[bytes]:
        if self.status == "A":
            return [b"new file mode " + self.new_mode.encode()]
        if self.status == "D":
            return [b"deleted file mode " + self.old_mode.encode()]
        if self.old_mode != self.new_mode:
            return [b"old mode " + self.old_mode.encode(), b"new mode " + self.new_mode.encode()]
        return []

    def _index(self) -> bytes:
        names = {"A": b"0000000..1111111", "D": b"1111111..0000000"}
        same = self.status not in "AD" and self.old_mode == self.new_mode
        mode = b" " + self.new_mode.encode() if same else b""
        return names.get(self.status, b"1111111..2222222") + mode


def _ended(name: bytes) -> bytes:
    quoted = c_quoted(name)
    return quoted + b"\t" if b" " in name and not quoted.startswith(b'"') else quoted


HEADER_LIKE: Final = (
    b"-- a/x",
    b"++ b/x",
    b"-- ",
    b"@@ -1 +1 @@",
    b"diff --git a/x b/x",
    b"\\ No newline at end of file",
    b"GIT binary patch",
    b"commit 0123456789abcdef0123456789abcdef01234567",
    b"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
    b"Submodule x contains modified content",
    b"* Unmerged path x",
    b"Content-Transfer-Encoding: base64",
    b"",
    b"\r",
    b"a\x0cb\x0bc\r\x85",
    "\u2028 \u0085".encode(),
    b"\x1b[31m red \x1b[m",
    b"\xff\xfe",
)

texts = st.one_of(
    st.sampled_from(HEADER_LIKE),
    st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")),
    st.text(alphabet=string.printable, max_size=20).map(lambda t: t.replace("\n", "").encode()),
)
names = (
    st.binary(min_size=1, max_size=12)
    .map(lambda raw: raw.replace(b"\0", b"0").lstrip(b"/"))
    .filter(bool)
)
lines = st.builds(Line, st.sampled_from(" -+"), texts)


@st.composite
def hunks(draw: st.DrawFn, kinds: str = " -+", start: int = 1) -> Hunk:
    body = draw(
        st.lists(st.builds(Line, st.sampled_from(kinds), texts), min_size=1, max_size=8).filter(
            lambda found: any(line.kind != " " for line in found)
        )
    )
    section = draw(st.sampled_from((b"", b"def f():", b"@@ odd", b"\xe9\r")))
    last = {
        max((i for i, x in enumerate(body) if x.kind in side), default=-1) for side in (" -", " +")
    }
    ends = tuple(index for index in last if index >= 0 and draw(st.booleans()))
    return Hunk(start, start, tuple(body), section, ends)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    status = draw(st.sampled_from("MMMADRC"))
    path = draw(names)
    kinds = {"A": "+", "D": "-"}.get(status, " -+")
    count = draw(st.integers(0 if status in "RC" else 1, 1 if status in "AD" else 3))
    made = tuple(draw(hunks(kinds, 1 + 100 * number)) for number in range(count))
    modes = draw(st.sampled_from((("100644", "100644"), ("100644", "100755"))))
    old = draw(names.filter(lambda name: name != path)) if status in "RC" else None
    return Change(path, status, old, *modes, made)
