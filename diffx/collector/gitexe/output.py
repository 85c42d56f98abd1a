"""Read what `git diff-* --raw -p -z` prints, in bounded memory, into Changes.

One process says both: first every entry, then every patch. A patch belongs to an entry when its
header names exactly that entry's paths, so nothing in a file's content can pass for another file.
"""

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from diffx.collector.repository import Change, PatchText
from diffx.review.model import GitPath, Status

MAX_PATCH_BYTES: Final = 2 << 20
MAX_HELD_BYTES: Final = 64 << 20

DIFF_FLAGS: Final = (
    "--raw",
    "-p",
    "-M50%",
    "-l1000",
    "-z",
    "--full-index",
    "--no-abbrev",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    # Deeper would start git inside the submodule, under its own configuration (2.2).
    "--ignore-submodules=dirty",
    "--no-relative",
    "--ita-invisible-in-index",
)

_BOUNDARY: Final = b"\ndiff --git "
_GITLINK: Final = "160000"
_UNMERGED: Final = b"* Unmerged path "
_INDEX_LINE: Final = re.compile(rb"\nindex ([0-9a-f]+)\.\.([0-9a-f]+)")
_BINARY: Final = re.compile(rb"\n(?:Binary files |GIT binary patch\n)")
_STATUSES: Final[dict[bytes, Status]] = {
    b"A": "A", b"M": "M", b"D": "D", b"R": "R", b"T": "T", b"U": "U", b"C": "A",
}  # fmt: skip


class Entry(NamedTuple):
    """One raw record; modes and ids as git prints them, zeros included."""

    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    status: Status
    old_path: GitPath
    path: GitPath


@dataclass(slots=True, eq=False)
class Section:
    """One file's part of the patch. `head` is what precedes its first hunk.

    `text` is None once the section was over a limit; its lines are counted then.
    """

    head: bytes
    size: int
    text: bytes | None
    additions: int = 0
    deletions: int = 0


