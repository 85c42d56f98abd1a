"""Random repository states: every scope is what git says, and every text patch applies (2.7)."""

import os
import shutil
import stat
from pathlib import Path
from typing import Final

import hypothesis
import hypothesis.strategies as st
import pytest

from diffx.review.model import ChangedFile, Observation
from tests.support.repositories import (
    Checkout,
    after_text,
    assert_as_git_says,
    before_text,
    patch_of,
    run_git,
    scope_of,
)

pytestmark = pytest.mark.system

_NAMES: Final = (
    "a.txt",
    "b c.txt",
    "dir/a.txt",
    "dir/deep/x",
    "dir",
    "[id].tsx",
    'q"uote',
    "tab\there",
    "new\nline",
    "caf\u00e9",
    "-rf",
    "run.sh",
    "skip.log",
)
_LINES: Final = st.lists(
    st.sampled_from(
        ["one", "two", "three", "", "-- x", "++ y", "@@ -1 +1 @@", "diff --git a/a b/a"]
    ),
    min_size=0,
    max_size=9,
)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    kind = draw(st.sampled_from(["text", "text", "text", "crlf", "latin", "binary", "bare"]))
    text = "\n".join(draw(_LINES))
    if kind == "binary":
        return b"\0" + text.encode()
    if kind == "latin":
        return b"caf\xe9 " + text.encode() + b"\n"
    if kind == "crlf":
        return text.replace("\n", "\r\n").encode() + b"\r\n"
    return text.encode() + (b"" if kind == "bare" else b"\n")


Step = tuple[str, str, str, bytes]

steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["write", "write", "write", "append", "remove", "link", "mode", "move", "add", "add all",
             "intend", "forget", "commit", "conflict"]
        ),
        st.sampled_from(_NAMES),
        st.sampled_from(_NAMES),
        contents(),
    ),
    min_size=1,
    max_size=14,
)  # fmt: skip


def _clear(checkout: Checkout, name: str) -> Path:
    """Make room for a file, whatever was at its path or on the way to it."""
    path = checkout.path(name)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    for parent in path.relative_to(checkout.top).parents:
        above = checkout.top / parent
        if above.is_file() or above.is_symlink():
            above.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _change_files(checkout: Checkout, step: Step) -> None:
    what, name, other, content = step
    path = checkout.path(name)
    is_file = path.is_file() and not path.is_symlink()
    if what == "write":
        _clear(checkout, name)
        checkout.write(name, content)
    elif what == "link":
        _clear(checkout, name)
        checkout.link(name, os.fsencode(other))
    elif what == "append" and is_file:
        path.write_bytes(path.read_bytes() + content)
    elif what == "mode" and is_file:
        path.chmod(path.stat().st_mode ^ stat.S_IXUSR)
    elif what == "remove" and (is_file or path.is_symlink()):
        path.unlink()
    elif what == "move" and (is_file or path.is_symlink()) and name != other:
        aside = path.rename(checkout.top / "moving")
        aside.rename(_clear(checkout, other))


_GIT_STEPS: Final = {
    "add": ("add", "--"),
    "intend": ("add", "-N", "--"),
    "forget": ("rm", "-q", "-r", "-f", "--cached", "--"),
}


def _conflict(checkout: Checkout, step: Step) -> None:
    """Put any of the three stages of a path into the index, as an unfinished merge would."""
    _, name, other, content = step
    wanted = [stage for stage in (1, 2, 3) if (len(content) + len(other)) >> stage & 1] or [2, 3]
    records = [b"0 " + b"0" * 40 + b"\t" + os.fsencode(name)]
    for stage in wanted:
        body = content + f"stage {stage}\n".encode()
        oid = checkout.git("hash-object", "-w", "--stdin", stdin=body).strip()
        records.append(b"100644 %b %d\t%b" % (oid, stage, os.fsencode(name)))
    listed = b"".join(record + b"\0" for record in records)
    checkout.git("update-index", "-z", "--index-info", stdin=listed, ok=(0, 1, 128))


def _perform(checkout: Checkout, step: Step) -> None:
    what, name, _, _ = step
    if what in _GIT_STEPS:
        checkout.git(*_GIT_STEPS[what], f":(literal){name}", ok=(0, 1, 128))
    elif what == "conflict":
        _conflict(checkout, step)
    elif what == "add all":
        checkout.git("add", "-A")
    elif what == "commit":
        checkout.git("commit", "-q", "--allow-empty", "-m", "step", ok=(0, 1, 128))
    else:
        _change_files(checkout, step)


@hypothesis.settings(max_examples=60)
@hypothesis.given(before=steps, after=steps)
def test_any_state_is_reported_as_git_reports_it(
    tmp_path_factory: pytest.TempPathFactory, before: list[Step], after: list[Step]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    checkout = Checkout.init(folder / "repo")
    checkout.write(".gitignore", "*.log\n")
    for step in before:
        _perform(checkout, step)
    checkout.git("add", "-A")  # resolves every conflict
    checkout.commit("before")
    for step in after:
        _perform(checkout, step)

    observation = checkout.collect(base="HEAD")

    assert observation.content_hash is not None
    assert_as_git_says(checkout, observation)
    assert_patches_apply(observation, folder / "applied")
    shutil.rmtree(folder)


def assert_patches_apply(observation: Observation, folder: Path) -> None:
    for scope in ("all", "staged", "unstaged"):
        for number, file in enumerate(scope_of(observation, scope).files):
            if file.patch.blob is not None:
                _assert_applies(observation, file, folder / scope / str(number))


def _assert_applies(observation: Observation, file: ChangedFile, folder: Path) -> None:
    """Apply one patch to its before side, in a folder of its own, and compare with its after."""
    folder.mkdir(parents=True)
    old = folder / os.fsdecode(file.old_path or file.path)
    if file.before is not None:
        if file.before.blob is None or file.before.encoding != "utf-8":
            return  # what is stored is readable text, not the bytes
        old.parent.mkdir(parents=True, exist_ok=True)
        if file.old_mode == "120000":
            old.symlink_to(os.fsdecode(before_text(observation, file)))
        else:
            old.write_bytes(before_text(observation, file))
            if file.old_mode == "100755":
                old.chmod(0o755)
    run_git(folder, "apply", "--whitespace=nowarn", "-", stdin=patch_of(observation, file))
    new = folder / os.fsdecode(file.path)
    if file.after is None:
        assert not new.is_symlink()
        assert not new.exists()
    elif file.after.blob is not None and file.after.encoding == "utf-8":
        made = os.fsencode(new.readlink()) if file.new_mode == "120000" else new.read_bytes()
        assert made == after_text(observation, file)
        if file.new_mode != "120000":
            assert bool(new.stat().st_mode & stat.S_IXUSR) == (file.new_mode == "100755")
