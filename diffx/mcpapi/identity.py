"""Who speaks: the client's name, and which one of several such agents it says it is (8.1)."""

from typing import Final

from diffx.mcpapi.arguments import Arguments, Text
from diffx.mcpapi.messages import Asker
from diffx.mcpapi.untrusted import one_line
from diffx.review.comments import Author
from diffx.review.model import Session

AGENT: Final = Text(
    about="Your name, if several agents of your kind work here; give the same one each time.",
    limit=60,
)
_NOBODY: Final = "unknown"


def author_of(asker: Asker, arguments: Arguments) -> Author:
    """Name the agent that writes: its client, and which one of several it says it is."""
    name = arguments.text("agent_name")
    own = None if name is None else one_line(name.strip())
    harness = one_line((asker.agent or "").strip()) or _NOBODY
    return Author(
        kind="agent",
        session=Session(harness=harness, session_id=own or "", name=own),
    )
