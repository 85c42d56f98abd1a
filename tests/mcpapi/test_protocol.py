"""The ladder of both eras: which answer, with which code and status, to which message."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.mcpapi.legacy import VERSIONS
from diffx.mcpapi.messages import Call
from diffx.mcpapi.protocol import accepts
from tests.support.agents import META, MODERN, Agents, check, meta, modern_headers, serving_agents
from tests.support.stores import ME

LIST = "tools/list"


def request(method: str = LIST, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def fault(agents: Agents, body: object, headers: dict[str, str] | None = None) -> tuple[int, int]:
    answer = agents.post(body, headers)
    return answer.status, json.loads(answer.body)["error"]["code"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{not json", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b"[" * 100_000, -32700),
        (b"9" * 5_000, -32700),
        ([request(), request()], -32600),
        ("ping", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 2}, -32600),
    ],
)
def test_what_is_no_single_message_is_400_without_an_id(
    agents: Agents, body: object, code: int
) -> None:
    answer = agents.post(body)

    assert answer.status == 400
    assert json.loads(answer.body)["id"] is None
    assert json.loads(answer.body)["error"]["code"] == code


@pytest.mark.parametrize("number", ["abc", 0, -1, 10**30, "", "\ud800", "ü"])
def test_an_answer_carries_the_id_of_its_request(agents: Agents, number: object) -> None:
    answer = agents.post({"jsonrpc": "2.0", "id": number, "method": "ping"})

    assert json.loads(answer.body) == {"jsonrpc": "2.0", "id": number, "result": {}}


@pytest.mark.parametrize(
    "accept",
    ["application/json", "*/*", "APPLICATION/*", "text/event-stream, application/json;q=0.1"],
)
def test_json_is_sent_to_whoever_takes_it(agents: Agents, accept: str) -> None:
    assert agents.post(request("ping"), {"accept": accept}).status == 200


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/json;q=0", ""])
def test_whoever_takes_no_json_is_told_what_to_accept(agents: Agents, accept: str) -> None:
    answer = agents.post(request("ping"), {"accept": accept})

    assert answer.status == 406
    assert b"send Accept: application/json, text/event-stream" in answer.body


@pytest.mark.parametrize("version", VERSIONS)
def test_a_handshake_agrees_on_a_version_that_is_known(agents: Agents, version: str) -> None:
    result = agents.legacy("initialize", protocolVersion=version, capabilities={})["result"]

    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"] == {"name": "diffx", "version": "0"}


@pytest.mark.parametrize("version", ["1999-01-01", MODERN])
def test_a_handshake_for_another_version_is_offered_the_newest_of_its_era(
    agents: Agents, version: str
) -> None:
    assert (
        agents.legacy("initialize", protocolVersion=version)["result"]["protocolVersion"]
        == VERSIONS[0]
    )


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("initialize", {}, -32602),
        ("no/such", {}, -32601),
        ("server/discover", {}, -32601),
        ("logging/setLevel", {"level": "info"}, -32601),
        ("tools/list", {"cursor": "x"}, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": "nope"}, -32602),
        ("tools/call", {"name": "list_contexts", "arguments": []}, -32602),
    ],
)
def test_an_error_of_a_method_is_200_in_the_handshake_era(
    agents: Agents, method: str, params: dict[str, Any], code: int
) -> None:
    answer = agents.post(request(method, **params), {"mcp-protocol-version": "2025-06-18"})

    assert answer.status == 200
    assert json.loads(answer.body)["error"]["code"] == code
    assert json.loads(answer.body)["id"] == 7


def test_results_of_the_handshake_era_carry_nothing_of_the_other(agents: Agents) -> None:
    result = agents.legacy(LIST)["result"]

    assert set(result) == {"tools"}


def test_a_notification_is_taken_and_not_answered(agents: Agents) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "anything"):
        for headers in ({}, {"mcp-protocol-version": MODERN}):
            assert agents.post({"jsonrpc": "2.0", "method": method}, headers).status == 202


def test_a_posted_response_is_dropped_in_one_era_and_refused_in_the_other(agents: Agents) -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}

    assert agents.post(response).status == 202
    assert fault(agents, response, {"mcp-protocol-version": MODERN}) == (400, -32600)


def test_a_notification_of_a_version_that_is_not_served_is_refused(agents: Agents) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/x"}

    assert fault(agents, notification, {"mcp-protocol-version": "2027-01-01"}) == (400, -32022)


def test_discovery_names_the_version_and_says_when_to_call_what(agents: Agents) -> None:
    result = agents.modern("server/discover")["result"]

    assert result["supportedVersions"] == [MODERN]
    assert result["capabilities"] == {"tools": {}}
    assert "get_review_comments" in result["instructions"]
    assert len(result["instructions"]) <= 2_000
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == (
        "complete",
        60_000,
        "private",
    )
    assert result["_meta"] == {META + "serverInfo": {"name": "diffx", "version": "0"}}


def test_a_result_of_a_call_is_complete_and_not_to_be_kept(agents: Agents) -> None:
    result = agents.modern("tools/call", name="list_contexts", arguments={})["result"]

    assert result["resultType"] == "complete"
    assert "ttlMs" not in result


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "nope"])
def test_a_method_that_the_modern_era_has_not_is_404(agents: Agents, method: str) -> None:
    body = request(method, _meta=meta())

    assert fault(agents, body, modern_headers(method)) == (404, -32601)


def without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


LADDER: list[tuple[str, dict[str, Any] | None, dict[str, str], int]] = [
    ("no _meta", None, modern_headers(LIST), -32602),
    ("no version", without(meta(), META + "protocolVersion"), modern_headers(LIST), -32602),
    ("no abilities", without(meta(), META + "clientCapabilities"), modern_headers(LIST), -32602),
    ("abilities are no object", {**meta(), META + "clientCapabilities": []}, {}, -32602),
    ("no version header", meta(), without(modern_headers(LIST), "mcp-protocol-version"), -32020),
    ("no method header", meta(), without(modern_headers(LIST), "mcp-method"), -32020),
    ("another method", meta(), modern_headers("TOOLS/LIST"), -32020),
    ("the method twice", meta(), modern_headers(f"{LIST}, {LIST}"), -32020),
    (
        "the version twice, and no _meta",
        None,
        {"mcp-protocol-version": f"{MODERN}, {MODERN}"},
        -32020,
    ),
    (
        "another version",
        meta(version="2027-01-01"),
        modern_headers(LIST),
        -32020,
    ),
    (
        "an unknown version",
        meta(version="2027-01-01"),
        {**modern_headers(LIST), "mcp-protocol-version": "2027-01-01"},
        -32022,
    ),
]


@pytest.mark.parametrize(
    ("given", "headers", "code"),
    [row[1:] for row in LADDER],
    ids=[row[0] for row in LADDER],
)
def test_the_first_failure_of_a_modern_request_is_its_answer(
    agents: Agents, given: dict[str, Any] | None, headers: dict[str, str], code: int
) -> None:
    params = {} if given is None else {"_meta": given}

    assert fault(agents, request(LIST, **params), headers) == (400, code)


def test_an_unknown_version_is_told_which_ones_there_are(agents: Agents) -> None:
    headers = {**modern_headers(LIST), "mcp-protocol-version": "2027-01-01"}
    answer = agents.post(request(LIST, _meta=meta(version="2027-01-01")), headers)

    assert json.loads(answer.body)["error"]["data"] == {
        "supported": [MODERN],
        "requested": "2027-01-01",
    }


@pytest.mark.parametrize(
    ("header", "works"),
    [
        ("list_contexts", True),
        ("  list_contexts\t", True),
        ("=?base64?bGlzdF9jb250ZXh0cw==?=", True),
        ("=?base64?bGlzdF9jb250ZXh0cw?=", False),
        ("=?base64?bGlzdF9jb250ZXh0cx==?=", False),
        ("=?base64?****?=", False),
        ("List_contexts", False),
        (None, False),
    ],
)
def test_the_name_header_must_be_the_tool_in_one_of_its_two_forms(
    agents: Agents, header: str | None, works: bool
) -> None:
    body = request("tools/call", name="list_contexts", arguments={}, _meta=meta())
    answer = agents.post(body, modern_headers("tools/call", header))

    assert answer.status == (200 if works else 400)
    assert works or json.loads(answer.body)["error"]["code"] == -32020


def test_a_client_needs_no_name_to_be_served(agents: Agents) -> None:
    assert "result" in agents.modern(LIST, agent=None)


def test_a_bug_in_a_tool_is_an_internal_error_without_details(
    agents: Agents, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("secret detail")

    monkeypatch.setattr(type(agents.application.catalog), "find", broken)
    answer = agents.modern("tools/call", name="list_contexts", arguments={})

    assert answer["error"]["code"] == -32603
    assert "secret" not in json.dumps(answer)
    assert "secret detail" in caplog.text


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=12),  # halves of surrogate pairs too, which JSON can write
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
METHODS = st.sampled_from(
    ["initialize", "ping", LIST, "tools/call", "server/discover", "x"]
) | st.text(max_size=10)
TOOLS = st.sampled_from(
    [
        "list_contexts",
        "get_review_summary",
        "list_changed_files",
        "read_patch",
        "read_file",
        "get_review_comments",
        "reply_to_review_comment",
        "resolve_review_comment",
        "add_review_comment",
    ]
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(
        [
            "context_id",
            "scope",
            "path",
            "cursor",
            "limit",
            "since",
            "comment_id",
            "body",
            "start_line",
            "from_hunk",
            "status",
        ]
    ),
    JSON,
    max_size=4,
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": TOOLS | JSON,
        "arguments": ARGUMENTS | JSON,
        "_meta": JSON | st.just(meta()),
        "protocolVersion": JSON,
        "clientInfo": JSON,
        "cursor": JSON,
    },
)
MESSAGES = JSON | st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | JSON,
        "method": METHODS | JSON,
        "params": PARAMS | JSON,
    },
)
HEADERS = st.dictionaries(
    st.sampled_from(["mcp-protocol-version", "mcp-method", "mcp-name", "accept", "user-agent"]),
    st.sampled_from([MODERN, "2025-06-18", LIST, "tools/call", "list_contexts", "*/*"])
    | st.text(max_size=10),
)


@pytest.fixture(scope="module")
def endless() -> Any:
    with serving_agents() as served:
        yield served


@given(
    body=st.binary(max_size=60) | MESSAGES.map(lambda m: json.dumps(m).encode()), headers=HEADERS
)
def test_any_post_is_answered_with_json_rpc_or_an_empty_202(
    endless: Agents, body: bytes, headers: dict[str, str]
) -> None:
    check(endless.endpoint.answer(Call(owner=ME, body=body, headers=headers)))


@given(name=TOOLS, arguments=ARGUMENTS)
def test_any_arguments_are_taken_or_refused_in_words_for_the_model(
    endless: Agents, name: str, arguments: dict[str, Any]
) -> None:
    result = endless.modern("tools/call", name=name, arguments=arguments)["result"]

    assert result["content"][0]["text"].strip()


@given(field=st.text(max_size=40))
def test_any_accept_field_can_be_read(field: str) -> None:
    assert accepts(field, ("application/json",)) in (True, False)
