"""One stream → its files in order: what begins a file, what belongs to it, where it ends.

Between files there is text: commit messages, diffstats, signatures. A header counts only at the
start of a line outside a hunk, and a plain `---`/`+++` pair only with a hunk below it, so nothing
inside a line, a hunk or an indented message makes or hides a file.

The message of a mail is not indented. It is text up to where git ends it (`commits.MESSAGE_END`),
so a whole patch at the start of its lines is a part of the patch, as it is for `git am`: what that
would apply must be seen. What names a file and cannot be applied (`Only in`, `Submodule` and the
like) counts in a mail only once something that can be applied has come.
"""

import re
from collections.abc import Callable
from typing import Final, Literal

from diffx.review.model import GitPath
from diffx.review.patch import binary, combined, commits, plain, submodules
from diffx.review.patch.colour import COLOURED_HEADER, turns_coloured, without_colour
from diffx.review.patch.draft import Draft, completed, type_changes_joined
from diffx.review.patch.headers import Header, read_combined, read_git
from diffx.review.patch.hunks import HUNK_HEADER, leftover_end, span_at, spans
from diffx.review.patch.model import (
    MAX_FILES,
    Commit,
    ParsedFile,
    PatchError,
    PatchTooLargeError,
    Series,
)
from diffx.review.patch.names import whole_name
from diffx.review.patch.received import Received, receive

# Strict enough that lines which only look alike are passed over inside the search.
_BEGINNINGS: Final = (
    rb"diff --(?:git|cc|combined) |--- [^\n]+\n\+\+\+ [^\n]+\n@@ -|@@+ -\d"
    rb"|From [^\n]{0,200}\d\d:\d\d:\d\d \d{4}|commit [0-9a-f]{7}|Submodule [^\n]+ (?:contains |[0-9a-f]{4,64}\.\.)|\* Unmerged path "
    rb"|Index: [^\n]+\n=====|(?:Binary f|F)iles [^\n]* differ\r?\n|Only in [^\n]+: "
    rb"|# HG changeset patch|[0-9a-f]{7,64} [^\n]*\ndiff --|" + COLOURED_HEADER
)
_STRUCTURE: Final = re.compile(rb"\n(?=" + _BEGINNINGS + rb")")
_IN_MESSAGE: Final = re.compile(
    rb"\n(?=" + commits.MESSAGE_END.pattern + rb"|" + _BEGINNINGS + rb")"
)
_UNMERGED: Final = re.compile(rb"\* Unmerged path ([^\n]+)(?:\n|\Z)")
_CUT: Final = "the stream ends without a line feed: its last line may be cut short"


def parse(raw: bytes) -> Series:
    """Read a patch in any form.

    Raises PatchError for what is no patch, PatchTooLargeError for too many files, nothing else.
    """
    received = receive(raw)
    if not received.data.strip():
        raise PatchError("the patch is empty: the input ended and nothing had come")
    reader = _Reader(received)
    files = reader.files()
    if not files:
        raise PatchError(_complaint(received.data))
    return Series(files=tuple(type_changes_joined(files)), notes=reader.notes)


