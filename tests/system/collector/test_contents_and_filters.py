"""What a line is, what text is, and what stands between a file and git (A25, 2.5, 2.7, 2.9)."""

import hashlib
import os
from pathlib import Path

import pytest

from diffx.review.patch import hunks
from diffx.store.database import open_store
from tests.support.engines import ENGINES
from tests.support.published import Published
from tests.support.repositories import (
    Checkout,
    after_text,
    assert_as_git_says,
    before_text,
    files_of,
    patch_of,
    statuses,
)

pytestmark = pytest.mark.system

SEPARATORS = {
    "ff": "\f", "vt": "\v", "cr": "\r", "fs": "\x1c", "gs": "\x1d", "rs": "\x1e",
    "nel": "\x85", "ls": "\u2028", "ps": "\u2029",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_only_a_line_feed_ends_a_line(tmp_path: Path, engine: str) -> None:
    """The changed line is number 11 behind every other separator (case A25)."""
    checkout = Checkout.init(tmp_path / "repo")

    def build(word: str) -> None:
        for name, char in SEPARATORS.items():
            lines = [f"line {n}{char if n in (2, 5) else ' '}end" for n in range(1, 13)]
            lines[10] = f"line 11 {word}"
            checkout.write(f"{name}.txt", "\n".join(lines) + "\n")

    build("old")
    checkout.commit()
    build("new")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    for name in SEPARATORS:
        file = files_of(observation)[f"{name}.txt".encode()]
        changed = [
            (line.kind, line.old or line.new)
            for hunk in hunks(patch_of(observation, file))
            for line in hunk.lines
            if line.kind != " "
        ]
        assert changed == [("-", 11), ("+", 11)], name


@pytest.mark.parametrize("engine", ENGINES)
def test_content_cannot_forge_a_file(tmp_path: Path, engine: str) -> None:
    """A separator and a header after it are content of one file (case A25)."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("forged.py", "ok\n")
    checkout.commit()
    text = "x = 1 # \u2028diff --git a/innocent.md b/innocent.md\ndiff --git a/other b/other\n"
    checkout.write("forged.py", "ok\n" + text)
    checkout.write("loose.py", text)

    observation = checkout.collect(engine=engine)

    assert statuses(observation) == {"forged.py": "M", "loose.py": "A"}
    forged = files_of(observation)[b"forged.py"]
    lines = [line for hunk in hunks(patch_of(observation, forged)) for line in hunk.lines]
    assert [line.new for line in lines if line.kind == "+"] == [2, 3]
    assert files_of(observation)[b"loose.py"].additions == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_every_kind_of_content_counts_as_in_git_and_reads_as_text_where_it_can(
    tmp_path: Path, engine: str
) -> None:
    """Line ends, Latin-1, UTF-16, a late NUL, no newline at the end (case A25)."""
    checkout = Checkout.init(tmp_path / "repo")

    def build(word: str) -> None:
        checkout.write("crlf.txt", f"a\r\nb {word}\r\nc\r\n")
        checkout.write("mixed.txt", f"a\r\nb\nc\rd {word}\n")
        checkout.write("latin1.txt", f"na\u00efve {word}\n".encode("latin-1"))
        checkout.write("late_nul.txt", b"y" * 9000 + b"\n\0" + word.encode() + b"\n")
        checkout.write("utf16.txt", f"a\n{word}\n".encode("utf-16"))
        checkout.write("binary.bin", b"\0\1" + word.encode())
        checkout.write("no_newline.txt", "one\ntwo" + ("\n" if word == "new" else ""))
        checkout.write("never.txt", f"one\ntwo {word}")
        checkout.write("long.txt", "k" * 2_000_000 + word + "\n")

    build("old")
    checkout.commit()
    build("new")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    found = files_of(observation)
    assert after_text(observation, found[b"latin1.txt"]) == "na\u00efve new\n".encode()
    after = found[b"latin1.txt"].after
    assert after is not None
    assert after.encoding == "latin-1"
    assert after_text(observation, found[b"utf16.txt"]) == b"a\nnew\n"
    assert found[b"utf16.txt"].binary
    assert found[b"utf16.txt"].patch.reason == "binary"
    binary = found[b"binary.bin"]
    assert (binary.binary, binary.additions) == (True, None)
    assert binary.after is not None
    assert binary.after.reason == "binary"
    assert binary.fingerprint is not None
    assert b"\\ No newline at end of file" in patch_of(observation, found[b"no_newline.txt"])
    with open_store(None) as store:
        assert "na\u00efve new" in Published(store, observation).everything()


def test_an_untracked_file_has_the_patch_that_adding_it_would_give(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    names = ("plain", "with blank", 'quo"te', "tab\there", "caf\u00e9", "dir/x y")
    for name in names:
        checkout.write(name, "one\ntwo\n")
        checkout.write(f"{name}.bare", "one")
    checkout.write("empty")
    checkout.write("run", "#!/bin/sh\n", executable=True)
    checkout.write("data.bin", b"a\0b")
    checkout.link("link", "target with blank")

    untracked = checkout.collect()
    checkout.git("add", "-A")
    added = checkout.collect()

    assert untracked.texts.keys() == added.texts.keys()
    for path, file in files_of(untracked).items():
        assert file.patch == files_of(added)[path].patch, path
        assert file.fingerprint == files_of(added)[path].fingerprint


def test_line_end_conversions_apply_as_in_git(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.txt text eol=crlf\n*.id ident\n")
    checkout.write("same.txt", "a\nb\n")
    checkout.write("edited.txt", "a\nb\n")
    checkout.write("x.id", "$Id$\n")
    checkout.commit()
    checkout.write("same.txt", "a\r\nb\r\n")
    checkout.write("edited.txt", "a\r\nB\r\n")
    checkout.write("x.id", "$Id: something else $\nmore\n")

    observation = checkout.collect()

    assert_as_git_says(checkout, observation)
    assert set(statuses(observation)) == {"edited.txt", "x.id"}
    edited = files_of(observation)[b"edited.txt"]
    assert (edited.additions, edited.deletions) == (1, 1)
    assert observation.content_hash is not None


def test_a_working_tree_encoding_reads_as_text(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.ps1 working-tree-encoding=UTF-16LE-BOM\n")
    checkout.write("a.ps1", "\ufeffone\n".encode("utf-16-le"))
    checkout.commit()
    checkout.write("a.ps1", "\ufefftwo\n".encode("utf-16-le"))
    checkout.write("new.ps1", "\ufeffnew\n".encode("utf-16-le"))

    observation = checkout.collect()

    assert_as_git_says(checkout, observation)
    file = files_of(observation)[b"a.ps1"]
    assert (file.binary, file.additions, file.deletions) == (False, 1, 1)
    assert before_text(observation, file) == b"one\n"
    assert after_text(observation, file) == b"two\n"
    assert b"+new\n" in patch_of(observation, files_of(observation)[b"new.ps1"])


def pointer(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    ).encode()


@pytest.fixture
def lfs(tmp_path: Path) -> Checkout:
    """A checkout whose pictures are Git LFS files, with nothing installed that could run."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n")
    for name in ("same.png", "edited.png", "gone.png", "moded.png"):
        checkout.write(name, pointer(f"{name} old".encode()))
    checkout.commit()
    for part in ("clean", "smudge", "process"):
        checkout.git("config", f"filter.lfs.{part}", f"git-lfs {part} -- %f")
    checkout.git("config", "filter.lfs.required", "true")
    for name in ("same.png", "moded.png"):
        checkout.write(name, f"{name} old".encode())
    checkout.path("moded.png").chmod(0o755)
    checkout.write("edited.png", b"edited.png new")
    checkout.remove("gone.png")
    checkout.write("new.png", b"new picture")
    return checkout


