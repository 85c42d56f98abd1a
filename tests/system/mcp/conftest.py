import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from diffx.review.paths import file_id
from tests.support.isolation import environment, private_environment
from tests.support.mcp_clients import NodeClients, PythonClient, node_clients, python_client
from tests.support.repositories import Checkout
from tests.support.viewer import Viewer, viewing


# Clients are installed before any test gets its private home, and once for all of them.
@pytest.fixture(scope="session")
def node() -> NodeClients:
    return node_clients()


@pytest.fixture(scope="session")
def python_v2() -> PythonClient:
    return python_client("mcp")


@pytest.fixture(scope="session")
def python_v1() -> PythonClient:
    return python_client("mcp-v1")


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    """A live review of two changed files, with one comment by the person at the browser."""
    with reviewing(tmp_path / "repo") as started:
        yield started


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    """The same for tests that change nothing in it: a busy machine needs seconds for each start."""
    with ExitStack() as stack:
        with environment(private_environment(os.environ, tmp_path_factory.mktemp("home"))):
            started = stack.enter_context(reviewing(tmp_path_factory.mktemp("lasting") / "repo"))
        yield started


@contextmanager
def reviewing(folder: Path) -> Iterator[Viewer]:
    checkout = Checkout.init(folder)
    checkout.write("a.txt", "".join(f"{number}\n" for number in range(1, 31)))
    checkout.git("add", ".")
    checkout.git("commit", "-qm", "one")
    checkout.write("a.txt", checkout.read("a.txt").replace(b"\n5\n", b"\nfive\n"))
    checkout.write("new.txt", "new\n")
    with viewing(checkout.top, "--state", "memory", "--port", "0") as started:
        comment(started, "why five?", 5)
        yield started


def comment(viewer: Viewer, body: str, line: int) -> str:
    """Comment as the page does."""
    said = {
        "body": body,
        "fileId": file_id(b"a.txt"),  # type: ignore[arg-type]
        "side": "new",
        "startLine": line,
    }
    request = urllib.request.Request(
        f"{viewer.origin}/api/v2/contexts/{viewer.context}/comments",
        data=json.dumps(said).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(json.loads(answer.read())["id"])
