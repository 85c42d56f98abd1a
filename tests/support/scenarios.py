"""Checkouts in one state each, with what every engine must say of them.

A scenario builds its checkout and returns the lines that each scope lists (`engines.listed`),
where a scope that is not named is empty. `all` is against the nearest base.
"""

import os
from collections.abc import Callable
from typing import Final

from tests.support.repositories import Checkout, run_git

Expected = dict[str, list[str]]
Scenario = Callable[[Checkout], Expected]

SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(build: Scenario) -> Scenario:
    SCENARIOS[build.__name__] = build
    return build


_TEXT: Final = "".join(f"line {number}\n" for number in range(30))


def _plain(checkout: Checkout) -> None:
    checkout.write("a.txt", _TEXT)
    checkout.write("b.txt", "b\n")
    checkout.write("sub/c.txt", "c\n")
    checkout.commit()


def _everywhere(*lines: str) -> Expected:
    return {"all": list(lines), "unstaged": list(lines)}


@scenario
def clean(checkout: Checkout) -> Expected:
    _plain(checkout)
    return {}


@scenario
def unborn(checkout: Checkout) -> Expected:
    checkout.write("staged.txt", "1\n")
    checkout.write("edited.txt", "1\n")
    checkout.git("add", "-A")
    checkout.write("edited.txt", "1\n2\n")
    checkout.write("loose.txt", "x\n")
    return {
        "all": ["A edited.txt", "A staged.txt"],
        "staged": ["A edited.txt", "A staged.txt"],
        "unstaged": ["M edited.txt"],
        "untracked": ["loose.txt"],
    }


