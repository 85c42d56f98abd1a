"""Clients of others against a live review: each lists and calls every tool, in both eras."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.mcp_clients import NodeClients, PythonClient
from tests.support.viewer import Viewer

pytestmark = pytest.mark.system

SCRIPTS: Final = Path(__file__).parent / "scripts"
TOOLS: Final = 10


def check(round_of_work: Any) -> None:
    """What the agent saw of its own work is the same with every client."""
    assert len(round_of_work.pop("tools")) == TOOLS
    added, last = round_of_work.pop("added"), round_of_work.pop("last")
    assert added in last
    assert len(last) == 2
    assert "list_changed_files" in round_of_work.pop("refused")
    assert round_of_work == {
        "contexts": 1,
        "files": 2,
        "paths": ["a.txt", "new.txt"],
        "patch": True,
        "content": True,
        "reply": "open",
        "done": "resolved",
        "waited": [],
    }


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_python_client_2_works_a_review_off(
    viewer: Viewer, python_v2: PythonClient, mode: str
) -> None:
    check(python_v2.run(SCRIPTS / "loop_v2.py", f"{viewer.origin}/mcp", mode).data)


def test_the_python_client_1_works_a_review_off(viewer: Viewer, python_v1: PythonClient) -> None:
    check(python_v1.run(SCRIPTS / "loop_v1.py", f"{viewer.origin}/mcp").data)


def test_the_typescript_sdk_1_works_a_review_off(viewer: Viewer, node: NodeClients) -> None:
    check(node.run(SCRIPTS / "loop_ts1.mjs", f"{viewer.origin}/mcp").data)


@pytest.mark.parametrize("mode", ["legacy", "auto", "pin"])
def test_the_typescript_client_2_works_a_review_off(
    viewer: Viewer, node: NodeClients, mode: str
) -> None:
    url = f"{viewer.origin}/mcp/contexts/{viewer.context}/"
    check(node.run(SCRIPTS / "loop_ts2.mjs", url, mode).data)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_lists_and_calls_every_tool(
    viewer: Viewer, node: NodeClients, era: str
) -> None:
    url = f"{viewer.origin}/mcp"

    def inspect(*arguments: str) -> str:
        ran = node.program(
            "@modelcontextprotocol/inspector",
            # By itself it gives a connection 15 seconds, which a busy machine may well need.
            *("--cli", url, "--protocol-era", era, "--connect-timeout", "0", *arguments),
        )
        assert ran.code == 0, ran.output
        return ran.output

    assert inspect("--method", "tools/list", "--strict").count('"inputSchema"') == TOOLS
    call = ("--method", "tools/call", "--tool-name")
    (comment,) = re.findall(r'^ +"id": "(.+)",$', inspect(*call, "get_review_comments"), re.M)
    for words in (
        ("list_contexts",),
        ("get_review_summary",),
        ("list_changed_files",),
        ("read_patch", "--tool-arg", "path=a.txt"),
        ("read_file", "--tool-arg", "path=a.txt"),
        ("reply_to_review_comment", "--tool-arg", f"comment_id={comment}", "body=so"),
        ("resolve_review_comment", "--tool-arg", f"comment_id={comment}"),
        ("add_review_comment", "--tool-arg", "body=hm"),
        ("wait_for_review_comments", "--tool-arg", "timeout_seconds=1"),
    ):
        inspect(*call, *words)
