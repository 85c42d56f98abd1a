"""What broke other tools in the field, told right by both engines.

Each test cites its case. Cases that other files of the suite hold in full are cited there:
A01 and A14 in collector/test_what_is_listed, A11 in test_which_checkout_and_base, A15 in
test_submodules, A20 in test_special_files, A23 and A24 in test_harmless, A25 in
test_contents_and_filters. tests/test_field_cases.py sees to it that none is lost.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.cli.main import main
from diffx.errors import DiffxError
from diffx.review.model import SCOPES
from diffx.store.database import Store, open_store
from tests.support.engines import ENGINES
from tests.support.fieldcases import ODD_NAMES, build_paths, edited, extend, git_reads, manifest
from tests.support.ordinary_user import (
    an_ordinary_user,
    collect_as_an_ordinary_user,
    shared_folder,
)
from tests.support.published import Published
from tests.support.repositories import (
    Checkout,
    after_text,
    assert_as_git_says,
    before_text,
    collect_at,
    files_of,
    patch_of,
    said,
    statuses,
)
from tests.support.viewer import without_progress
from tests.support.world import said as told
from tests.support.world import shown, world

pytestmark = [pytest.mark.system, pytest.mark.parametrize("engine", ENGINES)]


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def shared() -> Iterator[Path]:
    with shared_folder() as folder:
        yield folder


def test_links_that_lead_out_are_their_text_everywhere(
    tmp_path: Path, store: Store, engine: str
) -> None:
    """Untracked, changed, in place of a file and in place of a folder (case A02)."""
    secret = "what stays outside 90125"
    outside = tmp_path / "elsewhere"
    (outside / "src").mkdir(parents=True)
    for name in ("private", "src/inner.txt"):
        (outside / name).write_text(secret)
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("src/inner.txt", "notes.txt", "one", "two"):
        checkout.write(name, f"tracked {name}\n")
    checkout.link("setting", "one")
    checkout.commit()
    checkout.link("setting", "two")
    checkout.link("notes.txt", "../elsewhere/private")
    checkout.remove("src/inner.txt")
    checkout.path("src").rmdir()
    untracked = {
        "src": "../elsewhere/src",
        "to_folder": "../elsewhere",
        "to_file": "../elsewhere/private",
        "to_nothing": "no/such/place",
        "to_itself": "to_itself",
        "absolute": "/etc/hostname",
    }
    for name, target in untracked.items():
        checkout.link(name, target)

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    found = files_of(observation)
    assert statuses(observation) == dict.fromkeys(untracked, "A") | {
        "notes.txt": "T",
        "setting": "M",
        "src/inner.txt": "D",
    }
    for name, target in (untracked | {"notes.txt": "../elsewhere/private"}).items():
        file = found[name.encode()]
        assert (file.new_mode, after_text(observation, file)) == ("120000", target.encode())
    assert secret.encode() not in b"".join(observation.texts.values())
    published = Published(store, observation)
    assert secret not in published.everything()
    ids = {file["path"]: file["id"] for file in published.files()}
    for name in (*untracked, "notes.txt", "setting"):
        assert published.contents(ids[name])[1] == os.readlink(checkout.path(name))  # noqa: PTH115
    assert published.contents(ids["src/inner.txt"]) == ("tracked src/inner.txt\n", None)
    for name in ("src/inner.txt", "to_file", "../elsewhere/private"):
        assert published.status(name) == 404, name


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    build_paths(tmp_path)
    return tmp_path


def test_a_path_means_its_whole_checkout(layout: Path, engine: str) -> None:
    """The top, a subfolder, a link, a file, a worktree beside a bare store (case A05)."""
    paths = {"web/src/a.txt": "M", "api/b.txt": "M", "web/src/new.txt": "A"}
    for name in ("repo", "repo/web/src", "by-link", "repo/web/src/a.txt"):
        observation = collect_at(layout / name, engine=engine)
        assert statuses(observation) == paths, name
        assert_as_git_says(Checkout(layout / "repo"), observation)
    assert statuses(collect_at(layout / "topic", engine=engine)) == {"api/b.txt": "M"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("store", "bare repository"),
        ("store/.bare", "bare repository"),
        ("repo/.git", "inside a .git folder"),
        ("plain", "in no Git checkout"),
        ("orphan", "in no Git checkout"),
        ("missing", "does not exist"),
    ],
)
def test_a_path_without_files_to_review_is_one_line_and_no_list(
    layout: Path, home: Path, engine: str, name: str, reason: str
) -> None:
    """Nothing is taken for deleted; the line names the path and the reason (case A05)."""
    assert reason in _refused(layout / name, home, engine)


def _refused(path: Path, home: Path, engine: str) -> str:
    """Run diffx on a path that it must refuse; return the one line that it says."""
    where = world(home)
    words = ("--engine", engine, "--no-browser", "--state", "memory", "--port", "0")
    code = main([str(path), *words], where)
    line = without_progress(told(where))
    assert (code in (1, 2), shown(where), line.count("\n")) == (True, "", 1), line
    assert str(path) in line
    return line


def test_a_path_that_changes_its_kind_is_told_as_git_tells_it(
    tmp_path: Path, store: Store, engine: str
) -> None:
    """Among file, link, folder, repository and submodule; every record has its key (case A06)."""
    checkout = Checkout.init(tmp_path / "repo")
    for name in (
        "guide",
        "file_to_dir",
        "file_to_repo",
        "dir_to_file/1",
        "dir_to_file/2",
        "sub/s",
    ):
        checkout.write(name, f"old {name}\n")
    checkout.link("was_link", "guide")
    checkout.commit()
    checkout.git("rm", "-q", "-r", "sub")
    Checkout.init(checkout.path("sub")).commit("inner")
    checkout.git("add", "sub")
    for name in ("guide", "was_link", "file_to_dir", "file_to_repo"):
        checkout.remove(name)
    checkout.link("guide", "core/guide")
    checkout.write("was_link", "now a file\n")
    checkout.write("file_to_dir/in", "in\n")
    Checkout.init(checkout.path("file_to_repo")).commit("inner")
    for name in ("1", "2"):
        checkout.remove(f"dir_to_file/{name}")
    checkout.path("dir_to_file").rmdir()
    checkout.write("dir_to_file", "flat\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    assert statuses(observation) == {
        "guide": "T", "was_link": "T", "file_to_repo": "T",
        "file_to_dir": "D", "file_to_dir/in": "A",
        "dir_to_file/1": "D", "dir_to_file/2": "D", "dir_to_file": "A",
        "sub/s": "D", "sub": "A",
    }  # fmt: skip
    found = files_of(observation)
    for path, before, after in ((b"guide", b"old guide\n", b"core/guide"),
                                (b"was_link", b"guide", b"now a file\n")):  # fmt: skip
        assert before_text(observation, found[path]) == before
        assert after_text(observation, found[path]) == after
    guide = found[b"guide"]
    assert (guide.additions, guide.deletions) == (1, 1)
    assert patch_of(observation, guide).count(b"diff --git a/guide b/guide\n") == 2
    assert (found[b"sub"].new_mode, found[b"file_to_repo"].new_mode) == ("160000", "160000")
    published = Published(store, observation)
    for scope in SCOPES:
        ids = [file["id"] for file in published.files(scope)]
        assert len(set(ids)) == len(ids) > 0


def test_what_is_absent_or_edited_on_purpose_is_not_listed(tmp_path: Path, engine: str) -> None:
    """In a sparse checkout, and under skip-worktree (case A07)."""
    sparse = Checkout.init(tmp_path / "sparse")
    for name in ("app/deep/1", "app/deep/2", "lib/deep/1", "docs/1", "top"):
        sparse.write(name, "old\n")
    sparse.commit()
    sparse.git("sparse-checkout", "set", "--cone", "--no-sparse-index", "app")
    assert not sparse.path("lib").exists()
    for name in ("app/deep/1", "app/fresh"):
        sparse.write(name, "new\n")
    skip = Checkout.init(tmp_path / "skip")
    for name in ("local.cfg", "absent", "code"):
        skip.write(name, "old\n")
    skip.commit()
    skip.git("update-index", "--skip-worktree", "local.cfg", "absent")
    for name in ("local.cfg", "code"):
        skip.write(name, "mine\n")
    skip.remove("absent")

    for checkout, expected in (
        (sparse, {"app/deep/1": "M", "app/fresh": "A"}),
        (skip, {"code": "M"}),
    ):
        observation = checkout.collect(engine=engine)
        assert_as_git_says(checkout, observation)
        assert statuses(observation) == expected


def test_worktrees_with_relative_paths_show_each_its_own_line(tmp_path: Path, engine: str) -> None:
    """Gits before 2.48 refuse such a repository, and `auto` asks libgit2 then (case A09)."""
    checkout = edited(tmp_path / "repo")
    checkout.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Checkout(tmp_path / "side")
    side.write("f.txt", "in side\n")
    side.write(".git", "gitdir: ../repo/.git/worktrees/side\n")
    checkout.write(".git/worktrees/side/gitdir", "../../../../side/.git\n")
    extend(checkout, "relativeWorktrees", "true")
    known = git_reads(checkout)

    for top, line in ((checkout.top, b"two\n"), (side.top, b"in side\n")):
        for choice in ("auto", engine):
            if choice == "git" and not known:
                with pytest.raises(DiffxError, match="relativeworktrees") as refused:
                    collect_at(top, engine=choice)
                assert "\n" not in str(refused.value)
                continue
            observation = collect_at(top, engine=choice)
            assert statuses(observation) == {"f.txt": "M"}
            assert after_text(observation, files_of(observation)[b"f.txt"]) == line


def test_the_settings_of_one_worktree_count_in_it(tmp_path: Path, engine: str) -> None:
    """There modes do not count, so a line more is all that changed (case A09)."""
    checkout = edited(tmp_path / "repo")
    checkout.git("config", "extensions.worktreeConfig", "true")
    checkout.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Checkout(tmp_path / "side")
    side.git("config", "--worktree", "core.fileMode", "false")
    side.write("f.txt", "one\ntwo\n", executable=True)

    observation = side.collect(engine=engine)

    assert_as_git_says(side, observation)
    (file,) = files_of(observation).values()
    assert said(file) == ("M", None, "100644", "100644", 1, 0)


def test_sha256_is_read_by_git_and_refused_by_name_without(
    tmp_path: Path, home: Path, engine: str
) -> None:
    """libgit2 knows no such objects, and that is no empty list (case A09)."""
    checkout = edited(tmp_path / "repo", "--object-format=sha256")
    checkout.write("new.txt", "new\n")

    if engine == "libgit2":
        assert "'sha256'" in _refused(checkout.top, home, engine)
        return
    observation = checkout.collect(engine=engine)
    assert_as_git_says(checkout, observation)
    assert statuses(observation) == {"f.txt": "M", "new.txt": "A"}
    assert len(observation.head or "") == 64


@pytest.mark.parametrize(("name", "value"), [("refStorage", "reftable"), ("fromTheFuture", "1")])
def test_an_extension_that_nobody_here_knows_is_named_in_one_line(
    tmp_path: Path, home: Path, engine: str, name: str, value: str
) -> None:
    """Neither a stack trace nor an empty list (case A09)."""
    checkout = edited(tmp_path / "repo")
    extend(checkout, name, value)
    if engine == "git" and git_reads(checkout):
        pytest.skip("this git knows the extension")

    assert name.lower() in _refused(checkout.top, home, engine)


def test_before_the_first_commit_everything_is_new(tmp_path: Path, engine: str) -> None:
    """Staged, edited since, deleted since and untracked; no base to compare with (case A13)."""
    checkout = Checkout.init(tmp_path / "repo")
    for name in ("staged", "edited", "removed"):
        checkout.write(name, "1\n")
    checkout.git("add", "-A")
    checkout.write("edited", "1\n2\n")
    checkout.remove("removed")
    checkout.write("loose", "loose\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    assert statuses(observation, "staged") == {"staged": "A", "edited": "A", "removed": "A"}
    assert statuses(observation, "unstaged") == {"edited": "M", "removed": "D", "loose": "A"}
    assert statuses(observation) == {"edited": "A", "staged": "A", "loose": "A"}
    assert after_text(observation, files_of(observation)[b"edited"]) == b"1\n2\n"
    comparison = observation.comparison
    assert (comparison.kind, comparison.fallback) == ("working-tree", "unborn")
    assert observation.head is None
    with pytest.raises(DiffxError, match="no local branch, tag or commit 'main'"):
        checkout.collect(engine=engine, base="main")


def test_a_repository_without_anything_is_an_empty_review(tmp_path: Path, engine: str) -> None:
    """Not an error, and known in full (case A13)."""
    observation = Checkout.init(tmp_path / "repo").collect(engine=engine)

    assert [snapshot.files for snapshot in observation.snapshots] == [(), (), ()]
    assert observation.content_hash is not None


def test_a_head_on_a_branch_that_is_not_there_shows_the_index_as_new(
    tmp_path: Path, engine: str
) -> None:
    """Every tracked file counts as staged (case A13)."""
    checkout = edited(tmp_path / "repo")
    checkout.git("symbolic-ref", "HEAD", "refs/heads/not-there-yet")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    assert statuses(observation, "staged") == statuses(observation) == {"f.txt": "A"}
    assert statuses(observation, "unstaged") == {"f.txt": "M"}
    assert after_text(observation, files_of(observation)[b"f.txt"]) == b"two\n"
    assert observation.comparison.fallback == "unborn"


def test_every_name_is_answered_with_its_own_file(
    tmp_path: Path, store: Store, engine: str
) -> None:
    """What means something to a shell, a pattern, an address, HTML or a patch (case A18)."""
    names = [name for name in ODD_NAMES if isinstance(name, str)]
    checkout = Checkout.init(tmp_path / "repo")
    for name in names:
        checkout.write(name, f"first\nold {name!r}\nlast\n")
    checkout.commit()
    checkout.git("branch", "HEAD", ok=(0, 128))
    texts = {f"{folder}{name}": f"new {folder}{name!r}" for folder in ("", "loose/")
             for name in names}  # fmt: skip
    gone = names[4::5]
    for name, text in texts.items():
        if name in gone:
            checkout.remove(name)
        else:
            checkout.write(name, f"first\n{text}\nlast\n")

    observation = checkout.collect(engine=engine, base="HEAD")

    assert_as_git_says(checkout, observation)
    published = Published(store, observation)
    ids = {file["path"]: file["id"] for file in published.files()}
    assert ids.keys() == texts.keys()
    for name, text in texts.items():
        before = None if name.startswith("loose/") else f"first\nold {name!r}\nlast\n"
        after = None if name in gone else f"first\n{text}\nlast\n"
        assert published.contents(ids[name]) == (before, after), name
        assert published.status(name) == 404, name  # a name is no address, whatever it looks like


def test_a_move_or_a_mode_costs_no_file_its_place(tmp_path: Path, engine: str) -> None:
    """Renamed, edited, twice, in letter case alone, empty, with a mode; swapped (case A19)."""
    checkout = Checkout.init(tmp_path / "repo")
    texts = {name: "".join(f"{name} {n}\n" for n in range(30)) for name in
             ("pure", "edited", "twice", "Case", "swap_a", "swap_b", "source", "loose", "both")}  # fmt: skip
    for name, text in texts.items():
        checkout.write(name, text)
    checkout.write("empty")
    for name in ("run", "moved_run"):
        checkout.write(name, f"#!/bin/sh\necho {name}\n")
    checkout.commit()
    for old, new in (("pure", "pure2"), ("edited", "edited2"), ("twice", "twice2"),
                     ("Case", "case"), ("empty", "void"), ("moved_run", "run2")):  # fmt: skip
        checkout.git("mv", old, new)
    checkout.write("edited2", texts["edited"].replace(" 15\n", " EDIT\n"))
    checkout.write("twice2", texts["twice"].replace(" 3\n", " INDEX\n"))
    checkout.write("copy", texts["source"])
    checkout.write("source", texts["source"] + "tail\n")
    checkout.path("run2").chmod(0o755)
    checkout.git("add", "-A")
    checkout.write("twice2", checkout.read("twice2").replace(b" 20\n", b" TREE\n"))
    checkout.write("swap_a", texts["swap_b"])
    checkout.write("swap_b", texts["swap_a"])
    checkout.path("loose").rename(checkout.path("loose2"))
    checkout.path("run").chmod(0o755)
    checkout.write("both", texts["both"].replace(" 7\n", " EDIT\n"), executable=True)

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    staged = files_of(observation, "staged")
    assert {file.path: file.old_path for file in staged.values() if file.status == "R"} == {
        b"pure2": b"pure", b"edited2": b"edited", b"twice2": b"twice",
        b"case": b"Case", b"void": b"empty", b"run2": b"moved_run",
    }  # fmt: skip
    found = files_of(observation)
    assert files_of(observation, "unstaged")[b"twice2"].status == "M"
    assert said(found[b"twice2"]) == ("R", b"twice", "100644", "100644", 2, 2)
    assert said(found[b"run"]) == ("M", None, "100644", "100755", 0, 0)
    only_mode = b"old mode 100644\nnew mode 100755\n"
    assert patch_of(observation, found[b"run"]).endswith(only_mode)
    assert (staged[b"run2"].old_mode, staged[b"run2"].new_mode) == ("100644", "100755")
    assert (found[b"swap_a"].status, found[b"swap_b"].status) == ("M", "M")
    assert (found[b"loose"].status, found[b"loose2"].status) == ("D", "A")
    assert (found[b"copy"].status, found[b"source"].status) == ("A", "M")


def test_where_modes_do_not_count_only_the_edit_is_listed(tmp_path: Path, engine: str) -> None:
    """An empty file that got its first line, beside one whose mode differs (case A19)."""
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("empty")
    checkout.write("run", "#!/bin/sh\n")
    checkout.commit()
    checkout.git("config", "core.fileMode", "false")
    checkout.path("run").chmod(0o755)
    checkout.write("empty", "x\n")

    observation = checkout.collect(engine=engine)

    assert_as_git_says(checkout, observation)
    assert said(files_of(observation)[b"empty"]) == ("M", None, "100644", "100644", 1, 0)
    assert len(files_of(observation)) == 1


@pytest.mark.parametrize("state", ["stale", "locked", "readonly"])
def test_a_review_leaves_the_git_folder_as_it_was(shared: Path, engine: str, state: str) -> None:
    """With times that an index would be refreshed for, and under a lock (case A22)."""
    checkout = Checkout.init(shared / "repo")
    for number in range(9):
        checkout.write(f"f{number}", f"{number}\n")
    checkout.commit()
    checkout.write("f1", "changed\n")
    checkout.write("new", "new\n")
    for number in (2, 3, 4):
        os.utime(checkout.path(f"f{number}"), (1_000_000_000, 1_000_000_000))
    keys = {}
    if state == "locked":
        checkout.write(".git/index.lock")
    if state == "readonly":
        keys = {"repository_key": "repository", "checkout_key": "checkout"}
        for path in [checkout.path(".git"), *checkout.path(".git").rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
    before = manifest(checkout.path(".git"))

    observation = collect_as_an_ordinary_user(checkout, engine=engine, **keys)

    assert manifest(checkout.path(".git")) == before
    assert statuses(observation) == {"f1": "M", "new": "A"}
    assert patch_of(observation, files_of(observation)[b"f1"]).endswith(b"-1\n+changed\n")


def test_a_home_that_may_not_be_entered_changes_nothing(shared: Path, engine: str) -> None:
    """A service account's, or a container's; settings of one's own are done without (case A24)."""
    checkout = edited(shared / "repo")
    checkout.write("n.txt", "n\n")
    shut = shared / "home"
    shut.mkdir(mode=0o700)
    (shut / ".gitconfig").write_text("[core]\n\tfileMode = nonsense\n")
    shut.chmod(0o000)

    with an_ordinary_user(checkout.top):
        where = world(shut)
        settings = where.config_file_to_read(None)
        named = where.config_file_to_read(str(shut / "named.json"))
        observation = collect_at(checkout.top, engine=engine, environment=where.environment)

    assert statuses(observation) == {"f.txt": "M", "n.txt": "A"}
    assert settings is None
    assert named == shut / "named.json"  # what was asked for is not passed over
