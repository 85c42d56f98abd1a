"""Whoever asks on the command line is told of commands and options, never of tools (8.2)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffx.cli import main
from diffx.cli.wording import COMMANDS, OPTIONS, in_commands
from diffx.mcpapi import contexts, listening, speaking
from tests.support.agents import Agents, serving_agents

MCPAPI = Path(contexts.__file__).parent
# What the verbs can be refused with; the others are about files, which no verb reads.
HEARD = ("contexts", "listening", "threads")


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ("no such context; call list_contexts for the ids", "no such context; run `diffx contexts` for the ids"),
        (
            "there are several reviews; give context_id, one of a, b (list_contexts describes them)",
            "there are several reviews; give --context, one of a, b (`diffx contexts` describes them)",
        ),
        (
            "there is no such comment here; call get_review_comments for the ids",
            "there is no such comment here; run `diffx comments` for the ids",
        ),
        ("since must be between 0 and 9", "--since must be between 0 and 9"),
        ("this since is not from here", "this since is not from here"),
        ("body: a comment needs words", "TEXT: a comment needs words"),
        ("comment_id must be at most 80 characters long", "ID must be at most 80 characters long"),
    ],
)  # fmt: skip
def test_tools_and_arguments_become_commands_and_options(refused: str, said: str) -> None:
    assert in_commands(refused) == said


def test_every_refusal_that_a_verb_can_meet_has_words_for_the_command_line() -> None:
    with serving_agents() as agents:
        names = "|".join(tools(agents))
    for module in HEARD:
        for text in refusals(MCPAPI / f"{module}.py"):
            assert not re.search(rf"\b({names})\b|\w_\w", in_commands(text)), text


def test_every_argument_of_a_verbs_tool_is_named_as_its_option() -> None:
    taken = {
        *contexts.LIST_TAKES,
        *listening.COMMENTS_TAKES,
        *listening.WAIT_TAKES,
        *speaking.REPLY_TAKES,
        *speaking.RESOLVE_TAKES,
    }
    offered = {
        option
        for command in COMMANDS.values()
        for action in main.parsers()[command]._actions  # noqa: SLF001 - there is no public way
        for option in (*action.option_strings, action.metavar)
    }

    assert taken - {"include_code"} == set(OPTIONS)
    assert set(OPTIONS.values()) <= offered


def tools(agents: Agents) -> list[str]:
    return [tool["name"] for tool in agents.modern("tools/list")["result"]["tools"]]


def refusals(module: Path) -> Iterator[str]:
    """Every text that a module raises, its variable parts left out."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Raise) and node.exc is not None:
            parts = [
                part.value
                for part in ast.walk(node.exc)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            yield " ".join(part for part in parts if " " in part)
