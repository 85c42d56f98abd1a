"""Ignore rules, attributes and conversions against real Git, over patterns made to be awkward."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from diffx.collector.contents.worktree import Worktree, open_root
from diffx.collector.libgit2.checkoutscan import Tracked, scan
from diffx.collector.libgit2.conversion import LineEnds, to_git
from diffx.collector.rules.attributes import AttributeRules
from diffx.collector.rules.ignores import Ignores, parse_ignores
from tests.support.repositories import Checkout
from tests.support.states import ATTRIBUTES, IGNORES

pytestmark = pytest.mark.system

_ALPHABET = "ab*?[]!^-\\/ .A:"
_PATTERNS = st.sampled_from(IGNORES) | st.text(_ALPHABET, min_size=1, max_size=7)
_RULES = st.lists(_PATTERNS, min_size=1, max_size=5).map("\n".join)
_FILES = (
    *("a", "b", "ab", "A", "a.b", "-", "!", "a b", "a ", "[a]", "a*", "^", "a\\b", "\\", ":"),
    *(
        "foo",
        "foo.o",
        "foobar",
        "c.txt",
        "#hash",
        "!bang",
        "trail ",
        "d e",
        "z\\q",
        "\u00e9",
        "x*",
    ),
    *("d/a", "d/b", "d/foo", "d/a.b", "d/e/a", "d/e/b", "d/e/ab", "d/[a]", "d/- ", "d/A"),
    *("sub/a", "sub/foo", "sub/foo.o", "build/a", "node/q/x", "node/x", "foobar_/b", "e/d/a/b"),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    checkout = Checkout(tmp_path_factory.mktemp("rules"))
    for name in _FILES:
        path = checkout.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return checkout


@settings(max_examples=150)
@given(top=_RULES, deeper=_RULES | st.none(), info=_RULES, fold=st.booleans())
@example(top="foo**\nd/fo**", deeper=None, info="", fold=False)
@example(top="?**/a", deeper=None, info="", fold=False)
@example(top="*\n!*/\n!*.txt", deeper="!a", info="c.txt", fold=False)
@example(top="[A-F]OO\n[^[:upper:]]", deeper=None, info="", fold=True)
@example(top="\ufeffa\nb\r\nfoo \\ ", deeper="/a\n/e/", info="", fold=False)
def test_untracked_files_are_those_that_git_lists(
    tree: Checkout, top: str, deeper: str | None, info: str, fold: bool
) -> None:
    if not tree.path(".git").exists():
        Checkout.init(tree.top)
    tree.git("config", "core.ignoreCase", str(fold).lower())
    tree.write(".gitignore", top.encode())
    tree.path("d/.gitignore").unlink(missing_ok=True)
    if deeper is not None:
        tree.write("d/.gitignore", deeper.encode())
    tree.write(".git/info/exclude", info.encode())
    listed = tree.git("ls-files", "-o", "--exclude-standard", "-z").split(b"\0")[:-1]
    assert _untracked(tree.top, info.encode(), fold=fold) == sorted(listed)


def _untracked(top: Path, info: bytes, *, fold: bool) -> list[bytes]:
    root = open_root(top)
    try:
        with Worktree(root) as worktree:
            folded = frozenset[bytes]() if fold else None
            tracked = Tracked({}, frozenset({b""}), folded)
            rules = Ignores(b"", (), None, [parse_ignores(info, fold=fold)])
            return list(scan(top, worktree, tracked, rules, lambda: None).untracked)
    finally:
        os.close(root)


_ATTRIBUTE_LINES = st.lists(
    st.sampled_from(ATTRIBUTES)
    | st.tuples(
        st.text(_ALPHABET.replace(" ", ""), min_size=1, max_size=5),
        st.lists(
            st.sampled_from(("text", "-text", "!text", "text=auto", "diff", "-diff", "!diff"))
            | st.sampled_from(("binary", "-binary", "own", "filter=x", "a=b=c", "-", "a!b")),
            min_size=1,
            max_size=3,
        ),
    ).map(lambda pair: f"{pair[0]} {' '.join(pair[1])}"),
    max_size=5,
).map("\n".join)
_ASKED = ("text", "diff", "filter", "eol", "ident", "merge", "working-tree-encoding", "own", "a")


@settings(max_examples=150)
@given(top=_ATTRIBUTE_LINES, deeper=_ATTRIBUTE_LINES, info=_ATTRIBUTE_LINES)
@example(top='"d/\\141" diff\n"d e\\" x', deeper="[attr]own diff", info="[attr]own -text\na own")
@example(top="x" * 2100 + " diff\n" + "a " + "b" * 2040 + "\na text", deeper="", info="")
def test_attributes_are_those_that_git_says(
    tree: Checkout, top: str, deeper: str, info: str
) -> None:
    if not tree.path(".git").exists():
        Checkout.init(tree.top)
    tree.git("config", "core.ignoreCase", "false")
    for name, content in ((".gitattributes", top), ("d/.gitattributes", deeper)):
        tree.write(name, content.encode())
    tree.write(".git/info/attributes", info.encode())
    paths = [name.encode() for name in _FILES]
    asked = b"".join(path + b"\0" for path in paths)
    words = tree.git("check-attr", "-z", "--stdin", *_ASKED, stdin=asked).split(b"\0")
    expected: dict[bytes, dict[str, str]] = {path: {} for path in paths}
    for path, attribute, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
        if value != b"unspecified":
            expected[path][attribute.decode()] = value.decode()

    def read(folder: bytes) -> bytes | None:
        file = tree.path(folder) / ".gitattributes"
        return file.read_bytes() if file.exists() else None

    rules = AttributeRules(read, info.encode(), fold=False)
    found = {
        path: {name: value for name, value in rules.of(path).items() if name in _ASKED}
        for path in paths
    }
    assert found == expected


_PIECES = st.lists(
    st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b"\0", b"\x01", b"\x1a", b"$Id$", b"$Id: x $"])
    | st.sampled_from([b"$Id:\n$", b"$Id: a$b$", b"\x7f", b"caf\xe9", b"x" * 130]),
    max_size=8,
).map(b"".join)
_SAID = st.fixed_dictionaries(
    {},
    optional={
        "text": st.sampled_from(["set", "unset", "auto", "input", "odd"]),
        "crlf": st.sampled_from(["set", "unset", "input"]),
        "eol": st.sampled_from(["lf", "crlf", "odd"]),
        "ident": st.sampled_from(["set", "unset"]),
        "working-tree-encoding": st.sampled_from(["UTF-16", "UTF-16LE", "UTF-16BE-BOM", "UTF-8"]),
    },
)


@settings(max_examples=150)
@example(data=b"a\r\n", stored=b"b\r\n", said={}, auto="true")
@example(data=b"a\r\n", stored=b"b\r\n\0", said={"text": "auto"}, auto="false")
@given(
    data=_PIECES | _PIECES.map(lambda data: data.decode("latin-1").encode("utf-16")),
    stored=st.none() | _PIECES,
    said=_SAID,
    auto=st.sampled_from(["false", "true", "input"]),
)
def test_contents_are_stored_as_git_would_store_them(
    tmp_path_factory: pytest.TempPathFactory,
    data: bytes,
    stored: bytes | None,
    said: dict[str, str],
    auto: str,
) -> None:
    checkout = Checkout.init(tmp_path_factory.mktemp("conversion"))
    if stored is not None:
        checkout.write("f", stored)
        checkout.git("add", "f")
    checkout.git("config", "core.autocrlf", auto)
    words = [_spelled(name, value) for name, value in said.items()]
    checkout.write(".gitattributes", "f " + " ".join(words) + "\n" if words else "")
    checkout.write("f", data)
    # Not hash-object, which does not look into the index for line ends that are there already.
    try:
        checkout.git("add", "f")
    except AssertionError:
        return  # git refuses what it cannot re-encode
    ours = to_git(data, said, LineEnds(auto=auto != "false"), lambda: stored)
    assert ours == checkout.blob(":f")


def _spelled(name: str, value: str) -> str:
    return {"set": name, "unset": f"-{name}"}.get(value, f"{name}={value}")
