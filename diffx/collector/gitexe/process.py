"""Run the git executable in its safe form; the only module that starts it (2.1, 2.2).

Safe means: nothing inherited from the caller's `GIT_*` variables, no lock, no network, and no
program that any configuration names. Several processes run at once; one loop reads them all, and
whoever closes the `Git` has no process left.
"""

import errno
import fcntl
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from diffx.errors import FailedError

if TYPE_CHECKING:
    from diffx.collector.contents.endless import Search

Sink = Callable[[bytes], None]
Word = str | bytes

PIECE: Final = 1 << 20
_MAX_ERROR_BYTES: Final = 1 << 16
_SILENCE_S: Final = 1.0
"""How long git may say nothing before it is suspected of waiting for a pipe."""
_LOOK_S: Final = 0.2
_LAST_LOOK_S: Final = 1.0
_F_SETPIPE_SZ: Final = 1031  # Linux; wider pipes mean fewer turns between us and git

SAFE_MARK: Final = "diffx.safe"
"""A made-up key: git repeats it when asked for configuration, which proves that it obeys us."""

SAFE_CONFIG: Final[Mapping[str, str]] = {
    SAFE_MARK: "1",
    # Programs that a configuration may name.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "",
    "credential.helper": "",
    "diff.external": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    # Settings that would change what is said.
    "core.quotePath": "false",
    "core.attributesFile": os.devnull,
    "core.safecrlf": "false",
    "core.bigFileThreshold": "512m",
    "diff.orderFile": os.devnull,  # a repository may name one that never ends
    "diff.autoRefreshIndex": "false",  # `git diff` would write the index, whatever the locks
    "diff.suppressBlankEmpty": "false",
    "diff.ignoreSubmodules": "none",
}

_SAFE_ENVIRONMENT: Final[Mapping[str, str]] = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # gits older than the line above: a lazy fetch finds no transport
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TRACE2": "0",  # a user's trace2.* settings would write files
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
    "LC_ALL": "C",
}
_DROPPED: Final = frozenset({"LANGUAGE", "SSH_ASKPASS", "PAGER", "LESSOPEN", "EDITOR", "VISUAL"})


class NoGitError(FailedError):
    """There is no usable git executable."""


class GitFailedError(FailedError):
    """git ended with an error; the message carries its last line."""


class NotForGitError(GitFailedError):
    """This git cannot read the checkout, and another reader might."""


class EndlessFileError(NotForGitError):
    """git waits for a pipe or a device that somebody put where it reads."""


class DeadlineError(FailedError):
    """The collection took longer than it may (2.10)."""


def find_git(environment: Mapping[str, str]) -> str | None:
    """Return the absolute path of `git` on PATH; relative entries are passed over.

    A relative PATH entry could name a `git` that the repository itself brought along.
    """
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        program = f"{folder}/git"
        if folder.startswith("/") and os.access(program, os.X_OK) and Path(program).is_file():
            return program
    return None


