"""Everything that must hold before a change is handed on, one step after another."""

import os
import shutil
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.build import executable, webui
from tools.build.browser import find_browser
from tools.build.environment import environment
from tools.build.node import find_node
from tools.build.project import WORK, BuildError
from tools.build.terminal import banner, must, note, run

REPORTS: Final = WORK / "reports"
BROWSERS: Final = WORK / "browsers"


@dataclass(frozen=True, slots=True)
class Step:
    """One check. `code` is the exit code of `check` when this is the first step that fails."""

    title: str
    code: int
    run: Callable[[], int]


@dataclass(slots=True)
class Tally:
    """What the test runs said of themselves."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def add(self, report: Path) -> None:
        """Add one JUnit report; a run that never wrote one counts as one failure."""
        try:
            suites = ET.parse(report).getroot().iter("testsuite")
        except (OSError, ET.ParseError):
            self.failed += 1
            return
        for suite in suites:
            total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
            bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            self.passed += total - bad - skipped
            self.failed += bad
            self.skipped += skipped
            self.seconds += float(suite.get("time", 0))

    def line(self) -> str:
        """Return the sum in the words of pytest's closing line."""
        counts = [(self.failed, "failed"), (self.passed, "passed"), (self.skipped, "skipped")]
        said = ", ".join(f"{count} {word}" for count, word in counts if count) or "no tests ran"
        return f" {said} in {self.seconds:.2f}s ".center(78, "=")


def check(only: Sequence[str] | None = None) -> int:
    """Run the steps, all of them even after a failure; return the code of the first that failed."""
    chosen = {name: step for name, step in STEPS.items() if not only or name in only}
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    results = {name: _timed(name, step) for name, step in chosen.items()}
    _summary(results)
    return next((STEPS[name].code for name, (code, _) in results.items() if code), 0)


def _timed(name: str, step: Step) -> tuple[int, float]:
    banner(f"{name}: {step.title}")
    start = time.monotonic()
    try:
        code = step.run()
    except BuildError as error:
        note(str(error))
        code = 1
    seconds = time.monotonic() - start
    print(f"--- {name}: {'ok' if code == 0 else f'FAILED ({code})'}, {seconds:.1f} s", flush=True)
    return code, seconds


def _summary(results: Mapping[str, tuple[int, float]]) -> None:
    banner("summary")
    for name, (code, seconds) in results.items():
        print(f"{name:12}{'ok' if code == 0 else 'FAILED':8}{seconds:8.1f} s")
    tally = Tally()
    for name in ("unit", "system", "browser"):
        if name in results:
            tally.add(REPORTS / f"{name}.xml")
    if {"unit", "system", "browser"} & results.keys():
        print(tally.line(), flush=True)


def _tool(*argv: str) -> Callable[[], int]:
    def step() -> int:
        python = environment("dev", runtime=True)
        return run([python.with_name(argv[0]), *argv[1:]])

    return step


def _pytest(name: str, *argv: str) -> Callable[[], int]:
    return lambda: _run_tests(name, *argv, variables=_test_environment())


def _run_tests(name: str, *argv: str, variables: Mapping[str, str]) -> int:
    python = environment("dev", runtime=True)
    report = f"--junitxml={REPORTS / name}.xml"
    # A root of its own: another run on this machine prunes what it takes for leftovers.
    with tempfile.TemporaryDirectory(prefix="diffx-check-", ignore_cleanup_errors=True) as top:
        env = {**variables, "PYTEST_DEBUG_TEMPROOT": top}
        return run([python, "-m", "pytest", report, *argv], env=env)


def _test_environment() -> dict[str, str]:
    # -X importtime and the like of the caller are not for the tests; a cache of byte code is.
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _playwright_environment() -> dict[str, str]:
    # The Node that Playwright brings needs libraries that a plain Debian has not; ours runs.
    # It is on PATH too, for the tests build the page that they look at.
    node = find_node()
    playwright = {
        "PLAYWRIGHT_NODEJS_PATH": str(node.node),
        "PLAYWRIGHT_BROWSERS_PATH": str(BROWSERS),
    }
    return _test_environment() | node.environment | playwright


def _executable() -> int:
    webui.build_assets()
    executable.build()
    return 0


def _browser() -> int:
    variables = _playwright_environment()
    if find_browser() is None:
        note("no Chromium, Chrome or Edge here: fetching Playwright's own")
        python = environment("dev", runtime=True)
        must(
            [python, "-m", "playwright", "install", "chromium"],
            env=variables,
            remedy="the browser tests need Chromium, Chrome or Edge on PATH "
            "(Debian: apt-get install chromium)",
        )
    return _run_tests("browser", "-m", "browser", "tests", variables=variables)


STEPS: Final[Mapping[str, Step]] = {
    "format": Step("formatting", 10, _tool("ruff", "format", "--check", ".")),
    "lint": Step("rules that can be checked by reading", 11, _tool("ruff", "check", ".")),
    "types": Step("mypy --strict", 12, _tool("mypy")),
    "imports": Step("who may import whom", 13, _tool("lint-imports", "--no-logo")),
    "web": Step("types and tests of the web UI", 14, webui.check_webui),
    "executable": Step("dist/diffx", 15, _executable),
    "unit": Step("tests of pure code", 16, _pytest("unit", "-m", "not system", "tests")),
    "system": Step(
        "tests with real Git, processes and sockets",
        17,
        _pytest("system", "-m", "system and not browser", "tests"),
    ),
    "browser": Step("tests in a real browser", 18, _browser),
}
