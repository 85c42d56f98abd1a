"""Requests as an attacker sends them, byte by byte as they are (10.2, 10.3)."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffx.httpapi.messages import Request, Response
from diffx.httpapi.routes import Route
from diffx.review.model import ContextId
from diffx.store.database import Store, open_store
from tests.support.http import dispatcher, publish
from tests.support.wire import Answer, Serving, Wire, echo, serving

pytestmark = pytest.mark.system

JSON = "Content-Type: application/json\r\n"
SMUGGLED = b"/smuggled"


class Seen:
    """A route that nobody asked for in a request of its own."""

    def __init__(self) -> None:
        self.count = 0

    def handle(self, request: Request) -> Response:
        self.count += 1
        return Response(body=b"smuggled")


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


@pytest.fixture(scope="module")
def context(store: Store) -> ContextId:
    return publish(store)


@pytest.fixture(scope="module")
def server(store: Store, seen: Seen) -> Iterator[Serving]:
    more = (
        Route(method="POST", template="/echo", handler=echo),
        Route(method="GET", template="/smuggled", handler=seen.handle),
    )
    with serving(dispatcher(store, more=more)) as started:
        yield started


TARGETS = ["/", "/api/v2/contexts", "/api/v2/events", "/assets/x", "/nothing", "/livez"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_rebound_name_is_refused_everywhere(server: Serving, target: str) -> None:
    for host in ("evil.example", f"127.evil.example:{server.port}", f"10.0.0.7:{server.port}"):
        with server.connect() as wire:
            wire.host = host
            answer = wire.ask("GET", target)
            assert answer.status == 421
            assert b"repository" not in answer.body


def test_an_address_with_another_name_is_refused(server: Serving) -> None:
    with server.connect() as wire:
        assert wire.ask("GET", "http://evil.example/api/v2/contexts").status == 421
        assert wire.at_end()


def test_no_answer_ever_lets_another_origin_read_it(server: Serving) -> None:
    asked = "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
    for method in ("GET", "OPTIONS", "HEAD", "DELETE"):
        with server.connect() as wire:
            answer = wire.ask(method, "/api/v2/contexts/x", asked)
            assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "", "multipart/form-data"])
def test_a_foreign_post_never_reaches_its_handler(server: Serving, kind: str) -> None:
    for origin in ("null", "http://evil.example", f"http://localhost:{server.port}"):
        with server.connect() as wire:
            fields = f"Content-Type: {kind}\r\nOrigin: {origin}\r\n"
            assert wire.ask("POST", "/echo", fields, b"{}").status == 403


def test_what_names_no_file_reads_none(server: Serving) -> None:
    for target in (
        "/../../../../etc/passwd",
        "/assets/../../../etc/passwd",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ):
        with server.connect() as wire:
            answer = wire.ask("GET", target)
            assert answer.status in (400, 404)
            assert b"root:" not in answer.body


def test_names_from_a_review_are_data_and_never_markup(
    server: Serving, context: ContextId
) -> None:
    with server.connect() as wire:
        page = wire.ask("GET", f"/contexts/{context}", "Accept: text/html\r\n")
        assert b"onerror" not in page.body
        assert "'unsafe-inline'" not in page.headers["content-security-policy"]
        data = wire.ask("GET", f"/api/v2/contexts/{context}")
        assert data.headers["content-type"] == "application/json"
        assert data.headers["x-content-type-options"] == "nosniff"


def attack(server: Serving, before: bytes) -> list[Answer]:
    """Send a request that is to end elsewhere than we think, with another hidden behind it."""
    hidden = b"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port
    with server.connect() as wire:
        wire.send(before.replace(b"HOST", wire.host.encode()).replace(b"HIDDEN", hidden))
        return everything(wire)


def everything(wire: Wire) -> list[Answer]:
    answers = []
    while (answer := wire.answer()).status:
        answers.append(answer)
    return answers


START = b"POST /echo HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "before",
    [
        START + b"Content-Length: 0\r\nContent-Length: 60\r\n\r\nHIDDEN",
        START + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHIDDEN",
        START + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nHIDDEN",
        START + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\nHIDDEN",
        START + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\nHIDDEN",
        START + b"Transfer-Encoding: chunked\r\n\r\n0\n\nHIDDEN",
        START + b"Transfer-Encoding: chunked\r\n\r\n1\r\nZ\nHIDDEN",
        START + b"Content-Length: 0\r\nX: a\n\nHIDDEN",
        START + b"Content-Length: +0\r\n\r\nHIDDEN",
        START + b"Content-Length: 0x0\r\n\r\nHIDDEN",
        START + b"X: y\r\n\tContent-Length: 0\r\n\r\nHIDDEN",
        START + b"\x00: y\r\nContent-Length: 0\r\n\r\nHIDDEN",
        START + b"Host: evil\r\nContent-Length: 0\r\n\r\nHIDDEN",
        START.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHIDDEN",
    ],
)
def test_nothing_behind_a_refused_request_is_answered(
    server: Serving, seen: Seen, before: bytes
) -> None:
    answers = attack(server, before)

    assert [answer.status for answer in answers] == [400]
    assert answers[0].headers["connection"] == "close"
    assert seen.count == 0


HEAD_PARTS = st.sampled_from(
    [
        *(b"Content-Length: 0\r\n", b"Content-Length: 4\r\n", b"Content-Length: 9999\r\n"),
        *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity\r\n"),
        *(
            b"Content-Type: application/json\r\n",
            b"Connection: close\r\n",
            b"Expect: 100-continue\r\n",
        ),
        *(b"Host: HOST\r\n", b"Host: evil.example\r\n", b"Origin: null\r\n", b" folded\r\n"),
        *(b"X-A: 1\n", b"X-A:\x001\r\n", b"X-\xff: 1\r\n", b"Accept-Encoding: gzip;q=x, , br\r\n"),
        *(b"If-None-Match: *\r\n", b"Sec-Fetch-Site: cross-site\r\n", b"Cookie: a=b\r\n"),
    ]
)
LINES = st.builds(
    lambda method, target, version: b"%b %b HTTP/%b\r\n" % (method, target, version),
    st.sampled_from([b"GET", b"HEAD", b"POST", b"DELETE", b"OPTIONS", b"BREW", b""]),
    st.sampled_from(
        [
            *(b"/", b"/echo", b"/api/v2/contexts?limit=-1", b"/api/v2/contexts?scope=%ff", b"*"),
            *(b"/api/v2/contexts/%2e%2e/view", b"/contexts/%00", b"http://HOST/", b"//", b"/%"),
            *(b"/api/v2/contexts/CONTEXT/view?patches=50", b"/api/v2/metrics", b"/openapi.yaml"),
            *(b"/api/v2/contexts/CONTEXT/diffs/current?scope=all&scope=all", b"\x80", b"/a b"),
        ]
    ),
    st.sampled_from([b"1.1", b"1.0", b"2.0", b"0.9", b"1.1 "]),
)
BODIES = st.sampled_from([b"", b"{}", b"4\r\nabcd\r\n0\r\n\r\n", b"ZZ\r\n", b"abcd", b"\r\n\r\n"])
REQUESTS = st.builds(
    lambda line, fields, body: line + b"Host: HOST\r\n" + b"".join(fields) + b"\r\n" + body,
    LINES,
    st.lists(HEAD_PARTS, max_size=4),
    BODIES,
)


@given(st.lists(REQUESTS | st.binary(max_size=60), min_size=1, max_size=4), st.integers(0, 300))
@settings(max_examples=400)
def test_no_bytes_make_a_server_error_or_a_hang(
    server: Serving, context: ContextId, pieces: list[bytes], cut: int
) -> None:
    with server.connect() as wire:
        data = b"".join(pieces).replace(b"HOST", wire.host.encode())
        data = data.replace(b"CONTEXT", context.encode())
        try:
            wire.send(data[:cut])
            wire.send(data[cut:])
            wire.sock.shutdown(1)
        except OSError:
            pass  # refused while still sending
        statuses = [answer.status for answer in read_all(wire)]

    assert all(status < 500 for status in statuses)
    with server.connect() as wire:
        assert wire.ask("GET", "/livez").status == 200


def read_all(wire: Wire) -> list[Answer]:
    """Read answers as far as they can be told apart: a HEAD among them has a length and no body."""
    data = b""
    while True:
        try:
            part = wire.sock.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        data += part
    heads = data.split(b"HTTP/1.1 ")[1:]
    return [Answer(int(head[:3]), {}, head) for head in heads if head[:3].isdigit()]
