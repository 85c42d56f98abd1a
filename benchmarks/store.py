"""What keeping observations costs: goals 12 to 15.

    python -m benchmarks.store [--files N] [--turns N] [--rounds N] [--work FOLDER]

Payload: real Python source (this interpreter's library) in as many files as asked, a fifth of each
rewritten: for 5,000, 16 MiB of full contents and about 20 MiB of patches. The floor is the same bytes as plain
rows of one SQLite table in one transaction, without hashing, compressing or looking anything up.
"""

import argparse
import hashlib
import itertools
import random
import sqlite3
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.runner import Goal, Subject, compare
from diffx.clock import random_id
from diffx.records import ContextQuery
from diffx.review.model import (
    BlobId,
    BranchId,
    ChangedFile,
    CheckoutKey,
    Comparison,
    ContextId,
    DiffId,
    Digest,
    FilePatch,
    GitPath,
    Millis,
    Observation,
    OwnerId,
    Provenance,
    RepositoryKey,
    Rows,
    Session,
    Side,
    Snapshot,
    SourceId,
    Submission,
    SubmissionId,
)
from diffx.review.paths import file_id
from diffx.store.database import Store, open_store

OWNER: Final = OwnerId("bench")
NOW: Final = Millis(1)
RELEASES: Final = 3
CONTENTS_BYTES: Final = 16 << 20  # for 5,000 files
EDITED: Final = 5

Entry = tuple[bytes, bytes, bytes, bytes]
"""Path, before, after, patch."""


def library_lines() -> Iterator[bytes]:
    """Yield lines of real source for ever, the same ones on the same Python."""
    root = Path(sysconfig.get_paths()["stdlib"])
    found = [file for file in sorted(root.rglob("*.py")) if "site-packages" not in file.parts]
    random.Random(1).shuffle(found)
    while True:
        for file in found:
            yield from file.read_bytes().splitlines(keepends=True)


def payload(files: int) -> list[Entry]:
    """Change as many files as asked: all have a patch, the first of them full contents (2.10).

    As in the study behind the goals, three old releases are compared with one new release, so
    a third of the full contents is there more than once.
    """
    chance = random.Random(1)
    lines = library_lines()
    made: list[Entry] = []
    left = CONTENTS_BYTES * files // 5_000
    after: list[bytes] = []
    for number in range(files):
        if number % RELEASES == 0:
            count = min(1_500, int(chance.lognormvariate(5.3, 0.8)) + 5)
            after = list(itertools.islice(lines, count))
        path = b"release_%d/area_%02d/file_%04d.py" % (number % RELEASES, number % 40, number)
        before, patch = older(after, lines, path, chance)
        old, new = b"".join(before), b"".join(after)
        if len(old) + len(new) > left:
            old = new = b""
        left -= len(old) + len(new)
        made.append((path, old, new, patch))
    return sorted(made)


def older(
    after: list[bytes], lines: Iterator[bytes], path: bytes, chance: random.Random
) -> tuple[list[bytes], bytes]:
    """Return what a file was before about a fifth of it was rewritten in hunks, and the patch."""
    before: list[bytes] = []
    patch = [b"diff --git a/%b b/%b\n--- a/%b\n+++ b/%b\n" % (path, path, path, path)]
    place = 0
    while place < len(after):
        skip, cut = chance.randrange(10, 70), chance.randrange(1, 18)
        kept, new = after[place : place + skip], after[place + skip : place + skip + cut]
        gone = list(itertools.islice(lines, chance.randrange(0, 4)))
        old = [line.replace(b"self", b"this", 1) for line in new] + gone
        at = (len(before) + 1, len(old) + 3, place + 1, len(new) + 3)
        patch.append(b"@@ -%d,%d +%d,%d @@\n" % at)
        patch += [b" " + line for line in kept[-3:]]
        patch += [b"-" + line for line in old] + [b"+" + line for line in new]
        before += kept + old
        place += skip + cut
    return before, b"".join(patch)


def edited(entries: Sequence[Entry], turn: int) -> list[Entry]:
    """Edit a few files, as one turn of an agent does."""
    chance = random.Random(turn)
    now = list(entries)
    for place in chance.sample(range(len(now)), EDITED):
        path, before, after, patch = now[place]
        mark = b"# turn %d\nx = %d\n" % (turn, chance.randrange(10**9))
        now[place] = (
            path,
            before,
            after and after + mark,
            patch + b"+" + mark.replace(b"\n", b"\n+"),
        )
    return now


