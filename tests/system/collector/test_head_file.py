"""What is read off HEAD's files is what git says, or nothing."""

from pathlib import Path

import pytest

from diffx.collector.gitexe.headfile import head_on_disk
from diffx.collector.repository import MovingError
from tests.support.engines import ENGINES, opened
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system


def _on_disk(checkout: Checkout) -> str | None:
    with opened("git", checkout.top) as repository:
        return head_on_disk(repository.layout)


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_a_branch_a_detached_head_and_a_linked_worktree_are_read(
    tmp_path: Path, form: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo", f"--object-format={form}")
    first = checkout.commit()
    assert _on_disk(checkout) == first
    checkout.git("worktree", "add", "-q", "-b", "a/topic", str(tmp_path / "linked"))
    linked = Checkout(tmp_path / "linked")
    second = linked.commit("more")
    assert (_on_disk(linked), _on_disk(checkout)) == (second, first)
    checkout.git("checkout", "-q", "--detach", second)
    assert _on_disk(checkout) == second


def test_what_only_git_can_tell_is_left_to_git(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    assert _on_disk(checkout) is None  # no commit yet
    checkout.collect()
    checkout.commit()
    checkout.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    checkout.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert _on_disk(checkout) is None
    checkout.collect()
    checkout.git("symbolic-ref", "HEAD", "refs/heads/main")
    checkout.git("pack-refs", "--all")
    assert _on_disk(checkout) is None
    checkout.collect()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_head_that_moves_during_a_walk_is_noticed(
    tmp_path: Path, engine: str, *, packed: bool
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    first = checkout.commit()
    second = checkout.commit("more")
    with opened(engine, checkout.top) as repository:
        head = repository.refs().head
        assert head == second
        walk = repository.walk(head).against(head)
        checkout.git("update-ref", "refs/heads/main", first)  # the index stays as it is
        if packed:
            checkout.git("pack-refs", "--all")

        with pytest.raises(MovingError, match="kept changing"):
            walk.finish()
