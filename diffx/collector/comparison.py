"""Which baseline a checkout is compared with (2.3). Pure: refs in, a decision out.

`ask` says which tips come into question, the repository finds the nearest merge base among them,
and `decide` makes the recorded Comparison of it. Every fallback names its cause.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from diffx.collector.repository import Refs
from diffx.review.model import CommitId, Comparison, FallbackReason

AUTO: Final = "auto"
HEAD: Final = "HEAD"


class Tip(NamedTuple):
    """A commit to compare with, under the name that people know."""

    name: str
    commit: CommitId


class Question(NamedTuple):
    """The tips among which the nearest merge base decides; the first wins a tie."""

    policy: str
    tips: tuple[Tip, ...]

    @property
    def commits(self) -> Sequence[CommitId]:
        return [tip.commit for tip in self.tips]


def ask(policy: str, refs: Refs, named: CommitId | None = None) -> Question | Comparison:
    """Return the tips in question, or the comparison itself where there is nothing to ask.

    `named` is the commit of a policy that is a ref. On the default branch itself only its
    `origin/` counterpart counts, so that unpushed commits show; without one there is nothing
    but the working tree to show.
    """
    if refs.head is None:
        return with_head(policy, refs, None if policy == HEAD else "unborn")
    if policy == HEAD:
        return with_head(policy, refs)
    if policy != AUTO:
        return Question(policy, (Tip(policy, named),) if named is not None else ())
    if refs.default is None:
        return with_head(policy, refs, "no-default-branch")
    remote = (f"origin/{refs.default}", refs.default_remote)
    both = ((refs.default, refs.default_local), remote)
    on_default = refs.branch == refs.default
    tips = [Tip(name, tip) for name, tip in ((remote,) if on_default else both) if tip is not None]
    return Question(policy, tuple(tips)) if tips else with_head(policy, refs)


def decide(
    question: Question,
    refs: Refs,
    found: tuple[CommitId, CommitId] | None,
    *,
    shallow: bool,
) -> Comparison:
    """Record the nearest merge base, or why there is none.

    `found` is the winning tip and its merge base. A shallow clone may have cut the history that
    would join them; a complete one without a merge base is unrelated.
    """
    if found is None:
        return with_head(question.policy, refs, "shallow" if shallow else "unrelated")
    commit, base = found
    tip = next(tip for tip in question.tips if tip.commit == commit)
    return Comparison(
        policy=question.policy,
        kind="branch",
        base_ref=tip.name,
        base_commit=commit,
        merge_base=base,
    )


def with_head(policy: str, refs: Refs, fallback: FallbackReason | None = None) -> Comparison:
    """Return the comparison of HEAD with the working tree."""
    return Comparison(
        policy=policy,
        kind="working-tree",
        base_ref=None if refs.head is None else HEAD,
        base_commit=refs.head,
        merge_base=refs.head,
        fallback=fallback,
    )
