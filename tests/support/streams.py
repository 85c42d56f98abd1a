"""A review in several iterations for tests: the author works on, and the base moves below them."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from diffx.review.model import CommitId, Comparison, ContextId, Digest
from tests.support.reviewsite import Made, ReviewSite, made

BUSY_FILES: Final = 40


def base(commit: str) -> Comparison:
    """Compare with a branch that was left at a commit, named by one letter."""
    return Comparison(
        policy="auto",
        kind="branch",
        base_ref="origin/main",
        base_commit=CommitId(commit * 40),
        merge_base=CommitId(commit * 40),
    )


def lines(count: int, changed: Mapping[int, str] | None = None, word: str = "line") -> str:
    """Return numbered lines, some of them replaced; "" removes one."""
    said = changed or {}
    return "".join(said.get(n, f"{word} {n}\n") for n in range(1, count + 1))


def changed(path: str, before: str | None, after: str | None, **more: Any) -> Made:
    """Change a file; its fingerprint covers both texts whole, as a collected one's does (3.6)."""
    seen = hashlib.sha256(repr((path, before, after)).encode()).hexdigest()
    return made(path, before, after, fingerprint=Digest(seen), **more)


MINE: Final = {20: "line 20, mine\n"}
THEIRS: Final = {3: "line 3, upstream\n", 40: "line 40, upstream\nand one more\n"}


def first() -> list[Made]:
    """What the author changed at first, on base a."""
    return [
        changed("src/cart.py", lines(60), lines(60, MINE)),
        changed("src/kept.py", lines(30, word="kept"), lines(30, {5: "kept 5, mine\n"}, "kept")),
        changed(
            "src/old_name.py", lines(30, word="name"), lines(30, {9: "name 9, mine\n"}, "name")
        ),
        changed("src/reverted.py", lines(9, word="back"), lines(9, {2: "back 2, mine\n"}, "back")),
        changed("src/theirs.py", lines(60, word="t"), lines(60, {30: "t 30, mine\n"}, "t")),
    ]


def second() -> list[Made]:
    """The same on base b, where cart.py and theirs.py moved; the author went on in cart.py."""
    before = lines(60, THEIRS)
    later = {**MINE, **THEIRS, 21: "line 21, mine too\n"}
    theirs = {10: "t 10, upstream\n"}
    return [
        changed("src/added.py", None, "a = 1\nb = 2\n"),
        changed("src/cart.py", before, lines(60, later)),
        changed("src/kept.py", lines(30, word="kept"), lines(30, {5: "kept 5, mine\n"}, "kept")),
        changed(
            "src/new_name.py",
            lines(30, word="name"),
            lines(30, {9: "name 9, mine\n", 10: "name 10, mine\n"}, "name"),
            status="R",
            old_path=b"src/old_name.py",
        ),
        changed(
            "src/theirs.py",
            lines(60, theirs, "t"),
            lines(60, {**theirs, 30: "t 30, mine\n"}, "t"),
        ),
    ]


def two_iterations(site: ReviewSite) -> tuple[ContextId, ContextId]:
    """Publish a review, and its next iteration on a base that moved."""
    one = site.publish(first(), comparison=base("a"))
    return one, site.publish(second(), comparison=base("b"))


def busy_rebase(site: ReviewSite) -> tuple[ContextId, ContextId]:
    """Publish a review twice: a busy main changed every file of it, and the author nothing."""
    mine = {15: "line 15, mine\n", 16: ""}
    theirs = {2: "line 2, upstream\n", 5: "", 44: "line 44\nand more\nand more\n"}
    names = [f"pkg/file_{n:02d}.py" for n in range(BUSY_FILES)]
    older = [changed(name, lines(60), lines(60, mine)) for name in names]
    newer = [changed(name, lines(60, theirs), lines(60, {**mine, **theirs})) for name in names]
    return site.publish(older, comparison=base("a")), site.publish(newer, comparison=base("b"))
