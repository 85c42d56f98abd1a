"""What the bytes of the index file tell, where that spares a question to git (gitformat-index).

Every answer is on the safe side: what may be, may also not be.
"""

import errno
from typing import Final

from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.gitexe.process import GitFailedError
from diffx.collector.repository import Layout, ObjectFormat

_MAX_INDEX_BYTES: Final = 1 << 30
_PLAIN: Final = b"DIRC\0\0\0\2"
"""How a version 2 index begins: no entry has more flags than assume-unchanged."""
_NAMED_IN_FULL: Final = (_PLAIN, b"DIRC\0\0\0\3")
"""How an index begins that spells its names; version 4 does so only in part."""
_SPLIT: Final = b"link"
"""The mark of a split index; a file's name may hold it too, which costs a look at the folder."""
_GITLINK_MODE: Final = b"\0\0\xe0\0"  # 0160000 as the index stores it, in every version
_HEADER_BYTES: Final = 12
_FLAGS_AT: Final = {"sha1": 60, "sha256": 72}
_ASSUME_VALID: Final = 0x80
_MOST_LOOKED_AT: Final = 4_000
"""More entries than this are sooner listed by git than looked at here."""


def index_stamp(layout: Layout) -> tuple[int, ...] | None:
    """Return what changes when the index file does; None while there is no index."""
    try:
        found = (layout.git_dir / "index").stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_index(layout: Layout) -> bytes:
    """Return the index file's bytes, with those that a split index shares; empty if none.

    One that was cut short is refused: git reads on behind its end, and lists what is not so.
    """
    file = layout.git_dir / "index"
    try:
        index = read_git_file(file, most=_MAX_INDEX_BYTES)
        shared = sorted(layout.git_dir.glob("sharedindex.*")) if _SPLIT in index else []
        more = [read_git_file(each, most=_MAX_INDEX_BYTES) for each in shared]
        count = int.from_bytes(index[8:_HEADER_BYTES])
        if _HEADER_BYTES + count * (_FLAGS_AT[layout.object_format] + 2) > len(index):
            raise OSError(errno.EINVAL, "it is cut short", str(file))
        return b"".join((index, *more))
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise GitFailedError(
            f"cannot read {error.filename}: {error.strerror}; if it is damaged, delete it and"
            " run `git reset`"
        ) from error


def may_have_gitlinks(index: bytes) -> bool:
    """Say whether there may be a submodule."""
    return _GITLINK_MODE in index


def may_have_intended(index: bytes) -> bool:
    """Say whether an entry may be only intended (`git add -N`)."""
    return bool(index) and (not index.startswith(_PLAIN) or _SPLIT in index)


def may_have_pinned(index: bytes, object_format: ObjectFormat) -> bool:
    """Say whether git may take an entry for what is on disk: skip-worktree, assume-unchanged."""
    if may_have_intended(index):
        return True  # the flags of both stand side by side
    count = int.from_bytes(index[8:_HEADER_BYTES])
    if count > _MOST_LOOKED_AT:
        return True
    start, flags_at = _HEADER_BYTES, _FLAGS_AT[object_format]
    for _ in range(count):
        end = index.find(b"\0", start + flags_at + 2)
        if end < 0 or index[start + flags_at] & _ASSUME_VALID:
            return True  # or damaged: git says how
        start = end + 8 - (end - start) % 8  # at least one NUL, up to a multiple of eight
    return False


def may_name(index: bytes, name: bytes) -> bool:
    """Say whether the index may have a path with this in it."""
    return bool(index) and (index[:8] not in _NAMED_IN_FULL or name in index)
