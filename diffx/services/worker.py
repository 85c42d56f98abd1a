"""Work that would hold up everybody else, done in a process of its own.

One child per job: the same interpreter, none of the caller's environment, a deadline, a bound on
memory, and an end that leaves none behind.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import diffx
from diffx.errors import BusyError, FailedError

if TYPE_CHECKING:
    import subprocess

DEADLINE_S: Final = 30.0
PLACES: Final = 2
"""Who has a job running or waits for the next turn; all others are told at once to come back."""
MEMORY_BYTES: Final = 2 << 30
_NO_MEMORY: Final = 3
_ROOT: Final = str(Path(diffx.__file__).parents[1])  # a folder, or a place inside the executable
_START: Final = "import sys; sys.path.insert(0, sys.argv[1]); "
_KEEP: Final = "from diffx import bytecode; bytecode.use(cache=sys.argv[2]); "
_SERVE: Final = "from diffx.services.worker import serve_one; serve_one()"

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class WorkTooSlowError(BusyError):
    """A job did not end before its deadline and was stopped."""


class WorkFailedError(FailedError):
    """The process that did a job ended without an answer."""


class Elsewhere:
    """Run one job at a time in a child process; one more waits for it, but never for long.

    `close` stops the running child and refuses further work.
    """

    def __init__(self, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._places = threading.Semaphore(PLACES)
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False

    def run(self, task: Callable[[Argument], Result], argument: Argument) -> Result:
        """Return what the task, a function of a module, makes of the argument."""
        import pickle  # only who has such work pays for it

        # Who waits holds a thread that is there for others.
        if not self._places.acquire(blocking=False):
            raise WorkTooSlowError("other such work is under way; try again in a moment")
        try:
            if not self._turn.acquire(timeout=self._deadline_s):
                raise WorkTooSlowError("other work takes too long; try again in a moment")
            try:
                return self._run(pickle.dumps((task, argument)))  # type: ignore[no-any-return]
            finally:
                self._turn.release()
        finally:
            self._places.release()

    @property
    def idle(self) -> bool:
        """Whether no child is running."""
        with self._lock:
            return self._child is None

    def close(self) -> None:
        """End the running job, which fails, and refuse others."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()

    def _run(self, job: bytes) -> Any:
        import pickle
        import subprocess

        child = self._start()
        try:
            answer, _ = child.communicate(job, timeout=self._deadline_s)
        except subprocess.TimeoutExpired:
            raise WorkTooSlowError(
                f"this took more than {self._deadline_s:.0f} s and was stopped"
            ) from None
        finally:
            child.kill()
            child.communicate()
            with self._lock:
                self._child = None
        if child.returncode == _NO_MEMORY:
            raise WorkFailedError(f"this takes more than {MEMORY_BYTES >> 30} GiB of memory")
        if child.returncode != 0 or not answer:
            raise WorkFailedError(f"a worker process ended with {child.returncode}; try again")
        return pickle.loads(answer)

    def _start(self) -> "subprocess.Popen[bytes]":
        import subprocess

        with self._lock:
            if self._closed:
                raise WorkFailedError("the server is stopping")
            # Isolated: no environment, no other packages, nothing of the current folder.
            try:
                self._child = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", *_program()],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={},
                )
            except OSError as error:  # no memory, no process or no file to be had
                raise WorkFailedError(
                    f"no worker process can be started ({error.strerror}); try again"
                ) from error
            return self._child


def _program() -> list[str]:
    """Return what the child runs; with byte code that we keep, where the executable has none."""
    kept = sys.modules.get("diffx.bytecode")
    if kept is None:
        return [_START + _SERVE, _ROOT]
    return [_START + _KEEP + _SERVE, _ROOT, str(kept.in_use)]


def serve_one() -> None:
    """Do the one job on stdin; this is the child's whole life."""
    import pickle

    _bound_memory()
    try:
        task, argument = pickle.loads(sys.stdin.buffer.read())
        answer = pickle.dumps(task(argument))
    except MemoryError:
        sys.exit(_NO_MEMORY)
    sys.stdout.buffer.write(answer)


def _bound_memory() -> None:
    """Let the job fail before it takes the machine's memory away from everybody else."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, ValueError, OSError):  # no such limit here, or a lower one already
        return
