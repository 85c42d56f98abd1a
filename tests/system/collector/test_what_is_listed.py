"""What stands in each scope, for every kind of path that a checkout can hold."""

import os
from pathlib import Path
from typing import Any

import pytest

from diffx.collector.gitexe import madeindex
from diffx.collector.gitexe.process import Git, Job, Word
from tests.support.engines import ENGINES
from tests.support.fieldcases import ODD_NAMES
from tests.support.repositories import (
    Checkout,
    after_text,
    assert_as_git_says,
    before_text,
    files_of,
    patch_of,
    scope_of,
    statuses,
)

pytestmark = pytest.mark.system


def body(word: str, lines: int = 30) -> str:
    return "".join(f"{word} {number}\n" for number in range(1, lines + 1))


@pytest.mark.parametrize("engine", ENGINES)
def test_repositories_inside_are_one_entry_each_and_never_entered(
    tmp_path: Path, engine: str
) -> None:
    """A worktree, a clone, one without a commit, and a `.git` that is garbage (case A01)."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("keep.txt", "one\n")
    checkout.commit()
    checkout.write("keep.txt", "two\n")
    checkout.write("plain/new.txt", "new\n")
    Checkout.init(checkout.path("lib/clone")).write("inner.txt", "inner\n")
    Checkout(checkout.path("lib/clone")).commit()
    Checkout.init(checkout.path("lib/unborn")).write("draft.txt", "draft\n")
    checkout.git("worktree", "add", "-q", "-b", "side", "agents/side")
    checkout.write("agents/side/agent.txt", "agent\n")
    checkout.write("garbage/.git", "gitdir: /nowhere\n")
    checkout.write("garbage/data.txt", "data\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    found = files_of(observation, "unstaged")
    nested = {path for path, file in found.items() if file.repository}
    assert nested == {b"lib/clone", b"lib/unborn", b"agents/side"}
    assert set(found) - nested == {b"keep.txt", b"plain/new.txt", b"garbage/data.txt"}


@pytest.mark.parametrize("setting", ["sparse", "split", "version4", "untracked-cache", "many"])
def test_every_form_of_index_is_read(tmp_path: Path, setting: str) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for number in range(4):
        checkout.write(f"app/{number}.txt", "old\n")
        checkout.write(f"docs/{number}.txt", "old\n")
    checkout.commit()
    {
        "sparse": lambda: checkout.git("sparse-checkout", "set", "--sparse-index", "app"),
        "split": lambda: checkout.git("update-index", "--split-index"),
        "version4": lambda: checkout.git("update-index", "--index-version", "4"),
        "untracked-cache": lambda: checkout.git("update-index", "--force-untracked-cache"),
        "many": lambda: checkout.git("config", "feature.manyFiles", "true"),
    }[setting]()
    checkout.write("app/0.txt", "new\n")
    checkout.write("app/1.txt", "new\n")
    checkout.git("add", "app/1.txt")
    checkout.write("app/fresh.txt", "new\n")

    assert_as_git_says(checkout, checkout.collect())


@pytest.mark.parametrize("engine", ENGINES)
def test_every_kind_of_conflict_is_listed_once_in_every_scope(tmp_path: Path, engine: str) -> None:
    """All seven kinds beside an ordinary change (case A14)."""
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("both", "gone_here", "gone_there", "renamed"):
        checkout.write(f"{name}.txt", body(name, 8))
    checkout.write("picture.bin", b"\0base")
    checkout.write("calm.txt", "calm\n")
    checkout.commit("base")
    checkout.git("checkout", "-q", "-b", "theirs")
    checkout.write("both.txt", body("both", 8).replace("both 4", "THEIRS"))
    checkout.write("added.txt", "theirs\n")
    checkout.write("gone_here.txt", body("theirs", 8))
    checkout.remove("gone_there.txt")
    checkout.git("mv", "renamed.txt", "renamed_there.txt")
    checkout.write("picture.bin", b"\0theirs")
    checkout.commit("theirs")
    checkout.git("checkout", "-q", "main")
    checkout.write("both.txt", body("both", 8).replace("both 4", "OURS"))
    checkout.write("added.txt", "ours\n")
    checkout.remove("gone_here.txt")
    checkout.write("gone_there.txt", body("ours", 8))
    checkout.git("mv", "renamed.txt", "renamed_here.txt")
    checkout.write("picture.bin", b"\0ours")
    checkout.commit("ours")
    checkout.git("merge", "theirs", ok=(1,))
    checkout.write("calm.txt", "calm but edited\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    kinds = {
        b"added.txt": "AA",
        b"both.txt": "UU",
        b"picture.bin": "UU",
        b"gone_there.txt": "UD",
        b"gone_here.txt": "DU",
        b"renamed.txt": "DD",
        b"renamed_here.txt": "AU",
        b"renamed_there.txt": "UA",
    }
    for scope in ("all", "staged", "unstaged"):
        found = files_of(observation, scope)
        assert {path: file.conflict for path, file in found.items() if file.conflict} == kinds
        assert all(file.status == "U" for path, file in found.items() if path in kinds)
    both = files_of(observation, "unstaged")[b"both.txt"]
    added = files_of(observation, "unstaged")[b"added.txt"]
    assert all(b"<<<<<<<" in after_text(observation, file) for file in (both, added))
    assert (both.index_status, both.worktree_status) == ("U", "U")
    assert (both.additions, both.deletions) == (4, 0)
    assert files_of(observation, "staged")[b"both.txt"].patch.reason == "conflict"
    assert files_of(observation)[b"calm.txt"].status == "M"


@pytest.mark.parametrize("engine", ["git", "libgit2"])
@pytest.mark.parametrize("based", [False, True])
@pytest.mark.parametrize(("stages", "kind"), [((1, 3), "DU"), ((1, 2), "UD"), ((1, 2, 3), "UU")])
def test_a_file_deleted_beside_a_conflict_that_looks_like_it_is_not_lost(
    tmp_path: Path, engine: str, stages: tuple[int, ...], kind: str, *, based: bool
) -> None:
    """git takes the unmerged file for the deleted one under another name."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("gone.txt", body("text"))
    checkout.write("other.txt", "other\n")
    base = checkout.commit()
    if not based:
        checkout.git("commit", "-q", "--allow-empty", "-m", "empty")
    oid = checkout.git("hash-object", "-w", "gone.txt").decode().strip()
    listed = "".join(f"100644 {oid} {stage}\tclash.txt\n" for stage in stages)
    checkout.git("update-index", "--index-info", stdin=listed.encode())
    checkout.path("gone.txt").rename(checkout.path("clash.txt"))
    checkout.write("clash.txt", body("text") + "more\n")

    observation = checkout.collect(engine=engine, base=base if based else "HEAD")

    assert_as_git_says(checkout, observation, base)
    assert statuses(observation, "unstaged") == {"clash.txt": "U", "gone.txt": "D"}
    found = files_of(observation)
    assert found[b"clash.txt"].conflict == kind
    assert after_text(observation, found[b"clash.txt"]) == (body("text") + "more\n").encode()
    # Where git compares it with a former name, that name is not forgotten.
    assert b"gone.txt" in (*found, found[b"clash.txt"].old_path)
    assert observation.content_hash is not None


