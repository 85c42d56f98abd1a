"""A branch's identity, which follows it through renames without a word in Git's configuration (3.2).

Git moves a branch's reflog along with the branch, and notes each rename in it. So the book of
known branches (`<common>/diffx/branches.json`) remembers how each reflog began and which file it
is; a name that is new, or whose reflog is not the remembered one, is looked up by its history.
Where Git keeps no reflog file (`core.logAllRefUpdates=false`, reftable) the id goes by the name,
and a vanished branch with the same tip is taken for the renamed one.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from diffx.clock import NewId
from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.enrolment import metadata
from diffx.files import exclusive
from diffx.review.model import BranchId, RepositoryKey

_BOOK: Final = "branches.json"
_MAX_KNOWN: Final = 2000
_MAX_PACKED_BYTES: Final = 256 << 20
_PIECE: Final = 1 << 20
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_CREATION: Final = re.compile(rb"0{40,64} [0-9a-f]{40,64} ")
_MOVED: Final = re.compile(rb"\tBranch: (renamed|copied) refs/heads/(\S+) to refs/heads/(\S+)$")


class _Known(NamedTuple):
    """One branch in the book.

    `name` is the last one seen; `gone` says that another branch has it now. `birth` is the
    digest of the reflog's first line where that line creates the branch, `log` the reflog
    file's inode, `tip` the commit last seen where there is no reflog.
    """

    id: str
    name: str
    gone: bool = False
    birth: str | None = None
    log: int | None = None
    tip: str | None = None


class _Trail(NamedTuple):
    """What a reflog tells of its branch: birth, file, and former names, newest first."""

    birth: str | None = None
    log: int | None = None
    former: tuple[str, ...] = ()


def branch_id(
    common_dir: Path,
    name: str,
    *,
    repository: RepositoryKey,
    new_id: NewId,
    head: str | None = None,
) -> BranchId:
    """Return the branch's id, entering it in the book where that can be written.

    A first id is made from the repository and the name, so that a read-only checkout answers
    the same each time; a name whose id went elsewhere with a rename gets a random one.
    """
    book_file = common_dir / metadata.FOLDER / _BOOK
    trail = _trail(common_dir, name)
    tip = head if trail.log is None else None

    def find(book: list[_Known]) -> _Known:
        found = _by_name(common_dir, book, name, trail)
        if found is None:
            found = _by_history(common_dir, book, trail) or _by_tip(common_dir, book, tip)
        return _enter(book, found, name, trail, tip) or _enter_new(
            book, _Known(id=_first_id(repository, name), name=name), new_id, trail, tip
        )

    before = _read(book_file)
    after = list(before)
    found = find(after)
    if after != before:
        # Read-only is no failure here: the keys are known or were given, and this id stays.
        with contextlib.suppress(OSError):
            metadata.make_folder(book_file.parent)
            with exclusive(book_file.parent):
                after = _read(book_file)
                found = find(after)
                metadata.replace(book_file, {"branches": [known._asdict() for known in after]})
    return BranchId(found.id)


def _enter(
    book: list[_Known], found: _Known | None, name: str, trail: _Trail, tip: str | None
) -> _Known | None:
    """Bring a known branch's entry up to date."""
    if found is None:
        return None
    now = found._replace(
        name=name,
        gone=False,
        birth=trail.birth or found.birth,
        log=trail.log,
        tip=tip if trail.log is None else None,
    )
    book[book.index(found)] = now
    return now


def _enter_new(
    book: list[_Known], first: _Known, new_id: NewId, trail: _Trail, tip: str | None
) -> _Known:
    taken = any(known.id == first.id for known in book)
    now = first._replace(
        id=new_id() if taken else first.id, birth=trail.birth, log=trail.log, tip=tip
    )
    del book[: max(0, len(book) - _MAX_KNOWN + 1)]  # the longest known go first
    book.append(now)
    return now


def _first_id(repository: RepositoryKey, name: str) -> str:
    text = f"diffx branch\0{repository}\0{name}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:32]


def _by_name(common_dir: Path, book: list[_Known], name: str, trail: _Trail) -> _Known | None:
    """Return the branch known by this name, unless another one has taken the name since."""
    known = next((each for each in book if each.name == name and not each.gone), None)
    if known is None:
        return None
    heir = None
    if known.log is not None and known.log != trail.log:
        heir = _heir(common_dir, known)
    if heir is None and not _contradicts(known, trail):
        return known
    book[book.index(known)] = known._replace(name=heir or name, gone=heir is None)
    return None