def test_a_git_lfs_file_is_compared_by_its_pointer(lfs: Checkout) -> None:
    observation = lfs.collect()

    assert statuses(observation) == {
        "edited.png": "M",
        "gone.png": "D",
        "moded.png": "M",
        "new.png": "A",
    }
    edited = files_of(observation)[b"edited.png"]
    assert (edited.additions, edited.deletions) == (1, 1)
    assert before_text(observation, edited) == pointer(b"edited.png old")
    assert after_text(observation, edited) == pointer(b"edited.png new")
    assert after_text(observation, files_of(observation)[b"new.png"]) == pointer(b"new picture")
    moded = files_of(observation)[b"moded.png"]
    assert (moded.additions, moded.old_mode, moded.new_mode) == (0, "100644", "100755")
    assert observation.content_hash is not None


def test_a_pointers_patch_applies(lfs: Checkout, tmp_path: Path) -> None:
    observation = lfs.collect()
    target = Checkout.init(tmp_path / "target")

    for name in ("edited.png", "new.png", "moded.png"):
        file = files_of(observation)[name.encode()]
        if file.before is not None:
            target.write(name, before_text(observation, file))
        target.git("apply", "-", stdin=patch_of(observation, file))
        assert target.read(name) == after_text(observation, file)


def test_a_file_under_another_filter_is_never_a_whole_rewrite(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.ipynb filter=strip\n*.off filter=unconfigured\n")
    checkout.write("a.ipynb", "cleaned\n" * 50)
    checkout.write("a.off", "old\n")
    checkout.commit()
    checkout.git("config", "filter.strip.clean", "sed s/raw/cleaned/")
    checkout.git("config", "filter.strip.smudge", "sed s/cleaned/raw/")
    checkout.write("a.ipynb", "raw\n" * 50)
    checkout.write("a.off", "new\n")

    observation = checkout.collect()

    notebook = files_of(observation)[b"a.ipynb"]
    assert (notebook.patch.reason, notebook.additions) == ("filtered", None)
    assert notebook.after is not None
    assert notebook.after.reason == "filtered"
    assert files_of(observation)[b"a.off"].additions == 1
    assert observation.content_hash is not None


def test_attributes_decide_about_noise_and_binary(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "gen.* linguist-generated\n*.dump -diff\n")
    checkout.commit()
    checkout.write("gen.c", "int x;\n")
    checkout.write("a.dump", "text\n")
    checkout.write("package-lock.json", "{}\n")

    found = files_of(checkout.collect())

    assert found[b"gen.c"].noise is not None
    assert found[b"gen.c"].noise.noise_class == "generated"
    assert found[b"package-lock.json"].noise is not None
    assert found[b"a.dump"].binary
    assert found[b"a.dump"].patch.reason == "binary"


@pytest.mark.parametrize("engine", ["git", "libgit2"])
@pytest.mark.parametrize("where", ["ignored", "ignored below", "split index", "version 4"])
def test_attributes_count_wherever_their_file_is(tmp_path: Path, where: str, engine: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a/b/made.txt", "old\n")
    checkout.write(".gitignore", ".gitattributes\n")
    checkout.commit()
    rules = "made.txt linguist-generated -diff\n"
    if where == "ignored below":
        checkout.write("a/b/.gitattributes", rules)
    else:
        checkout.write(".gitattributes", rules)
    if where in ("split index", "version 4"):
        checkout.git("add", "-f", ".gitattributes")
        checkout.git("commit", "-q", "-m", "rules")
        checkout.remove(".gitattributes")
        checkout.git("update-index", "--assume-unchanged", ".gitattributes")
    if where == "version 4":
        checkout.git("update-index", "--index-version", "4")
    if where == "split index":
        if engine == "libgit2":
            pytest.skip("a split index is read by git alone")
        checkout.git("update-index", "--split-index")
    checkout.write("a/b/made.txt", "new\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    made = files_of(observation)[b"a/b/made.txt"]
    assert made.binary
    assert made.noise is not None
    assert made.noise.noise_class == "generated"


@pytest.mark.parametrize("engine", ["git", "libgit2"])
@pytest.mark.parametrize("mode", ["--cone", "--no-cone"])
def test_attributes_outside_a_sparse_cone_are_those_that_git_applies(
    tmp_path: Path, mode: str, engine: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("app/in.txt", "in\n")
    checkout.write("lib/.gitattributes", "*.txt -diff\n")
    checkout.write("lib/out.txt", "out\n")
    checkout.commit()
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.write("lib/out.txt", "out 2\n")
    checkout.commit()
    checkout.git("sparse-checkout", "set", mode, "app")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation, "main")
    assert statuses(observation) == {"lib/out.txt": "M"}


@pytest.mark.parametrize("engine", ["git", "libgit2"])
def test_a_file_without_lines_is_binary_where_git_counts_none(tmp_path: Path, engine: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitattributes", "*.dat -diff\n*.txt diff\n")
    for name in ("gone.dat", "mode.dat", "gone.md"):
        checkout.write(name, "")
    checkout.write("name.dat", "some text\n" * 9)
    checkout.write("mode.bin", b"\0" * 9)
    checkout.write("mode.txt", b"\0" * 9)
    checkout.link("link.dat", "nowhere")
    checkout.commit()
    for name in ("gone.dat", "gone.md", "link.dat"):
        checkout.remove(name)
    for name in ("mode.dat", "mode.bin", "mode.txt"):
        checkout.path(name).chmod(0o755)
    checkout.git("mv", "name.dat", "name.md")
    checkout.write("come.dat", "")
    checkout.write("come.md", "")
    checkout.git("add", "come.dat", "come.md")
    checkout.write("loose.dat", "")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    found = files_of(observation)
    assert found[b"loose.dat"].binary == found[b"come.dat"].binary
    assert found[b"loose.dat"].patch.reason == found[b"come.dat"].patch.reason


def test_the_budget_keeps_patches_before_contents_and_says_what_stays_behind(
    tmp_path: Path,
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    for number in range(12):
        checkout.write(f"{number:02d}.txt", os.urandom(700_000).hex() + "\n")

    observation = checkout.collect()

    assert sum(map(len, observation.texts.values())) <= 16 << 20
    files = files_of(observation).values()
    assert sum(file.patch.blob is not None for file in files) == 11
    assert {file.patch.reason for file in files} == {None, "budget"}
    assert {file.after.reason for file in files if file.after} == {"budget"}
    assert observation.content_hash is not None
