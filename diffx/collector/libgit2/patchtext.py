"""Write one file's patch as git writes it, given its two sides (2.7)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from diffx.collector.contents.text import is_binary
from diffx.collector.gitexe.output import MAX_PATCH_BYTES, quoted_path
from diffx.collector.repository import PatchText
from diffx.review.model import GitPath

BIG_FILE_BYTES: Final = 512 << 20
"""From this size on git compares contents as binary (core.bigFileThreshold)."""

Hunks = Callable[[bytes, bytes], tuple[bytes, int, int]]
"""Compares two texts: the hunks as they are printed, lines added, lines removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchSide:
    """One side. `data` is a link's target, or a submodule's line; `binary` what attributes say."""

    path: GitPath
    mode: str
    oid: str
    data: bytes
    binary: bool | None = None

    @property
    def is_binary(self) -> bool:
        if self.binary is not None:
            return self.binary
        return is_binary(self.data) or len(self.data) >= BIG_FILE_BYTES


def submodule_line(oid: str) -> bytes:
    """Return the text that stands for a submodule's commit."""
    return b"Subproject commit %b\n" % oid.encode("ascii")


def write_patch(
    old: PatchSide | None, new: PatchSide | None, hunks: Hunks, *, similarity: int | None = None
) -> PatchText | None:
    """Return the patch between two sides; None where nothing differs.

    A change of type is two sections, a deletion and a creation, as git prints it.
    """
    if old is not None and new is not None and old.mode[:3] != new.mode[:3]:
        parts = [_section(old, None, hunks, None), _section(None, new, hunks, None)]
    else:
        parts = [_section(old, new, hunks, similarity)]
    text = b"".join(part.text for part in parts)
    if not text:
        return None
    binary = any(part.binary for part in parts)
    if len(text) <= MAX_PATCH_BYTES:
        return PatchText(size=len(text), text=text, binary=binary)
    return PatchText(
        size=len(text),
        text=None,
        binary=binary,
        additions=None if binary else sum(part.additions for part in parts),
        deletions=None if binary else sum(part.deletions for part in parts),
    )


@dataclass(frozen=True, slots=True)
class _Section:
    text: bytes
    additions: int = 0
    deletions: int = 0
    binary: bool = False


def _section(
    old: PatchSide | None, new: PatchSide | None, hunks: Hunks, similarity: int | None
) -> _Section:
    one = old or new
    other = new or old
    if one is None or other is None:
        raise ValueError("a patch needs a side")
    head = [b"diff --git %b %b" % (quoted_path(b"a/", one.path), quoted_path(b"b/", other.path))]
    head += _mode_lines(old, new)
    if similarity is not None:
        head += [
            b"similarity index %d%%" % similarity,
            b"rename from " + quoted_path(b"", one.path),
            b"rename to " + quoted_path(b"", other.path),
        ]
    same = old is not None and new is not None and old.oid == new.oid
    if same:
        text = b"\n".join(head) + b"\n"
        return _Section(text if len(head) > 1 else b"")
    head.append(_index_line(old, new))
    before, after = _label(b"a/", old), _label(b"b/", new)
    old_data, new_data = old.data if old else b"", new.data if new else b""
    if old_data != new_data and any(side is not None and side.is_binary for side in (old, new)):
        head.append(b"Binary files %b and %b differ" % (before, after))
        return _Section(b"\n".join(head) + b"\n", binary=True)
    text, added, removed = hunks(old_data, new_data)
    if text:
        head += [b"--- " + _tabbed(before), b"+++ " + _tabbed(after)]
    return _Section(b"\n".join(head) + b"\n" + text, added, removed)


def _mode_lines(old: PatchSide | None, new: PatchSide | None) -> list[bytes]:
    if old is None:
        return [b"new file mode %b" % new.mode.encode("ascii")] if new else []
    if new is None:
        return [b"deleted file mode %b" % old.mode.encode("ascii")]
    if old.mode == new.mode:
        return []
    return [b"old mode %b" % old.mode.encode("ascii"), b"new mode %b" % new.mode.encode("ascii")]


def _index_line(old: PatchSide | None, new: PatchSide | None) -> bytes:
    zeros = "0" * 40
    line = f"index {old.oid if old else zeros}..{new.oid if new else zeros}"
    if old is not None and new is not None and old.mode == new.mode:
        line += f" {new.mode}"
    return line.encode("ascii")


def _label(prefix: bytes, side: PatchSide | None) -> bytes:
    return b"/dev/null" if side is None else quoted_path(prefix, side.path)


def _tabbed(label: bytes) -> bytes:
    """git ends a label with a tab where a blank in it would be taken for the end (diff.c)."""
    return label + b"\t" if b" " in label else label


_FIRST_HUNK: Final = re.compile(rb"^@@ ", re.MULTILINE)


def only_hunks(patch: bytes) -> bytes:
    """Cut a patch's header; its lines begin with neither '@@ ' nor anything of a file."""
    found = _FIRST_HUNK.search(patch)
    return patch[found.start() :] if found else b""
