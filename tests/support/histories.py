"""Long histories for parsers to chew on: real source files, evolved by scripted edits.

Every commit takes some of the files that Python itself is made of and edits, moves, renames,
copies, deletes, converts or breaks them, in the ways that have confused readers of patches:
content that looks like headers or like a whole patch, odd line ends, odd names, binaries.
"""

import random
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Final

EMPTY_EVERY: Final = 50
"""Every so many commits there is one that changes nothing."""
FILE, EXECUTABLE, LINK = b"100644", b"100755", b"120000"
Tree = dict[bytes, tuple[bytes, bytes]]

HEADER_LIKE: Final = (
    b"-- a/other.sql",
    b"++ b/other.sql",
    b"-- ",
    b"@@ -1,3 +1,3 @@",
    b"diff --git a/fake b/fake",
    b"\\ No newline at end of file",
    b"Binary files a/fake and b/fake differ",
    b"GIT binary patch",
    b"commit 0123456789abcdef0123456789abcdef01234567",
    b"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
    b"Submodule fake contains modified content",
    b"* Unmerged path fake",
    b"rename from fake",
)
ODD_LINES: Final = (
    b"carriage\rreturn",
    b"ends in CR\r",
    b"form\x0cfeed",
    "line\u2028separator and nel\x85".encode(),
    b"latin-1 \xe9\xff",
    b"\x1b[31mred\x1b[0m",
    b"\t\ttabs\t",
    b"",
    b"   ",
)
ODD_NAMES: Final = (
    b"with blank.py",
    b"tab\there.py",
    b'quote".py',
    b"back\\slash.py",
    "caf\u00e9/\u65e5\u672c.py".encode(),
    b"latin-\xe9.py",
    b"a/b and b/c.txt",
    b"x b/x b/x",
    b"new\nline.txt",
    b"dev/null",
)


