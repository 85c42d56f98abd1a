"""Compare commands fairly: interleaved rounds, median and minimum, ratios, and a check for drift.

A number in milliseconds says more about the machine than about diffx; a ratio between two things
that ran in turns on the same machine says something. Every benchmark here uses this runner:

    report = compare([Subject("git", run("git", "status")), Subject("diffx", run(...))], rounds=15)
    report.judge(Goal(4, "collect / git", "diffx", "git", goal=1.35, fail=1.8))
    sys.exit(report.show())
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MAX_DRIFT: Final = 1.5
CONTROL: Final = "control: python -c pass"

Action = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to time. `before` runs untimed ahead of every round."""

    name: str
    action: Action
    before: Action | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """A ratio between two subjects, with the value to reach and the value that fails."""

    number: str
    what: str
    subject: str
    reference: str
    goal: float
    fail: float


@dataclass(slots=True)
class Report:
    """Every round's seconds by subject, and the goals that they were held against."""

    seconds: Mapping[str, list[float]]
    goals: list[Goal] = field(default_factory=list)

    @property
    def drift(self) -> float:
        """How much the control's speed moved between the thirds of the run."""
        control = self.seconds[CONTROL]
        third = max(1, len(control) // 3)
        parts = (control[:third], control[third : 2 * third] or control, control[-third:])
        medians = [statistics.median(part) for part in parts]
        return max(medians) / min(medians)

    def ratio(self, subject: str, reference: str) -> tuple[float, float]:
        """Return the ratios of the medians and of the minima; a goal must hold for both."""
        ours, theirs = self.seconds[subject], self.seconds[reference]
        return (statistics.median(ours) / statistics.median(theirs), min(ours) / min(theirs))

    def judge(self, *goals: Goal) -> None:
        self.goals.extend(goals)

    def show(self) -> int:
        """Print both tables; return 0, 1 when a ratio fails, 2 when the machine was too restless."""
        width = max(map(len, self.seconds))
        print(f"{'':{width}}  median ms    min ms")
        for name, values in self.seconds.items():
            print(
                f"{name:{width}} {statistics.median(values) * 1e3:10.1f}{min(values) * 1e3:10.1f}"
            )
        verdicts = [self._show_goal(goal) for goal in self.goals]
        if self.drift > MAX_DRIFT:
            print(f"DISCARD: the control drifted {self.drift:.2f}x (more than {MAX_DRIFT}x)")
            return 2
        return 1 if "FAIL" in verdicts else 0

    def save(self, file: Path) -> None:
        """Write every single measurement, so that a later reader can judge for themselves."""
        file.write_text(json.dumps({"drift": self.drift, "seconds": self.seconds}, indent=1))

    def _show_goal(self, goal: Goal) -> str:
        median, least = self.ratio(goal.subject, goal.reference)
        worst = max(median, least)
        verdict = "ok" if worst <= goal.goal else "FAIL" if worst > goal.fail else "over goal"
        print(
            f"goal {goal.number:>3} {goal.what}: median {median:.2f}, min {least:.2f}"
            f" (goal {goal.goal}, fail {goal.fail}) {verdict}"
        )
        return verdict


def compare(subjects: Sequence[Subject], *, rounds: int = 15, warm: int = 1) -> Report:
    """Time every subject once a round, each round starting with another one."""
    everything = [Subject(CONTROL, run(sys.executable, "-c", "pass")), *subjects]
    for subject in everything * warm:
        _timed(subject)
    seconds: dict[str, list[float]] = {subject.name: [] for subject in everything}
    for turn in range(rounds):
        start = turn % len(everything)
        for subject in everything[start:] + everything[:start]:
            seconds[subject.name].append(_timed(subject))
    return Report(seconds)


def run(
    *argv: str | Path, env: Mapping[str, str] | None = None, expect: Sequence[int] = (0,)
) -> Action:
    """Return an action that runs a command silently and refuses an unexpected exit code.

    posix_spawn, because the work of `subprocess` would be a good part of a fast command's time.
    """
    words = [str(word) for word in argv]
    environment = dict(os.environ if env is None else env)
    silent = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]

    def action() -> None:
        pid = os.posix_spawnp(words[0], words, environment, file_actions=silent)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code not in expect:
            raise SystemExit(f"{' '.join(words)} ended with {code}")

    return action


def _timed(subject: Subject) -> float:
    if subject.before is not None:
        subject.before()
    start = time.perf_counter()
    subject.action()
    return time.perf_counter() - start
