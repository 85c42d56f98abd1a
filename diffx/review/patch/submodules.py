"""Submodules in a patch: `diff.submodule=log` lines, and pointers shown as one-line files."""

import re
from typing import Final

from diffx.review.patch.model import ChangeKind, SubmoduleMove

POINTER_MODE: Final = "160000"
_LINE: Final = re.compile(
    rb"Submodule ([^\n]+?) (?:contains (modified|untracked) content"
    rb"|([0-9a-f]{4,64})\.\.\.?([0-9a-f]{4,64})((?: \([^()\n]*\))?):?)\r?(?:\n|\Z)"
)
_LOG_END: Final = re.compile(rb"\n(?!  [<>] )")
_POINTER: Final = re.compile(rb"^([-+])Subproject commit ([0-9a-f]{40,64})(-dirty)?\r?$", re.M)
_MAX_SUBJECTS: Final = 3


class Notice:
    """All consecutive `Submodule` lines about one path, and the commits listed under them."""

    def __init__(self, path: bytes, end: int) -> None:
        self.path = path
        self.end = end
        self.old: str | None = None
        self.new: str | None = None
        self.modified = self.untracked = False
        self.status: ChangeKind = "M"
        self.log = b""
        self.remark = ""

    @property
    def move(self) -> SubmoduleMove:
        """Return what the lines say of the submodule's commits."""
        return SubmoduleMove(
            old=self.old,
            new=self.new,
            modified_content=self.modified,
            untracked_content=self.untracked,
        )

    @property
    def summary(self) -> str | None:
        """Say in a sentence what the lines tell and no patch can show."""
        if self.old is None and self.new is None:
            return None
        subjects = [line[4:].decode("utf-8", "replace") for line in self.log.splitlines()]
        text = f"a submodule, named with its commits {self.old or 'none'}..{self.new or 'none'}"
        text += self.remark
        shown = "; ".join(subjects[:_MAX_SUBJECTS])[:300]
        more = len(subjects) - _MAX_SUBJECTS
        return text + (f": {shown}" if shown else "") + (f" and {more} more" if more > 0 else "")


def read_notice(data: bytes, at: int) -> Notice | None:
    """Read the `Submodule` lines at `at`, None if they are none."""
    notice: Notice | None = None
    while (line := _LINE.match(data, at)) is not None:
        if notice is None:
            notice = Notice(line[1], at)
        elif notice.path != line[1]:
            break
        _take(notice, line)
        last = _LOG_END.search(data, line.end() - 1)
        at = len(data) if last is None else last.end()
        notice.log += data[line.end() : at]
        notice.end = at
    return notice


def pointer_move(patch: bytes) -> SubmoduleMove:
    """Read a pointer's own patch: `-Subproject commit …`, `+Subproject commit …-dirty`."""
    old = new = None
    dirty = False
    for sign, commit, mark in _POINTER.findall(patch):
        if sign == b"-":
            old = commit.decode("ascii")
        else:
            new = commit.decode("ascii")
            dirty = bool(mark)
    return SubmoduleMove(old=old, new=new, modified_content=dirty)


def _take(notice: Notice, line: re.Match[bytes]) -> None:
    if line[2] is not None:
        notice.modified = notice.modified or line[2] == b"modified"
        notice.untracked = notice.untracked or line[2] == b"untracked"
        return
    notice.old = line[3].decode("ascii") if line[3].strip(b"0") else None
    notice.new = line[4].decode("ascii") if line[4].strip(b"0") else None
    notice.remark = line[5].decode("utf-8", "replace")
    if notice.old is None or line[5] == b" (new submodule)":
        notice.status, notice.old = "A", None
    elif notice.new is None or line[5] == b" (submodule deleted)":
        notice.status, notice.new = "D", None
