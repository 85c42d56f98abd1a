"""The clients people use, over keep-alive."""

import gzip
import http.client
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from diffx.review.model import ContextId
from diffx.store.database import Store, open_store
from tests.support.http import dispatcher, publish, submission
from tests.support.wire import Serving, serving

pytestmark = pytest.mark.system


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture
def context(store: Store) -> ContextId:
    return publish(store, submission(files=200))


@pytest.fixture
def server(store: Store) -> Iterator[Serving]:
    with serving(dispatcher(store)) as started:
        yield started


def test_http_client_reads_a_whole_review_over_one_connection(
    server: Serving, context: ContextId
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", f"/api/v2/contexts/{context}/diffs/current")
        manifest = json.loads(connection.getresponse().read())
        sock = connection.sock
        diff = f"/api/v2/contexts/{context}/diffs/{manifest['diffId']}"
        for file in manifest["files"]:
            connection.request("GET", f"{diff}/files/{file['id']}/patch")
            patch = json.loads(connection.getresponse().read())
            assert (patch["patch"] is not None) == file["patch"]["available"]

        assert connection.sock is sock
    finally:
        connection.close()


def test_urllib_reads_and_is_told_what_is_missing(server: Serving, context: ContextId) -> None:
    base = f"http://localhost:{server.port}/api/v2"
    ask = urllib.request.Request(
        f"{base}/contexts/{context}/view", headers={"Accept-Encoding": "gzip"}
    )
    with urllib.request.urlopen(ask, timeout=60) as answer:
        view = json.loads(gzip.decompress(answer.read()))
    assert view["manifest"]["contextId"] == context

    with pytest.raises(urllib.error.HTTPError) as missing:
        urllib.request.urlopen(f"{base}/contexts/none", timeout=60)
    with missing.value as problem:
        assert problem.headers["Content-Type"] == "application/problem+json"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_reuses_its_connection_and_inflates(server: Serving, context: ContextId) -> None:
    base = f"http://127.0.0.1:{server.port}/api/v2/contexts"
    done = subprocess.run(
        ["curl", "-sSv", "--compressed", f"{base}/{context}/diffs/current", f"{base}/{context}"],
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.count(context.encode()) == 2
    assert b"Re-using existing connection" in done.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_is_told_what_it_may_not_do(server: Serving) -> None:
    url = f"http://127.0.0.1:{server.port}/api/v2/contexts/x"
    form = ["curl", "-sS", "-X", "PUT", "-d", "a=b", "-w", "%{http_code}", url]
    done = subprocess.run(form, capture_output=True, timeout=60, check=True)

    assert done.stdout.endswith(b"405")
