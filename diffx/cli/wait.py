"""`diffx wait`: wait until somebody else says something in a review."""

import argparse
import time
from typing import Final

from diffx.cli.asking import NOTHING_NEW, find_server, print_json, review_parser
from diffx.cli.world import World
from diffx.errors import InvalidError

# One call of the server waits no longer; a longer wait is several of them.
_CALL_S: Final = 50
_MAX_S: Final = 86_400


def parser() -> argparse.ArgumentParser:
    made = review_parser(
        "wait", "Wait until somebody else comments, replies, resolves or reopens."
    )
    made.add_argument("--since", metavar="N", type=int, help="next_since of an earlier answer")
    made.add_argument("--scope", choices=("all", "staged", "unstaged"))
    made.add_argument(
        "--seconds",
        metavar="N",
        type=int,
        default=300,
        help="how long to wait at most (default: %(default)s)",
    )
    return made


def run(args: argparse.Namespace, world: World) -> int:
    if not 1 <= args.seconds <= _MAX_S:
        raise InvalidError(f"--seconds takes 1 to {_MAX_S}", field="--seconds")
    server = find_server(args, world)
    until = time.monotonic() + args.seconds
    since = args.since
    while True:
        left = until - time.monotonic()
        answer = server.call(
            "wait_for_review_comments",
            {
                "context_id": args.context,
                "agent_name": args.agent_name,
                "scope": args.scope,
                "since": since,
                "timeout_seconds": max(1, min(_CALL_S, round(left))),
            },
        )
        since, heard = answer.get("next_since"), answer.get("comments")
        if heard or time.monotonic() >= until - 1:
            print_json(answer, world)
            return 0 if heard else NOTHING_NEW
