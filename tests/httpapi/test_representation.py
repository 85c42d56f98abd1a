import gzip

import pytest

from diffx.httpapi.messages import Request, Response, encode_json
from diffx.httpapi.representation import finish, matches


def asked(method: str = "GET", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method=method, path="/", headers=named)


LONG = Response.raw_json(b'"' + b"x" * 5_000 + b'"', etag="tag")


def test_json_is_compressed_for_who_accepts_it_and_only_for_them() -> None:
    packed = finish(asked(accept_encoding="br, GZIP;q=0.5"), LONG)
    plain = finish(asked(accept_encoding="gzip; q=0, br"), LONG)

    assert gzip.decompress(packed.body) == LONG.body
    assert plain.body == LONG.body
    assert ("Vary", "Accept-Encoding") in packed.headers
    assert ("Vary", "Accept-Encoding") in plain.headers


def test_what_is_short_or_already_packed_is_left_alone() -> None:
    short = Response.json({"a": 1})
    packed = Response(body=LONG.body, media_type="text/css", headers=(("Content-Encoding", "br"),))

    assert finish(asked(accept_encoding="gzip"), short) == short
    assert finish(asked(accept_encoding="gzip"), packed) == packed


@pytest.mark.parametrize("field", ['"tag"', 'W/"tag"', '"a", W/"tag"', "*"])
def test_a_known_state_is_answered_304_without_a_body(field: str) -> None:
    response = finish(asked(if_none_match=field), LONG)

    assert (response.status, response.body, response.etag) == (304, b"", "tag")


@pytest.mark.parametrize("field", ["tag", '"ta', '"tagg"', "", 'w/"tag"'])
def test_another_state_is_sent(field: str) -> None:
    assert not matches(field, "tag")


def test_a_lone_surrogate_never_leaves_as_one() -> None:
    assert encode_json({"a": "\ud800b\u0001"}) == b'{"a":"?b\\u0001"}'
