"""The protocol's own conformance suite: every scenario that applies to a server with tools only.

The handshake era's server-sse-multiple-streams is not among them: it wants a session.
"""

from pathlib import Path
from typing import Final

import pytest

from tests.support.mcp_clients import NodeClients
from tests.support.viewer import Viewer

pytestmark = pytest.mark.system

BASELINE: Final = Path(__file__).parent / "baseline.yml"
LEGACY: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
SCENARIOS: Final = [
    ("server-initialize", LEGACY),
    ("ping", LEGACY),
    ("server-session-lifecycle", LEGACY),
    ("tools-list", LEGACY),
    ("dns-rebinding-protection", LEGACY),
    ("server-stateless", MODERN),
    ("tools-list", MODERN),
    ("dns-rebinding-protection", MODERN),
    ("http-header-validation", MODERN),
    ("caching", MODERN),
    ("server-sse-multiple-streams", MODERN),
]


@pytest.mark.parametrize(("scenario", "version"), SCENARIOS)
def test_a_scenario_of_the_conformance_suite_passes(
    lasting: Viewer, node: NodeClients, tmp_path: Path, scenario: str, version: str
) -> None:
    ran = node.program(
        "@modelcontextprotocol/conformance",
        *("server", "--url", f"{lasting.origin}/mcp"),
        *("--scenario", scenario, "--spec-version", version),
        *("--expected-failures", str(BASELINE), "--output-dir", str(tmp_path)),
    )

    assert ran.code == 0, ran.output
