"""`diffx reply`: answer in a comment's thread."""

import argparse

from diffx.cli.asking import MAX_STDIN_BYTES, find_server, print_json, review_parser
from diffx.cli.value import given
from diffx.cli.world import World


def parser() -> argparse.ArgumentParser:
    made = review_parser("reply", "Answer in a comment's thread; a resolved one opens again.")
    made.add_argument("comment", metavar="ID", help="the comment")
    made.add_argument(
        "body", metavar="TEXT", help="what to say, or - to read it from standard input"
    )
    made.add_argument("--key", metavar="TEXT", help="the same key again writes nothing twice")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    answer = find_server(args, world).call(
        "reply_to_review_comment",
        {
            "context_id": args.context,
            "agent_name": args.agent_name,
            "comment_id": args.comment,
            "body": given(args.body, world, most=MAX_STDIN_BYTES),
            "idempotency_key": args.key,
        },
    )
    print_json(answer, world)
    return 0