class _Reader:
    """Walks the stream once; positions only grow. Its public methods read what begins a line."""

    def __init__(self, received: Received) -> None:
        self._received = received
        self._data = received.data
        self._draft: Draft | None = None
        self._files: list[ParsedFile] = []
        self._commit: Commit | None = None
        self._place: Literal["message", "notes", "diff"] = "diff"
        self._mail_body: int | None = None
        self._line = 1
        self._counted = 0

    @property
    def notes(self) -> tuple[str, ...]:
        return self._received.notes

    def files(self) -> list[ParsedFile]:
        """Read everything."""
        at = 0
        if (found := commits.read_bare_mail(self._data)) is not None:
            at = self._begin_mail(found)
        while at < len(self._data):
            after = self._read(at)
            if after is None:
                what = _IN_MESSAGE if self._place == "message" else _STRUCTURE
                following = what.search(self._data, at)
                after = len(self._data) if following is None else following.end()
            at = after
        if self._received.cut and self._draft is not None and self._draft.hunks:
            self._draft.remark(_CUT)
        self._finish()
        return self._files

    def _read(self, at: int) -> int | None:
        """Read what begins at this line: where it ends, or None if it is mere text."""
        if self._place == "message" and commits.MESSAGE_END.match(self._data, at):
            self._place = "notes"
        for word, read in _READERS:
            if self._data.startswith(word, at):
                return read(self, at)
        found = commits.read_oneline(self._data, at) if self._place == "diff" else None
        return None if found is None else self._begin_commit(found)

    def git(self, at: int) -> int | None:
        """Read a file that begins with `diff --git`."""
        header = read_git(self._data, at)
        if header is None:
            return None
        draft = self._begin(header, at)
        at = header.end
        if (start := binary.START.match(self._data, at)) is not None:
            end, complete = binary.blocks_end(self._data, start.end())
            draft.binary = True
            draft.blocks = self._data[at:end]
            if not complete:
                draft.remark(f"line {self._line_at(at)}: {binary.DAMAGE}")
            return end
        if (differ := binary.DIFFER.match(self._data, at)) is not None:
            draft.binary = True
            return differ.end()
        return self._hunks(draft, at)

    def coloured(self, at: int) -> int | None:
        """Read on without colour where a stream turns coloured under way: two patches in one."""
        if self._received.coloured or not turns_coloured(self._data, at):
            return None
        # Once for a stream, so that the work stays linear.
        self._received = self._received.bleached()
        self._data = self._data[:at] + without_colour(self._data[at:])
        return self._read(at)

    def combined_diff(self, at: int) -> int | None:
        """Read a file that begins with `diff --cc` or `diff --combined`."""
        header = read_combined(self._data, at)
        if header is None:
            return None
        draft = self._begin(header, at)
        draft.parents = header.parents
        at = header.end
        if (differ := binary.DIFFER.match(self._data, at)) is not None:
            draft.binary = True
            return differ.end()
        while (found := combined.HEADER.match(self._data, at)) is not None:
            hunk = combined.reduce_hunk(self._data, found)
            if hunk.damage is not None:
                draft.remark(f"line {self._line_at(at)}: {hunk.damage}")
            draft.hunks.append(hunk.text)
            for span in spans(hunk.text):
                draft.tally.add(span)
            draft.parents = combined.parents(found)
            at = hunk.end
        if draft.hunks:
            self._note_leftover(draft, at)
        return at

    def plain_pair(self, at: int) -> int | None:
        """Read a file that begins with `---` and `+++`."""
        found = plain.START.match(self._data, at)
        if found is None:
            return None
        header = plain.read_plain(self._data, found)
        return self._hunks(self._begin(header, at), header.end)

    def stray_hunk(self, at: int) -> int | None:
        """Give a hunk that follows no header to the file before it, with a remark."""
        if self._place == "message":
            return None
        line = self._line_at(at)
        draft = self._draft
        readable = HUNK_HEADER.match(self._data, at) is not None
        if draft is None or draft.bare or draft.binary:
            if not readable:
                return None  # like `git apply`, take what cannot be a hunk for text
            raise PatchError(f"line {line}: a hunk stands there and no line says of which file")
        if not readable:
            draft.remark(f"line {line}: this hunk and what follows it cannot be read")
            return None
        draft.remark(f"line {line}: text between this hunk and the one before is left out")
        return self._hunks(draft, at)

    def _hunks(self, draft: Draft, at: int) -> int:
        """Read the hunks that follow each other from here."""
        data = self._data
        start = at
        while (found := HUNK_HEADER.match(data, at)) is not None:
            span = span_at(data, found)
            if (problem := span.damage) is not None:
                if draft.listens:
                    draft.remark(f"line {self._line_at(at)}: {problem}")
                draft.hunks += [data[start:at], span.recounted(data)]
                start = span.end
            draft.tally.add(span)
            at = span.end
        draft.hunks.append(data[start:at])
        if data.startswith(b"@@", at):
            draft.remark(f"line {self._line_at(at)}: a hunk header that cannot be read")
        elif draft.hunks:
            self._note_leftover(draft, at)
        return at

    def _note_leftover(self, draft: Draft, at: int) -> None:
        """Say if lines follow that look like content and that no hunk header counts."""
        if self._data[at : at + 1] not in (b"+", b"-", b" ", b"\\"):
            return
        end = leftover_end(self._data, at)
        if end > at:
            count = self._data.count(b"\n", at, end) + (not self._data.endswith(b"\n", at, end))
            draft.remark(
                f"line {self._line_at(at)}: lines that the hunk header does not count are left out: "
                f"{count}"
            )

    def mail(self, at: int) -> int | None:
        """Read the head of a mail in a mailbox."""
        found = commits.read_mail(self._data, at)
        return None if found is None else self._begin_mail(found)

    def log(self, at: int) -> int | None:
        """Read the head of a commit in `git log` or `git show`."""
        found = None if self._place != "diff" else commits.read_log(self._data, at)
        return None if found is None else self._begin_commit(found)

    def mercurial(self, at: int) -> int | None:
        """Read the head of a changeset in `hg export`."""
        inside = self._place != "diff" and self._mail_body is not None
        if inside and at != self._mail_body:  # `hg email` begins the body with it
            return None
        found = commits.read_mercurial(self._data, at)
        if found is None:
            return None
        end = self._begin_commit(found)
        self._place = "message"  # like a mail's, the message is not indented
        return end

    def submodule(self, at: int) -> int | None:
        """Read the lines of `diff.submodule=log` about one path."""
        notice = None if self._place != "diff" else submodules.read_notice(self._data, at)
        if notice is None:
            return None
        name = GitPath(notice.path)
        header = Header(old=name, new=name, status=notice.status, end=notice.end)
        header.old_mode = None if notice.status == "A" else submodules.POINTER_MODE
        header.new_mode = None if notice.status == "D" else submodules.POINTER_MODE
        draft = self._begin(header, at)
        draft.submodule = notice.move
        draft.bare = True
        if notice.summary is not None:
            draft.remark(notice.summary)
        return notice.end

    def unmerged(self, at: int) -> int | None:
        """Read `* Unmerged path`; a diff of the same path may follow."""
        found = None if self._place != "diff" else _UNMERGED.match(self._data, at)
        if found is None:
            return None
        name = GitPath(whole_name(found[1]))
        self._begin(Header(old=name, new=name, unmerged=True), at).bare = True
        return found.end()

    def index(self, at: int) -> int | None:
        """Read Subversion's `Index:` line; mostly a diff with both names follows."""
        found = plain.INDEX.match(self._data, at)
        if found is None:
            return None
        if found[2] is None and self._data.startswith((b"--- ", b"diff "), found.end()):
            return found.end()
        if self._place != "diff":
            return None
        name = GitPath(whole_name(found[1]))
        draft = self._begin(Header(old=name, new=name), at)
        draft.binary = found[2] is not None
        if not draft.binary:
            draft.bare = True
            draft.remark("the patch names this file and shows no change of its text")
        return found.end()

    def binary_pair(self, at: int) -> int | None:
        """Read `Binary files one and two differ` where no git header stands before it."""
        found = None if self._place != "diff" else plain.BINARY.match(self._data, at)
        if found is None:
            return None
        self._begin(plain.read_binary(found), at).binary = True
        return found.end()

    def only_in(self, at: int) -> int | None:
        """Read what `diff -r` says of a file that one side has."""
        found = None if self._place != "diff" else plain.ONLY_IN.match(self._data, at)
        if found is None:
            return None
        name = GitPath(found[1] + b"/" + found[2])
        draft = self._begin(Header(old=name, new=name), at)
        draft.bare = True
        draft.remark("the patch says that only one side has this file, and shows nothing of it")
        return found.end()

    def _begin_commit(self, found: tuple[Commit, int]) -> int:
        self._finish()
        self._commit = found[0]
        self._place = "diff"
        self._mail_body = None
        return found[1]

    def _begin_mail(self, found: tuple[Commit, int]) -> int:
        end = self._begin_commit(found)
        self._place = "message"
        self._mail_body = end + self._data.startswith(b"\n", end)
        return end

    def _begin(self, header: Header, at: int) -> Draft:
        """Start the next file; an unmerged path and its diff are one file."""
        self._place = "diff"
        last = self._draft
        if last is not None and last.bare and last.header.unmerged:
            header.unmerged = header.unmerged or last.header.new == header.new
            self._draft = last if last.header.new != header.new else None
        self._finish()
        if len(self._files) == MAX_FILES:
            raise PatchTooLargeError(
                f"the patch has more than {MAX_FILES:,} files, the limit for a patch; review a part "
                "of it, as with git diff -- FOLDER, or run diffx in the checkout"
            )
        draft = self._draft = Draft(header=header)
        if header.old is None or header.new is None:
            header.old = header.new = header.new or header.old or GitPath(b"(no name)")
            draft.remark(f"line {self._line_at(at)}: the file's name cannot be used")
        if header.damage is not None:
            draft.remark(f"line {self._line_at(at)}: {header.damage}")
        return draft

    def _finish(self) -> None:
        if self._draft is not None:
            received = self._received
            self._files.append(
                completed(
                    self._draft, self._commit, crlf=received.crlf, coloured=received.coloured
                )
            )
            self._draft = None

    def _line_at(self, at: int) -> int:
        """Return a line's number; positions only grow, so each line is counted once."""
        self._line += self._data.count(b"\n", self._counted, at)
        self._counted = max(at, self._counted)
        return self._line


