"""How the page reads in a browser, beside difit's, in one run: goals 22, 23, 24 and 25.

    python3 benchmarks/page.py [--difit FOLDER] [--diffx dist/diffx] [--rounds N] [small medium ...]

Both serve the same checkout; one Chromium opens first one page, then the other, each in a fresh
context, and in the next round the other way round. Timed is from asking for the page to the first
line of a diff on screen; then the page is scrolled, step after step, and every frame is timed;
at the end it is asked how many elements it has and how much memory its scripts hold. Needs
Playwright (in the development tools) and a Chromium.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 - see above

from benchmarks import peer  # noqa: E402 - see above
from benchmarks.checkouts import NAMES, checkout  # noqa: E402 - see above
from tools.build.browser import find_browser  # noqa: E402 - see above

STEPS: Final = 150
STEP_PIXELS: Final = 300
_LIMIT_MS: Final = 180_000

# By the frame: when it came, and how long the page was held up by one task.
SCROLL: Final = """async ([selector, steps, pixels]) => {
    const view = document.querySelector(selector);
    let held = 0;
    const tasks = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) held += duration;
    });
    tasks.observe({ entryTypes: ["longtask"] });
    const frames = [];
    const frame = () => new Promise(requestAnimationFrame);
    let before = await frame();
    for (let step = 0; step < steps; step++) {
        view.scrollTop += pixels;
        const now = await frame();
        frames.push(now - before);
        before = now;
    }
    await new Promise((done) => setTimeout(done, 200));
    tasks.disconnect();
    return { frames, held, elements: document.getElementsByTagName("*").length };
}"""
FIRST_LINE: Final = """(selector) => new Promise((done) => {
    const look = () => {
        const line = document.querySelector(selector);
        if (line?.textContent.trim() && line.getBoundingClientRect().height) done(performance.now());
        else requestAnimationFrame(look);
    };
    look();
})"""


@dataclass(frozen=True, slots=True)
class Reader:
    """A page, and where its lines and its scroller are."""

    name: str
    line: str
    scroller: str


DIFFX: Final = Reader("diffx", ".row .text", ".diff")
DIFIT: Final = Reader("difit", "main table tbody td:last-child span", "main")


@dataclass(slots=True)
class Read:
    """What every round showed of one page."""

    first_line: list[float] = field(default_factory=list)
    frame: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)
    elements: list[float] = field(default_factory=list)
    heap: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Aim:
    """A ratio to difit, with the goal and what fails, on a small checkout and on larger ones."""

    number: str
    what: str
    unit: str
    small: tuple[float, float]
    larger: tuple[float, float]


AIMS: Final = {
    "first_line": Aim("22", "page to first line", "ms", (0.8, 1.1), (0.25, 0.4)),
    "frame": Aim("23", "scrolling, 95th percentile of frames", "ms", (1.1, 2.2), (0.15, 0.3)),
    "heap": Aim("24", "memory of scripts after scrolling", "MB", (0.6, 0.8), (0.15, 0.3)),
    "elements": Aim("25", "elements after scrolling", "", (0.25, 0.5), (0.1, 0.2)),
}


def main() -> int:
    """Measure and judge; 0 where nothing fails."""
    args = peer.arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="diffx-page-") as work, sync_playwright() as play:
        difit = peer.difit_command(args.difit or peer.installed(Path(work)))
        diffx = peer.diffx_command(args.diffx)
        browser = play.chromium.launch(
            executable_path=find_browser(), chromium_sandbox=os.geteuid() != 0
        )
        return max(
            measure(
                browser,
                name,
                checkout(args.folder, name),
                args.rounds,
                diffx=diffx,
                difit=difit,
            )
            for name in args.names or NAMES[:2]
        )


def measure(
    browser: Browser,
    name: str,
    top: Path,
    rounds: int,
    *,
    diffx: Sequence[str],
    difit: Sequence[str],
) -> int:
    """Read both pages of one checkout in turns."""
    print(f"== {name}")
    ours, theirs = peer.Running(), peer.Running()
    seen = {DIFFX: Read(), DIFIT: Read()}

    def read_difit() -> None:
        # It ends when its page is closed, so it is started for every round; that is not timed.
        with peer.difit_serving(theirs, difit, top) as (_, port):
            peer.ask(port, "/api/diff")
            _read(browser, DIFIT, f"http://127.0.0.1:{port}/", seen[DIFIT])
            theirs.stop()

    try:
        with peer.diffx_serving(ours, diffx, top) as (_, port, context):
            address = f"http://127.0.0.1:{port}{context}"
            for turn in range(rounds):
                if turn % 2 == 0:
                    read_difit()
                _read(browser, DIFFX, address, seen[DIFFX])
                if turn % 2 == 1:
                    read_difit()
    finally:
        ours.stop()
        theirs.stop()
    return _show(name, seen[DIFFX], seen[DIFIT])


def _read(browser: Browser, reader: Reader, address: str, seen: Read) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(_LIMIT_MS)
        page.goto(address, wait_until="commit")
        seen.first_line.append(page.evaluate(FIRST_LINE, reader.line))
        # Both have time to fetch what comes after the first lines; a stream stays open in diffx.
        if reader is DIFIT:
            page.wait_for_load_state("networkidle")
        page.wait_for_timeout(3_000)
        found: dict[str, Any] = page.evaluate(SCROLL, [reader.scroller, STEPS, STEP_PIXELS])
        frames = sorted(found["frames"])
        seen.frame.append(frames[int(len(frames) * 0.95)])
        seen.held.append(found["held"])
        seen.elements.append(found["elements"])
        seen.heap.append(_heap(page) / 1e6)
    finally:
        context.close()


def _heap(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"])


def _show(checked: str, ours: Read, theirs: Read) -> int:
    """Print medians and their ratios; a goal must hold for the minima as well."""
    failed = False
    print(f"{'':38} {'diffx':>9} {'difit':>9}")
    for name, aim in AIMS.items():
        mine, its = getattr(ours, name), getattr(theirs, name)
        median, least = statistics.median(mine) / statistics.median(its), min(mine) / min(its)
        worst = max(median, least)
        goal, fail = aim.small if checked == "small" else aim.larger
        verdict = "ok" if worst <= goal else "FAIL" if worst > fail else "over goal"
        failed |= verdict == "FAIL"
        print(
            f"{aim.what:38} {statistics.median(mine):9.1f} {statistics.median(its):9.1f} {aim.unit:2}"
            f"  goal {aim.number}: median {median:.3f}, min {least:.3f}"
            f" (goal {goal}, fail {fail}) {verdict}"
        )
    held = statistics.median(ours.held), statistics.median(theirs.held)
    print(f"{'held up by long tasks while scrolling':38} {held[0]:9.1f} {held[1]:9.1f} ms")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"{error.cmd[0]} failed: difit could not be installed; name a folder with --difit"
        )