def submission(entries: Sequence[Entry], turn: int, *, known: dict[bytes, BlobId]) -> Submission:
    """Make what a collector would hand over; hashes of texts seen before come from `known`."""
    texts: dict[BlobId, bytes] = {}

    def keep(text: bytes) -> BlobId:
        name = known.get(text) or BlobId(hashlib.sha256(text).hexdigest())
        known[text] = name
        texts[name] = text
        return name

    def side(text: bytes) -> Side:
        if not text:
            return Side(
                size=5_000, digest=Digest(hashlib.sha256(text).hexdigest()), reason="budget"
            )
        name = keep(text)
        return Side(size=len(text), digest=Digest(name), blob=name)

    files = []
    for path, before, after, patch in entries:
        diff = keep(patch)
        lines = patch.count(b"\n")
        files.append(
            ChangedFile(
                id=file_id(GitPath(path)),
                path=GitPath(path),
                status="M",
                worktree_status="M",
                old_mode="100644",
                new_mode="100644",
                additions=lines,
                deletions=lines // 3,
                size=len(after),
                fingerprint=Digest(hashlib.sha256(path + diff.encode()).hexdigest()),
                rows=Rows(hunks=2, unified=lines + 2, split=lines, max_columns=96),
                patch=FilePatch(size=len(patch), blob=diff),
                before=side(before),
                after=side(after),
            )
        )
    return Submission(
        id=SubmissionId(f"turn-{turn}"),
        observation=Observation(
            source_id=SourceId("bench"),
            source_kind="checkout",
            collected_at=Millis(turn),
            comparison=Comparison(policy="auto", kind="branch", base_ref="main"),
            provenance=Provenance(repository_name="bench", branch="main"),
            snapshots=(Snapshot(scope="all", files=tuple(files)),),
            texts=texts,
            content_hash=Digest(hashlib.sha256(b"%d" % turn).hexdigest()),
            repository_key=RepositoryKey("bench"),
            checkout_key=CheckoutKey("bench"),
            branch_id=BranchId("main"),
        ),
    )


