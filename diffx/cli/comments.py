"""`diffx comments`: read a review's comments as JSON."""

import argparse

from diffx.cli.asking import find_server, print_json, review_parser
from diffx.cli.world import World


def parser() -> argparse.ArgumentParser:
    made = review_parser("comments", "Read the comments of a review.")
    made.add_argument("--since", metavar="N", type=int, help="only what others changed after it")
    made.add_argument("--status", choices=("open", "resolved", "all"))
    made.add_argument("--actionable", action="store_true", help="only those to act on")
    made.add_argument("--scope", choices=("all", "staged", "unstaged"))
    made.add_argument("--path", metavar="PATH", help="only those on this file")
    made.add_argument("--comment", metavar="ID", help="only this one, in full")
    made.add_argument("--limit", metavar="N", type=int, help="how many at most")
    made.add_argument("--cursor", metavar="TEXT", help="next_cursor of the answer before")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    answer = find_server(args, world).call(
        "get_review_comments",
        {
            "context_id": args.context,
            "agent_name": args.agent_name,
            "scope": args.scope,
            "since": args.since,
            "status": args.status,
            "actionable_only": args.actionable,
            "path": args.path,
            "comment_id": args.comment,
            "limit": args.limit,
            "cursor": args.cursor,
        },
    )
    print_json(answer, world)
    return 0
