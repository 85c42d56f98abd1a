"""The verbs for agents whose host speaks no MCP, against a live review."""

import http.server
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.repositories import Checkout
from tests.support.viewer import COMMAND, Viewer, environment, viewing
from tests.system.mcp.conftest import comment

pytestmark = pytest.mark.system


def ask(*words: str, code: int = 0, typed: str | None = None, **variables: str) -> Any:
    """Run a verb; return the JSON it printed, or what it said where it failed."""
    done = subprocess.run(
        [*COMMAND, *words],
        capture_output=True,
        input=typed,
        text=True,
        env={**environment(), **variables},
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    if code in (0, 4):
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, "one line for a person"
    return done.stderr


def test_an_agent_reads_replies_resolves_waits_and_reads_again(viewer: Viewer) -> None:
    here = ("--server", viewer.url, "--agent", "pi")
    read = ask("comments", "--actionable", *here)
    (todo,) = read["comments"]
    assert todo["untrusted"]["body"] == "why five?"

    assert ask("reply", todo["id"], "a typo", *here)["status"] == "open"
    done = ask("resolve", todo["id"], "--note", "gone", *here)
    assert (done["status"], done["already_resolved"]) == ("resolved", False)

    since = str(read["next_since"])
    quiet = ask("wait", "--since", since, "--seconds", "1", *here, code=4)
    assert quiet["comments"] == []
    later = comment(viewer, "and this?", 6)
    heard = ask("wait", "--since", str(quiet["next_since"]), "--seconds", "30", *here)
    assert [each["id"] for each in heard["comments"]] == [later]

    last = ask("comments", "--status", "all", *here)
    assert [each["status"] for each in last["comments"]] == ["resolved", "open"]
    replies = last["comments"][0]["untrusted"]["replies"]
    assert [(each["author"], each["body"]) for each in replies] == [
        ("agent pi", "a typo"),
        ("agent pi", "gone"),
    ]


def test_what_is_said_can_come_from_standard_input(viewer: Viewer) -> None:
    here = ("--server", viewer.url)
    (todo,) = ask("comments", *here)["comments"]
    ask("reply", todo["id"], "-", *here, typed='Two\n\n  "lines"\n')
    ask("resolve", todo["id"], "--note", "-", *here, typed="so be it\n")
    assert "32768 bytes" in ask("reply", todo["id"], "-", *here, typed="x" * 40_000, code=2)

    (done,) = ask("comments", "--status", "all", *here)["comments"]
    said = [each["body"] for each in done["untrusted"]["replies"]]
    assert said == ['Two\n\n  "lines"', "so be it"]


def test_a_comment_ends_a_wait_that_is_under_way(viewer: Viewer) -> None:
    waiting = subprocess.Popen(
        [*COMMAND, "wait", "--server", viewer.url, "--seconds", "50"],
        stdout=subprocess.PIPE,
        env=environment(),
    )
    # Whether it is heard before or after the question arrived: it is heard, or the test waits.
    said = [comment(viewer, "one", 6)]
    while waiting.poll() is None:
        try:
            waiting.wait(1)
        except subprocess.TimeoutExpired:
            said.append(comment(viewer, "more", 6))
    out, _ = waiting.communicate()

    assert waiting.returncode == 0
    assert {each["id"] for each in json.loads(out)["comments"]} <= set(said)


def test_the_viewer_that_runs_here_is_found_without_an_address(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("a.txt", "x\n")
    with viewing(checkout.top, "--port", "0"):
        assert ask("comments")["counts"]["open"] == 0


def test_without_any_server_it_is_said_how_to_get_one() -> None:
    said = ask("comments", code=1)

    assert said == "diffx: no review is being served here; run diffx, or name one with --server\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("comments", "--server", "nonsense"), 2, "begins with http:// or https://"),
        (("comments", "--server", "http://127.0.0.1:1"), 1, "is diffx running there?"),
        (("wait", "--seconds", "0"), 2, "--seconds takes 1 to 86400"),
    ],
)
def test_a_wrong_address_is_one_line(words: tuple[str, ...], code: int, said: str) -> None:
    assert said in ask(*words, code=code)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("reply", "nope", "so"),
            "there is no such comment here; run `diffx comments` for the ids",
        ),
        (("resolve", "nope"), "there is no such comment here; run `diffx comments` for the ids"),
        (("comments", "--comment", "nope"), "run `diffx comments` for the ids"),
        (("comments", "--context", "nope"), "no such context; run `diffx contexts` for the ids"),
        (("comments", "--limit", "51"), "--limit must be between 1 and 50"),
        (("wait", "--since", "99"), "this since is not from here; leave it out to start anew"),
        (("reply", "x" * 81, "so"), "ID must be at most 80 characters long; it has 81"),
        (("contexts", "--cursor", "x"), "cursor"),
    ],
)
def test_what_the_server_refuses_is_said_in_commands_and_options(
    viewer: Viewer, words: tuple[str, ...], said: str
) -> None:
    refused = ask(*words, "--server", viewer.origin, code=2)

    assert refused.startswith("diffx: ")
    assert said in refused
    assert "_" not in refused