def safe_environment(environment: Mapping[str, str], config: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a git that obeys `config` above every configuration file.

    `GIT_CONFIG_COUNT` rather than `-c`, whose `name=value` cannot name a section with '=' in it.
    """
    safe = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") and name not in _DROPPED
    }
    safe.update(_SAFE_ENVIRONMENT)
    safe["GIT_CONFIG_COUNT"] = str(len(config))
    for index, (name, value) in enumerate(config.items()):
        safe[f"GIT_CONFIG_KEY_{index}"] = name
        safe[f"GIT_CONFIG_VALUE_{index}"] = value
    return safe


class Job:
    """One git process. `out` fills as it runs, unless its output goes to a sink."""

    def __init__(self, pid: int, what: str, sink: Sink | None, to_write: bytes) -> None:
        self.pid = pid
        self.what = what
        self.code: int | None = None
        self.failure: str = ""
        self._pieces: list[bytes] = []
        self._error = bytearray()
        self._sink = sink or self._pieces.append
        self._to_write = memoryview(to_write)
        self.open_files: set[int] = set()

    @property
    def out(self) -> bytes:
        if len(self._pieces) > 1:
            self._pieces[:] = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""

    @property
    def error_text(self) -> str:
        return self._error.decode("utf-8", "backslashreplace")

    @property
    def ok(self) -> bool:
        return self.code == 0

    def take_output(self, piece: bytes) -> None:
        self._sink(piece)

    def take_error(self, piece: bytes) -> None:
        if len(self._error) < _MAX_ERROR_BYTES:
            self._error += piece

    def write_to(self, descriptor: int) -> bool:
        """Write what the pipe takes; say whether there is more to write."""
        try:
            done = os.write(descriptor, self._to_write[:PIECE])
        except BlockingIOError:
            return True
        except BrokenPipeError:  # it ended early; its exit status says why
            return False
        self._to_write = self._to_write[done:]
        return bool(self._to_write)


class Git:
    """git in one folder, in its safe form, with a deadline for everything together."""

    def __init__(
        self,
        program: str,
        folder: Path,
        environment: Mapping[str, str],
        *,
        deadline: float,
        config: Mapping[str, str] = SAFE_CONFIG,
        index: Path | None = None,
    ) -> None:
        self.program = program
        self.folder = folder
        self.deadline = deadline
        self._environment = environment
        self._index = index
        self.config = dict(config)
        self._safe = self._safely()
        self._poll = select.poll()
        self._files: dict[int, tuple[Job, Sink | None]] = {}
        self._running: dict[int, Job] = {}
        self._search: Search | None = None

    def override(self, config: Mapping[str, str]) -> None:
        """Put further settings above every configuration file, for processes started later."""
        if config:
            self.config.update(config)
            self._safe = self._safely()

    def with_index(self, index: Path) -> "Git":
        """Return git in the same folder that reads another file for its index."""
        return Git(
            self.program, self.folder, self._environment, deadline=self.deadline,
            config=self.config, index=index,
        )  # fmt: skip

    def elsewhere(self, folder: Path) -> "Git":
        """Return git in another repository, without the settings that belong to this one."""
        return Git(self.program, folder, self._environment, deadline=self.deadline)

    def start(self, *words: Word, stdin: bytes = b"", sink: Sink | None = None) -> Job:
        """Start one git process; its output is read whenever any job is waited for."""
        out_read, out_write = _pipe()
        err_read, err_write = os.pipe()
        in_read, in_write = os.pipe() if stdin else (os.open(os.devnull, os.O_RDONLY), -1)
        files = [
            (os.POSIX_SPAWN_DUP2, in_read, 0),
            (os.POSIX_SPAWN_DUP2, out_write, 1),
            (os.POSIX_SPAWN_DUP2, err_write, 2),
        ]
        argv = [self.program, "-C", os.fspath(self.folder), "--no-pager", *words]
        try:
            pid = os.posix_spawn(
                self.program, argv, self._safe, file_actions=files, setpgroup=0,
                setsigdef=[signal.SIGPIPE],
            )  # fmt: skip
        except OSError as error:
            for descriptor in (out_read, err_read, *((in_write,) if stdin else ())):
                os.close(descriptor)
            raise NoGitError(f"cannot start {self.program}: {error.strerror}") from error
        finally:
            for descriptor in (in_read, out_write, err_write):
                os.close(descriptor)
        job = Job(pid, _text(words[0]), sink, stdin)
        self._running[pid] = job
        self._watch(job, out_read, job.take_output)
        self._watch(job, err_read, job.take_error)
        if stdin:
            os.set_blocking(in_write, False)
            self._watch(job, in_write, None)
        return job

    def wait(self, *jobs: Job) -> None:
        """Read every running process until these have ended.

        Past the deadline all of them are killed and DeadlineError is raised.
        """
        while any(job.code is None for job in jobs):
            self._pump()

    def pump_until(self, done: Callable[[], bool]) -> None:
        """Read every running process until `done`, or until none runs."""
        while not done() and self._running:
            self._pump()

    def run(self, *words: Word, stdin: bytes = b"") -> Job:
        """Run one git process to its end, whatever its exit status."""
        job = self.start(*words, stdin=stdin)
        self.wait(job)
        return job

    def ask(self, *words: Word, stdin: bytes = b"") -> bytes:
        """Run one git process and return its output; GitFailedError unless it exits with 0."""
        job = self.run(*words, stdin=stdin)
        self.require(job)
        return job.out

    def require(self, *jobs: Job) -> None:
        """Wait, and raise GitFailedError for the first that failed."""
        self.wait(*jobs)
        for job in jobs:
            if not job.ok:
                raise self.failure(job)

    def failure(self, job: Job) -> GitFailedError:
        lines = [line for line in job.error_text.splitlines() if line.strip()]
        fatal = [line for line in lines if line.startswith("fatal:")]
        said = (fatal or lines or [f"exit status {job.code}"])[-1].removeprefix("fatal: ")
        return GitFailedError(f"git {job.what} failed in {self.folder}: {said}")

    def close(self) -> None:
        """Kill and reap what still runs, and close every pipe."""
        for descriptor in list(self._files):
            self._forget(descriptor)
        for job in list(self._running.values()):
            _kill(job.pid)
            self._reap(job, os.waitpid(job.pid, 0)[1])

    def _safely(self) -> dict[str, str]:
        safe = safe_environment(self._environment, self.config)
        return safe if self._index is None else safe | {"GIT_INDEX_FILE": str(self._index)}

    def _watch(self, job: Job, descriptor: int, sink: Sink | None) -> None:
        self._files[descriptor] = (job, sink)
        job.open_files.add(descriptor)
        self._poll.register(descriptor, select.POLLIN if sink else select.POLLOUT)

    def _forget(self, descriptor: int) -> None:
        job, _ = self._files.pop(descriptor)
        job.open_files.discard(descriptor)
        self._poll.unregister(descriptor)
        os.close(descriptor)

    def _pump(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            self._look_for_pipe(_LAST_LOOK_S)
            running = ", ".join(sorted({job.what for job in self._running.values()}))
            self.close()
            raise DeadlineError(
                f"collecting {self.folder} took too long (git {running}); close what writes to"
                " it, or ignore what makes it large, and try again"
            )
        ready = self._poll.poll(min(left, _SILENCE_S) * 1000)
        if not ready and left > _SILENCE_S:
            self._look_for_pipe(_LOOK_S)
        for descriptor, _ in ready:
            self._serve(descriptor)
        for job in list(self._running.values()):
            if not job.open_files:
                self._try_reap(job)

    def _look_for_pipe(self, seconds: float) -> None:
        """Search on for a pipe that git may be waiting for; raise EndlessFileError for one.

        Only where git is silent: a search of everything would cost as much as git itself.
        """
        from diffx.collector.contents.endless import endless_around, endless_error

        if self._search is None:
            home = self._environment.get("HOME", "")
            settings = self._environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
            self._search = endless_around(self.folder, home, settings)
        until = time.monotonic() + seconds
        for found in self._search:
            if found is not None:
                self.close()
                raise EndlessFileError(endless_error(found))
            if time.monotonic() > until:
                return

    def _serve(self, descriptor: int) -> None:
        found = self._files.get(descriptor)
        if found is None:
            return
        job, sink = found
        if sink is None:
            if not job.write_to(descriptor):
                self._forget(descriptor)
            return
        piece = os.read(descriptor, PIECE)
        if piece:
            sink(piece)
        else:
            self._forget(descriptor)

    def _try_reap(self, job: Job) -> None:
        """Reap a process that closed its pipes; normally it ends in the same moment."""
        options = 0 if not self._files else os.WNOHANG
        pid, status = os.waitpid(job.pid, options)
        if pid:
            self._reap(job, status)

    def _reap(self, job: Job, status: int) -> None:
        job.code = os.waitstatus_to_exitcode(status)
        self._running.pop(job.pid, None)


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    try:
        fcntl.fcntl(write, _F_SETPIPE_SZ, PIECE)
    except OSError as error:  # over the user's share of pipe memory, or another system
        if error.errno not in (errno.EPERM, errno.EBUSY, errno.EINVAL):
            raise
    return read, write


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:  # ended by itself; it is reaped next
            continue


def _text(word: Word) -> str:
    return word if isinstance(word, str) else os.fsdecode(word)
