import json
import re

from diffx.httpapi.messages import Request
from diffx.httpapi.meta import Identity, get_health
from diffx.review.model import ContextId
from diffx.store.database import Store
from tests.support.http import Api


def test_health_names_protocol_and_database(store: Store, api: Api) -> None:
    health = api.json("/api/v2/health")

    assert health["protocolVersion"] == 4
    assert health["stateId"] == store.state_id
    assert health["queuedIngestion"] is False


def test_metrics_count_what_is_there(api: Api, context: ContextId) -> None:
    figures = api.json("/api/v2/metrics")

    assert figures["contexts"] == 1
    assert figures["rssBytes"] > 1 << 20
    assert figures["threads"] >= 1


def test_metrics_speak_prometheus_when_asked(api: Api) -> None:
    response = api.get("/api/v2/metrics", accept="text/plain;version=0.0.4, */*;q=0.1")

    assert (response.media_type or "").startswith("text/plain; version=0.0.4")
    lines = response.body.decode("ascii").splitlines()
    assert all(re.fullmatch(r"# (HELP|TYPE) .+|[a-z_]+ [0-9.]+", line) for line in lines)
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)


def test_a_browser_gets_metrics_as_json(api: Api) -> None:
    assert api.get("/api/v2/metrics", accept="text/html, */*").media_type == "application/json"


def test_only_a_local_viewer_names_its_machine(api: Api) -> None:
    assert "hostname" not in api.json("/api/v2/health")
    local = get_health(
        Identity(state_id="s", version="0", hostname="laptop"), Request(method="GET", path="/")
    )
    assert json.loads(local.body)["hostname"] == "laptop"
