"""The endpoint for agents as rows of the one route table; httpapi and mcpapi know nothing of it."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Final

from diffx import __version__
from diffx.clock import NewId
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.routes import Handler, Route
from diffx.mcpapi.messages import Call, Shown
from diffx.mcpapi.waiting import Waits
from diffx.review.model import ContextId
from diffx.server.application import Application

if TYPE_CHECKING:
    from diffx.mcpapi.protocol import Endpoint

_HELD_BACK_BY_NOBODY: Final = (
    ("Cache-Control", "no-cache, no-transform"),
    ("X-Accel-Buffering", "no"),
)


def started_waits(stack: ExitStack, application: Application) -> Waits:
    """Serve calls that wait; enter it before the listener, whose streams must end first."""
    waits = Waits(application.changes)
    waits.start()
    stack.callback(waits.stop)
    return waits


def agent_routes(
    application: Application, waits: Waits, *, shown: Shown, origin: str | None, new_id: NewId
) -> tuple[Route, ...]:
    """Serve agents at /mcp, and at one address for each review that knows no other."""

    @cache
    def endpoint() -> "Endpoint":
        # Not before the first call: most reviews are never read by an agent, and start-up is.
        from diffx.mcpapi.contexts import Contexts
        from diffx.mcpapi.protocol import About, Endpoint
        from diffx.mcpapi.tools import INSTRUCTIONS, tool_table

        contexts = Contexts(
            catalog=application.catalog,
            reviews=application.reviews,
            shown=shown,
            origin=origin,
        )
        return Endpoint(
            About(version=__version__, instructions=INSTRUCTIONS),
            tool_table(application.catalog, application.reviews, contexts, new_id),
            waits,
        )

    # A client that appends a slash gets the same answer: a redirect would lose its POST.
    return tuple(
        Route(method="POST", template=template, handler=_handler(endpoint))
        for template in (
            "/mcp",
            "/mcp/",
            "/mcp/contexts/{contextId}",
            "/mcp/contexts/{contextId}/",
        )
    )


def _handler(endpoint: "Callable[[], Endpoint]") -> Handler:
    def post(request: Request) -> Response:
        context = request.params.get("contextId")
        answer = endpoint().answer(
            Call(
                owner=request.owner,
                body=request.body,
                headers=request.headers,
                context=None if context is None else ContextId(context),
            )
        )
        if answer.stream is None:
            return Response(status=answer.status, body=answer.body, media_type=answer.media_type)
        return Response(
            body=answer.body,
            media_type=answer.media_type,
            headers=_HELD_BACK_BY_NOBODY,
            cache="",
            stream=answer.stream,
        )

    return post
