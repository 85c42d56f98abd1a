"""A few threads that take turns at one event loop and run the handlers it calls for.

One thread leads: it turns the loop and runs the jobs that came out of it, one after the other.
A quick job therefore costs no change of threads, which under the GIL is most of what a small
answer costs. A slow one must not hold up everybody else: a watch takes the lead from whoever
stays away from the loop too long and gives it to an idle thread; the slow job goes on, and its
thread is idle when it is done. A leader takes a job only while another thread is free to lead,
so there is always one that turns the loop, however many handlers hang.
"""

import logging
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

log = logging.getLogger(__name__)

Job = Callable[[], None]

_BATCH_S: Final = 0.002  # run jobs no longer than this before looking at the sockets again
_PATIENCE_S: Final = 0.005  # how long a leader may stay away from the loop
_WATCHED_TURNS: Final = 200  # without a job for so many looks, the watch goes to sleep


class Crew:
    """`count` jobs at once, and one thread more to lead; its owner starts and joins it.

    `turn(hurry)` waits for sockets and serves them, without waiting if `hurry`; `ended` says that
    no further turn is needed; both are called by the thread that leads. `wake` ends a turn that
    waits and is called by any other.
    """

    def __init__(
        self,
        count: int,
        *,
        turn: Callable[[bool], None],
        ended: Callable[[], bool],
        wake: Callable[[], None],
    ) -> None:
        self._turn = turn
        self._ended = ended
        self._wake = wake
        self._jobs: deque[Job] = deque()
        self._role: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._term = 0
        self._away_since = math.inf
        self._asleep = False
        self._busy = threading.Event()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._serve, args=(number == 0,), name=f"http-{number}")
            for number in range(count + 1)
        ]
        self._threads.append(threading.Thread(target=self._watch, name="http-watch"))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Run a job soon, after those submitted before; called by the thread that leads."""
        self._jobs.append(job)

    def join(self, timeout_s: float) -> bool:
        """Wait for every thread, name those that do not end in time, say whether all did."""
        deadline = time.monotonic() + timeout_s
        started = [thread for thread in self._threads if thread.ident is not None]
        for thread in started:
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                log.warning("handler still running at stop thread=%s", thread.name)
        return not any(thread.is_alive() for thread in started)

    def _serve(self, leads: bool) -> None:
        while leads or self._await_lead():
            leads = False
            if self._lead(self._term):
                self._finish()
                return

    def _await_lead(self) -> bool:
        with self._lock:
            self._idle += 1
        if self._jobs:
            self._wake()  # a leader whom nobody could relieve left them lying
        self._role.get()
        return not self._over.is_set()

    def _lead(self, term: int) -> bool:
        """Turn the loop until it ended (True) or another thread has taken the lead (False)."""
        while not self._ended():
            if self._jobs and self._idle and not self._run_jobs(term):
                return False
            try:
                self._turn(bool(self._jobs) and self._idle > 0)
            except Exception:
                log.exception("turn failed")
                self._over.wait(0.05)
        return True

    def _run_jobs(self, term: int) -> bool:
        """Run jobs for a moment; say whether this thread still leads."""
        started = time.monotonic()
        with self._lock:
            self._away_since = started
            asleep, self._asleep = self._asleep, False
        if asleep:
            self._busy.set()
        while self._idle and self._term == term:
            try:
                job = self._jobs.popleft()
            except IndexError:
                break
            try:
                job()
            except Exception:
                log.exception("job failed")
            if time.monotonic() > started + _BATCH_S:
                break
        with self._lock:
            if self._term != term:
                return False
            self._away_since = math.inf
        return True

    def _finish(self) -> None:
        self._over.set()
        self._busy.set()
        for _ in self._threads:
            self._role.put(None)

    # -- on the watch's own thread

    def _watch(self) -> None:
        quiet = 0
        while not self._over.wait(_PATIENCE_S):
            with self._lock:
                quiet = quiet + 1 if self._away_since == math.inf else 0
                if time.monotonic() > self._away_since + _PATIENCE_S and self._idle:
                    self._relieve()
                if quiet > _WATCHED_TURNS:
                    self._asleep = True
                    self._busy.clear()
            if quiet > _WATCHED_TURNS and not self._over.is_set():
                quiet = 0
                self._busy.wait()

    def _relieve(self) -> None:
        """Give the lead to an idle thread."""
        self._term += 1
        self._away_since = math.inf
        self._idle -= 1
        self._role.put(None)