class DiffReader:
    """Takes a diff in pieces as it arrives. Holds at most MAX_HELD_BYTES of patches."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.sections: list[Section] = []
        self._buffer = bytearray()
        self._scanned = 0
        self._in_raw = True
        self._overflow: Section | None = None
        self._unmerged = False
        self._held = 0
        self._largest: list[tuple[int, int]] = []

    def feed(self, piece: bytes) -> None:
        self._buffer += piece
        if self._in_raw and not self._read_raw():
            return
        self._cut()

    def finish(self) -> None:
        """Take the last section; the stream has ended."""
        if not self._in_raw and (self._buffer or self._overflow is not None):
            self._complete(len(self._buffer))

    def _read_raw(self) -> bool:
        """Take whole records from the front; say whether the patches have begun."""
        buffer, at = self._buffer, 0
        while at < len(buffer) and buffer[at] == 0x3A:  # ':'
            end = _record_end(buffer, at)
            if end < 0:
                break
            entry = _entry(bytes(buffer[at:end]))
            self._unmerged = self._unmerged or entry.status == "U"
            self.entries.append(entry)
            at = end + 1
        del buffer[:at]
        if not buffer or buffer[0] == 0x3A:
            return False
        if buffer[0] == 0:
            del buffer[:1]
        self._in_raw = False
        return True

    def _cut(self) -> None:
        while True:
            at = self._next_boundary()
            if at < 0:
                break
            self._complete(at + 1)
        if self._overflow is not None or len(self._buffer) > 2 * MAX_PATCH_BYTES:
            self._count_ahead()

    def _next_boundary(self) -> int:
        buffer, start = self._buffer, self._scanned
        at = buffer.find(_BOUNDARY, start)
        if self._unmerged:
            other = buffer.find(b"\n" + _UNMERGED, start, at if at >= 0 else len(buffer))
            at = other if other >= 0 else at
        if at < 0:
            self._scanned = max(0, len(buffer) - len(_UNMERGED) - 1)
        return at

    def _complete(self, end: int) -> None:
        """End the current section at `end` of the buffer."""
        buffer = self._buffer
        section = self._overflow
        if section is None:
            section = _section(bytes(buffer[:end]))
        else:
            _count(section, buffer[:end])
        self._overflow = None
        del buffer[:end]
        self._scanned = 0
        self.sections.append(section)
        self._hold(section)

    def _count_ahead(self) -> None:
        """Give up the text of a section that is too large, and count its lines as they come."""
        buffer = self._buffer
        keep = len(buffer) - len(_UNMERGED) - 1
        # Cut just before a line, so that its first character is counted with the line end.
        end = buffer.rfind(b"\n", 0, keep)
        if end <= 0:
            if self._overflow is not None and keep > 0:  # one endless line
                _count(self._overflow, buffer[:keep])
                del buffer[:keep]
                self._scanned = 0
            return
        if self._overflow is None:
            head = bytes(buffer[:end]).partition(b"\n@@ ")[0]
            self._overflow = Section(head + b"\n", 0, None)
            at = len(head)
            self._overflow.size = at
            del buffer[:at]
            end -= at
        _count(self._overflow, buffer[:end])
        del buffer[:end]
        self._scanned = 0

    def _hold(self, section: Section) -> None:
        """Keep within memory by giving up the largest texts; the budget would not take them."""
        if section.text is None:
            return
        self._held += section.size
        heapq.heappush(self._largest, (-section.size, len(self.sections) - 1))
        while self._held > MAX_HELD_BYTES:
            _, index = heapq.heappop(self._largest)
            given_up = self.sections[index]
            self._held -= given_up.size
            _count_whole(given_up)


def _record_end(buffer: bytearray, at: int) -> int:
    """Return the index of the NUL that ends a record, -1 while it is incomplete."""
    meta = buffer.find(b"\0", at)
    if meta < 0:
        return -1
    end = buffer.find(b"\0", meta + 1)
    status = buffer.rfind(b" ", at, meta) + 1
    if end >= 0 and buffer[status] in b"RC":
        end = buffer.find(b"\0", end + 1)
    return end


def _entry(record: bytes) -> Entry:
    meta, _, paths = record.partition(b"\0")
    old_mode, new_mode, old_oid, new_oid, status = meta[1:].split(b" ")
    first, _, second = paths.partition(b"\0")
    return Entry(
        old_mode.decode("ascii"),
        new_mode.decode("ascii"),
        old_oid.decode("ascii"),
        new_oid.decode("ascii"),
        _STATUSES[status[:1]],
        GitPath(first),
        GitPath(second or first),
    )


def _section(text: bytes) -> Section:
    head = text[: text.find(b"\n@@ ") + 1] or text
    section = Section(head, len(text), text)
    if len(text) > MAX_PATCH_BYTES:
        _count_whole(section)
    return section


def _count_whole(section: Section) -> None:
    text = section.text or b""
    hunks = text[len(section.head) - 1 :]
    section.additions = hunks.count(b"\n+")
    section.deletions = hunks.count(b"\n-")
    section.text = None


def _count(section: Section, hunks: bytearray) -> None:
    section.size += len(hunks)
    section.additions += hunks.count(b"\n+")
    section.deletions += hunks.count(b"\n-")


def changes(reader: DiffReader) -> list[Change]:
    """Join entries and sections: one Change for each entry, in git's order.

    An entry without a section is a file that was only touched (git's plumbing lists those), and
    is left out. A conflict's two entries (the mark, and the comparison with stage 2) become one.
    """
    found: list[Change] = []
    sections = _Sections(reader.sections)
    for entry in reader.entries:
        change = _change(entry, sections)
        previous = found[-1] if found else None
        if previous is not None and previous.status == "U" and previous.path == entry.path:
            found[-1] = change._replace(status="U") if change is not None else previous
        elif change is not None:
            found.append(change)
    return found


def listed_changes(reader: DiffReader) -> list[Change]:
    """Return one Change for each entry of a diff that was asked for no patches."""
    found: dict[GitPath, Change] = {}
    for entry in reader.entries:
        change = _bare(entry)
        previous = found.get(entry.path)
        if previous is not None and previous.status == "U":
            change = change._replace(status="U")
        found[entry.path] = change
    return list(found.values())


class _Sections:
    """The sections in order; each is taken by the entry that its header names."""

    def __init__(self, sections: list[Section]) -> None:
        self._sections = sections
        self._next = 0

    def skip(self, notice: bytes) -> None:
        """Pass over a notice; git prints the name in it raw, so it may hold what looks like more."""
        joined = b""
        while self._next < len(self._sections):
            joined += self._sections[self._next].head
            if not notice.startswith(joined):
                return
            self._next += 1

    def take(self, header: bytes) -> Iterator[Section]:
        while self._next < len(self._sections):
            section = self._sections[self._next]
            if not section.head.startswith(header):
                return
            self._next += 1
            yield section


def _change(entry: Entry, sections: _Sections) -> Change | None:
    if entry.status == "U":
        sections.skip(_UNMERGED + entry.path + b"\n")
        return _bare(entry)
    header = b"diff --git %b %b\n" % (
        _quoted(b"a/", entry.old_path),
        _quoted(b"b/", entry.path),
    )
    taken = list(sections.take(header))
    if not taken:
        touched_only = entry.status == "M" and entry.old_mode == entry.new_mode
        return None if touched_only else _bare(entry)
    new_oid = _new_oid(entry, taken)
    if entry.new_mode == _GITLINK and new_oid is not None:
        _name_commit(taken, new_oid)
    return _bare(entry)._replace(patch=_patch(taken), new_oid=new_oid)


def _name_commit(sections: list[Section], commit: str) -> None:
    """Name the commit in a submodule's line; having looked for renames, git writes zeros there."""
    zeros, named = (
        b"\n+Subproject commit " + oid for oid in (b"0" * len(commit), commit.encode())
    )
    for section in sections:
        if section.text is not None:
            section.text = section.text.replace(zeros, named)


def _bare(entry: Entry) -> Change:
    return Change(
        path=entry.path,
        status=entry.status,
        old_path=entry.old_path if entry.old_path != entry.path else None,
        old_mode=_present(entry.old_mode),
        new_mode=_present(entry.new_mode),
        old_oid=_present(entry.old_oid),
        new_oid=_present(entry.new_oid),
    )


def _patch(sections: list[Section]) -> PatchText:
    binary = any(_BINARY.search(section.head) for section in sections)
    size = sum(section.size for section in sections)
    texts = [section.text for section in sections if section.text is not None]
    if len(texts) == len(sections) and size <= MAX_PATCH_BYTES:
        return PatchText(size=size, text=b"".join(texts), binary=binary)
    for section in sections:
        if section.text is not None:
            _count_whole(section)
    return PatchText(
        size=size,
        text=None,
        binary=binary,
        additions=None if binary else sum(section.additions for section in sections),
        deletions=None if binary else sum(section.deletions for section in sections),
    )


def _new_oid(entry: Entry, sections: list[Section]) -> str | None:
    """Return the after content's id: from the raw record, or hashed while the patch was made.

    For a submodule the record may name something else: where git looks for renames, it hashes the
    line that stands for the commit.
    """
    if _present(entry.new_oid) is not None and entry.new_mode != _GITLINK:
        return entry.new_oid
    for section in reversed(sections):
        found = _INDEX_LINE.search(section.head)
        if found is not None:
            return _present(found[2].decode("ascii"))
    # A change of mode or name alone has no index line.
    return _present(entry.new_oid) or _present(entry.old_oid)


def _present(value: str) -> str | None:
    return value if value.strip("0") else None


_ESCAPES: Final = {
    0x07: b"\\a", 0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0B: b"\\v", 0x0C: b"\\f",
    0x0D: b"\\r", 0x22: b'\\"', 0x5C: b"\\\\",
}  # fmt: skip
_UNUSUAL: Final = re.compile(rb'[\x00-\x1f\x7f"\\]')


def _quoted(prefix: bytes, path: bytes) -> bytes:
    """Spell a path as git's patch headers do under core.quotePath=false (quote.c)."""
    if _UNUSUAL.search(path) is None:
        return prefix + path
    escaped = _UNUSUAL.sub(lambda found: _escape(found[0][0]), path)
    return b'"' + prefix + escaped + b'"'


def _escape(char: int) -> bytes:
    return _ESCAPES.get(char) or b"\\%03o" % char


def quoted_path(prefix: bytes, path: GitPath) -> bytes:
    """Return the path, with its prefix, as a patch header spells it."""
    return _quoted(prefix, path)