@scenario
def edited_staged_and_both(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("a.txt", _TEXT.replace("line 5", "LINE 5"))
    checkout.git("add", "a.txt")
    checkout.write("a.txt", _TEXT.replace("line 5", "LINE 5").replace("line 20", "LINE 20"))
    checkout.write("b.txt", "b2\n")
    checkout.write("new.txt", "n\n")
    checkout.git("add", "new.txt")
    return {
        "all": ["A new.txt", "M a.txt", "M b.txt"],
        "staged": ["A new.txt", "M a.txt"],
        "unstaged": ["M a.txt", "M b.txt"],
    }


@scenario
def staged_then_reverted(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("b.txt", "other\n")
    checkout.git("add", "b.txt")
    checkout.write("b.txt", "b\n")
    return {"staged": ["M b.txt"], "unstaged": ["M b.txt"]}


@scenario
def touched_only(checkout: Checkout) -> Expected:
    _plain(checkout)
    os.utime(checkout.path("a.txt"), (1_000_000_000, 1_000_000_000))
    return {}


@scenario
def same_size_edit_right_after_staging(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("b.txt", "B\n")
    return _everywhere("M b.txt")


@scenario
def deleted_and_removed_from_the_index(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.remove("a.txt")
    checkout.git("rm", "-q", "b.txt")
    return {
        "all": ["D a.txt", "D b.txt"],
        "staged": ["D b.txt"],
        "unstaged": ["D a.txt"],
    }


@scenario
def modes(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.path("a.txt").chmod(0o755)
    checkout.write("b.txt", "b2\n").chmod(0o755)
    return _everywhere("M a.txt", "M b.txt")


@scenario
def modes_that_do_not_count(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("config", "core.fileMode", "false")
    checkout.path("a.txt").chmod(0o755)
    return {}


@scenario
def links_and_changes_of_type(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.link("was_link", "a.txt")
    checkout.link("moved", "a.txt")
    checkout.commit()
    checkout.link("moved", "b.txt")
    checkout.remove("was_link")
    checkout.write("was_link", "now a file\n")
    checkout.link("b.txt", "../outside")
    checkout.link("loose", "/etc/hostname")
    return _everywhere("M moved", "T b.txt", "T was_link") | {"untracked": ["loose"]}


@scenario
def file_and_folder_change_places(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.remove("b.txt")
    checkout.write("b.txt/inner", "x\n")
    checkout.remove("sub/c.txt")
    checkout.path("sub").rmdir()
    checkout.write("sub", "a file\n")
    return _everywhere("D b.txt", "D sub/c.txt") | {"untracked": ["b.txt/inner", "sub"]}


@scenario
def a_tracked_folder_becomes_a_link(checkout: Checkout) -> Expected:
    _plain(checkout)
    outside = checkout.top.parent / "outside"
    outside.mkdir()
    (outside / "c.txt").write_text("c\n")
    checkout.remove("sub/c.txt")
    checkout.path("sub").rmdir()
    checkout.link("sub", "../outside")
    return _everywhere("D sub/c.txt") | {"untracked": ["sub"]}


@scenario
def renames(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("two.txt", _TEXT + "two\n")
    checkout.write("empty.txt", "")
    checkout.commit()
    checkout.git("mv", "a.txt", "sub/a.txt")
    checkout.git("mv", "two.txt", "deux.txt")
    checkout.write("deux.txt", (_TEXT + "two\n").replace("line 7\n", "LINE 7\n"))
    checkout.git("mv", "empty.txt", "void.txt")
    checkout.path("sub/a.txt").chmod(0o755)
    checkout.git("add", "-A")
    lines = ["R a.txt -> sub/a.txt", "R empty.txt -> void.txt", "R two.txt -> deux.txt"]
    return {"all": lines, "staged": lines}


@scenario
def many_renames_with_equal_candidates(checkout: Checkout) -> Expected:
    for number in range(12):
        checkout.write(f"old/{number % 3}/f{number}.txt", _TEXT + f"only {number % 4}\n" * 2)
    checkout.commit()
    checkout.git("mv", "old", "new")
    for number in range(12):
        name = f"new/{number % 3}/f{number}.txt"
        checkout.write(name, _TEXT.replace("line 3\n", f"line {number}\n"))
    checkout.git("add", "-A")
    lines = [
        f"R old/{number % 3}/f{number}.txt -> new/{number % 3}/f{number}.txt"
        for number in range(12)
    ]
    return {"all": sorted(lines), "staged": sorted(lines)}


@scenario
def letter_case(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("mv", "a.txt", "A.txt")
    return {"all": ["R a.txt -> A.txt"], "staged": ["R a.txt -> A.txt"]}


@scenario
def a_move_that_git_was_not_told_of(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.path("a.txt").rename(checkout.path("moved.txt"))
    return _everywhere("D a.txt") | {"untracked": ["moved.txt"]}


@scenario
def intent_to_add(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("planned.txt", "p\n")
    checkout.git("add", "-N", "planned.txt")
    checkout.git("rm", "-q", "--cached", "b.txt")
    checkout.git("add", "-N", "b.txt")
    return {
        "all": ["A planned.txt"],
        "staged": ["D b.txt"],
        "unstaged": ["A b.txt", "A planned.txt"],
    }


@scenario
def removed_from_the_index_and_kept(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("rm", "-q", "--cached", "a.txt", "b.txt")
    checkout.write("b.txt", "b2\n")
    return {
        "all": ["M b.txt"],
        "staged": ["D a.txt", "D b.txt"],
        "untracked": ["a.txt", "b.txt"],
    }


@scenario
def line_ends_of_what_left_the_index(checkout: Checkout) -> Expected:
    for name in ("same.txt", "edited.txt"):
        checkout.write(name, "one\r\ntwo\r\n")
    checkout.commit()
    checkout.write(".gitattributes", "* text=auto\n")
    checkout.git("rm", "-q", "--cached", "same.txt", "edited.txt")
    checkout.write("edited.txt", "one\r\nTWO\r\n")
    return {
        "all": ["M edited.txt"],
        "staged": ["D edited.txt", "D same.txt"],
        "untracked": [".gitattributes", "edited.txt", "same.txt"],
    }


@scenario
def pinned_entries_against_a_base(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("checkout", "-q", "-b", "topic")
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        checkout.write(name, f"{name} of the branch\n")
    checkout.write("planned.txt", "planned\n")
    checkout.git("add", "-N", "planned.txt")
    checkout.git("commit", "-q", "-a", "-m", "work")
    checkout.git("rm", "-q", "--cached", "planned.txt")
    checkout.git("add", "-N", "planned.txt")
    checkout.git("update-index", "--assume-unchanged", "a.txt", "planned.txt")
    checkout.git("update-index", "--skip-worktree", "b.txt", "sub/c.txt")
    checkout.write("b.txt", "b on disk\n")
    for name in ("a.txt", "sub/c.txt", "planned.txt"):
        checkout.remove(name)
    return {
        "all": ["A planned.txt", "M a.txt", "M b.txt", "M sub/c.txt"],
        "staged": ["D planned.txt"],
    }


@scenario
def conflicts(checkout: Checkout) -> Expected:
    for name in ("both", "ours", "theirs", "calm", "ren"):
        checkout.write(f"{name}.txt", f"{name}\n" * 9)
    checkout.commit()
    checkout.git("checkout", "-q", "-b", "side")
    checkout.write("both.txt", "side\n")
    checkout.write("added.txt", "side\n")
    checkout.write("ours.txt", "side\n" * 9)
    checkout.git("rm", "-q", "theirs.txt")
    checkout.git("mv", "ren.txt", "ren_side.txt")
    checkout.commit()
    checkout.git("checkout", "-q", "main")
    checkout.write("both.txt", "main\n")
    checkout.write("added.txt", "main\n")
    checkout.git("rm", "-q", "ours.txt")
    checkout.write("theirs.txt", "main\n" * 9)
    checkout.git("mv", "ren.txt", "ren_main.txt")
    checkout.commit()
    checkout.git("merge", "-q", "side", ok=(0, 1))
    checkout.write("calm.txt", "calmer\n")
    marks = ["added", "both", "ours", "ren", "ren_main", "ren_side", "theirs"]
    lines = [f"U {name}.txt" for name in marks]
    return {
        "all": ["A ours.txt", "A ren_side.txt", "M added.txt", "M both.txt", "M calm.txt"],
        "staged": lines,
        "unstaged": ["M calm.txt", *lines],
    }


@scenario
def a_conflict_whose_file_is_gone(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("rm", "-q", "--cached", "a.txt")
    oid = checkout.git("rev-parse", "HEAD:a.txt").decode().strip()
    listed = f"100644 {oid} 1\ta.txt\n100644 {oid} 2\ta.txt\n".encode()
    checkout.git("update-index", "--index-info", stdin=listed)
    checkout.remove("a.txt")
    return {"all": ["D a.txt"], "staged": ["U a.txt"], "unstaged": ["U a.txt"]}


@scenario
def nested_repositories(checkout: Checkout) -> Expected:
    _plain(checkout)
    Checkout.init(checkout.path("empty"))
    inner = Checkout.init(checkout.path("full"))
    inner.write("inner.txt", "x\n")
    inner.commit()
    checkout.write("broken/.git", "not a repository\n")
    checkout.write("broken/data.txt", "x\n")
    checkout.write("folder/.git/nothing", "x\n")
    checkout.write("folder/data.txt", "x\n")
    return {
        "nested": ["empty", "full"],
        "untracked": ["broken/data.txt", "folder/data.txt"],
    }


@scenario
def submodules(checkout: Checkout) -> Expected:
    library = Checkout.init(checkout.top.parent / "library")
    library.write("f.txt", "1\n")
    library.commit()
    _plain(checkout)
    for name in ("moved", "edited", "loose", "quiet", "ignored", "gone"):
        run_git(
            checkout.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
            library.top.as_uri(), f"mods/{name}",
        )  # fmt: skip
    for name, rule in (("quiet", "untracked"), ("ignored", "all")):
        checkout.git("config", "-f", ".gitmodules", f"submodule.mods/{name}.ignore", rule)
    checkout.commit()
    moved = Checkout(checkout.path("mods/moved"))
    moved.write("f.txt", "2\n")
    moved.commit()
    checkout.write("mods/edited/f.txt", "edited\n")
    for name in ("loose", "quiet", "ignored"):
        checkout.write(f"mods/{name}/extra.txt", "x\n")
    run_git(checkout.top, "rm", "-q", "--cached", "mods/gone")
    return {
        "all": ["D mods/gone", "M mods/moved"],
        "staged": ["D mods/gone"],
        "unstaged": ["M mods/moved"],
        "submodules": ["mods/edited", "mods/loose"],
        "nested": ["mods/gone"],
    }


@scenario
def a_repository_moved_to_another_path_and_commit(checkout: Checkout) -> Expected:
    _plain(checkout)
    inner = Checkout.init(checkout.path("old"))
    inner.commit("one")
    checkout.git("add", "old")
    checkout.commit("with a repository")
    checkout.git("rm", "-q", "--cached", "old")
    checkout.path("old").rename(checkout.path("new"))
    inner = Checkout(checkout.path("new"))
    inner.commit("two")
    checkout.git("add", "new")
    inner.git("checkout", "-q", "HEAD~1")
    return {
        "all": ["A new", "D old"],
        "staged": ["A new", "D old"],
        "unstaged": ["M new"],
    }


@scenario
def ignored_files(checkout: Checkout) -> Expected:
    checkout.write(
        ".gitignore", "*.log\n!keep.log\n/build/\nfoo/\n!foo/kept.txt\n\\#odd\nblank \n"
    )
    checkout.write("build/tracked.txt", "t\n")
    checkout.git("add", "-f", "build/tracked.txt")
    checkout.commit()
    for name in ("a.log", "keep.log", "build/other.txt", "foo/kept.txt", "sub/foo/x", "#odd"):
        checkout.write(name, "x\n")
    checkout.write("sub/.gitignore", "!*.log\n/local\n")
    for name in ("sub/b.log", "sub/local", "sub/deep/local", "blank", "blank "):
        checkout.write(name, "x\n")
    checkout.write("build/tracked.txt", "t2\n")
    with checkout.path(".git/info/exclude").open("a") as excludes:
        excludes.write("hidden.txt\n")
    checkout.write("hidden.txt", "x\n")
    users = checkout.top.parent / "users-ignore"
    users.write_text("*.swp\n")
    checkout.git("config", "core.excludesFile", str(users))
    checkout.write("x.swp", "x\n")
    untracked = ["blank ", "keep.log", "sub/.gitignore", "sub/b.log", "sub/deep/local"]
    return _everywhere("M build/tracked.txt") | {"untracked": untracked}


@scenario
def line_ends_and_ident(checkout: Checkout) -> Expected:
    checkout.write(".gitattributes", "*.txt text=auto\n*.win eol=crlf\n*.id ident\n*.raw -text\n")
    for name in ("a.txt", "b.txt", "c.win", "d.id", "e.raw"):
        checkout.write(name, "one\ntwo\n$Id$\n")
    checkout.commit()
    crlf = "one\r\ntwo\r\n$Id$\r\n"
    checkout.write("a.txt", crlf)
    checkout.write("b.txt", crlf.replace("two", "TWO"))
    checkout.write("c.win", crlf)
    checkout.write("d.id", "one\ntwo\n$Id: 0123456789 $\n")
    checkout.write("e.raw", crlf)
    return _everywhere("M b.txt", "M e.raw")


@scenario
def automatic_line_ends(checkout: Checkout) -> Expected:
    checkout.write("plain.txt", "one\ntwo\n")
    checkout.write("kept.txt", "one\r\ntwo\r\n")
    checkout.write("mixed.bin", "a\r\n\0b\r\n")
    checkout.commit()
    checkout.git("config", "core.autocrlf", "true")
    checkout.write("plain.txt", "one\r\ntwo\r\n")
    checkout.write("kept.txt", "one\r\nTWO\r\n")
    checkout.write("mixed.bin", "a\r\n\0B\r\n")
    return _everywhere("M kept.txt", "M mixed.bin")


@scenario
def working_tree_encoding(checkout: Checkout) -> Expected:
    checkout.write(".gitattributes", "*.u16 working-tree-encoding=UTF-16LE-BOM\n")
    for name in ("a.u16", "b.u16"):
        checkout.write(name, "\ufeffone\ntwo\n".encode("utf-16-le"))
    checkout.commit()
    checkout.write("a.u16", "\ufeffone\nTWO\n".encode("utf-16-le"))
    os.utime(checkout.path("b.u16"), (1_000_000_000, 1_000_000_000))
    return _everywhere("M a.u16")


@scenario
def filters_are_not_run(checkout: Checkout) -> Expected:
    checkout.write(".gitattributes", "*.spy filter=spy\n")
    checkout.write("a.spy", "a\n")
    checkout.write("b.spy", "b\n")
    checkout.commit()
    checkout.git("config", "filter.spy.clean", "sed s/^/cleaned/")
    checkout.git("config", "filter.spy.required", "true")
    checkout.write("b.spy", "b2\n")
    os.utime(checkout.path("a.spy"), (1_000_000_000, 1_000_000_000))
    return _everywhere("M b.spy")


@scenario
def what_counts_as_text(checkout: Checkout) -> Expected:
    checkout.write(".gitattributes", "*.txt -diff\n*.dat diff\n[attr]mine binary\n*.own mine\n")
    for name in ("a.txt", "b.dat", "c.own", "d.bin", "e.c"):
        checkout.write(name, b"one\ntwo\n" + (b"\0" if name[0] in "bd" else b""))
    checkout.commit()
    for name in ("a.txt", "b.dat", "c.own", "d.bin", "e.c"):
        checkout.write(name, checkout.read(name) + b"three\n")
    checkout.write("late.txt", b"")
    lines = [f"M {name}" for name in ("a.txt", "b.dat", "c.own", "d.bin", "e.c")]
    return _everywhere(*lines) | {"untracked": ["late.txt"]}


@scenario
def odd_names_and_contents(checkout: Checkout) -> Expected:
    names = [b"tab\there", b"new\nline", b'quo"te', b"back\\slash", b"\xff\xfe", b"a b", b"-dash"]
    names += ["caf\u00e9".encode(), "cafe\u0301".encode(), b"[id]/*.ts", b"sp ace/f \x01"]
    for name in names:
        checkout.write(name, b"one\r\ntwo\x0cthree\r\n\xe9\n" + name.hex().encode() + b"\nlast")
    checkout.commit()
    for name in names:
        checkout.write(name, checkout.read(name).replace(b"two", b"2") + b"\n")
    return _everywhere(*sorted(f"M {os.fsdecode(name)}" for name in names))


@scenario
def headings_and_hunks(checkout: Checkout) -> Expected:
    body = "".join(f"def function_{n}(argument):\n" + "    x = 1\n\n" * (n % 7) for n in range(60))
    checkout.write("code.py", body)
    checkout.write("endless.txt", "k" * 5000 + "\n" + "tail\n" * 10)
    checkout.commit()
    changed = body.replace("function_20(", "renamed_20(").replace("function_45(", "renamed_45(")
    checkout.write("code.py", changed + "\n" + body[:400])
    checkout.write("endless.txt", "k" * 5001 + "\n" + "tail\n" * 10)
    return _everywhere("M code.py", "M endless.txt")


@scenario
def special_files(checkout: Checkout) -> Expected:
    _plain(checkout)
    os.mkfifo(checkout.path("loose-pipe"))
    checkout.remove("b.txt")
    os.mkfifo(checkout.path("b.txt"))
    checkout.write("a.txt", "a2\n")
    return _everywhere("M a.txt", "M b.txt")


@scenario
def told_to_look_away(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("update-index", "--assume-unchanged", "a.txt")
    checkout.git("update-index", "--skip-worktree", "b.txt", "sub/c.txt")
    checkout.write("a.txt", "a2\n")
    checkout.write("b.txt", "b2\n")
    checkout.remove("sub/c.txt")
    return {}


@scenario
def sparse_checkout(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.write("app/d.txt", "d\n")
    checkout.commit()
    checkout.git("sparse-checkout", "set", "app")
    checkout.write("app/d.txt", "d2\n")
    return _everywhere("M app/d.txt")


@scenario
def rules_that_a_sparse_checkout_left_out(checkout: Checkout) -> Expected:
    checkout.write("app/d.txt", "d\n")
    checkout.write("lib/.gitignore", "*.log\n")
    checkout.write("lib/e.txt", "e\n")
    checkout.write(".gitignore", "*.tmp\n")
    checkout.commit()
    checkout.git("sparse-checkout", "set", "--no-cone", "/app/")
    checkout.write("lib/a.log", "hidden by a file that is not there\n")
    checkout.write("lib/new.txt", "new\n")
    checkout.write("top.tmp", "hidden likewise\n")
    checkout.git("update-index", "--assume-unchanged", "app/d.txt")
    return {"untracked": ["lib/new.txt"]}


@scenario
def index_version_4(checkout: Checkout) -> Expected:
    for number in range(40):
        checkout.write(f"folder{number % 3}/long-shared-prefix-{number}.txt", f"{number}\n")
    checkout.commit()
    checkout.git("update-index", "--index-version", "4")
    checkout.write("folder1/long-shared-prefix-7.txt", "changed\n")
    return _everywhere("M folder1/long-shared-prefix-7.txt")


@scenario
def branch_against_its_base(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("checkout", "-q", "-b", "topic")
    checkout.write("mine.txt", "m\n")
    checkout.commit()
    checkout.git("checkout", "-q", "main")
    checkout.write("theirs.txt", "t\n")
    checkout.commit()
    checkout.git("checkout", "-q", "topic")
    checkout.write("b.txt", "b2\n")
    return {"all": ["A mine.txt", "M b.txt"], "unstaged": ["M b.txt"]}


@scenario
def detached_head(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("checkout", "-q", "--detach")
    checkout.write("b.txt", "b2\n")
    return _everywhere("M b.txt")


@scenario
def packed_refs_and_objects(checkout: Checkout) -> Expected:
    _plain(checkout)
    checkout.git("tag", "-a", "v1", "-m", "one")
    checkout.git("gc", "-q")
    checkout.write("b.txt", "b2\n")
    return _everywhere("M b.txt")
