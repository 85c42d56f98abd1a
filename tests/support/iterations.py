"""Iterations of a review for tests: files by their sides, and histories of a base and an author."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hypothesis import strategies as st

from diffx.review.compare import (
    Content,
    Contents,
    FileComparison,
    ListedFile,
    compare_each,
    pairs,
)
from diffx.review.compared import Compared, collect
from diffx.review.interdiff import Interdiff, Kind, Origin
from diffx.review.linediff import split_lines
from diffx.review.model import Digest, FileId, GitPath, WithheldReason
from diffx.review.patch import hunks
from diffx.review.paths import file_id

UNSTORED: Final = object()


@dataclass(frozen=True)
class Iteration:
    """One scope of one observation: its changed files with their sides."""

    files: tuple[ListedFile, ...]
    contents: Mapping[FileId, Contents]


Texts = tuple[str | None, str | None]


def iteration(
    changes: Mapping[str, Texts],
    *,
    renamed: Mapping[str, str] | None = None,
    withheld: Mapping[str, WithheldReason] | None = None,
) -> Iteration:
    """Observe changes: path -> (before, after); `renamed` is new path -> old path."""
    renamed, withheld = renamed or {}, withheld or {}
    files, contents = [], {}
    for path, (before, after) in sorted(changes.items()):
        old = renamed.get(path)
        name = GitPath(path.encode())
        files.append(
            ListedFile(
                id=file_id(name),
                path=name,
                old_path=None if old is None else GitPath(old.encode()),
                status="R" if old else "A" if before is None else "D" if after is None else "M",
                fingerprint=Digest(
                    hashlib.sha256(repr((path, old, before, after)).encode()).hexdigest()
                ),
                old_mode=None if before is None else "100644",
                new_mode=None if after is None else "100644",
            )
        )
        reason = withheld.get(path)
        contents[file_id(name)] = Contents(
            before=_content(before, reason), after=_content(after, reason)
        )
    return Iteration(tuple(files), contents)


def _content(text: str | None, reason: WithheldReason | None) -> Content | None:
    if text is None:
        return None
    return Content(text=text.encode()) if reason is None else Content(reason=reason)


class Comparison(NamedTuple):
    """What became of every file with all its rows, and the whole as readers get it."""

    files: tuple[FileComparison, ...]
    whole: Compared

    @property
    def author_change(self) -> bool | None:
        return self.whole.author_change

    @property
    def pure_rebase(self) -> bool:
        return self.whole.pure_rebase


def compared(old: Iteration, new: Iteration, *, same_base: bool = False) -> Comparison:
    names = {*old.contents, *new.contents}
    texts = {name: (old.contents.get(name), new.contents.get(name)) for name in names}
    paired = pairs(old.files, new.files, texts, same_base=same_base)
    files = tuple(compare_each(paired, old.contents, new.contents, same_base=same_base))
    return Comparison(files, collect(files, same_base=same_base))


def count(diff: Interdiff, kind: Kind, origin: Origin) -> int:
    return sum(row.kind == kind and row.origin == origin for row in diff.rows)


def states(comparison: Comparison) -> dict[str, str]:
    return {file.pair.listed.path.decode(): file.state for file in comparison.files}


def patched(text: bytes, patch: bytes) -> bytes:
    """Apply a unified patch as strictly as git does."""
    lines = split_lines(text)
    out: list[bytes] = []
    at = 0
    for hunk in hunks(patch):
        assert hunk.damage is None
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        out += lines[at:start]
        at = start
        assert len(out) == (hunk.new_start - 1 if hunk.new_count else hunk.new_start)
        for line in hunk.lines:
            raw = line.text + (b"" if line.no_newline else b"\n")
            if line.kind != "+":
                assert lines[at] == raw
                at += 1
            if line.kind != "-":
                out.append(raw)
    return b"".join(out + lines[at:])


_words = st.sampled_from([b"", b"}", b"x", b"y", b"  return", b"\r", b"\xff"])


@st.composite
def texts(draw: st.DrawFn, most: int = 14) -> bytes:
    """Text of few different lines, so that they repeat; its last may lack a line feed."""
    lines = draw(st.lists(_words, max_size=most))
    ended = draw(st.booleans())
    return b"\n".join(lines) + (b"\n" if lines and ended else b"")


@st.composite
def edits(draw: st.DrawFn, text: bytes) -> bytes:
    """The text after a few edits: lines removed, added, replaced, and blocks moved."""
    lines = split_lines(text)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 4)))
        block = lines[start:end]
        lines[start:end] = [word + b"\n" for word in draw(st.lists(_words, max_size=3))]
        if draw(st.booleans()):
            lines[draw(st.integers(0, len(lines))) :] += block
    return b"".join(lines)


@dataclass(frozen=True)
class Rebase:
    """A base, an author's version of it, the base later, and the version on the later base."""

    base: bytes
    version: bytes
    later_base: bytes
    later_version: bytes


@st.composite
def rebases(draw: st.DrawFn) -> Rebase:
    """Author and base change different places, at least one untouched line apart."""
    size = draw(st.integers(1, 18))
    who = draw(st.lists(st.sampled_from("--au"), min_size=size, max_size=size))
    sides: tuple[list[bytes], ...] = ([], [], [], [])
    last = "-"
    for at, choice in enumerate(who):
        editor = "-" if {choice, last} == {"a", "u"} else choice
        last = editor
        line = b"line %d\n" % at
        added = [
            b"%b %d\n" % (editor.encode(), draw(st.integers(0, 2)))
            for _ in range(draw(st.integers(0, 2)))
        ]
        changed = added + ([line] if draw(st.booleans()) else [])
        sides[0].append(line)
        for target, editors in ((1, "a"), (2, "u"), (3, "au")):
            sides[target].extend(changed if editor in editors else [line])
    return Rebase(*(b"".join(lines) for lines in sides))


def numbered(count: int, change: Mapping[int, str] | None = None) -> str:
    """Return lines `line 1` to `line <count>`, some of them changed; "" removes one."""
    said = change or {}
    lines: Sequence[str] = [said.get(at, f"line {at}\n") for at in range(1, count + 1)]
    return "".join(lines)
