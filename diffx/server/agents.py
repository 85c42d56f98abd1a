"""The endpoint for agents as rows of the one route table; httpapi and mcpapi know nothing of it."""

from diffx import __version__
from diffx.clock import NewId
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.routes import Handler, Route
from diffx.mcpapi.contexts import Contexts, Shown
from diffx.mcpapi.messages import Call
from diffx.mcpapi.protocol import About, Endpoint
from diffx.mcpapi.tools import INSTRUCTIONS, reading_tools
from diffx.review.model import ContextId
from diffx.server.application import Application


def agent_routes(
    application: Application, *, shown: Shown, origin: str | None, new_id: NewId
) -> tuple[Route, ...]:
    """Serve agents at /mcp, and at one address for each review that knows no other."""
    contexts = Contexts(catalog=application.catalog, shown=shown, origin=origin)
    endpoint = Endpoint(
        About(version=__version__, instructions=INSTRUCTIONS),
        reading_tools(application.catalog, contexts, new_id),
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


def _handler(endpoint: Endpoint) -> Handler:
    def post(request: Request) -> Response:
        context = request.params.get("contextId")
        answer = endpoint.answer(
            Call(
                owner=request.owner,
                body=request.body,
                headers=request.headers,
                context=None if context is None else ContextId(context),
            )
        )
        return Response(
            status=answer.status,
            body=answer.body,
            media_type=answer.media_type,
            headers=answer.headers,
            stream=answer.stream,
        )

    return post
