"""What the tools refuse, in the words of the command line: who asks here has no tool to call."""

import re
from collections.abc import Mapping
from typing import Final

COMMANDS: Final[Mapping[str, str]] = {
    "list_contexts": "contexts",
    "get_review_comments": "comments",
    "wait_for_review_comments": "wait",
    "reply_to_review_comment": "reply",
    "resolve_review_comment": "resolve",
}
"""The command behind which each of these tools stands."""
OPTIONS: Final[Mapping[str, str]] = {
    "actionable_only": "--actionable",
    "agent_name": "--agent-name",
    "body": "TEXT",
    "comment_id": "ID",
    "context_id": "--context",
    "cursor": "--cursor",
    "idempotency_key": "--key",
    "include_stale": "--stale",
    "limit": "--limit",
    "note": "--note",
    "path": "--path",
    "query": "--query",
    "resolution": "--resolution",
    "scope": "--scope",
    "since": "--since",
    "status": "--status",
    "timeout_seconds": "--seconds",
}
"""What stands for each argument of theirs."""

_TOOL: Final = re.compile(rf"\b(call )?({'|'.join(COMMANDS)})\b")
# Those that are words as well mean the argument only where a sentence begins with them.
_ARGUMENT: Final = re.compile(
    rf"^({'|'.join(OPTIONS)})\b|\b({'|'.join(name for name in OPTIONS if '_' in name)})\b"
)


def in_commands(text: str) -> str:
    """Turn names of tools and arguments into commands and options; the rest stays as it is."""
    text = _ARGUMENT.sub(lambda found: OPTIONS[found[0]], text)
    return _TOOL.sub(
        lambda found: f"{'run ' if found[1] else ''}`diffx {COMMANDS[found[2]]}`", text
    )
