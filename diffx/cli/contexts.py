"""`diffx contexts`: list the stored reviews, for whoever must name one of them."""

import argparse

from diffx.cli.asking import common_parser, find_server, print_json
from diffx.cli.world import World


def parser() -> argparse.ArgumentParser:
    made = common_parser(
        "contexts", "List the stored reviews, newest first, and which of them is being shown."
    )
    made.add_argument(
        "--query", metavar="TEXT", help="words in repository, branch, worktree, host or session"
    )
    made.add_argument(
        "--stale", action="store_true", help="also those that a newer collection has replaced"
    )
    made.add_argument("--limit", metavar="N", type=int, help="how many at most (1 to 50)")
    made.add_argument("--cursor", metavar="TEXT", help="next_cursor of the answer before")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    answer = find_server(args, world).call(
        "list_contexts",
        {
            "query": args.query,
            "include_stale": args.stale,
            "limit": args.limit,
            "cursor": args.cursor,
        },
    )
    print_json(answer, world)
    return 0