class Bench:
    """One payload, and fresh databases to put it into."""

    def __init__(self, folder: Path, files: int, turns: int) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._known: dict[bytes, BlobId] = {}
        self._entries = [payload(files)]
        for turn in range(1, turns):
            self._entries.append(edited(self._entries[-1], turn))
        self.turns = [self._submission(turn) for turn in range(turns)]
        self.blobs = [part for entry in self._entries[0] for part in entry[1:] if part]
        self.raw_bytes = sum(map(len, self.blobs))
        self.raw_session_bytes = sum(
            len(part) for entries in self._entries for entry in entries for part in entry[1:]
        )
        self._store: Store | None = None
        self._floor: sqlite3.Connection | None = None
        self._later = itertools.count(turns)
        self._current = self._entries[-1]
        self._next = self.turns[0]

    def _submission(self, turn: int) -> Submission:
        return submission(self._entries[turn], turn, known=self._known)

    def fresh_path(self) -> Path:
        return self._folder / f"{next(self._numbers)}" / "state.db"

    def fresh_floor(self) -> None:
        if self._floor is not None:
            self._floor.close()
        path = self.fresh_path()
        path.parent.mkdir()
        self._floor = sqlite3.connect(path, isolation_level=None)
        self._floor.execute("PRAGMA journal_mode = WAL")
        self._floor.execute("PRAGMA synchronous = FULL")
        self._floor.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, d BLOB)")

    def put_floor(self) -> None:
        assert self._floor is not None
        self._floor.execute("BEGIN IMMEDIATE")
        self._floor.executemany("INSERT INTO t (d) VALUES (?)", [(b,) for b in self.blobs])
        self._floor.execute("COMMIT")

    def fresh_store(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = open_store(self.fresh_path(), new_id=random_id)

    def put_first(self) -> None:
        """Hash every text, as the goal counts it, and publish."""
        assert self._store is not None
        for blob in self.blobs:
            hashlib.sha256(blob)
        self._store.publish(OWNER, self.turns[0], NOW)

    def another_turn(self) -> None:
        """Make the next turn's submission, untimed, for a store that has the one before."""
        turn = next(self._later)
        self._current = edited(self._current, turn)
        self._next = submission(self._current, turn, known=self._known)

    def put_next(self) -> None:
        self.session.publish(OWNER, self._next, NOW)

    def open_session(self) -> None:
        """Open the store that holds the whole session."""
        self.session_path = self.fresh_path()
        self.session = open_store(self.session_path, new_id=random_id)
        self.sizes: list[int] = []
        for turn in self.turns:
            self.context = self.session.publish(OWNER, turn, NOW).context
            self.sizes.append(self.session.figures().database_bytes)


def median_ms(action: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e3


def show(what: str, value: float, goal: float, fail: float) -> bool:
    verdict = "ok" if value <= goal else "FAIL" if value > fail else "over goal"
    print(f"{what}: {value:.4f} (goal {goal}, fail {fail}) {verdict}")
    return verdict != "FAIL"


def judge_sizes(bench: Bench) -> bool:
    first = bench.sizes[0] / bench.raw_bytes
    session = bench.sizes[-1] / bench.raw_session_bytes
    each = (bench.sizes[-1] - bench.sizes[0]) / max(1, len(bench.sizes) - 1) / 1024
    print(f"{len(bench.sizes)} turns: {bench.sizes[-1] / 2**20:.1f} MiB, {each:.0f} KiB a turn")
    return all(
        [
            show("goal 14 first observation / raw bytes", first, 0.35, 0.5),
            show(f"goal 14 {len(bench.sizes)}-turn session / raw bytes", session, 0.010, 0.02),
        ]
    )


def judge_reads(bench: Bench) -> bool:
    store, context = bench.session, bench.context
    diff: DiffId = store.get(OWNER, context, NOW).scopes[0].diff
    chance = random.Random(3)
    files = [file.id for file in bench.turns[-1].observation.snapshots[0].files]

    def patch() -> object:
        return store.patch(OWNER, context, diff, "all", chance.choice(files), NOW)

    def packed() -> bytes:
        return store.packed_manifest(OWNER, context, "all", NOW).files.stream()

    def inflated(which: ContextId = context) -> object:
        return store.manifest(OWNER, which, "all", NOW)

    print(f"manifest: {len(packed()) / 1024:.0f} KiB deflated, {median_ms(inflated, 51):.2f} ms")
    return all(
        [
            show("goal 15 one patch, ms", median_ms(patch, 501), 0.2, 1),
            show("goal 15 manifest as it is sent, ms", median_ms(packed, 101), 2, 30),
        ]
    )


def judge_catalog(store: Store, contexts: int) -> bool:
    """Fill a catalog with small observations and ask it what a picker asks."""
    for number in range(contexts):
        one = submission([], number, known={})
        seen = replace(
            one.observation,
            provenance=Provenance(
                repository_name=f"repository-{number % 50}",
                branch=f"branch-{number % 700}",
                hostname=f"host-{number % 20}",
                run_id=f"run-{number}",
                session=Session(harness="claude", session_id=f"{number}", name=f"Task {number}"),
            ),
            repository_key=RepositoryKey(f"repository-{number % 50}"),
            branch_id=BranchId(f"{number % 700}"),
        )
        store.publish(OWNER, replace(one, observation=seen), NOW)
    asks = {
        "first page": ContextQuery(),
        "200 of them": ContextQuery(limit=200),
        "latest of one repository": ContextQuery(repository=("repository-7",), state="latest"),
        "one session's name": ContextQuery(session_name=("Task 4711",)),
        "a rare word": ContextQuery(text="task 4711"),
        "a common word": ContextQuery(text="repository"),
        "no match": ContextQuery(text="nowhere"),
    }
    print(f"{contexts} contexts, ms:")
    slowest = 0.0
    for name, query in asks.items():
        taken = median_ms(partial(store.find, OWNER, query, NOW), 21)
        slowest = max(slowest, taken)
        print(f"  {name}: {taken:.2f}")
    print(f"  groups: {median_ms(partial(store.groups, OWNER, ContextQuery(), NOW), 11):.2f}")
    return show("slowest list of the catalog, ms", slowest, 20, 100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--contexts", type=int, default=10_000)
    parser.add_argument("--work", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        bench = Bench(Path(folder), args.files, args.turns)
        print(f"{args.files} files, {bench.raw_bytes / 2**20:.1f} MiB raw")
        bench.open_session()
        report = compare(
            [
                Subject("raw rows", bench.put_floor, bench.fresh_floor),
                Subject("first observation", bench.put_first, bench.fresh_store),
                Subject("next observation", bench.put_next, bench.another_turn),
            ],
            rounds=args.rounds,
        )
        report.judge(
            Goal("12", "first / raw rows", "first observation", "raw rows", 3.6, 5),
            Goal("13", "next / first", "next observation", "first observation", 0.10, 0.25),
        )
        code = report.show()
        fine = [judge_sizes(bench), judge_reads(bench)]
        with open_store(bench.fresh_path(), new_id=random_id) as store:
            fine.append(judge_catalog(store, args.contexts))
    return code if all(fine) else code or 1


if __name__ == "__main__":
    sys.exit(main())
