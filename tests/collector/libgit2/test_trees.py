import hashlib

from hypothesis import given
from hypothesis import strategies as st

from diffx.collector.libgit2.trees import (
    DamagedTreeError,
    Difference,
    Node,
    TreeSide,
    compare_tree,
    parse_tree,
)
from diffx.review.model import GitPath

_OID = "0123456789abcdef" * 2 + "01234567"
Files = dict[str, str]


class _Store:
    """Tree objects made from plain paths, and a note of which were read."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.read_ones: list[str] = []

    def read(self, oid: str) -> bytes:
        self.read_ones.append(oid)
        return self.objects[oid]

    def write(self, files: Files) -> str:
        entries: dict[bytes, tuple[bytes, str]] = {}
        below: dict[str, Files] = {}
        for path, oid in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = oid
            else:
                entries[name.encode()] = (b"100644", oid)
        for name, inner in below.items():
            entries[name.encode()] = (b"40000", self.write(inner))
        data = b"".join(
            mode + b" " + name + b"\0" + bytes.fromhex(oid)
            for name, (mode, oid) in entries.items()
        )
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        self.objects[oid] = data
        return oid


_SOME = st.dictionaries(
    st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "d/e/f/a", "g/a", "h/i/a"]),
    st.sampled_from(["1" * 40, "2" * 40]),
)


@given(_SOME, _SOME)
def test_exactly_what_differs_is_found_in_path_order(old: Files, new: Files) -> None:
    store = _Store()
    before, after = store.write(old), store.write(new)
    found = compare_tree(store.read, before, TreeSide(store.read, after).folder)
    expected = [
        Difference(
            GitPath(path.encode()),
            Node("100644", old[path]) if path in old else None,
            Node("100644", new[path]) if path in new else None,
        )
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    ]
    assert found == expected


def test_a_folder_that_is_the_same_is_not_entered_on_the_old_side() -> None:
    store = _Store()
    old = store.write({"same/x": "1" * 40, "a": "1" * 40})
    new = store.write({"same/x": "1" * 40, "a": "2" * 40})
    same = store.write({"x": "1" * 40})
    compare_tree(store.read, old, TreeSide(store.read, new).folder)
    assert store.read_ones.count(same) <= 1


def test_a_file_that_becomes_a_folder_is_a_deletion_and_additions() -> None:
    store = _Store()
    old, new = store.write({"x": "1" * 40}), store.write({"x/y": "2" * 40})
    found = compare_tree(store.read, old, TreeSide(store.read, new).folder)
    assert [(one.path, one.old is None) for one in found] == [(b"x", False), (b"x/y", True)]


def test_no_tree_is_an_empty_one() -> None:
    store = _Store()
    new = store.write({"x": "1" * 40})
    assert len(compare_tree(store.read, None, TreeSide(store.read, new).folder)) == 1
    assert len(compare_tree(store.read, new, TreeSide(store.read, None).folder)) == 1


def test_old_modes_are_read_as_git_reads_them() -> None:
    oid = bytes.fromhex(_OID)
    data = b"".join(
        mode + b" " + name + b"\0" + oid
        for mode, name in (
            (b"100664", b"old"),
            (b"100755", b"run"),
            (b"120000", b"link"),
            (b"160000", b"sub"),
            (b"40000", b"dir"),
        )
    )
    modes = {name: node.mode for name, node in parse_tree(data).items()}
    assert modes == {
        b"old": "100644",
        b"run": "100755",
        b"link": "120000",
        b"sub": "160000",
        b"dir": "040000",
    }


@given(st.binary(max_size=60))
def test_damage_is_one_kind_of_error(data: bytes) -> None:
    try:
        parse_tree(data)
    except DamagedTreeError as damaged:
        assert "git fsck" in str(damaged)
