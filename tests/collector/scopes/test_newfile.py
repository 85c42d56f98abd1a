import hypothesis
import hypothesis.strategies as st

from diffx.collector.scopes.newfile import blob_id, new_file_patch, replacement_patch
from diffx.review.model import GitPath
from diffx.review.patch import hunks, measure

texts = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"\r\n", b"\x0c\n", b"\n", b"c"]), max_size=9
).map(b"".join)


def apply(patch: bytes, before: bytes) -> bytes:
    """Apply a patch by its own line numbers, refusing what does not fit."""
    lines = before.split(b"\n")
    ended = lines[-1] == b""
    old = [line + b"\n" for line in lines[:-1]] + ([] if ended else [lines[-1]])
    made: list[bytes] = []
    at = 0
    for hunk in hunks(patch):
        for line in hunk.lines:
            text = line.text + (b"" if line.no_newline else b"\n")
            if line.kind == "+":
                made.append(text)
                continue
            assert line.old is not None
            made += old[at : line.old - 1]
            at = line.old - 1
            assert old[at] == text
            at += 1
            if line.kind == " ":
                made.append(text)
    return b"".join(made + old[at:])


def test_a_blob_is_named_as_git_names_it() -> None:
    assert blob_id(b"", "sha1") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n", "sha1") == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert blob_id(b"", "sha256").startswith("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7")


@hypothesis.given(texts)
def test_a_new_files_patch_makes_exactly_its_content(data: bytes) -> None:
    patch = new_file_patch(GitPath(b"f"), "100644", data, "sha1", binary=False)

    assert apply(patch, b"") == data
    assert measure(patch).deletions == 0


@hypothesis.given(texts, texts)
def test_a_replacement_turns_the_one_into_the_other(old: bytes, new: bytes) -> None:
    modes = ("100644", "100644")

    patch = replacement_patch(GitPath(b"f"), modes, old, new, "sha1")

    assert apply(patch, old) == new
    assert len(list(hunks(patch))) == (old != new)


def test_a_change_of_mode_alone_has_no_hunk() -> None:
    patch = replacement_patch(GitPath(b"f"), ("100644", "100755"), b"a\n", b"a\n", "sha1")

    assert patch == b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"


def test_names_are_spelled_as_git_spells_them() -> None:
    patch = new_file_patch(GitPath(b'a "b"\tc'), "100644", b"x\n", "sha1", binary=False)

    assert b'diff --git "a/a \\"b\\"\\tc" "b/a \\"b\\"\\tc"\n' in patch
    assert b'+++ "b/a \\"b\\"\\tc"\t\n' in patch
