"""The header of one file: what git says between `diff --git` and the first hunk."""

import re
from dataclasses import dataclass
from typing import Final

from diffx.review.model import GitPath
from diffx.review.patch.binary import DIFFER
from diffx.review.patch.model import ChangeKind
from diffx.review.patch.names import (
    DEV_NULL,
    header_name,
    split_pair,
    strip_prefixes,
    usable,
    whole_name,
)

_FIELD: Final = re.compile(
    rb"(old mode|new mode|new file mode|deleted file mode|mode|similarity index"
    rb"|dissimilarity index|rename from|rename to|rename old|rename new|copy from|copy to|index)"
    rb" ([^\n]*)(?:\n|\Z)"
)
NAME_LINES: Final = re.compile(rb"--- ([^\n]*)\n\+\+\+ ([^\n]*)(?:\n|\Z)")
# `--combined-all-paths` names every parent.
_COMBINED_NAME_LINES: Final = re.compile(rb"(?:--- [^\n]*\n){1,256}\+\+\+ [^\n]*(?:\n|\Z)")
# What most files begin with. It is the standard form already, and one match reads all of it.
_USUAL: Final = re.compile(
    rb"diff --git a/([!#-.0-\[\]-~][!#-\[\]-~]{0,1000}) b/\1\n"
    rb"index ([0-9a-f]+\.\.[0-9a-f]+ ([0-7]{6}))\n--- a/\1\n\+\+\+ b/\1\n(?=@@ -)"
)
_MODE: Final = re.compile(rb"[0-7]{6}")
_INDEX: Final = re.compile(rb"([0-9a-f,]+)\.\.([0-9a-f]+)(?: ([0-7]{6}))?\r?$")
_MOVES: Final[tuple[tuple[ChangeKind, bytes, bytes], ...]] = (
    ("R", b"rename from", b"rename to"),
    ("R", b"rename old", b"rename new"),
    ("C", b"copy from", b"copy to"),
)
_EMPTY_BLOBS: Final = (b"e69de29", b"473a0f4")  # the empty file, in SHA-1 and in SHA-256
NAMES_DISAGREE: Final = "its header names disagree"


@dataclass(slots=True, kw_only=True)
class Header:
    """What the header lines say; the two names are ready, prefixes taken off.

    `standard` is the header's text where that is in the standard form as it stands.
    """

    old: GitPath | None = None
    new: GitPath | None = None
    status: ChangeKind = "M"
    old_mode: str | None = None
    new_mode: str | None = None
    similarity: bytes | None = None
    index: bytes | None = None
    unmerged: bool = False
    parents: int = 1
    damage: str | None = None
    end: int = 0
    standard: bytes | None = None

    @property
    def announces_text(self) -> bool:
        """Say if the header names two contents that differ, so that hunks are due."""
        if self.index is None or self.parents > 1:
            return False
        old, _, new = self.index.partition(b" ")[0].partition(b"..")
        present = {"A": new, "D": old}.get(self.status)
        return old != new and (present is None or not present.startswith(_EMPTY_BLOBS))


Fields = dict[bytes, bytes]


def read_git(data: bytes, start: int) -> Header | None:
    """Read the header that begins with `diff --git ` at `start`, None if no header is there.

    Like `git apply`, take the line for a header only if another header line follows it.
    """
    if (usual := _USUAL.match(data, start)) is not None:
        name, mode = GitPath(usual[1]), usual[3].decode("ascii")
        return Header(
            old=name,
            new=name,
            old_mode=mode,
            new_mode=mode,
            index=usual[2],
            end=usual.end(),
            standard=usual[0],
        )
    names, at = _line(data, start + len(b"diff --git "))
    fields, at = _fields(data, at)
    lines = NAME_LINES.match(data, at)
    if not fields and lines is None and DIFFER.match(data, at) is None:
        return None
    header = _modes(fields)
    header.end = at
    if lines is not None and _belongs(lines, names, fields):
        header.end = lines.end()
    else:
        lines = None
    _take_names(header, names, fields, lines)
    return header


def read_combined(data: bytes, start: int) -> Header | None:
    """Read the header that begins with `diff --cc ` or `diff --combined ` at `start`."""
    line, at = _line(data, data.index(b" ", start + len(b"diff ")) + 1)
    name = usable(whole_name(line))
    fields, at = _fields(data, at)
    if not fields:
        return None
    lines = _COMBINED_NAME_LINES.match(data, at)
    header = _modes(fields)
    header.end = at if lines is None else lines.end()
    header.old = header.new = name
    index = _INDEX.match(fields.get(b"index", b""))
    if index is not None:
        header.parents = index[1].count(b",") + 1
        header.index = index[1].partition(b",")[0] + b".." + index[2]
        # A result without a name is the unfinished file of a conflict, unless it was deleted.
        header.unmerged = not index[2].strip(b"0") and header.status != "D"
    return header


