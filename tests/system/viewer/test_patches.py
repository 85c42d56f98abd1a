"""Patches piped into the viewer, and what it serves of them, against git (11.5)."""

import base64
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from diffx.review.patch import MAX_FILES
from tests.support.repositories import Checkout
from tests.support.viewer import COMMAND, Viewer, environment, viewing

pytestmark = pytest.mark.system

Row = tuple[bytes, int | None, int | None]
STREAMS: Final[dict[str, Callable[[Checkout], bytes]]] = {
    "a diff": lambda it: it.git("diff", "HEAD~1"),
    "without context": lambda it: it.git("diff", "-U0", "HEAD~1"),
    "without prefixes": lambda it: it.git("diff", "--no-prefix", "HEAD~1"),
    "a coloured commit": lambda it: it.git("show", "--color=always", "--color-moved"),
    "a log": lambda it: it.git("log", "-1", "-p", "--stat"),
    "a mail": lambda it: it.git("format-patch", "-1", "--stdout"),
    "an attachment": lambda it: it.git("format-patch", "-1", "--stdout", "--attach"),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A commit of what has confused readers of patches."""
    made = Checkout.init(tmp_path / "it")
    made.write("query.sql", "-- one\n-- two\nselect 1;\n" + "-- filler\n" * 9)
    made.write("old name.txt", "moved\n" * 9)
    made.write("run.sh", "#!/bin/sh\n")
    made.write("end.txt", "no newline")
    made.write("odd.txt", "form\x0cfeed\nnel\x85\nsep\u2028\nlast\n")
    made.write("gone.txt", "-- a/gone.txt\n")
    made.commit("base")
    made.write("query.sql", "-- one\n++ b/other.sql\nselect 1;\n" + "-- filler\n" * 9)
    made.git("mv", "old name.txt", "new name.txt")
    made.path("run.sh").chmod(0o755)
    made.write("end.txt", "with newline\n")
    made.write("odd.txt", "form\x0cfeed\nnel\x85 changed\nsep\u2028\nlast\n")
    made.remove("gone.txt")
    made.write("empty", "")
    made.write('t\tq"\u00e9.txt', "added\n")
    made.commit("It\n\n    --- a/fake\n    +++ b/fake\n    @@ -1 +1 @@\n    -was\n    +is")
    return made


def git_counts(checkout: Checkout) -> list[Row]:
    found: list[Row] = []
    told = checkout.git("diff", "--numstat", "-z", "--no-renames", "HEAD~1").split(b"\0")[:-1]
    for each in told:
        added, removed, path = each.split(b"\t", 2)
        found.append((path, int(added), int(removed)))
    return [row for row in found if row[0] not in (b"old name.txt", b"new name.txt")]


def patches(viewer: Viewer, manifest: dict[str, Any]) -> bytes:
    pieces = []
    for file in manifest["files"]:
        diff = f"/contexts/{viewer.context}/diffs/{manifest['diffId']}"
        at = f"{diff}/files/{file['id']}/patch?scope=all"
        answer = viewer.get(at)
        raw = answer.get("patchBytes")
        pieces.append(base64.b64decode(raw) if raw else answer["patch"].encode())
    return b"".join(pieces)


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_what_is_served_is_the_change_that_git_made(
    checkout: Checkout, tmp_path: Path, stream: Callable[[Checkout], bytes]
) -> None:
    with viewing("--state", "memory", stdin=stream(checkout), cwd=tmp_path) as viewer:
        manifest = viewer.manifest()
        patch = patches(viewer, manifest)

    files = manifest["files"]
    rows = [(file["path"].encode(), file["additions"], file["deletions"]) for file in files]
    assert sorted(row for row in rows if row[0] != b"new name.txt") == sorted(git_counts(checkout))
    assert [file["oldPath"] for file in files if file["status"] == "R"] == ["old name.txt"]
    checkout.git("read-tree", "HEAD~1")
    checkout.git("apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-", stdin=patch)
    assert checkout.git("write-tree") == checkout.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize(
    ("stream", "code", "words"),
    [
        (b"hello\n", 2, "line 1 is 'hello'"),
        (b"", 2, "is empty"),
        (b"Only in a: b\n" * (MAX_FILES + 1), 1, "more than 50,000 files"),
    ],
    ids=["no patch", "nothing", "too many files"],
)
def test_what_cannot_be_reviewed_is_one_line(
    tmp_path: Path, stream: bytes, code: int, words: str
) -> None:
    # A file and no pipe: a writer that is slow to begin is one more line.
    (tmp_path / "stream").write_bytes(stream)
    with (tmp_path / "stream").open("rb") as stdin:
        done = subprocess.run(
            [*COMMAND, "--no-browser", "--state", "memory"],
            stdin=stdin,
            capture_output=True,
            env=environment(),
            check=False,
        )

    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
    assert words in done.stderr.decode()
