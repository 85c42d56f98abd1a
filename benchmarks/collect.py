"""Time collecting against what git alone needs for the same answers (goals 4 to 8).

    python benchmarks/collect.py [--rounds N] [--folder DIR] [small medium large onebig]

The floor is one shell that runs merge-base, status and three diffs one after another and throws
their output away. Everything starts a fresh process; subjects take turns.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.checkouts import NAMES, checkout  # noqa: E402 - see above
from benchmarks.runner import Goal, Subject, compare, run  # noqa: E402 - see above

FLOOR: Final = """
cd "$1" && export GIT_OPTIONAL_LOCKS=0 &&
base=$(git merge-base main HEAD) &&
git status --porcelain=v2 -z -uall &&
git diff --raw -p -M "$base" &&
git diff --raw -p -M --cached HEAD &&
git diff --raw -p -M
"""
STATUS: Final = """
"$2" -c pass && cd "$1" && GIT_OPTIONAL_LOCKS=0 git status --porcelain=v2 -z -uall
"""
PROGRAM: Final = """
import sys
sys.path[:0] = [sys.argv[1]]
import os
from pathlib import Path
from diffx.clock import random_id, system_clock
from diffx.collector.collect import CollectOptions, collect
from diffx.review.model import SourceId
options = CollectOptions(
    source_id=SourceId("benchmark"), environment=dict(os.environ), engine=sys.argv[3]
)
if sys.argv[4] == "glance":
    from diffx.collector.glance import glance
    glance(Path(sys.argv[2]), options)
else:
    collect(Path(sys.argv[2]), options, now=system_clock, new_id=random_id)
"""

# Goal number, goal and fail: for git, then for libgit2.
GOALS: Final = {
    "small": (("6", 3.5, 5.0), ("7", 8.0, 10.0)),
    "medium": (("4", 1.35, 1.8), ("7", 2.0, 2.5)),
    "large": (("5", 1.2, 1.6), ("7", 1.2, 1.8)),
    "onebig": (("5", 1.2, 1.6), ("7", 1.2, 1.8)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "diffx-benchmarks"
    )
    arguments = parser.parse_args()
    worst = 0
    for name in arguments.names or NAMES:
        worst = max(worst, measure(name, checkout(arguments.folder, name), arguments.rounds))
    return worst


def measure(name: str, top: Path, rounds: int) -> int:
    print(f"== {name}")

    def subject(engine: str, what: str, *flags: str) -> Subject:
        program = run(sys.executable, "-I", *flags, "-c", PROGRAM, ROOT, top, engine, what)
        return Subject(f"{what} with {engine}", program)

    floor = Subject("git alone", run("sh", "-c", FLOOR, "sh", top))
    status = Subject("python + git status", run("sh", "-c", STATUS, "sh", top, sys.executable))
    with_git = subject("git", "collect", "-S")
    glanced = subject("git", "glance", "-S")
    with_libgit2 = subject("libgit2", "collect")
    report = compare([floor, status, with_git, glanced, with_libgit2], rounds=rounds)
    ours, theirs = GOALS[name]
    report.judge(
        Goal(ours[0], "collect / git alone", with_git.name, floor.name, *ours[1:]),
        Goal(theirs[0], "libgit2 / git alone", with_libgit2.name, floor.name, *theirs[1:]),
        Goal("8", "glance / python + git status", glanced.name, status.name, 1.5, 2.5),
    )
    return report.show()


if __name__ == "__main__":
    sys.exit(main())
