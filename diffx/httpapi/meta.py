"""The server about itself: liveness, health, metrics, and its contract."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, NotRequired, TypedDict

from diffx.errors import MissingError
from diffx.httpapi.messages import REVALIDATE, Request, Response, etag_of
from diffx.httpapi.process import process_figures
from diffx.ingestion.wire import PROTOCOL_VERSION
from diffx.services.catalog import Catalog

_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"


class HealthShape(TypedDict):
    protocolVersion: int
    stateId: str
    version: str
    ingestionEnabled: bool
    queuedIngestion: bool
    hostname: NotRequired[str]


class MetricsShape(TypedDict):
    rssBytes: int
    cpuSeconds: float
    uptimeSeconds: float
    threads: int
    connections: int
    contexts: int
    databaseBytes: int


# metric name, kind and help of each figure, as Prometheus wants them
_EXPOSED: Final[Mapping[str, tuple[str, str, str]]] = {
    "rssBytes": ("process_resident_memory_bytes", "gauge", "Resident memory."),
    "cpuSeconds": ("process_cpu_seconds_total", "counter", "User and system CPU time spent."),
    "uptimeSeconds": ("diffx_uptime_seconds", "gauge", "Time since the server started."),
    "threads": ("diffx_threads", "gauge", "Threads alive."),
    "connections": ("diffx_http_connections", "gauge", "Open client connections."),
    "contexts": ("diffx_contexts", "gauge", "Unexpired contexts stored."),
    "databaseBytes": ("diffx_database_bytes", "gauge", "Size of the database."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which server this is: what `health` says (4.4).

    `hostname` is a local viewer's machine: what was collected there lies where its root says.
    """

    state_id: str
    version: str
    ingestion_enabled: bool = False
    queued_ingestion: bool = False
    hostname: str | None = None


def get_liveness(request: Request) -> Response:
    return Response(body=b"ok\n", media_type="text/plain; charset=utf-8")


def get_health(identity: Identity, request: Request) -> Response:
    shape = HealthShape(
        protocolVersion=PROTOCOL_VERSION,
        stateId=identity.state_id,
        version=identity.version,
        ingestionEnabled=identity.ingestion_enabled,
        queuedIngestion=identity.queued_ingestion,
    )
    if identity.hostname is not None:
        shape["hostname"] = identity.hostname
    return Response.json(shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Current figures; `started` is the monotonic clock's reading at the start."""

    catalog: Catalog
    connections: Callable[[], int]
    started: float

    def get(self, request: Request) -> Response:
        shape = self._measure()
        vary = (("Vary", "Accept"),)
        if _wants_text(request.headers.get("accept", "")):
            body = _prometheus(shape).encode("ascii")
            return Response(body=body, media_type=_PROMETHEUS, headers=vary)
        answer = Response.json(shape)
        return Response(body=answer.body, media_type=answer.media_type, headers=vary)

    def _measure(self) -> MetricsShape:
        process = process_figures()
        store = self.catalog.figures()
        return MetricsShape(
            rssBytes=process.rss_bytes,
            cpuSeconds=round(process.cpu_seconds, 3),
            uptimeSeconds=round(time.monotonic() - self.started, 3),
            threads=process.threads,
            connections=self.connections(),
            contexts=store.contexts,
            databaseBytes=store.database_bytes,
        )


def _wants_text(accept: str) -> bool:
    """Say whether plain text is named before JSON; who names neither gets JSON."""
    for item in accept.lower().split(","):
        media_type = item.partition(";")[0].strip()
        if media_type in ("text/plain", "application/openmetrics-text"):
            return True
        if media_type == "application/json":
            return False
    return False


def _prometheus(shape: MetricsShape) -> str:
    lines = []
    values: Mapping[str, object] = {**shape}
    for field, (name, kind, text) in _EXPOSED.items():
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}", f"{name} {values[field]}"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The OpenAPI document, as text; None where this copy of diffx carries none."""

    document: bytes | None

    def get(self, request: Request) -> Response:
        if self.document is None:
            raise MissingError("this copy of diffx was built without its openapi.yaml")
        return Response(
            body=self.document,
            media_type="application/yaml",
            cache=REVALIDATE,
            etag=etag_of(self.document),
        )


def load_contract() -> Contract:
    """Read the document inside the executable, or in the source tree that this module lies in."""
    source = Path(__file__).resolve().parents[2] / "docs" / "protocol" / "openapi.yaml"
    for place in (files("diffx") / "openapi.yaml", source):
        if place.is_file():
            return Contract(document=place.read_bytes())
    return Contract(document=None)
