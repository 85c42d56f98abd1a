from collections.abc import Iterator

import pytest

from diffx.review.model import ContextId
from tests.support.agents import Agents, serving_agents
from tests.support.observations import change, submission, withheld


@pytest.fixture
def agents() -> Iterator[Agents]:
    """One review: two text files, one of them long, and a binary one."""
    long = "".join(f"line {number}\n" for number in range(1, 1001))
    files = [change("a.py", "one\ntwo\nthree\n", before="one\n2\nthree\n"), change("b.py", long)]
    with serving_agents(submission("s1", [*files, withheld("logo.png")])) as served:
        yield served


@pytest.fixture
def context(agents: Agents) -> ContextId:
    assert agents.shown is not None
    return agents.shown
