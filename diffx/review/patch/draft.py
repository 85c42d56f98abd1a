"""A file while it is being read, and what becomes of it: its standard patch and every remark."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from diffx.review.model import GitPath, Rows
from diffx.review.patch.figures import Tally, measure
from diffx.review.patch.headers import Header
from diffx.review.patch.model import Commit, Figures, ParsedFile, SubmoduleMove
from diffx.review.patch.names import quote
from diffx.review.patch.render import head
from diffx.review.patch.submodules import POINTER_MODE, pointer_move

_NO_NAME: Final = GitPath(b"(no name)")
_NO_ROWS: Final = Rows(hunks=0, unified=0, split=0, max_columns=0)
_NOTHING: Final = Figures(additions=0, deletions=0, rows=_NO_ROWS)
_BLANK_CONTEXT: Final = re.compile(rb"(?<=\n)(?=\n)")
_MAX_DAMAGE: Final = 600
_CRLF: Final = (
    "every line of the stream ended in CRLF and was read as LF: line ends of the file itself may "
    "have been lost on the way"
)
_ESCAPES: Final = "colour was taken off the stream, and escape sequences of the file itself may have gone with it"


@dataclass(slots=True, kw_only=True)
class Draft:
    """A file that is still being read.

    `bare` says that the stream names the file and shows nothing of it: there is no patch.
    """

    header: Header
    hunks: list[bytes] = field(default_factory=list)
    blocks: bytes = b""
    binary: bool = False
    bare: bool = False
    parents: int = 1
    submodule: SubmoduleMove | None = None
    remarks: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    _room: int = _MAX_DAMAGE

    @property
    def listens(self) -> bool:
        """Say if a remark would be kept; composing it may cost more than reading on."""
        return self._room > 0

    def remark(self, text: str) -> None:
        """Add to what is said of the file; past a limit one more remark says that there were more."""
        if self._room > 0 and text not in self.remarks:
            self.remarks.append(text)
            self._room -= len(text)
            if self._room <= 0:
                self.remarks.append("and more of the kind")


def completed(draft: Draft, commit: Commit | None, *, crlf: bool, coloured: bool) -> ParsedFile:
    """Close a file. `crlf` and `coloured` say what the stream looked like."""
    header = draft.header
    body = _standard_hunks(draft.hunks)
    patch = b"" if draft.bare else head(header, body=bool(body)) + body
    if draft.binary:
        patch += draft.blocks or _differ(header)
    if draft.parents > 1 and not draft.hunks:
        draft.remark(f"a merge of {draft.parents} parents, compared with the first")
    elif draft.parents > 1:
        draft.remark(
            f"a merge of {draft.parents} parents, shown against the first: lines that only other "
            "parents had, and hunks that the merge took over unchanged, are not in it"
        )
    if header.announces_text and not (body or draft.binary or draft.bare):
        draft.remark("its header says that the content changed, and no hunk follows")
    if crlf:
        draft.remark(_CRLF)
    if coloured and b"\x1b" in body:
        draft.remark(_ESCAPES)
    submodule = draft.submodule
    if submodule is None and POINTER_MODE in (header.old_mode, header.new_mode):
        submodule = pointer_move(body)
    path = header.old if header.status == "D" else header.new
    moved = header.old != header.new and header.status in ("R", "C")
    return ParsedFile(
        path=path or _NO_NAME,
        old_path=header.old if moved else None,
        status="U" if header.unmerged else header.status,
        old_mode=header.old_mode,
        new_mode=header.new_mode,
        binary=draft.binary,
        submodule=submodule,
        parents=draft.parents,
        commit=commit,
        damage="; ".join(draft.remarks) or None,
        patch=patch,
        figures=draft.tally.figures(body, [(0, len(body))]) if body else _NOTHING,
    )


def type_changes_joined(files: Iterable[ParsedFile]) -> Iterator[ParsedFile]:
    """Make one file of each type change, which git shows as a deletion and an addition (2.7)."""
    last: ParsedFile | None = None
    for file in files:
        if last is not None and _is_type_change(last, file):
            last = _joined(last, file)
            continue
        if last is not None:
            yield last
        last = file
    if last is not None:
        yield last


def _is_type_change(gone: ParsedFile, came: ParsedFile) -> bool:
    return (
        (gone.status, came.status) == ("D", "A")
        and (gone.path, gone.commit) == (came.path, came.commit)
        and (gone.old_mode or "")[:3] != (came.new_mode or "")[:3]
    )


def _joined(gone: ParsedFile, came: ParsedFile) -> ParsedFile:
    patch = gone.patch + came.patch
    before, after = gone.submodule, came.submodule
    submodule = None
    if before is not None or after is not None:
        submodule = SubmoduleMove(
            old=None if before is None else before.old, new=None if after is None else after.new
        )
    return replace(
        came,
        status="T",
        old_mode=gone.old_mode,
        binary=gone.binary or came.binary,
        submodule=submodule,
        damage="; ".join(filter(None, (gone.damage, came.damage))) or None,
        patch=patch,
        figures=measure(patch),
    )


def _standard_hunks(hunks: list[bytes]) -> bytes:
    """Join the hunks; an empty line in one is a blank context line whose blank was trimmed."""
    body = b"".join([hunk if hunk.endswith(b"\n") else hunk + b"\n" for hunk in hunks if hunk])
    if b"\n\n" in body:
        body = _BLANK_CONTEXT.sub(b" ", body)
    return body


def _differ(header: Header) -> bytes:
    old, new = header.old or _NO_NAME, header.new or _NO_NAME
    one = b"/dev/null" if header.status == "A" else quote(b"a/" + old)
    two = b"/dev/null" if header.status == "D" else quote(b"b/" + new)
    return b"Binary files " + one + b" and " + two + b" differ\n"
