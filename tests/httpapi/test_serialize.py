import pytest

from diffx.httpapi.messages import DATA_POLICY, Response, problem
from diffx.httpapi.serialize import date_field, head_bytes
from diffx.review.model import Millis

DATE = date_field(Millis(784_111_777_000))


def written(response: Response, *, keep_alive: bool = True) -> list[str]:
    head = head_bytes(response, keep_alive=keep_alive, date=DATE).decode("ascii")
    assert head.endswith("\r\n\r\n")
    return head[:-4].split("\r\n")


def test_every_answer_carries_the_security_headers_and_none_for_other_origins() -> None:
    for response in (Response(), problem(404, "not_found", "x"), Response(status=304, etag="a")):
        lines = written(response)
        assert "X-Content-Type-Options: nosniff" in lines
        assert "Referrer-Policy: no-referrer" in lines
        assert "Cross-Origin-Opener-Policy: same-origin" in lines
        assert "Cross-Origin-Resource-Policy: same-origin" in lines
        assert f"Content-Security-Policy: {DATA_POLICY}" in lines
        assert not any(line.lower().startswith("access-control") for line in lines)


def test_the_date_is_written_as_http_wants_it() -> None:
    assert DATE == b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"


def test_an_answer_without_content_has_no_length() -> None:
    for status in (204, 304):
        assert not any("Content-Length" in line for line in written(Response(status=status)))
    assert "Content-Length: 0" in written(Response(status=202))


def test_a_compressed_answer_has_a_weak_tag() -> None:
    packed = Response(etag="t", headers=(("Content-Encoding", "gzip"),))

    assert 'ETag: W/"t"' in written(packed)
    assert 'ETag: "t"' in written(Response(etag="t"))


def test_a_header_with_a_line_break_is_a_bug_and_not_a_second_header() -> None:
    with pytest.raises(ValueError, match="line break"):
        written(Response(headers=(("Location", "/x\r\nSet-Cookie: a"),)))


def test_the_last_answer_of_a_connection_says_so() -> None:
    assert "Connection: close" in written(Response(), keep_alive=False)