def grow(folder: Path, *, commits: int, seed: int = 1, files: int = 60) -> Path:
    """Make a bare repository with that many commits in one line; equal seeds, equal histories."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    dice = random.Random(seed)
    sources = _sources(files * 3)
    tree: Tree = {b"lib/" + name: (FILE, text) for name, text in sources[:files]}
    stream = [_commit(1, {}, tree, b"base")]
    for number in range(2, commits + 1):
        before = dict(tree)
        # Edits may cancel each other, depending on the sources at hand: have it happen anywhere.
        for _ in range(0 if number % EMPTY_EVERY == 0 else dice.randint(1, 6)):
            dice.choice(EDITS)(tree, dice, sources)
        stream.append(_commit(number, before, tree, _message(dice, number)))
    subprocess.run(
        ["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(stream), check=True
    )
    return folder


def _sources(count: int) -> list[tuple[bytes, bytes]]:
    stdlib = Path(sysconfig.get_path("stdlib"))
    found = sorted(file for file in stdlib.glob("*.py") if 2000 < file.stat().st_size < 60_000)
    return [(file.name.encode(), file.read_bytes()) for file in found[:count]]


def _message(dice: random.Random, number: int) -> bytes:
    quoted = b"\n".join(dice.sample(HEADER_LIKE, 3))
    patch = b"--- a/fake\n+++ b/fake\n@@ -1 +1 @@\n-was\n+is\n"
    return b"Step %d\n\nThis helps:\n\n" % number + quoted + b"\n\n" + patch


def _commit(number: int, before: Tree, after: Tree, message: bytes) -> bytes:
    who = b"Ada <ada@example.invalid> %d +0000" % (1_700_000_000 + number)
    lines = [b"commit refs/heads/main\nmark :%d\ncommitter %s\n" % (number, who)]
    lines.append(b"data %d\n%s\n" % (len(message), message))
    if number > 1:
        lines.append(b"from :%d\n" % (number - 1))
    lines += [b"D %s\n" % _quoted(path) for path in before if path not in after]
    for path, (mode, text) in after.items():
        if before.get(path) != (mode, text):
            lines.append(b"M %s inline %s\n" % (mode, _quoted(path)))
            lines.append(b"data %d\n%s\n" % (len(text), text))
    return b"".join(lines)


def _quoted(path: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'


def _any(tree: Tree, dice: random.Random) -> bytes:
    return dice.choice(sorted(tree))


def _change_lines(tree: Tree, dice: random.Random, _: object) -> None:
    path = _any(tree, dice)
    mode, text = tree[path]
    lines = text.split(b"\n")
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(lines) + 1)
        width = dice.randint(0, 4)
        new: list[bytes] = [
            dice.choice((*HEADER_LIKE, *ODD_LINES, b"x = %d" % dice.randrange(99)))
        ] * dice.randint(0, 3)
        lines[at : at + width] = new
    tree[path] = (FILE if mode == LINK else mode, b"\n".join(lines) or b"x")


def _toggle_end(tree: Tree, dice: random.Random, _: object) -> None:
    path = _any(tree, dice)
    mode, text = tree[path]
    if mode != LINK:
        tree[path] = (mode, text[:-1] if text.endswith(b"\n") else text + b"\n")


def _toggle_mode(tree: Tree, dice: random.Random, _: object) -> None:
    path = _any(tree, dice)
    mode, text = tree[path]
    if mode != LINK:
        tree[path] = (EXECUTABLE if mode == FILE else FILE, text)


def _retype(tree: Tree, dice: random.Random, _: object) -> None:
    path = _any(tree, dice)
    mode, _text = tree[path]
    tree[path] = (FILE, b"a file again\n") if mode == LINK else (LINK, b"../target of it")


def _add(tree: Tree, dice: random.Random, sources: list[tuple[bytes, bytes]]) -> None:
    name, text = dice.choice(sources)
    folder = b"new%d/" % dice.randrange(1000)
    tree[folder + name] = (FILE, dice.choice((text, b"", b"no newline", b"one\n")))


def _add_oddly_named(tree: Tree, dice: random.Random, _: object) -> None:
    tree[dice.choice(ODD_NAMES)] = (FILE, b"1\n2\n%d\n" % dice.randrange(99))


def _remove(tree: Tree, dice: random.Random, _: object) -> None:
    if len(tree) > 20:
        del tree[_any(tree, dice)]


def _rename(tree: Tree, dice: random.Random, sources: list[tuple[bytes, bytes]]) -> None:
    path = _any(tree, dice)
    new = b"moved %d/" % dice.randrange(1000) + path.rpartition(b"/")[2]
    if new in tree:
        return
    tree[new] = tree.pop(path)
    if dice.random() < 0.5:
        mode, text = tree[new]
        tree[new] = (mode, text + b"appended\n" if mode != LINK else text)


def _crlf(tree: Tree, dice: random.Random, _: object) -> None:
    path = _any(tree, dice)
    mode, text = tree[path]
    if mode != LINK:
        plain = text.replace(b"\r\n", b"\n")
        tree[path] = (mode, plain if b"\r\n" in text else plain.replace(b"\n", b"\r\n"))


def _binary(tree: Tree, dice: random.Random, _: object) -> None:
    tree[b"data%d.bin" % dice.randrange(5)] = (FILE, b"\0" + dice.randbytes(dice.randrange(3000)))


def _patch_file(tree: Tree, dice: random.Random, _: object) -> None:
    path = b"fixes/%d.patch" % dice.randrange(3)
    lines = dice.sample(HEADER_LIKE, 6)
    tree[path] = (FILE, b"\n".join(lines) + b"\n-was\n+is\n context\n")


Edit = Callable[[Tree, random.Random, list[tuple[bytes, bytes]]], None]
EDITS: Final[tuple[Edit, ...]] = (
    _change_lines,
    _change_lines,
    _change_lines,
    _change_lines,
    _toggle_end,
    _toggle_mode,
    _retype,
    _add,
    _add_oddly_named,
    _remove,
    _rename,
    _crlf,
    _binary,
    _patch_file,
)