def _line(data: bytes, at: int) -> tuple[bytes, int]:
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    return data[at:end].removesuffix(b"\r"), min(end + 1, len(data))


def _fields(data: bytes, at: int) -> tuple[Fields, int]:
    fields: Fields = {}
    while (found := _FIELD.match(data, at)) is not None:
        fields.setdefault(found[1], found[2].removesuffix(b"\r"))
        at = found.end()
    return fields, at


def _modes(fields: Fields) -> Header:
    header = Header()
    if b"mode" in fields:  # combined: one mode for each parent, then the result's
        parents, _, result = fields[b"mode"].partition(b"..")
        header.old_mode, header.new_mode = _mode(parents), _mode(result)
    if (index := fields.get(b"index")) is not None and (found := _INDEX.match(index)):
        header.index = index
        header.old_mode = header.new_mode = _mode(found[3] or b"") or header.new_mode
    header.old_mode = _mode(fields.get(b"old mode", b"")) or header.old_mode
    header.new_mode = _mode(fields.get(b"new mode", b"")) or header.new_mode
    if b"new file mode" in fields:
        header.status, header.old_mode = "A", None
        header.new_mode = _mode(fields[b"new file mode"]) or "100644"
    elif b"deleted file mode" in fields:
        header.status, header.new_mode = "D", None
        header.old_mode = _mode(fields[b"deleted file mode"]) or "100644"
    for word in (b"similarity index", b"dissimilarity index"):
        if word in fields:
            header.similarity = word + b" " + fields[word]
    return header


def _mode(text: bytes) -> str | None:
    found = _MODE.match(text)
    return None if found is None else found[0].decode("ascii")


def _belongs(lines: re.Match[bytes], names: bytes, fields: Fields) -> bool:
    """Say if `---`/`+++` lines are this file's own; a plain diff may follow a file without any.

    An `index` line announces changed content, and then the lines are due.
    """
    if not fields or b"index" in fields or names == lines[1] + b" " + lines[2]:
        return True
    spoken = (names + b" " + b" ".join(fields.values())).replace(b'"', b"")
    raw = [line.removesuffix(b"\r").partition(b"\t")[0] for line in lines.groups()]
    return any(line != DEV_NULL and line.replace(b'"', b"") in spoken for line in raw)


def _take_names(
    header: Header, names: bytes, fields: Fields, lines: re.Match[bytes] | None
) -> None:
    """Find the names by the surest line there is: rename, then `---`/`+++`, then `diff --git`."""
    for status, first, second in _MOVES:
        if first in fields and second in fields:
            header.status = status
            header.old, header.new = (usable(whole_name(fields[x])) for x in (first, second))
            return
    if lines is None:
        pair = split_pair(names)
        header.damage = None if pair is not None else NAMES_DISAGREE
        old, new = strip_prefixes(*(pair or (names, names)))
    else:
        old, new = _names_of_lines(header, names, lines)
    header.old, header.new = usable(old), usable(new)
    if header.status == "M" and header.old != header.new:
        header.status = "R"  # `git diff --no-index one two`


def _names_of_lines(header: Header, names: bytes, lines: re.Match[bytes]) -> tuple[bytes, bytes]:
    """Return the names that `---` and `+++` give; where they differ, `diff --git` arbitrates."""
    old, new = header_name(lines[1])[0], header_name(lines[2])[0]
    _add_or_delete(header, old, new)
    known_old = None if old == DEV_NULL else old
    known_new = None if new == DEV_NULL else new
    if known_old is not None and known_new is not None:
        stripped = strip_prefixes(old, new)
        if stripped[0] == stripped[1]:
            return stripped
    pair = split_pair(names, old=known_old, new=known_new)
    if pair is not None and known_old in (None, pair[0]) and known_new in (None, pair[1]):
        return strip_prefixes(*pair)
    header.damage = NAMES_DISAGREE
    if pair is not None and (known_old == pair[0] or known_new == pair[1]):
        return strip_prefixes(*pair)
    name = known_new or known_old or names
    name = name[2:] if name[1:2] == b"/" else name
    return name, name


def _add_or_delete(header: Header, old: bytes, new: bytes) -> None:
    if old == DEV_NULL and header.status == "M":
        header.status, header.old_mode = "A", None
        header.new_mode = header.new_mode or "100644"
    elif new == DEV_NULL and header.status == "M":
        header.status, header.new_mode = "D", None
        header.old_mode = header.old_mode or "100644"
