"""An agent's turns in a real repository: collected with git, stored, compared, threads followed (9)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.clock import random_id
from diffx.review.comments import Author, Lines
from diffx.review.compare import FileComparison, compare_each
from diffx.review.compared import collect
from diffx.review.interdiff import unified
from diffx.review.model import (
    ContextId,
    Digest,
    FileId,
    GitPath,
    OwnerId,
    Submission,
    SubmissionId,
)
from diffx.review.paths import file_id
from diffx.server.application import Application, compose
from diffx.services.reviews import NewComment
from diffx.store.database import open_store
from tests.support.iterations import Comparison, count, numbered, patched
from tests.support.repositories import Checkout
from tests.support.stores import NOW

pytestmark = pytest.mark.system

ME = OwnerId("me")
APP = GitPath(b"src/app.py")


class Work:
    """A branch of a repository, and the reviews of it."""

    def __init__(self, top: Path, application: Application) -> None:
        self.checkout = Checkout.init(top)
        self.application = application
        for name in ("src/app.py", "src/other.py", "README.md"):
            self.checkout.write(name, numbered(60))
        self.checkout.commit("start")
        self.checkout.git("checkout", "-q", "-b", "topic")

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.checkout.read(name).decode()
        assert old in text
        self.checkout.write(name, text.replace(old, new, 1))

    def collect(self) -> ContextId:
        """End a turn: what is there now is an iteration."""
        observation = self.checkout.collect()
        submission = Submission(id=SubmissionId(random_id()), observation=observation)
        return self.application.publisher.publish(ME, submission).context

    def on_main(self, *edits: tuple[str, str, str]) -> None:
        """Let others work on main meanwhile."""
        self.checkout.git("checkout", "-q", "main")
        for edit in edits:
            self.edit(*edit)
            self.checkout.commit("busy")
        self.checkout.git("checkout", "-q", "topic")

    def compare(self, old: ContextId, new: ContextId) -> Comparison:
        """Compare with every row, of which the service keeps only the patch; both must agree."""
        given = self.application.iterations.store.comparison(ME, (old, new), "all", NOW)
        files = tuple(compare_each(given.pairs, given.old, given.new, same_base=given.same_base))
        _, shown = self.application.iterations.compare(ME, old, new, "all")
        assert shown == collect(files, same_base=given.same_base)
        return Comparison(files, shown)

    def comment(self, context: ContextId, line: int, side: str = "new") -> None:
        lines = Lines(side="old" if side == "old" else "new", start=line, end=line)
        self.application.reviews.comment(
            ME,
            context,
            NewComment(scope="all", file=file_id(APP), lines=lines, body="why?"),
            Author(),
        )

    def place(self, context: ContextId) -> tuple[str, int | None]:
        (seen,) = self.application.reviews.threads(ME, context, "all").threads
        lines = seen.place.lines
        return seen.place.placement, None if lines is None else lines.start

    def mark_all(self, context: ContextId) -> None:
        for file, fingerprint in self.prints(context).items():
            self.application.reviews.mark(ME, context, "all", file, fingerprint)

    def prints(self, context: ContextId) -> dict[FileId, Digest]:
        manifest = self.application.catalog.manifest(ME, context, "all")
        return {
            FileId(shape["id"]): Digest(shape["fingerprint"])
            for shape in json.loads(manifest.files_json)
        }

    def marked(self, context: ContextId) -> set[FileId]:
        return {mark.file for mark in self.application.reviews.marks(ME, context, "all").marks}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    with open_store(None) as store:
        yield Work(tmp_path / "work", compose(store, lambda: NOW))


def states(found: Comparison) -> dict[bytes, str]:
    return {bytes(file.pair.listed.path): file.state for file in found.files}


def only(found: Comparison) -> FileComparison:
    (file,) = found.files
    return file


def test_a_rebase_over_a_busy_main_is_no_author_change(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    work.checkout.commit("work")
    work.edit("src/app.py", "line 31\n", "mine too\n")
    old = work.collect()
    work.comment(old, 30)
    work.checkout.commit("more work")
    work.on_main(
        ("src/app.py", "line 2\n", "theirs\nand more\n"),
        ("src/app.py", "line 50\n", ""),
        ("src/other.py", "line 7\n", "theirs\n"),
    )
    work.checkout.git("rebase", "-q", "main")

    new = work.collect()
    found = work.compare(old, new)

    assert found.pure_rebase
    file = only(found)
    assert file.diff is not None
    assert (count(file.diff, "+", "upstream"), count(file.diff, "-", "upstream")) == (2, 2)
    assert work.place(new) == ("moved", 31)


def test_an_edit_after_the_rebase_is_the_only_author_change(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    old = work.collect()
    before = work.checkout.read("src/app.py")
    work.checkout.commit("work")
    work.on_main(("src/app.py", "line 2\n", "theirs\n"))
    work.checkout.git("rebase", "-q", "main")
    work.edit("src/app.py", "mine\n", "better\n")

    file = only(work.compare(old, work.collect()))

    assert file.diff is not None
    assert [row.text for row in file.diff.rows if row.origin == "author"] == [
        b"mine\n",
        b"better\n",
    ]
    assert patched(before, unified(file.diff.rows)) == work.checkout.read("src/app.py")


def test_a_squash_changes_nothing_and_keeps_the_marks(work: Work) -> None:
    start = work.checkout.git("rev-parse", "HEAD").decode().strip()
    for line in (10, 20, 30):
        work.edit("src/app.py", f"line {line}\n", f"mine {line}\n")
        work.checkout.commit(f"part {line}")
    old = work.collect()
    work.mark_all(old)
    work.checkout.git("reset", "-q", "--soft", start)
    work.checkout.commit("all of it")

    new = work.collect()

    assert new != old
    assert states(work.compare(old, new)) == {APP: "unchanged"}
    assert work.marked(new) == {file_id(APP)}


def test_a_change_reverted_and_applied_again_restores_its_mark_and_its_thread(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    first = work.collect()
    work.mark_all(first)
    work.comment(first, 30)
    work.edit("src/app.py", "mine\n", "line 30\n")
    work.edit("src/other.py", "line 1\n", "other\n")
    second = work.collect()
    work.edit("src/app.py", "line 30\n", "mine\n")
    third = work.collect()

    assert states(work.compare(first, second)) == {APP: "gone", b"src/other.py": "new"}
    assert states(work.compare(first, third)) == {APP: "unchanged", b"src/other.py": "new"}
    assert (work.marked(second), work.marked(third)) == (set(), {file_id(APP)})
    assert work.place(second) == ("outdated", None)
    assert work.place(third) == ("exact", 30)


def test_a_file_renamed_then_edited_is_followed(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    old = work.collect()
    work.comment(old, 30)
    work.checkout.git("mv", "src/app.py", "src/main.py")
    work.edit("src/main.py", "line 3\n", "")

    new = work.collect()
    file = only(work.compare(old, new))

    assert file.pair.renamed
    assert file.diff is not None
    assert (count(file.diff, "-", "author"), count(file.diff, "+", "author")) == (1, 0)
    assert work.place(new) == ("moved", 29)


def test_a_comment_on_a_deleted_line_follows_it(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "")
    old = work.collect()
    work.comment(old, 30, side="old")
    work.checkout.commit("work")
    work.on_main(("src/app.py", "line 2\n", "theirs\nand more\n"))
    work.checkout.git("rebase", "-q", "main")

    assert work.place(work.collect()) == ("moved", 31)


def test_a_file_that_disappears_and_returns_keeps_its_thread(work: Work) -> None:
    work.checkout.write("src/app.py", numbered(60, {30: "mine\n"}))
    first = work.collect()
    work.comment(first, 30)
    work.checkout.write("src/app.py", numbered(60))
    work.checkout.write("new.txt", "new\n")
    second = work.collect()
    work.checkout.write("src/app.py", numbered(60, {1: "top\nline 1\n", 30: "mine\n"}))

    assert work.place(second) == ("outdated", None)
    assert work.place(work.collect()) == ("moved", 31)


def test_what_main_took_over_is_said_to_be_gone_and_not_explained(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    work.edit("src/other.py", "line 30\n", "mine\n")
    old = work.collect()
    work.checkout.commit("work")
    work.on_main(("src/app.py", "line 30\n", "mine\n"))
    work.checkout.git("rebase", "-q", "main")

    found = work.compare(old, work.collect())

    assert states(found) == {APP: "gone", b"src/other.py": "unchanged"}
    assert found.author_change is None


def test_a_rebase_over_a_main_that_renamed_the_file_is_no_author_change(work: Work) -> None:
    work.edit("src/app.py", "line 30\n", "mine\n")
    old = work.collect()
    work.comment(old, 30)
    work.mark_all(old)
    work.checkout.commit("work")
    work.checkout.git("checkout", "-q", "main")
    work.checkout.git("mv", "src/app.py", "src/main.py")
    work.edit("src/main.py", "line 2\n", "theirs\nand more\n")
    work.checkout.commit("rename")
    work.checkout.git("checkout", "-q", "topic")
    work.checkout.git("rebase", "-q", "main")

    new = work.collect()
    found = work.compare(old, new)

    assert found.pure_rebase
    assert only(found).pair.renamed
    assert work.place(new) == ("moved", 31)
    (since,) = work.application.reviews.marks(ME, new, "all").changed
    assert (since.file, since.context) == (only(found).pair.id, old)


def test_a_new_file_is_followed_through_two_names_and_its_commit(work: Work) -> None:
    work.checkout.write("draft.py", numbered(40, {30: "mine\n"}))
    first = work.collect()
    lines = Lines(side="new", start=30, end=30)
    comment = NewComment(scope="all", file=file_id(GitPath(b"draft.py")), lines=lines, body="why?")
    work.application.reviews.comment(ME, first, comment, Author())
    for name in ("lib/better.py", "lib/best.py"):
        before = "draft.py" if name == "lib/better.py" else "lib/better.py"
        text = work.checkout.read(before).decode()
        work.checkout.git("rm", "-q", "--cached", "--ignore-unmatch", before)
        (work.checkout.top / before).unlink()
        work.checkout.write(name, "# more\n" + text)
        work.checkout.commit(f"to {name}")

    last = work.collect()

    assert work.place(last) == ("moved", 32)
    assert states(work.compare(first, last)) == {b"lib/best.py": "changed"}
