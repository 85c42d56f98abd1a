"""Build the checkouts that collecting is timed on: small, medium, large, and one big file.

Each has a branch `main`, a branch `work` that is checked out, and changes of every kind:
committed, staged, unstaged, both at once, renamed, binary, deleted, untracked and ignored.
The same seed gives the same files everywhere.
"""

import itertools
import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

WORDS: Final = (
    "value", "index", "buffer", "config", "request", "answer", "parse", "render", "commit",
    "branch", "file", "line", "offset", "length", "result", "error", "handler", "context",
    "session", "queue", "worker", "token", "state", "update", "return", "yield",
)  # fmt: skip
_WHO: Final = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How many files a checkout has, and how many paths of it change."""

    files: int
    changed: int
    ignored: int


PLANS: Final = {
    "small": Plan(200, 19, 0),
    "medium": Plan(10_000, 500, 5_000),
    "large": Plan(100_000, 5_000, 20_000),
}
BIG_LINES: Final = 50_000
NAMES: Final = (*PLANS, "onebig")


def checkout(folder: Path, name: str) -> Path:
    """Return the named checkout, built once and kept; a half-built one is built again."""
    top = folder / name
    done = folder / f"{name}.done"
    if not done.exists():
        subprocess.run(["rm", "-rf", str(top)], check=True)
        top.mkdir(parents=True)
        _git(top, "init", "-q", "-b", "main")
        if name == "onebig":
            _build_one_big(top)
        else:
            _build(top, PLANS[name])
        done.touch()
    _git(top, "status")  # refreshes the stat cache, as an hour of work would have
    return top


def _git(top: Path, *words: str, stdin: bytes = b"") -> bytes:
    environment = {**os.environ, **_WHO}
    command = ["git", "-C", str(top), *words]
    return subprocess.run(
        command, check=True, env=environment, input=stdin, stdout=subprocess.PIPE
    ).stdout


def _line(chance: random.Random) -> str:
    words = [chance.choice(WORDS) for _ in range(chance.randrange(1, 8))]
    return "    " * chance.randrange(3) + " ".join(words) + f" {chance.randrange(10_000)}"


def _text(chance: random.Random, lines: int) -> bytes:
    return "".join(_line(chance) + "\n" for _ in range(lines)).encode()


def _edited(chance: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(max(1, len(lines) - 2))
        lines[at : at + chance.randrange(2)] = [_line(chance).encode()]
    return b"\n".join(lines)


def _place(number: int) -> str:
    """Some twenty files to a folder, three levels deep."""
    return f"src/{number % 31:02d}/{number // 31 % 17:02d}/{number // 20:04d}/{number:06d}.py"


def _build(top: Path, plan: Plan) -> None:
    chance = random.Random(plan.files)
    paths = [_place(number) for number in range(plan.files)]
    _import_base(top, {path: _text(chance, chance.randrange(20, 120)) for path in paths})
    (top / ".gitignore").write_text("node_modules/\n")
    for number in range(plan.ignored):
        ignored = top / f"node_modules/{number % 50}/{number}.js"
        ignored.parent.mkdir(parents=True, exist_ok=True)
        ignored.write_bytes(b"module.exports = 1;\n")
    _git(top, "checkout", "-q", "-b", "work")
    picked = chance.sample(paths, plan.changed)
    parts = {"committed": 42, "staged": 20, "both": 5, "unstaged": 20, "renamed": 10, "gone": 3}
    edges = [0]
    for share in parts.values():
        edges.append(edges[-1] + plan.changed * share // 100)
    group = {
        name: picked[start:end]
        for name, (start, end) in zip(parts, itertools.pairwise(edges), strict=True)
    }
    for path in group["committed"]:
        _edit(top, chance, path)
    for path in group["renamed"][::2]:
        _rename(top, chance, path)
    _git(top, "add", "-A")
    _git(top, "commit", "-q", "-m", "work")
    for path in group["staged"] + group["both"]:
        _edit(top, chance, path)
    for path in group["renamed"][1::2]:
        _rename(top, chance, path)
    _git(top, "add", "-A")
    for path in group["both"] + group["unstaged"]:
        _edit(top, chance, path)
    for path in group["gone"]:
        (top / path).unlink()
    for number in range(plan.changed // 16 + 1):
        (top / f"new_{number}.py").write_bytes(_text(chance, 40))
        (top / f"picture_{number}.bin").write_bytes(b"\0" + chance.randbytes(2_000))


def _edit(top: Path, chance: random.Random, path: str) -> None:
    file = top / path
    file.write_bytes(_edited(chance, file.read_bytes()))


def _rename(top: Path, chance: random.Random, path: str) -> None:
    target = top / "moved" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    (top / path).rename(target)
    if chance.random() < 0.7:
        _edit(top, chance, f"moved/{path}")


def _import_base(top: Path, files: dict[str, bytes]) -> None:
    """Make the first commit in one stream, then pack it as an ordinary clone would be."""
    parts = [b"commit refs/heads/main\ncommitter Ada <ada@example.invalid> 1700000000 +0000\n"]
    parts.append(b"data 4\nbase\n")
    for path, content in files.items():
        parts += [b"M 100644 inline %b\ndata %d\n" % (path.encode(), len(content)), content, b"\n"]
    _git(top, "fast-import", "--quiet", stdin=b"".join(parts))
    _git(top, "repack", "-q", "-a", "-d", "-f")
    _git(top, "checkout", "-q", "-f", "main")


def _build_one_big(top: Path) -> None:
    chance = random.Random(1)
    lines = [_line(chance) for _ in range(BIG_LINES * 2)]
    _import_base(top, {"big.txt": "\n".join(lines).encode() + b"\n", "other.txt": b"other\n"})
    _git(top, "checkout", "-q", "-b", "work")
    lines[::2] = [_line(chance) for _ in lines[::2]]
    (top / "big.txt").write_text("\n".join(lines) + "\n")
