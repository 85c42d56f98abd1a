import gzip
import json
from hashlib import sha256
from pathlib import Path

import pytest

from diffx.httpapi.assets import PAGE_POLICY, WORKER_POLICY
from diffx.httpapi.messages import Request
from diffx.store.database import Store
from tests.support.http import HOST, Api, dispatcher

FILES = {
    "index.html": b"<!doctype html><title>diffx</title>" + b" " * 2_000,
    "main-ABCD1234.js": b"let a = 1;\n" * 300,
    "worker-EFGH5678.js": b"onmessage = null;\n",
    "regexp-0Z9Y8X7W.wasm": b"\0asm",
    "plain.txt": b"not hashed",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the web build leaves."""
    listed = {}
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
        packed = gzip.compress(data)
        shrinks = len(packed) < len(data)
        if shrinks:
            (tmp_path / f"{name}.gz").write_bytes(packed)
            (tmp_path / f"{name}.br").write_bytes(b"brotli of " + name.encode())
        listed[name] = {
            "type": "text/evil",
            "sha256": sha256(data).hexdigest(),
            "size": len(data),
            "gzip": shrinks,
            "br": shrinks,
        }
    (tmp_path / "unlisted.txt").write_bytes(b"secret")
    (tmp_path / "assets.json").write_text(json.dumps({"files": listed}))
    return tmp_path


@pytest.fixture
def api(store: Store, folder: Path) -> Api:
    return Api(dispatcher(store, assets=folder))


def test_the_page_is_the_same_at_every_review_and_always_revalidated(api: Api) -> None:
    root, review = api.get("/"), api.get("/contexts/abc-DEF_1")

    assert root == review
    assert root.body == FILES["index.html"]
    assert (root.cache, root.policy) == ("no-cache", PAGE_POLICY)
    assert api.get("/", if_none_match=f'"{root.etag}"').status == 304


def test_a_hashed_file_is_cached_for_ever_and_another_is_not(api: Api) -> None:
    assert api.get("/assets/main-ABCD1234.js").cache == "public, max-age=31536000, immutable"
    plain = Request(method="GET", path="/assets/plain.txt", headers={"host": HOST})
    assert api.dispatcher.dispatch(plain).cache == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("identity", None),
        ("", None),
    ],
)
def test_a_file_comes_in_the_best_coding_that_lies_beside_it(
    api: Api, accepted: str, coding: str | None
) -> None:
    request = Request(
        method="GET",
        path="/assets/main-ABCD1234.js",
        headers={"host": HOST, "accept-encoding": accepted},
    )
    response = api.dispatcher.dispatch(request)

    assert dict(response.headers).get("Content-Encoding") == coding
    assert dict(response.headers)["Vary"] == "Accept-Encoding"


def test_types_come_from_our_own_table(api: Api) -> None:
    kinds = [api.get(f"/assets/{name}").media_type for name in list(FILES)[1:4]]

    assert kinds == [
        "text/javascript; charset=utf-8",
        "text/javascript; charset=utf-8",
        "application/wasm",
    ]


def test_only_the_worker_may_compile_wasm(api: Api) -> None:
    assert api.get("/assets/worker-EFGH5678.js").policy == WORKER_POLICY
    assert api.get("/assets/main-ABCD1234.js").policy == PAGE_POLICY
    assert "unsafe" not in PAGE_POLICY


@pytest.mark.parametrize(
    "name",
    ["unlisted.txt", "index.html", "assets.json", "..", "%2e%2e%2fx", "main-ABCD1234.js.gz"],
)
def test_what_is_not_listed_is_not_served(api: Api, name: str) -> None:
    assert api.get(f"/assets/{name}").status == 404
