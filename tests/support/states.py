"""Random states of a repository: edits, stages, renames, modes, links, conflicts, rules.

`build_state` makes the same state from the same seed. Contents end in a newline where they could
be rename sources: gits before 2.44 leave an unfinished last line out of the similarity.
"""

import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.support.repositories import Checkout

NAMES: Final = (
    *("a", "b", "c.txt", "d e", "f\tg", "\u00e9", "[x]", "x*", "A", "sub", "build", "foo.o"),
    *("z\\q", 'q"q', "node", "foo", "foobar", "trail ", "-dash", "#hash", "!bang"),
)
IGNORES: Final = (
    *("*.o", "build/", "/foo", "foo", "!foo", "*", "!*/", "!*.txt", "sub/*", "!sub/a", "**/a"),
    *("a/**", "a/**/b", "foo**", "sub/foo**", "f?o", "[a-c]", "[!a]*", "*.txt ", "*.txt\\ "),
    *("\\#hash", "\\!bang", "#c", "/*/", "a/", "/a/b", "**", "**/", "x\\*", "[[:alpha:]]"),
    *("z\\\\q", "d e", "trail\\ ", "\u00e9", "*a*b*", "a*/b", "**foo", "[]a]", "[a", "!", "/"),
    *("//", "node/**/x", "sub//a", "./a", "foo/", "!foo/", "*/", "A", "[A-F]oo", "\\", "a\\"),
    *("[\\]a]", "f[^x]o", "*[!.]txt", "[[:foo:]]", "[a-", "[[:alpha:]-z]", "a\0b", "foo\r"),
)
ATTRIBUTES: Final = (
    *("*.txt text", "*.txt -diff", "* text=auto", "*.o binary", "c.txt eol=crlf", "a diff"),
    *("* ident", "sub/** -text", "[attr]own diff -text", "b own", "*.txt text=auto eol=lf"),
    *('"d e" -diff', "a !text", "* text=auto\n*.txt -text", "foo working-tree-encoding=UTF-16"),
    *("*.txt linguist-generated", "/sub/a filter=lfs", "# c", "!a diff", "a -bad!name diff"),
)
_LINES: Final = ("alpha", "beta", "gamma delta", "", "int f(void) {", "}", "  x = 1;")


def build_state(top: Path, seed: int, *, only_git_reads: bool = False) -> Checkout:
    """Make a state; `only_git_reads` allows for split and sparse indexes too."""
    builder = _Builder(Checkout.init(top), random.Random(seed))
    checkout = builder.build()
    if only_git_reads:
        builder.change_index_form()
    return checkout