def _contradicts(known: _Known, trail: _Trail) -> bool:
    """Say whether both beginnings are on record and differ: deleted and created again."""
    return None not in (known.birth, trail.birth) and known.birth != trail.birth


def _by_history(common_dir: Path, book: list[_Known], trail: _Trail) -> _Known | None:
    for former in trail.former:
        for known in book:
            if known.name == former and not _contradicts(known, trail):
                if known.log == trail.log or known.gone or not _exists(common_dir, former):
                    return known
                # The old name is in use again. It is ours only if its reflog is a new file.
                if known.birth is not None and known.log != _log_inode(common_dir, former):
                    return known
    return None


def _by_tip(common_dir: Path, book: list[_Known], tip: str | None) -> _Known | None:
    if tip is None:
        return None
    vanished = [
        known
        for known in book
        if known.tip == tip and not known.gone and not _exists(common_dir, known.name)
    ]
    return vanished[0] if len(vanished) == 1 else None


def _heir(common_dir: Path, known: _Known) -> str | None:
    """Find the branch that has the known one's reflog file now, and says that it was renamed."""
    top = common_dir / "logs" / "refs" / "heads"
    for path, inode in _walk(top):
        name = str(path.relative_to(top))
        if inode == known.log and known.name in _trail(common_dir, name).former:
            return name
    return None


def _walk(folder: Path) -> Iterator[tuple[Path, int]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path))
            else:
                yield Path(entry.path), entry.inode()


def _log_file(common_dir: Path, name: str) -> Path | None:
    if any(part in ("", ".", "..") or "\0" in part for part in name.split("/")):
        return None  # git has no such branch; HEAD may say anything
    return common_dir / "logs" / "refs" / "heads" / name


def _log_inode(common_dir: Path, name: str) -> int | None:
    file = _log_file(common_dir, name)
    try:
        return None if file is None else file.lstat().st_ino
    except OSError:
        return None


def _trail(common_dir: Path, name: str) -> _Trail:
    file = _log_file(common_dir, name)
    inode = _log_inode(common_dir, name)
    if file is None or inode is None:
        return _Trail()
    try:
        lines = _ends(file).split(b"\n")
    except OSError:
        return _Trail()
    birth = hashlib.sha256(lines[0]).hexdigest()[:32] if _CREATION.match(lines[0]) else None
    return _Trail(birth=birth, log=inode, former=_former_names(lines, name))


def _ends(file: Path) -> bytes:
    """Read a reflog, of a very long one its beginning and its end."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        start = stream.read(_PIECE)
        end = stream.seek(0, os.SEEK_END)
        if end <= len(start):
            return start
        stream.seek(max(len(start), end - _PIECE))
        return start + stream.read(_PIECE)


def _former_names(lines: Sequence[bytes], name: str) -> tuple[str, ...]:
    names: list[str] = []
    current = os.fsencode(name)
    for line in reversed(lines):
        moved = _MOVED.search(line)
        if moved is None or moved[3] != current:
            continue
        if moved[1] == b"copied":
            break  # what comes before is the other branch's life
        current = moved[2]
        names.append(os.fsdecode(current))
    return tuple(names)


def _exists(common_dir: Path, name: str) -> bool:
    """Say whether there is such a branch; where refs are not files, it may be."""
    if (common_dir / "reftable").is_dir():
        return True
    if os.path.lexists(common_dir / "refs" / "heads" / name):
        return True
    try:
        packed = read_git_file(common_dir / "packed-refs", most=_MAX_PACKED_BYTES)
    except OSError:
        return False
    return b" refs/heads/" + os.fsencode(name) + b"\n" in packed


def _read(file: Path) -> list[_Known]:
    found = metadata.load(file)
    entries = [] if found is None else found.get("branches")
    if not isinstance(entries, list):
        raise metadata.damaged(file)
    return [_known(entry, file) for entry in entries]


def _known(entry: object, file: Path) -> _Known:
    if not isinstance(entry, dict):
        raise metadata.damaged(file)
    name, number = entry.get("name"), entry.get("id")
    if not isinstance(name, str) or not isinstance(number, str) or not _ID.fullmatch(number):
        raise metadata.damaged(file)
    log = entry.get("log")
    return _Known(
        id=number,
        name=name,
        gone=entry.get("gone") is True,
        birth=_text(entry.get("birth")),
        log=log if isinstance(log, int) else None,
        tip=_text(entry.get("tip")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
