"""Find the files that no reader comes to the end of, where Git keeps text (2.10).

A pipe waits for a writer that may never come, a device may never end. git and libgit2 open what
they find under the names they know without looking first.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from diffx.collector.contents.gitfile import read_git_file

Search = Iterator[Path | None]
"""What was found, and None after each folder: whoever searches beside other work can pause there."""

_CONFIGS: Final = ("config", "config.worktree")
_READ_AT_THE_TOP: Final = frozenset(
    {*_CONFIGS, "commondir", "gitdir", "packed-refs", "shallow", "index"}
)
"""What is read in a Git folder itself, beside names in capitals (HEAD and its like)."""
_READ_BELOW: Final = ("refs", "logs", "objects")
_RULES: Final = frozenset({".gitignore", ".gitattributes", ".gitmodules"})
_INCLUDED: Final = re.compile(
    rb'^[ \t]*(?:\[include[^\n]*\])?[ \t]*path[ \t]*=[ \t]*"?([^"\n#;]+)',
    re.MULTILINE | re.IGNORECASE,
)
_MAX_BYTES: Final = 1 << 20
_MAX_FOLLOWED: Final = 32


def is_endless(file: Path) -> bool:
    """Say whether a path leads to a pipe, or to a device that is not the empty one."""
    try:
        found = file.stat()
    except OSError:
        return False
    if stat.S_ISCHR(found.st_mode):
        return found.st_rdev != Path(os.devnull).stat().st_rdev
    return stat.S_ISFIFO(found.st_mode) or stat.S_ISBLK(found.st_mode)


def endless_error(file: Path) -> str:
    """Say in one line what is wrong with it."""
    return (
        f"{file} is a pipe or a device, and whoever reads it waits for ever; remove it, or put"
        " a file in its place"
    )


def git_folders(start: Path) -> list[Path]:
    """Return the Git folder that a folder belongs to, and the one it shares; [] where there is none.

    Found as git finds it, but reading nothing except what was seen to be a small file.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        for found in (_pointed_to(folder / ".git"), folder):
            if found is not None and _looks_like_git(found):
                return list(dict.fromkeys((found, _common(found))))
    return []


def endless_in_git(folder: Path, home: str) -> Search:
    """Search a Git folder, what its settings include, and the object folders it borrows from.

    Of its rules (`info/exclude` and the like) not: they are git's alone to open unseen.
    """
    for entry in _entries(folder):
        if entry.name in _READ_AT_THE_TOP or entry.name.isupper():
            yield from _endless(Path(entry.path))
    yield from _endless(folder / "info" / "grafts")
    for config in _CONFIGS:
        yield from _endless_settings(folder / config, home)
    for below in _READ_BELOW:
        yield from _endless_below(folder / below)
    for objects in _alternates(folder / "objects"):
        yield from _endless_below(objects)


def endless_around(start: Path, home: str, settings: str) -> Search:
    """Search everything that git reads for the checkout at `start`.

    `home` is the user's, `settings` the folder of the user's settings.
    """
    for users in (f"{home}/.gitconfig", f"{settings}/git/config", f"{settings}/git/ignore"):
        yield from _endless(Path(users))
        yield from _endless_settings(Path(users), home)
    folders = git_folders(start)
    for folder in folders:
        yield from endless_in_git(folder, home)
        yield from _endless_below(folder / "info")
    if folders:
        yield from _endless_rules(_top(start, folders[0]), home)


def _endless(file: Path) -> Search:
    if is_endless(file):
        yield file


def _endless_settings(file: Path, home: str) -> Search:
    """Search the files that settings include; a path of another setting does no harm here."""
    seen: set[Path] = set()
    pending = [file]
    while pending and len(seen) < _MAX_FOLLOWED:
        config = pending.pop()
        if config in seen:
            continue
        seen.add(config)
        for named in _INCLUDED.findall(_content(config) or b""):
            path = os.fsdecode(named.strip())
            path = f"{home}{path[1:]}" if path.startswith("~/") else path
            pending.append(config.parent / path)
            yield from _endless(config.parent / path)
    yield None


def _endless_rules(top: Path, home: str) -> Search:
    """Search a working tree, and the Git folders of the repositories in it."""
    pending = [top]
    while pending:
        folder = pending.pop()
        for entry in _entries(folder):
            if entry.name in _RULES:
                yield from _endless(Path(entry.path))
            elif entry.name == ".git":
                inner = git_folders(folder) if folder != top else []
                for found in inner:
                    yield from endless_in_git(found, home)
                    yield from _endless_below(found / "info")
            elif entry.is_dir(follow_symlinks=False):
                pending.append(Path(entry.path))
        yield None


def _endless_below(folder: Path) -> Search:
    """Search a folder of Git's own; there may be very many objects, so little is done for each."""
    linked: set[str] = set()
    pending = [str(folder)]
    while pending:
        for entry in _entries(pending.pop()):
            if entry.is_file(follow_symlinks=False):  # nearly all, and told without a stat
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif Path(entry.path).is_dir():  # unlike entry.is_dir, for a link to itself too
                real = os.path.realpath(entry.path)
                if real not in linked:
                    linked.add(real)
                    pending.append(real)
            else:
                yield from _endless(Path(entry.path))
        yield None


def _alternates(objects: Path) -> Iterator[Path]:
    """Return the object folders that one borrows from, and those that they borrow from."""
    seen = {objects}
    pending = [objects]
    while pending and len(seen) < _MAX_FOLLOWED:
        folder = pending.pop()
        for line in (_content(folder / "info" / "alternates") or b"").splitlines():
            found = Path(os.path.normpath(folder / os.fsdecode(line)))
            if line and not line.startswith(b"#") and found not in seen:
                seen.add(found)
                pending.append(found)
                yield found


def _top(start: Path, git: Path) -> Path:
    """Return the top of the checkout: where the `.git` is that leads to its Git folder."""
    for folder in (start.absolute(), *start.absolute().parents):
        if _pointed_to(folder / ".git") == git:
            return folder
    return start


def _pointed_to(git: Path) -> Path | None:
    """Return the Git folder that a `.git` is or names; None where it does neither."""
    if git.is_dir():
        return git
    prefix, _, target = (_content(git) or b"").partition(b"gitdir: ")
    name = target.rstrip(b"\r\n")
    return None if prefix or not name else git.parent / os.fsdecode(name)


def _looks_like_git(folder: Path) -> bool:
    common = _common(folder)
    return os.path.lexists(folder / "HEAD") and all(
        (common / name).is_dir() for name in ("objects", "refs")
    )


def _common(folder: Path) -> Path:
    name = (_content(folder / "commondir") or b"").rstrip(b"\r\n")
    return Path(os.path.normpath(folder / os.fsdecode(name))) if name else folder


def _content(file: Path) -> bytes | None:
    try:
        return read_git_file(file, most=_MAX_BYTES)
    except (OSError, ValueError):  # a ValueError is a NUL in the name
        return None


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []
