"""`diffx resolve`: mark a comment as done."""

import argparse

from diffx.cli.asking import MAX_STDIN_BYTES, find_server, print_json, review_parser
from diffx.cli.value import given
from diffx.cli.world import World


def parser() -> argparse.ArgumentParser:
    made = review_parser("resolve", "Mark a comment as done; again it changes nothing.")
    made.add_argument("comment", metavar="ID", help="the comment")
    made.add_argument(
        "--resolution",
        choices=("fixed", "answered", "wont_fix", "outdated"),
        default="fixed",
        help="what became of it (default: %(default)s)",
    )
    made.add_argument(
        "--note",
        metavar="TEXT",
        help="a last word, kept as a reply; - reads it from standard input",
    )
    return made


def run(args: argparse.Namespace, world: World) -> int:
    answer = find_server(args, world).call(
        "resolve_review_comment",
        {
            "context_id": args.context,
            "agent_name": args.agent_name,
            "comment_id": args.comment,
            "resolution": args.resolution,
            "note": args.note and given(args.note, world, most=MAX_STDIN_BYTES),
        },
    )
    print_json(answer, world)
    return 0