class _Builder:
    def __init__(self, checkout: Checkout, dice: random.Random) -> None:
        self._checkout = checkout
        self._dice = dice

    def build(self) -> Checkout:
        git, dice = self._checkout.git, self._dice
        for chance, key, values in (
            (0.2, "core.autocrlf", ("true", "input")),
            (0.1, "core.ignoreCase", ("true",)),
            (0.15, "core.fileMode", ("false",)),
            (0.1, "core.symlinks", ("false",)),
            (0.1, "sparse.expectFilesOutsideOfPatterns", ("true",)),
        ):
            if dice.random() < chance:
                git("config", key, dice.choice(values))
        for _ in range(dice.randint(2, 12)):
            self._write()
        self._commit()
        if dice.random() < 0.5:
            git("checkout", "-q", "-b", "topic")
            self._steps(8)
            self._commit()
            if dice.random() < 0.4:
                git("checkout", "-q", "main", ok=(0, 1))
                self._steps(6)
                self._commit()
                git("merge", "-q", "topic", ok=(0, 1, 2, 128))
        self._steps(14)
        return self._checkout

    def change_index_form(self) -> None:
        form = self._dice.choice(("split", "sparse", "version 4", "as it is"))
        if form == "split":
            self._checkout.git("update-index", "--split-index")
            self._steps(3)
        elif form == "sparse":
            self._sparse("--sparse-index")
        elif form == "version 4":
            self._checkout.git("update-index", "--index-version", "4")

    def _commit(self) -> None:
        self._checkout.git("add", "-A", ok=(0, 1, 128))
        self._checkout.git("commit", "-q", "--allow-empty", "-m", "work", ok=(0, 1, 128))

    def _steps(self, most: int) -> None:
        for _ in range(self._dice.randint(0, most)):
            (step,) = self._dice.choices(_STEPS, weights=_WEIGHTS)
            with suppress(OSError):  # a file where a folder would have to be, and the like
                step(self)

    def _path(self, depth: int = 3) -> str:
        return "/".join(self._dice.choice(NAMES) for _ in range(self._dice.randint(1, depth)))

    def _tracked(self) -> str | None:
        names = self._checkout.git("ls-files", "-z").split(b"\0")[:-1]
        return os.fsdecode(self._dice.choice(names)) if names else None

    def _text(self, lines: int | None = None) -> bytes:
        dice = self._dice
        count = dice.choice((0, 1, 3, 12, 40)) if lines is None else lines
        text = "".join(
            dice.choice((*_LINES, f"line {dice.randint(0, 30)}")) + "\n" for _ in range(count)
        ).encode()
        kind = dice.random()
        if kind < 0.08:
            return text.replace(b"\n", b"\r\n")
        if kind < 0.12:
            return text + b"\0bin\n"
        if kind < 0.16:
            return text + "caf\u00e9\n".encode("latin-1")
        return text + b"$Id: x y z$\n" if kind < 0.18 else text

    def _write(self) -> None:
        path = self._checkout.path(self._path())
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                path.unlink()
            if self._dice.random() < 0.08:
                path.unlink(missing_ok=True)
                path.symlink_to(self._dice.choice(("a", "../x", "sub", "nowhere")))
                return
            path.write_bytes(self._text())
            if self._dice.random() < 0.1:
                path.chmod(0o755)

    def _edit(self) -> None:
        path = self._file()
        if path is not None:
            more = self._text(1) if self._dice.random() < 0.5 else b""
            path.write_bytes(path.read_bytes().replace(b"alpha", b"ALPHA", 1) + more)

    def _file(self) -> Path | None:
        name = self._tracked()
        path = None if name is None else self._checkout.path(name)
        return path if path is not None and path.is_file() and not path.is_symlink() else None

    def _remove(self) -> None:
        name = self._tracked()
        if name is not None:
            how = "--cached" if self._dice.random() < 0.4 else "-f"
            self._checkout.git("rm", "-q", how, "--", f":(literal){name}", ok=(0, 1, 128))

    def _move(self) -> None:
        old, new = self._tracked(), self._path()
        if old is not None:
            self._checkout.path(new).parent.mkdir(parents=True, exist_ok=True)
            if self._dice.random() < 0.6:
                self._checkout.git("mv", "--", old, new, ok=(0, 1, 128))
            elif not self._checkout.path(new).exists():
                self._checkout.path(old).rename(self._checkout.path(new))

    def _change_mode(self) -> None:
        path = self._file()
        if path is not None:
            path.chmod(self._dice.choice((0o755, 0o644)))

    def _stage(self) -> None:
        force = ["-f"] if self._dice.random() < 0.3 else []
        self._checkout.git("add", "-A", *force, ok=(0, 1, 128))

    def _intend(self) -> None:
        self._checkout.git("add", "-N", "--", f":(literal){self._path()}", ok=(0, 1, 128))

    def _rules(self) -> None:
        where, rules = self._dice.choice(
            ((".gitignore", IGNORES), (".gitignore", IGNORES), (".gitattributes", ATTRIBUTES))
        )
        folder = self._checkout.path(self._dice.choice((".", "sub", "a", "foo")))
        if folder.is_dir() and not folder.is_symlink():
            lines = self._dice.sample(rules, self._dice.randint(1, 6))
            (folder / where).write_bytes("\n".join(lines).encode() + b"\n")

    def _excludes(self) -> None:
        lines = self._dice.sample(IGNORES, 3)
        self._checkout.path(".git/info/exclude").write_bytes("\n".join(lines).encode())

    def _drop(self) -> None:
        path = self._file()
        if path is not None:
            path.unlink()

    def _pin(self) -> None:
        """Tell git to look away from a file, and do something there."""
        name = self._tracked()
        if name is None:
            return
        flag = self._dice.choice(("--skip-worktree", "--assume-unchanged"))
        self._checkout.git("update-index", flag, "--", name, ok=(0, 1, 128))
        path = self._checkout.path(name)
        if path.is_file() and not path.is_symlink():
            if self._dice.random() < 0.5:
                path.write_bytes(self._text(2))
            elif self._dice.random() < 0.7:
                path.unlink()

    def _sparse(self, *options: str) -> None:
        cone = self._dice.choice(("--cone", "--cone", "--no-cone"))
        folders = [self._dice.choice(NAMES) for _ in range(2)]
        words = ("sparse-checkout", "set", *options, cone, "--", *folders)
        self._checkout.git(*words, ok=(0, 1, 128, 129))

    def _intend_and_drop(self) -> None:
        path = self._checkout.path(f"planned{self._dice.randint(0, 3)}")
        path.write_bytes(self._text(1))
        self._checkout.git("add", "-N", "--", path.name, ok=(0, 1, 128))
        if self._dice.random() < 0.7:
            path.unlink()

    def _link_repository(self) -> None:
        """Record a repository below as a submodule, and perhaps leave something in it."""
        path = self._checkout.path(f"mod{self._dice.randint(0, 2)}")
        if not path.exists():
            Checkout.init(path).commit("inner")
            self._checkout.git("add", "--", path.name, ok=(0, 1, 128))
        inner = Checkout(path)
        what = self._dice.random()
        if what < 0.3:
            inner.commit("more")
        elif what < 0.6:
            inner.write("loose.txt", "x\n")

    def _clash(self) -> None:
        """Put any stages of a path into the index, as an unfinished merge would."""
        name = self._tracked() if self._dice.random() < 0.6 else self._path(2)
        if name is None:
            return
        records = [b"0 " + b"0" * 40 + b"\t" + os.fsencode(name)]
        for stage in self._dice.sample((1, 2, 3), self._dice.randint(1, 3)):
            content = self._text() if self._dice.random() < 0.7 else b"alpha\n" * 9
            oid = self._checkout.git("hash-object", "-w", "--stdin", stdin=content).strip()
            records.append(b"100644 %b %d\t%b" % (oid, stage, os.fsencode(name)))
        listed = b"".join(record + b"\0" for record in records)
        self._checkout.git("update-index", "-z", "--index-info", stdin=listed, ok=(0, 1, 128))

    def _nest(self) -> None:
        path = self._checkout.path(self._path(2))
        if not path.exists():
            Checkout.init(path)


_CHANCES: Final[tuple[tuple[int, Callable[[_Builder], None]], ...]] = (
    (25, _Builder._write),  # noqa: SLF001 - a table of this class's own steps
    (20, _Builder._edit),  # noqa: SLF001
    (10, _Builder._remove),  # noqa: SLF001
    (10, _Builder._move),  # noqa: SLF001
    (7, _Builder._change_mode),  # noqa: SLF001
    (8, _Builder._stage),  # noqa: SLF001
    (4, _Builder._intend),  # noqa: SLF001
    (10, _Builder._rules),  # noqa: SLF001
    (2, _Builder._excludes),  # noqa: SLF001
    (2, _Builder._drop),  # noqa: SLF001
    (2, _Builder._nest),  # noqa: SLF001
    (6, _Builder._pin),  # noqa: SLF001
    (3, _Builder._sparse),  # noqa: SLF001
    (3, _Builder._intend_and_drop),  # noqa: SLF001
    (4, _Builder._link_repository),  # noqa: SLF001
    (3, _Builder._clash),  # noqa: SLF001
)
_WEIGHTS: Final = tuple(weight for weight, _ in _CHANCES)
_STEPS: Final = tuple(step for _, step in _CHANCES)