def test_an_agent_finds_the_reviews_and_the_one_that_is_shown(tmp_path: Path) -> None:
    first, second = Checkout.init(tmp_path / "one"), Checkout.init(tmp_path / "two")
    first.write("a.txt", "x\n")
    second.write("b.txt", "x\n")
    with viewing(first.top, "--port", "0") as earlier:
        known = earlier.context
    with viewing(second.top, "--port", "0") as viewer:
        listed = ask("contexts")["contexts"]

        assert [(each["context_id"], each.get("shown")) for each in listed] == [
            (viewer.context, True),
            (known, None),
        ]
        assert [each["untrusted"]["repository"] for each in listed] == ["two", "one"]
        found = ask("contexts", "--query", "one", "--limit", "1")["contexts"]
        assert [each["context_id"] for each in found] == [known]
        assert ask("comments", "--context", known)["counts"]["open"] == 0


def test_a_server_that_ends_ends_a_wait_in_one_line(viewer: Viewer) -> None:
    waiting = subprocess.Popen(
        [*COMMAND, "wait", "--server", viewer.url, "--seconds", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    # A stream is open once the server counts a connection that is not the one that asks.
    while viewer.get("/metrics")["connections"] < 2:
        assert waiting.poll() is None
    viewer.end()
    out, said = waiting.communicate(timeout=300)

    assert (waiting.returncode, out) == (1, "")
    assert said.count("\n") == 1
    # Stopped before the question was read, the server did not answer; after it, it ended.
    assert re.search("ended while it was asked|does not answer", said)


@contextmanager
def stranger(status: int, body: bytes = b"") -> Iterator[tuple[str, list[str | None]]]:
    """A web server that is no diffx; the list is of the credentials it was sent."""
    credentials: list[str | None] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            credentials.append(self.headers["Authorization"])
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - likewise
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", credentials
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"[" * 100_000,
        b'{"result":1}',
        b'{"result":{}}',
        b'{"result":{"isError":true,"content":[]}}',
        b'{"error":"x"}',
        b'{"jsonrpc":"2.0","result":{"structuredContent":[]}}',
    ],
)
def test_whatever_another_server_answers_is_one_line(body: bytes) -> None:
    with stranger(200, body) as (other, _):
        assert "is this its address?" in ask("contexts", "--server", other, code=1)


def test_a_terminal_without_unicode_gets_json_too(viewer: Viewer) -> None:
    comment(viewer, "größer → 5", 6)
    read = ask("comments", "--server", viewer.url, PYTHONIOENCODING="ascii")

    assert "größer → 5" in [each["untrusted"]["body"] for each in read["comments"]]


def test_a_token_goes_to_the_configured_server_and_to_no_other() -> None:
    with stranger(401) as (ours, sent), stranger(200) as (other, sent_elsewhere):
        configured = {"DIFFX_SERVER_URL": ours, "DIFFX_TOKEN": "secret"}

        refused = ask("comments", code=1, **configured)
        odd = ask("comments", "--server", other, code=1, **configured)

    assert "set the token" in refused
    assert "is this its address?" in odd
    assert (sent, sent_elsewhere) == (["Bearer secret"], [None])