def test_names_with_a_second_meaning_are_taken_literally(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for name in ODD_NAMES:
        checkout.write(name, "first\nold\n")
    checkout.commit()
    checkout.git("branch", "HEAD", ok=(0, 128))
    for number, name in enumerate(ODD_NAMES):
        if number % 5 == 4:
            checkout.remove(name)
        else:
            checkout.write(name, f"first\nnew {number}\n")
        checkout.write(b"loose/" + os.fsencode(name), f"loose {number}\n")

    observation = checkout.collect(base="HEAD")

    assert_as_git_says(checkout, observation)
    found = files_of(observation)
    assert len(found) == 2 * len(ODD_NAMES)
    for number, name in enumerate(ODD_NAMES):
        file = found[os.fsencode(name)]
        assert file.status == ("D" if number % 5 == 4 else "M"), name
        if file.status == "M":
            assert after_text(observation, file) == f"first\nnew {number}\n".encode()
            assert f"+new {number}\n".encode() in patch_of(observation, file)
    assert len({file.id for file in found.values()}) == len(found)


def test_a_rename_search_that_was_cut_is_said_to_be(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    for number in range(1_001):
        checkout.write(f"old/{number}.txt", f"{number} one\ntwo\nthree\nfour\n")
    checkout.commit()
    for number in range(1_001):
        checkout.remove(f"old/{number}.txt")
        checkout.write(f"new/{number}_{number}.txt", f"{number} one\ntwo\nthree\nFOUR\n")
    checkout.git("add", "-A")

    observation = checkout.collect()

    assert scope_of(observation, "staged").renames_limited
    assert scope_of(observation, "all").renames_limited
    assert not scope_of(observation, "unstaged").renames_limited
    assert len(files_of(observation)) == 2_002


def test_a_binary_file_that_only_moves_or_changes_mode_has_no_line_counts(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("small.bin", b"\0small")
    checkout.write("large.bin", b"\0" + b"large" * 600_000)
    checkout.write("run.bin", b"\0run")
    checkout.commit()
    checkout.git("mv", "small.bin", "small_new.bin")
    checkout.git("mv", "large.bin", "large_new.bin")
    checkout.path("run.bin").chmod(0o755)

    observation = checkout.collect()

    assert_as_git_says(checkout, observation)
    assert all(file.binary for file in files_of(observation).values())


@pytest.mark.parametrize("engine", ["git", "libgit2"])
def test_where_modes_do_not_count_a_new_file_has_the_mode_that_adding_gives_it(
    tmp_path: Path, engine: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("left.sh", "#!/bin/sh\n")
    checkout.write("left too.sh", "#!/bin/sh\n", executable=True)
    checkout.commit()
    checkout.git("config", "core.fileMode", "false")
    checkout.git("rm", "-q", "--cached", "left.sh", "left too.sh")
    checkout.write("left.sh", "#!/bin/sh\ntrue\n", executable=True)
    checkout.write("left too.sh", "#!/bin/sh\ntrue\n").chmod(0o644)
    checkout.write("new.sh", "something else\n", executable=True)

    untracked = checkout.collect(engine=engine)
    checkout.git("add", "new.sh")
    staged = checkout.collect(engine=engine)

    new = files_of(untracked)[b"new.sh"]
    assert new.new_mode == files_of(staged)[b"new.sh"].new_mode == "100644"
    assert patch_of(untracked, new) == patch_of(staged, files_of(staged)[b"new.sh"])
    modes = {path: (file.old_mode, file.new_mode) for path, file in files_of(untracked).items()}
    assert modes == {
        b"left.sh": ("100644", "100644"),
        b"left too.sh": ("100755", "100755"),
        b"new.sh": (None, "100644"),
    }


@pytest.mark.parametrize("by_number", [True, False])
def test_a_file_that_left_the_index_and_stayed_on_disk_is_compared_with_the_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_number: bool
) -> None:
    if not by_number:  # as where no /proc is mounted
        monkeypatch.setattr(madeindex, "_leads_to", lambda path, descriptor: False)
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("same.txt", "same\n")
    checkout.write("edited file.txt", "old\n")
    checkout.write("linked.txt", "old\n")
    checkout.commit()
    checkout.git("rm", "-q", "--cached", "same.txt", "edited file.txt", "linked.txt")
    checkout.write("edited file.txt", "new\n")
    checkout.link("linked.txt", "target")

    observation = checkout.collect()

    assert set(statuses(observation, "staged").values()) == {"D"}
    assert set(statuses(observation, "unstaged").values()) == {"A"}
    assert statuses(observation) == {"edited file.txt": "M", "linked.txt": "T"}
    edited = files_of(observation)[b"edited file.txt"]
    assert (edited.additions, edited.deletions) == (1, 1)
    assert before_text(observation, edited) == b"old\n"
    assert after_text(observation, edited) == b"new\n"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_folder_that_left_the_index_is_compared_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, object_format: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo", f"--object-format={object_format}")
    names = [f"big/{'deep/' * (number % 3)}file {number}.txt" for number in range(40)]
    for name in names:
        checkout.write(name, f"{name}\n")
    checkout.write(f"big/{'long' * 60}.sh", "#!/bin/sh\n")
    checkout.commit()
    checkout.git("rm", "-q", "-r", "--cached", "big")
    for name in names[::4]:
        checkout.write(name, "other\n")
    checkout.path(f"big/{'long' * 60}.sh").chmod(0o755)
    started: list[object] = []
    start = Git.start

    def counted(self: Git, *words: Word, **more: Any) -> Job:
        started.append(words[0])
        return start(self, *words, **more)

    monkeypatch.setattr(Git, "start", counted)

    observation = checkout.collect()

    assert statuses(observation) == dict.fromkeys([*names[::4], f"big/{'long' * 60}.sh"], "M")
    assert files_of(observation)[f"big/{'long' * 60}.sh".encode()].new_mode == "100755"
    assert len(started) < 20


def test_an_intended_addition_is_unstaged_only(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    checkout.write("new.txt", "new\n")
    checkout.git("add", "-N", "new.txt")

    observation = checkout.collect()

    assert statuses(observation, "staged") == {}
    assert statuses(observation, "unstaged") == {"new.txt": "A"}
    assert statuses(observation) == {"new.txt": "A"}


def test_ignore_rules_of_the_repository_and_of_the_user_apply(tmp_path: Path, home: Path) -> None:
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.mine\n")
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write(".gitignore", "*.log\n")
    checkout.commit()
    checkout.write(".git/info/exclude", "*.local\n")
    for name in ("a.log", "b.mine", "c.local", "d.txt"):
        checkout.write(name, "x\n")

    assert statuses(checkout.collect()) == {"d.txt": "A"}


def test_files_come_in_bytewise_order_and_the_same_path_has_the_same_id(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    for name in ("b", "a/b", "a.c", "Z", "\u00e9"):
        checkout.write(name, "x\n")
    checkout.git("add", "b")
    checkout.write("b", "y\n")

    observation = checkout.collect()

    paths = [file.path for file in scope_of(observation, "all").files]
    assert paths == sorted(paths)
    ids = [files_of(observation, scope)[b"b"].id for scope in ("all", "staged", "unstaged")]
    assert len(set(ids)) == 1


def test_a_linked_worktree_is_a_checkout_of_its_own(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("f.txt", "one\n")
    checkout.commit()
    checkout.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Checkout(tmp_path / "side")
    checkout.write("f.txt", "in main\n")
    side.write("f.txt", "in side\n")

    observation = side.collect()

    assert after_text(observation, files_of(observation)[b"f.txt"]) == b"in side\n"
    assert observation.provenance.branch == "side"
    assert observation.repository_key == checkout.collect().repository_key
    assert observation.checkout_key != checkout.collect().checkout_key
