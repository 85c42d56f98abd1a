"""The OpenAPI document against a live server, by a tool that knows neither of them (10.5)."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from diffx.store.database import Store, open_store
from tests.support.http import DOCUMENT, Api, dispatcher, publish, submission
from tests.support.wire import Serving, serving

pytestmark = pytest.mark.system

TOOL = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
ASSET = "main-ABCD1234.js"

# What no schema says: a valid-looking cursor that was not given out is refused, and so is an
# export whose parts do not fit each other, or an expression that cannot be matched in one pass.
OPAQUE_CURSORS = "".join(
    f'[[operations]]\ninclude-name = "{operation}"\n'
    "checks.positive_data_acceptance.enabled = false\n"
    for operation in (
        "GET /api/v2/contexts",
        "GET /api/v2/contexts/{contextId}/diffs/{diffId}/patches",
        "GET /api/v2/contexts/{contextId}/search",
        "POST /api/v2/contexts/{contextId}/comments/import",
    )
)


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    script = b"let a = 1;\n"
    listed = {"sha256": sha256(script).hexdigest(), "size": len(script), "gzip": False}
    (tmp_path / ASSET).write_bytes(script)
    (tmp_path / "assets.json").write_text(json.dumps({"files": {ASSET: listed}}))
    return tmp_path


@pytest.fixture
def server(store: Store, assets: Path) -> Iterator[Serving]:
    with serving(dispatcher(store, assets=assets)) as started:
        yield started


@pytest.fixture
def known(store: Store, assets: Path) -> Mapping[str, str]:
    """Path parameters that lead to something stored."""
    context = publish(store, submission(files=20))
    manifest = Api(dispatcher(store, assets=assets)).json(
        f"/api/v2/contexts/{context}/diffs/current"
    )
    return {
        "contextId": context,
        "diffId": manifest["diffId"],
        "fileId": manifest["files"][2]["id"],
        "name": ASSET,
    }


@pytest.fixture
def strict(tmp_path: Path, server: Serving) -> "Strict":
    return Strict(tmp_path / "schemathesis.toml", server.port)


class Strict:
    """Run every check there is over every operation but the endless stream and the agents'."""

    def __init__(self, config: Path, port: int) -> None:
        self._config = config
        self._port = port

    def run(self, parameters: Mapping[str, str], *options: str) -> None:
        assert TOOL is not None, "pip install schemathesis"
        values = "".join(f'"path.{name}" = "{value}"\n' for name, value in parameters.items())
        self._config.write_text(OPAQUE_CURSORS + "[parameters]\n" + values)
        done = subprocess.run(
            [
                *(TOOL, "--config-file", str(self._config), "run", str(DOCUMENT)),
                *("--url", f"http://127.0.0.1:{self._port}", "--exclude-path", "/api/v2/events"),
                *("--exclude-path-regex", "^/mcp"),
                "--generation-deterministic",
                *("--max-examples", "5", "--no-color", "--suppress-health-check", "all"),
                *options,
            ],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]


def test_every_answer_about_a_stored_review_is_what_the_contract_says(
    strict: Strict, known: Mapping[str, str]
) -> None:
    strict.run(known, "--exclude-method", "DELETE", "--phases", "coverage,fuzzing")


def test_every_answer_to_an_invented_address_is_what_the_contract_says(strict: Strict) -> None:
    strict.run({}, "--phases", "coverage")
