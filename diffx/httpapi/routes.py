"""The route table, and dispatch(Request) -> Response; no socket.

A request passes through the same doors in the same order: is it meant for this server, may its
sender change anything, is there such a route, is the body JSON, who asks, and only then the
handler.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources.abc import Traversable
from typing import Final

from diffx.errors import DiffxError
from diffx.httpapi import contexts, diffs, reviewroutes, search
from diffx.httpapi.assets import Assets
from diffx.httpapi.events import EventHub
from diffx.httpapi.messages import (
    BodySink,
    Request,
    Response,
    internal_problem,
    problem,
    problem_of,
)
from diffx.httpapi.meta import Identity, Metrics, get_health, get_liveness, load_contract
from diffx.httpapi.opening import Opening
from diffx.httpapi.origin import (
    SAFE_METHODS,
    Hosts,
    refuse_foreign_page,
    refuse_host,
    refuse_other_types,
)
from diffx.httpapi.query import is_id, unescape
from diffx.httpapi.representation import finish
from diffx.review.model import OwnerId
from diffx.services.catalog import Catalog
from diffx.services.changes import Changes
from diffx.services.iterations import Iterations
from diffx.services.reviews import Reviews
from diffx.services.search import Search

log = logging.getLogger(__name__)

MAX_BODY: Final = 1 << 20

Handler = Callable[[Request], Response]
Authenticate = Callable[[Request], OwnerId | Response]
"""Say who asks, or answer in the handler's place (401, 429). Runs on a handler thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row of the table. `{name}` in a template is one segment of the path.

    A `public` route asks for no credentials. A `spool` takes the body piece by piece while it
    arrives, for bodies too large to hold; it is made once the sender is known.
    """

    method: str
    template: str
    handler: Handler
    public: bool = False
    max_body: int = MAX_BODY
    spool: Callable[[Request], BodySink] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The application's services, as this transport needs them."""

    catalog: Catalog
    changes: Changes
    reviews: Reviews
    iterations: Iterations


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a composition decides: who is served, as whom, and what the server says of itself.

    `more` are routes of other packages (MCP, ingestion) for the same table.
    """

    identity: Identity
    hosts: Hosts
    authenticate: Authenticate
    assets: Traversable
    connections: Callable[[], int] = lambda: 0
    opening: Opening = field(default_factory=Opening)
    more: Sequence[Route] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that may go on to its handler, once its body is here."""

    request: Request
    route: Route
    params: Mapping[str, str]


@dataclass(slots=True)
class _Node:
    """One segment of the table's tree: fixed names first, else the one variable."""

    fixed: dict[str, "_Node"] = field(default_factory=dict)
    variable: tuple[str, "_Node"] | None = None
    methods: dict[str, Route] = field(default_factory=dict)


class Dispatcher:
    """Answer requests from a route table. Every failure becomes a problem document."""

    def __init__(
        self, routes: Sequence[Route], *, hosts: Hosts, authenticate: Authenticate
    ) -> None:
        self.routes: Final = tuple(routes)
        self._hosts = hosts
        self.authenticate = authenticate
        self._root = _Node()
        for route in self.routes:
            _grow(self._root, route)

    def dispatch(self, request: Request) -> Response:
        """Answer a request whose body is here."""
        call = self.screen(request, has_body=bool(request.body))
        return call if isinstance(call, Response) else self.run(call)

    def screen(self, request: Request, *, has_body: bool) -> Response | Call:
        """Match a request by its head alone, or refuse it. Pure and quick: never blocks."""
        try:
            refused = refuse_host(self._hosts, request.headers)
            refused = refused or refuse_foreign_page(request.method, request.headers)
            if refused is not None:
                return refused
            found = self._match(request, has_body=has_body)
            if isinstance(found, Response):
                return found
            refused = refuse_other_types(request.method, request.headers, has_body=has_body)
            if refused is not None:
                return refused
            if has_body and found.route.spool is None and _is_encoded(request.headers):
                return problem(
                    415, "unsupported_media_type", "this route takes no Content-Encoding"
                )
        except DiffxError as error:
            return problem_of(error)
        return found

    def open_spool(self, call: Call) -> Response | BodySink:
        """Authenticate the sender of a large body and make the place it is written to."""
        try:
            owner = self.authenticate(call.request)
            if isinstance(owner, Response):
                return owner
            assert call.route.spool is not None
            return call.route.spool(replace(call.request, owner=owner, params=call.params))
        except Exception as error:  # noqa: BLE001 - an edge: a bug becomes a 500, not a dead thread
            return failed(call, error)

    def run(self, call: Call) -> Response:
        """Authenticate and answer; whatever the handler raises, a Response comes back."""
        started = time.monotonic()
        try:
            response = finish(call.request, self._answer(call))
        except Exception as error:  # noqa: BLE001 - an edge: a bug becomes a 500, not a dead thread
            response = failed(call, error)
        if log.isEnabledFor(logging.DEBUG):
            log.debug(
                "answered method=%s route=%s status=%d ms=%.1f",
                call.request.method,
                call.route.template,
                response.status,
                (time.monotonic() - started) * 1000,
            )
        return response

    def _answer(self, call: Call) -> Response:
        if call.route.public:
            return call.route.handler(replace(call.request, params=call.params))
        owner = self.authenticate(call.request)
        if isinstance(owner, Response):
            return owner
        return call.route.handler(replace(call.request, owner=owner, params=call.params))

    def _match(self, request: Request, *, has_body: bool) -> Response | Call:
        node = self._root
        params: dict[str, str] = {}
        for segment in request.path.split("/")[1:]:
            name = unescape(segment, "path")
            following = node.fixed.get(name)
            if following is None:
                if node.variable is None or not name:
                    return _no_route()
                key, following = node.variable
                if key.endswith("Id") and not is_id(name):
                    return _no_route()
                params[key] = name
            node = following
        if not node.methods:
            return _no_route()
        route = node.methods.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            refusal = _wrong_method(node.methods)
            if has_body or request.method not in SAFE_METHODS:
                return refusal
            # Credentials come first (12.3): a client without them that tries GET where only POST
            # is taken must be told of what it lacks.
            public = all(each.public for each in node.methods.values())
            route = Route(
                method=request.method, template="", handler=lambda _: refusal, public=public
            )
        return Call(request=request, route=route, params=params)


