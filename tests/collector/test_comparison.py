import itertools

import pytest

from diffx.collector.comparison import Question, ask, decide
from diffx.collector.repository import Refs
from diffx.review.model import CommitId, Comparison

HEAD, LOCAL, REMOTE, BASE = (CommitId(char * 40) for char in "abcd")


def refs(
    *,
    head: CommitId | None = HEAD,
    branch: str | None = "feature",
    default: str | None = "main",
    local: CommitId | None = LOCAL,
    remote: CommitId | None = REMOTE,
) -> Refs:
    return Refs(
        head=head, branch=branch, default=default, default_local=local, default_remote=remote
    )


def names(question: Question | Comparison) -> list[str]:
    assert isinstance(question, Question)
    return [tip.name for tip in question.tips]


def test_a_branch_is_compared_with_the_nearer_of_local_and_origin() -> None:
    assert names(ask("auto", refs())) == ["main", "origin/main"]


def test_a_detached_head_is_compared_like_a_branch() -> None:
    assert names(ask("auto", refs(branch=None))) == ["main", "origin/main"]


def test_on_the_default_branch_only_its_counterpart_counts() -> None:
    assert names(ask("auto", refs(branch="main"))) == ["origin/main"]


def test_on_the_default_branch_without_a_counterpart_the_working_tree_is_all_there_is() -> None:
    comparison = ask("auto", refs(branch="main", remote=None))

    assert isinstance(comparison, Comparison)
    assert (comparison.kind, comparison.fallback) == ("working-tree", None)
    assert comparison.merge_base == HEAD


@pytest.mark.parametrize(("local", "remote"), [(None, REMOTE), (LOCAL, None)])
def test_one_of_the_two_is_enough(local: CommitId | None, remote: CommitId | None) -> None:
    assert len(names(ask("auto", refs(local=local, remote=remote)))) == 1


@pytest.mark.parametrize("policy", ["auto", "main", "v1"])
def test_an_unborn_head_falls_back_and_says_unborn(policy: str) -> None:
    comparison = ask(policy, refs(head=None))

    assert isinstance(comparison, Comparison)
    assert (comparison.kind, comparison.fallback) == ("working-tree", "unborn")
    assert comparison.merge_base is None


def test_no_default_branch_is_said() -> None:
    comparison = ask("auto", refs(default=None, local=None, remote=None))

    assert isinstance(comparison, Comparison)
    assert comparison.fallback == "no-default-branch"


def test_base_head_is_no_fallback() -> None:
    comparison = ask("HEAD", refs())

    assert isinstance(comparison, Comparison)
    assert (comparison.policy, comparison.kind, comparison.fallback) == (
        "HEAD",
        "working-tree",
        None,
    )


def test_a_named_ref_is_recorded_with_its_commit_and_merge_base() -> None:
    question = ask("v1", refs(), LOCAL)
    assert isinstance(question, Question)

    comparison = decide(question, refs(), (LOCAL, BASE), shallow=False)

    assert comparison == Comparison(
        policy="v1", kind="branch", base_ref="v1", base_commit=LOCAL, merge_base=BASE
    )


@pytest.mark.parametrize(("shallow", "cause"), [(True, "shallow"), (False, "unrelated")])
def test_no_merge_base_falls_back_to_head_and_names_the_cause(shallow: bool, cause: str) -> None:
    question = ask("auto", refs())
    assert isinstance(question, Question)

    comparison = decide(question, refs(), None, shallow=shallow)

    assert (comparison.kind, comparison.fallback) == ("working-tree", cause)
    assert comparison.merge_base == HEAD


def test_every_state_of_the_refs_has_an_answer() -> None:
    states = itertools.product(
        (None, HEAD), (None, "main", "feature"), (None, "main"), (None, LOCAL), (None, REMOTE)
    )
    for head, branch, default, local, remote in states:
        for policy in ("auto", "HEAD", "v1"):
            state = refs(head=head, branch=branch, default=default, local=local, remote=remote)
            answer = ask(policy, state, LOCAL)
            if isinstance(answer, Question):
                assert answer.tips
                assert head is not None
                assert answer.commits == [tip.commit for tip in answer.tips]
            else:
                assert answer.merge_base == head
