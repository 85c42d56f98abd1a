import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.httpapi.origin import Hosts, is_json, refuse_foreign_page, refuse_other_types

LOCAL = Hosts.of([("127.0.0.1", 7981), ("::1", 7981)])


@pytest.mark.parametrize(
    "host", ["127.0.0.1:7981", "localhost:7981", "LOCALHOST:7981", "[::1]:7981"]
)
def test_the_printed_names_pass_in_any_letter_case(host: str) -> None:
    assert LOCAL.serves(host)


@pytest.mark.parametrize(
    "host",
    [
        *("", "127.0.0.1", "localhost", "127.0.0.1:7982", "127.0.0.1:07981", "10.0.0.7:7981"),
        *("evil.example", "evil.example:7981", "127.evil.example:7981"),
        *("127.0.0.1.evil.example:7981", "localhost.evil.example:7981", "localhost.:7981"),
        *("evil.example#localhost:7981", "localhost@evil.example:7981", "[::1].evil:7981"),
        *("\u0131ocalhost:7981", "127.0.0.1:7981, evil.example", "127.1:7981", "0:7981", " "),
    ],
)
def test_every_other_name_is_refused(host: str) -> None:
    assert not LOCAL.serves(host)


def test_a_listener_on_every_address_serves_literal_addresses_but_no_unknown_name() -> None:
    wide = Hosts.of([("0.0.0.0", 80)], ["Review.Example"])

    assert all(map(wide.serves, ["10.1.2.3:8080", "[fe80::1]:99", "localhost", "review.example"]))
    assert wide.serves("review.example:8443")
    assert not any(
        map(wide.serves, ["evil.example", "10.1.2.3.evil.example", "review.example.evil"])
    )


def test_a_listener_on_one_outside_address_serves_just_that() -> None:
    hosts = Hosts.of([("192.168.1.5", 7981)])

    assert hosts.serves("192.168.1.5:7981")
    assert not hosts.serves("localhost:7981")


@given(st.text(max_size=30))
def test_only_listed_names_are_served_whatever_is_asked(host: str) -> None:
    assert LOCAL.serves(host) == (host.lower() in LOCAL.local)


def status(method: str, *, has_body: bool = True, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("host", "127.0.0.1:7981")
    refused = refuse_foreign_page(method, named)
    refused = refused or refuse_other_types(method, named, has_body=has_body)
    return 200 if refused is None else refused.status


JSON = "application/json"


def test_our_own_page_and_a_command_line_may_change_something() -> None:
    assert status("POST", content_type=JSON, origin="http://127.0.0.1:7981") == 200
    assert status("POST", content_type=JSON, origin="https://127.0.0.1:7981") == 200
    assert status("POST", content_type=JSON) == 200
    assert status("POST", content_type=JSON, sec_fetch_site="same-origin") == 200
    assert status("DELETE", has_body=False) == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("null", "file://", "http://evil.example", "http://127.0.0.1:1", "127.0.0.1:7981", ""),
        *("ftp://127.0.0.1:7981", "chrome-extension://127.0.0.1:7981"),
        *(
            "http://localhost.evil.example:7981",
            "http://127.0.0.1:7981.evil",
            "http://localhost:7981",
        ),
    ],
)
def test_another_origin_may_change_nothing(origin: str) -> None:
    assert status("POST", content_type=JSON, origin=origin) == 403
    assert status("DELETE", has_body=False, origin=origin) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "SAME-ORIGIN"])
def test_a_browser_that_says_cross_site_is_believed(site: str) -> None:
    assert status("PUT", content_type=JSON, sec_fetch_site=site) == 403


@pytest.mark.parametrize(
    "kind",
    [
        *("", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"),
        *(
            "multipart/form-data; boundary=x",
            "application/json; charset=latin-1",
            "application/jsonp",
        ),
    ],
)
def test_json_that_is_not_called_json_is_refused(kind: str) -> None:
    assert status("POST", content_type=kind) == 415
    assert status("POST", has_body=False, content_type=kind) == 415
    assert status("DELETE", content_type=kind) == 415


def test_json_may_name_its_charset() -> None:
    assert is_json("Application/JSON; charset=UTF-8")
    assert is_json('application/json;charset="utf-8"')


def test_reading_is_free_to_everyone() -> None:
    assert status("GET", origin="http://evil.example", sec_fetch_site="cross-site") == 200
