"""The parser alone: no socket, no server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.httpapi.parser import END, MAX_FIELDS, MAX_HEAD, End, Head, ProtocolError, RequestParser

HOST = b"Host: a\r\n"
LIMIT = 1_000


def events(*pieces: bytes, limit: int = LIMIT) -> list[Head | bytes | End]:
    """Feed the pieces one by one and return what comes out, bodies joined."""
    parser = RequestParser()
    found: list[Head | bytes | End] = []
    for piece in pieces:
        parser.feed(piece)
        while (event := parser.poll()) is not None:
            if isinstance(event, Head):
                parser.limit_body(limit)
            if isinstance(event, bytes) and found and isinstance(found[-1], bytes):
                found[-1] += event
            else:
                found.append(event)
    return found


def head(*pieces: bytes) -> Head:
    first = events(*pieces)[0]
    assert isinstance(first, Head)
    return first


def refusal(*pieces: bytes, limit: int = LIMIT) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        events(*pieces, limit=limit)
    return caught.value


def post(fields: bytes, body: bytes = b"") -> bytes:
    return b"POST /x HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


def test_a_request_without_a_body_is_one_event() -> None:
    found = head(b"GET /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-One:  two \t\r\n\r\n")

    assert (found.method, found.path, found.query) == ("GET", "/a/b", "c=d")
    assert found.headers == {"host": "h", "x-one": "two"}
    assert not found.has_body
    assert found.keep_alive


def test_pipelined_requests_come_out_one_by_one_and_in_order() -> None:
    found = events(
        post(b"Content-Length: 3\r\n", b"abc") + b"GET /y HTTP/1.1\r\n" + HOST + b"\r\n"
    )

    assert [e.path if isinstance(e, Head) else e for e in found] == ["/x", b"abc", END, "/y"]


@given(cuts=st.lists(st.integers(1, 400), max_size=12))
def test_where_the_network_cuts_the_bytes_makes_no_difference(cuts: list[int]) -> None:
    whole = (
        b"\r\n"
        + post(b"Content-Length: 5\r\n", b"hello")
        + post(
            b"Transfer-Encoding: chunked\r\n",
            b"3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
        )
        + b"GET http://a/z?q HTTP/1.0\r\n"
        + HOST
        + b"\r\n"
    )
    at = sorted({cut for cut in cuts if cut < len(whole)})
    pieces = [whole[a:b] for a, b in zip([0, *at], [*at, len(whole)], strict=True)]

    assert events(*pieces) == events(whole)
    assert events(*(bytes([byte]) for byte in whole)) == events(whole)


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 3\r\nContent-Length: 4\r\n",
        b"Content-Length: 3\r\nContent-Length: 3\r\n",
        b"Content-Length: 3, 3\r\n",
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Content-Length: +3\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 0x3\r\n",
        b"Content-Length: 1_0\r\n",
        b"Content-Length: 1e3\r\n",
        b"Content-Length: \r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: \xd9\xa5\r\n",
        b"X-A: 1\r\n folded\r\n",
        b" X-A: 1\r\n",
        b"X-A: 1\nContent-Length: 3\r\n",
        b"X-A: 1\rContent-Length: 3\r\n",
        b"X-A: \x00\r\n",
        b"X-A\r\n",
        b": no name\r\n",
        b"X(A): 1\r\n",
        b"Host: b\r\n",
        b"Origin: http://a\r\nOrigin: http://b\r\n",
        b"Content-Type: application/json\r\nContent-Type: text/plain\r\n",
    ],
)
def test_a_head_that_two_servers_could_read_differently_is_refused(fields: bytes) -> None:
    assert refusal(post(fields, b"abc")).status == 400


@pytest.mark.parametrize(
    "line",
    [
        b"GET /x",
        b"GET  /x HTTP/1.1",
        b"GET /x HTTP/1.1 ",
        b" GET /x HTTP/1.1",
        b"GET /x HTTP/2.0",
        b"PRI * HTTP/2.0",
        b"GET /x http/1.1",
        b"GET /a b HTTP/1.1",
        b"GET /\x00 HTTP/1.1",
        b"GET /\xc3\xa9 HTTP/1.1",
        b"GET x HTTP/1.1",
        b"GET * HTTP/1.1",
        b"GET /x#y HTTP/1.1",
        b"CONNECT a:80 HTTP/1.1",
        b"G(T /x HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01",
    ],
)
def test_what_is_no_request_line_is_refused(line: bytes) -> None:
    assert refusal(line + b"\r\n" + HOST + b"\r\n").status == 400


@pytest.mark.parametrize(
    "start",
    [
        b"\x16\x03\x01",
        b"GET /x\r\n",
        b"GET /x HTTP/1.1\nHost: a\n\n",
        b"GET /x HTTP/1.1\r\nHost: a\n\n",
        b"GET /x HTTP/1.1\r\nHost: a\rX",
    ],
)
def test_what_no_further_byte_can_mend_is_refused_at_once(start: bytes) -> None:
    assert refusal(start).status == 400


def test_an_absolute_address_must_name_the_host_of_the_host_field() -> None:
    assert head(b"GET http://A/z HTTP/1.1\r\nHost: a\r\n\r\n").path == "/z"
    assert head(b"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n").path == "/"
    assert refusal(b"GET http://evil/z HTTP/1.1\r\nHost: a\r\n\r\n").status == 421
    assert refusal(b"GET http://u@a/z HTTP/1.1\r\nHost: u@a\r\n\r\n").status == 421


def test_a_request_without_a_host_is_refused() -> None:
    assert refusal(b"GET / HTTP/1.1\r\n\r\n").status == 400
    assert refusal(b"GET / HTTP/1.0\r\n\r\n").status == 400


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"GET /" + b"a" * MAX_HEAD, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * MAX_HEAD, 431),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * MAX_HEAD + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (MAX_FIELDS + 1) + b"\r\n", 431),
    ],
)
def test_a_head_over_its_limits_is_refused(start: bytes, status: int) -> None:
    assert refusal(start).status == status


@pytest.mark.parametrize(
    "body",
    [
        b"ZZ\r\n",
        b"-1\r\n",
        b"0x3\r\nabc\r\n",
        b" 3\r\nabc\r\n",
        b"3\nabc\r\n0\r\n\r\n",
        b"3\r\nabcX\r\n",
        b"3\r\nabc\n",
        b"3;" + b"x" * 300,
        b"3;\x00\r\nabc\r\n",
        b"0\r\nX-A: 1\n\r\n",
        b"0\r\n bad\r\n\r\n",
        b"fffffffffffffffff\r\n",
    ],
)
def test_a_chunked_body_that_is_malformed_is_refused(body: bytes) -> None:
    assert refusal(post(b"Transfer-Encoding: chunked\r\n", body)).status in (400, 413)


def test_a_body_over_its_limit_is_refused_before_it_is_read() -> None:
    assert refusal(post(b"Content-Length: 11\r\n"), limit=10).status == 413
    chunks = b"6\r\nabcdef\r\n6\r\n"
    assert refusal(post(b"Transfer-Encoding: chunked\r\n", chunks), limit=10).status == 413


def test_a_body_nobody_allowed_is_refused() -> None:
    parser = RequestParser()
    parser.feed(post(b"Content-Length: 1\r\n", b"a"))
    parser.poll()

    with pytest.raises(ProtocolError):
        parser.poll()


def test_a_refused_parser_stays_refused() -> None:
    parser = RequestParser()
    parser.feed(b"GET / HTTP/9\r\n\r\n")
    with pytest.raises(ProtocolError):
        parser.poll()
    parser.feed(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")

    with pytest.raises(ProtocolError):
        parser.poll()


def test_keep_alive_follows_version_and_connection_field() -> None:
    def kept(version: bytes, field: bytes) -> bool:
        return head(b"GET / HTTP/%b\r\nHost: a\r\n%b\r\n" % (version, field)).keep_alive

    assert kept(b"1.1", b"")
    assert not kept(b"1.1", b"Connection: TE, close\r\n")
    assert not kept(b"1.0", b"")
    assert kept(b"1.0", b"Connection: Keep-Alive\r\n")


def test_no_expectation_but_continue_is_met() -> None:
    assert head(post(b"Expect: 100-Continue\r\nContent-Length: 2\r\n")).expects_continue
    assert not head(post(b"Expect: 100-continue\r\n")).expects_continue
    assert refusal(post(b"Expect: magic\r\n")).status == 417


TOKENS = st.sampled_from(
    [
        *(b"GET ", b"POST ", b"/", b"/x", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\n", b"\r", b" "),
        *(b"Host: a", b"Content-Length: ", b"Transfer-Encoding: chunked", b"0", b"5", b":", b"\t"),
        *(b"\x00", b"\xff", b"Expect: 100-continue", b"Connection: close", b"%", b"http://a"),
    ]
)


@given(st.lists(TOKENS | st.binary(max_size=8), max_size=40))
def test_whatever_bytes_come_the_parser_answers_or_refuses(pieces: list[bytes]) -> None:
    try:
        found = events(*pieces)
    except ProtocolError as error:
        assert 400 <= error.status < 500
        return
    for event in found:
        if isinstance(event, Head):
            assert event.path.startswith("/") or event.path == "*"
            assert "\n" not in "".join(event.headers.values())


def test_a_body_sent_byte_by_byte_stays_in_bounds() -> None:
    body = b"x" * 900
    whole = post(b"Content-Length: 900\r\n", body)

    assert events(*(bytes([byte]) for byte in whole))[1] == body