_READERS: Final[tuple[tuple[bytes, Callable[[_Reader, int], int | None]], ...]] = (
    (b"diff --git ", _Reader.git),
    (b"\x1b[", _Reader.coloured),
    (b"diff --cc ", _Reader.combined_diff),
    (b"diff --combined ", _Reader.combined_diff),
    (b"---", _Reader.plain_pair),
    (b"@@", _Reader.stray_hunk),
    (b"From ", _Reader.mail),
    (b"commit ", _Reader.log),
    (b"Submodule ", _Reader.submodule),
    (b"* Unmerged path ", _Reader.unmerged),
    (b"Index: ", _Reader.index),
    (b"Binary files ", _Reader.binary_pair),
    (b"Files ", _Reader.binary_pair),
    (b"Only in ", _Reader.only_in),
    (b"# HG changeset patch", _Reader.mercurial),
)


def _complaint(data: bytes) -> str:
    """Say why no file was found, naming the first line that shows it."""
    lead = len(data) - len(data.lstrip())
    number = data.count(b"\n", 0, lead) + 1
    first = data[lead : lead + 400].splitlines()[0].decode("utf-8", "replace")
    if re.search(rb"^\*\*\* [^\n]*\n--- [^\n]*\n\*{15}", data, re.M):
        return "this is a context diff (diff -c), which is not read; make a unified one (diff -u)"
    if commits.read_log(data, lead) is not None or commits.read_mail(data, lead) is not None:
        return f"line {number} names a commit and no diff follows; use git show or git log -p"
    return (
        f"no file changes in it: line {number} is {first[:80]!r}, which begins no patch; "
        "pipe the output of git diff, git show or diff -u"
    )