def build(services: Services, settings: Settings) -> Dispatcher:
    """Join services and settings to the table that every composition serves."""
    return Dispatcher(
        (*_table(services, settings), *settings.more),
        hosts=settings.hosts,
        authenticate=settings.authenticate,
    )


def _table(services: Services, settings: Settings) -> tuple[Route, ...]:
    catalog = services.catalog
    assets = Assets(settings.assets)
    events = EventHub(services.changes)
    metrics = Metrics(catalog=catalog, connections=settings.connections, started=time.monotonic())
    context = "/api/v2/contexts/{contextId}"
    diff = context + "/diffs/{diffId}"
    gets: Mapping[str, Handler] = {
        "/": assets.get_page,
        "/contexts/{contextId}": assets.get_page,
        "/opening": assets.get_page,
        "/assets/{name}": assets.get_asset,
        "/openapi.yaml": load_contract().get,
        "/api/v2/health": partial(get_health, settings.identity),
        "/api/v2/metrics": metrics.get,
        "/api/v2/opening": settings.opening.get,
        "/api/v2/events": events.get,
        "/api/v2/catalog": partial(contexts.list_groups, catalog),
        "/api/v2/contexts": partial(contexts.list_contexts, catalog),
        context: partial(contexts.get_context, catalog, services.reviews),
        context + "/view": partial(diffs.get_view, catalog, services.reviews),
        context + "/search": partial(search.find, Search(catalog=catalog)),
        context + "/diffs/current": partial(diffs.get_manifest, catalog),
        diff + "/patches": partial(diffs.list_patches, catalog),
        diff + "/files/{fileId}/patch": partial(diffs.get_patch, catalog),
        diff + "/files/{fileId}/contents": partial(diffs.get_contents, catalog),
        diff + "/files/{fileId}/image": partial(diffs.get_image, catalog),
    }
    return (
        Route(method="GET", template="/livez", handler=get_liveness, public=True),
        *(Route(method="GET", template=path, handler=handler) for path, handler in gets.items()),
        Route(
            method="DELETE", template=context, handler=partial(contexts.delete_context, catalog)
        ),
        *(
            Route(method=method, template=template, handler=handler)
            for (method, template), handler in reviewroutes.rows(
                catalog, services.reviews, services.iterations
            ).items()
        ),
    )


def _grow(root: _Node, route: Route) -> None:
    node = root
    for segment in route.template.split("/")[1:]:
        if not segment.startswith("{"):
            node = node.fixed.setdefault(segment, _Node())
            continue
        name = segment.strip("{}")
        if node.variable is None:
            node.variable = (name, _Node())
        if node.variable[0] != name:
            raise ValueError(f"{route.template}: {{{name}}} is {{{node.variable[0]}}} elsewhere")
        node = node.variable[1]
    if route.method in node.methods:
        raise ValueError(f"{route.method} {route.template} is in the table twice")
    node.methods[route.method] = route


def _wrong_method(methods: Mapping[str, Route]) -> Response:
    allowed = ", ".join(_allowed(methods))
    return problem(
        405,
        "method_not_allowed",
        f"this address takes {allowed}",
        headers=(("Allow", allowed),),
    )


def _allowed(methods: Mapping[str, Route]) -> list[str]:
    return sorted({*methods, *(("HEAD",) if "GET" in methods else ())})


def _is_encoded(headers: Mapping[str, str]) -> bool:
    return headers.get("content-encoding", "identity").lower() != "identity"


def _no_route() -> Response:
    return problem(404, "not_found", "there is nothing at this address")


def failed(call: Call, error: Exception) -> Response:
    """Answer a failure; what is not a DiffxError is a bug, and only the log says more (10.1)."""
    if isinstance(error, DiffxError):
        if error.kind == "failed":
            log.warning("request failed route=%s error=%s", call.route.template, error)
        return problem_of(error)
    log.error(
        "handler failed method=%s route=%s",
        call.request.method,
        call.route.template,
        exc_info=error,
    )
    return internal_problem()
