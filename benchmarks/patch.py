"""How fast a patch is read: 16 MiB against `git apply --numstat`, and input made to be slow.

    python3 benchmarks/patch.py [--rounds 9]

Reading includes what git does not do here: a standard patch of every file, and its rows and
width. Both sides pay for the start of a process.
"""

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.runner import Goal, Subject, compare, run  # noqa: E402 - see above
from diffx.review.patch import MAX_PATCH_BYTES, PatchError  # noqa: E402
from diffx.review.patch.series import parse  # noqa: E402

READ: Final = (
    "import sys;sys.path.insert(0,sys.argv[1]);from diffx.review.patch.series import parse;"
    "parse(open(sys.argv[2],'rb').read())"
)


def main() -> int:
    """Measure and judge; 0 where nothing fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="diffx-patch-") as folder:
        file = Path(folder) / "big.patch"
        file.write_bytes(big_patch())
        report = compare(
            [
                Subject("git apply --numstat", run("git", "apply", "--numstat", file)),
                Subject("parse", run(sys.executable, "-I", "-c", READ, ROOT, file)),
            ],
            rounds=args.rounds,
        )
    report.judge(
        Goal("P", "16 MiB patch / git apply", "parse", "git apply --numstat", goal=15, fail=40)
    )
    code = report.show()
    grown = [name for name, ratio in slopes().items() if ratio > 3]
    for name in grown:
        print(f"FAIL {name}: twice the input takes more than three times as long")
    return 1 if grown else code


def big_patch(size: int = MAX_PATCH_BYTES) -> bytes:
    """Make a patch like those of large merges: many files, a few hunks each."""
    dice = random.Random(2)
    pieces: list[bytes] = []
    length = 0
    while True:
        piece = _file(dice, len(pieces))
        length += len(piece)
        if length > size:
            return b"".join(pieces)
        pieces.append(piece)


def _file(dice: random.Random, number: int) -> bytes:
    name = b"src/part%d/file%d.py" % (number % 50, number)
    out = [b"diff --git a/%s b/%s\nindex abcdef1..1234567 100644\n" % (name, name)]
    out.append(b"--- a/%s\n+++ b/%s\n" % (name, name))
    for hunk in range(dice.randint(1, 5)):
        changed = dice.randint(1, 4)
        count = 6 + changed
        context = [b"     value = compute(%d)\n" % dice.randrange(10**9) for _ in range(6)]
        old = [b"-" + b"y" * dice.randint(5, 60) + b"\n" for _ in range(changed)]
        new = [b"+" + b"z" * dice.randint(5, 60) + b"\n" for _ in range(changed)]
        out.append(
            b"@@ -%d,%d +%d,%d @@ def f():\n" % (hunk * 99 + 1, count, hunk * 99 + 1, count)
        )
        out += context[:3] + old + new + context[3:]
    return b"".join(out)


def hostile(size: int) -> Mapping[str, bytes]:
    """Return input that would be slow for a careless reader, each of about that size."""
    head = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n"
    mail = b"From a Mon Sep 17 00:00:00 2001\n"

    def fill(start: bytes, unit: bytes, end: bytes = b"\n") -> bytes:
        return start + unit * (size // len(unit)) + end

    return {
        "one-line hunks": fill(head, b"@@ -1 +1 @@\n-a\n+b\n"),
        "one huge hunk": fill(head + b"@@ -0,0 +1,%d @@\n" % (size // 2), b"+\n"),
        "a hunk that never adds up": fill(head + b"@@ -0,0 +1,9999999999 @@\n", b"+\n"),
        "hunks that never add up": fill(head, b"@@ -1,9 +1,9 @@\n-a\n"),
        "files without hunks": fill(b"", b"diff --git a b\nindex a..b\n"),
        "plain files": fill(b"", b"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"),
        "header pairs": fill(b"", b"--- a\n+++ b\n"),
        "removed blanks": fill(head + b"@@ -1 +1 @@\n-a\n+b\n", b"--- \n"),
        "commits": fill(b"", b"commit abcdef1\n"),
        "mails": fill(b"", mail + b"A: b\n"),
        "mail fields": fill(mail + b"Content-Transfer-Encoding: base64\n", b"X: y\n"),
        "subject words": fill(mail + b"Subject: ", b"=?a"),
        "escapes in a name": fill(b'diff --git "', b"\\n"),
        "blanks in a name": fill(b"diff --git ", b"a ", b"\nindex a..b\n"),
        "slashes in a name": fill(b"diff --git ", b"a/", b"\nindex a..b\n"),
        "and in a name": fill(b"Files ", b"a and "),
        "resets": fill(b"\x1b[1mdiff --git a b\x1b[m\n", b"\x1b[m"),
        "combined lines": fill(b"diff --cc f\nindex a,b..c\n@@@ -0,0 -0,0 +1,9999999 @@@\n", b"++\n"),
        "base-85 lines": fill(head[:19] + b"index a..b\nGIT binary patch\nliteral 1\n", b"Aabcde\n"),
        "unmerged paths": fill(b"", b"* Unmerged path a\n"),
        "stray hunks": fill(head + b"@@ -1 +1 @@\n-a\n+b\n", b"x\n@@ -1 +1 @@\n-a\n+b\n"),
        "signs": fill(b"", b"@"),
        "line feeds": fill(b"", b"\n"),
    }  # fmt: skip


def slopes(size: int = 1 << 20) -> dict[str, float]:
    """Print how the time of each hostile input grows when the input doubles; 2 is linear."""
    once, twice = hostile(size), hostile(2 * size)
    ratios = {}
    for name, data in once.items():
        short, long = (min(_seconds(text) for _ in range(3)) for text in (data, twice[name]))
        ratios[name] = long / short if long > 0.02 else 2.0
        print(f"{name:26} {long * 500:7.0f} ms/MiB   x{ratios[name]:.1f} for twice the input")
    return ratios


def _seconds(data: bytes) -> float:
    start = time.process_time()
    with contextlib.suppress(PatchError):  # most of it is no patch, and saying so takes time too
        parse(data)
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
