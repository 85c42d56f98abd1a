"""One bounded, re-checked collection of one checkout: the package's front door (2).

    observation = collect(path, CollectOptions(source_id=...), now=system_clock, new_id=random_id)

The path becomes a checkout, the policy a baseline, one walk three scopes, and what moved
meanwhile is walked again. A collection that fails is an error, never an empty observation.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from diffx import __version__
from diffx.clock import Clock, NewId
from diffx.collector.comparison import AUTO, HEAD, Question, ask, decide
from diffx.collector.gitexe.process import DeadlineError, NoGitError, NotForGitError
from diffx.collector.repository import MovingError, Refs, Repository
from diffx.errors import DiffxError, MissingError
from diffx.review.model import (
    CommitId,
    Comparison,
    Millis,
    Observation,
    Provenance,
    Session,
    SourceId,
    SourceKind,
)

if TYPE_CHECKING:
    from diffx.collector.enrolment.enrol import Enrolment
    from diffx.collector.scopes.assembly import Assembly

EngineChoice = Literal["auto", "git", "libgit2"]
Progress = Callable[[str], None]

log = logging.getLogger(__name__)

DEADLINE_MS: Final = 30_000
_SETTLING_ATTEMPTS: Final = 3
"""How often files that move are read again before they are withheld as unsettled (2.12)."""
_PAUSE_S: Final = 0.05
_FILE_CLOCK_LAG_NS: Final = 20_000_000
"""How far a file's time stamp may lie behind its clock, where that cannot be read itself."""


class NoSuchRefError(MissingError):
    """The ref that was named does not exist in this checkout."""

    code = "no_such_ref"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectOptions:
    """What to compare with, as whom, and in which environment.

    `base` is `auto`, `HEAD` or a local ref; `branch` collects that branch's objects alone (2.4).
    `environment` is the caller's, as a value: PATH finds git, HOME its settings. The keys
    replace enrolment (3.3); the rest are labels for provenance (3.7).
    """

    source_id: SourceId
    environment: Mapping[str, str]
    base: str = AUTO
    branch: str | None = None
    engine: EngineChoice = "auto"
    repository_key: str | None = None
    checkout_key: str | None = None
    hostname: str | None = None
    trigger: str | None = None
    trigger_directory: str | None = None
    run_id: str | None = None
    session: Session | None = None
    deadline_ms: int = DEADLINE_MS


def collect(
    path: Path,
    options: CollectOptions,
    *,
    now: Clock,
    new_id: NewId,
    progress: Progress | None = None,
) -> Observation:
    """Collect the checkout that contains `path`, as it is now.

    Only enrolment writes (3.2). HEAD or an index that keep moving past the deadline fail it;
    files that keep moving are withheld as `unsettled`, and the content hash is then absent.
    """
    say = progress or _silent
    say("opening the checkout")
    deadline = time.monotonic() + options.deadline_ms / 1000

    def with_engine(options: CollectOptions) -> Observation:
        repository = open_repository(path, options, deadline)
        try:
            collection = _Collection(
                repository, options, now=now, new_id=new_id, say=say, deadline=deadline
            )
            return collection.run()
        finally:
            repository.close()

    try:
        return with_engine(options)
    except NotForGitError as error:
        if options.engine != "auto":
            raise
        log.info("git cannot read this, libgit2 may error=%s", error)
        try:
            return with_engine(replace(options, engine="libgit2"))
        except DiffxError:
            raise error from None


def open_repository(path: Path, options: CollectOptions, deadline: float) -> Repository:
    """Open the checkout with the engine that was asked for; `auto` takes git if it is usable."""
    if options.engine != "libgit2":
        from diffx.collector.gitexe.opening import open_git

        try:
            return _told(open_git(path, options.environment, deadline=deadline), options)
        except NoGitError as error:
            if options.engine == "git":
                raise
            log.info("no usable git, so libgit2 reads the checkout error=%s", error)
    from diffx.collector.libgit2.repository import open_libgit2

    return _told(open_libgit2(path, options.environment, deadline=deadline), options)


def _told(repository: Repository, options: CollectOptions) -> Repository:
    """Tell whoever looks for a fault which program reads what; asking it costs a process."""
    if log.isEnabledFor(logging.DEBUG):
        layout = repository.layout
        log.debug(
            "engine=%s asked_for=%s is %s", repository.engine, options.engine, repository.about()
        )
        log.debug(
            "checkout=%s git_dir=%s common_dir=%s objects=%s shallow=%s",
            *(layout.top, layout.git_dir, layout.common_dir),
            *(layout.object_format, layout.shallow),
        )
    return repository


class _Found(NamedTuple):
    """What one attempt collected."""

    refs: Refs
    comparison: Comparison
    assembly: "Assembly"
    at: Millis


class _Collection:
    """One collection under way."""

    def __init__(
        self,
        repository: Repository,
        options: CollectOptions,
        *,
        now: Clock,
        new_id: NewId,
        say: Progress,
        deadline: float,
    ) -> None:
        self._repository = repository
        self._options = options
        self._now = now
        self._new_id = new_id
        self._say = say
        self._deadline = deadline
        self._enrolment: Enrolment | None = None

    def run(self) -> Observation:
        attempt = self._branch if self._options.branch is not None else self._checkout
        return self._observation(self._settled(attempt))

    def _settled(self, attempt: Callable[[], _Found]) -> _Found:
        """Try until nothing moved; then until only files moved; then until the deadline."""
        began = time.monotonic()
        tries = 0
        moving: MovingError | None = None
        while True:
            tries += 1
            try:
                found = attempt()
            except MovingError as error:
                moving = error
                self._pause(error, tries)
                continue
            except DeadlineError as error:
                if moving is None:
                    raise
                raise DeadlineError(str(moving)) from error
            spent = time.monotonic() - began
            # Not a further attempt that would end in the deadline: what is here is true.
            short = time.monotonic() + 2 * spent / tries > self._deadline
            if not found.assembly.moved or tries >= _SETTLING_ATTEMPTS or short:
                return found
            self._say("files changed while they were read; reading again")
            time.sleep(_PAUSE_S)

    def _pause(self, error: MovingError, tries: int) -> None:
        if error.attempts is not None and tries >= error.attempts:
            raise error
        if time.monotonic() + _PAUSE_S > self._deadline:
            raise DeadlineError(str(error)) from error
        self._say("the repository changed while it was read; reading again")
        time.sleep(_PAUSE_S)

    def _checkout(self) -> _Found:
        from diffx.collector.contents.worktree import FILE_CLOCK

        repository = self._repository
        # The clock that stamps files, read as it is: on a busy machine it falls behind the other.
        started_ns = time.clock_gettime_ns(FILE_CLOCK) - _FILE_CLOCK_LAG_NS
        at = self._now()
        refs = repository.refs()
        log.debug("refs %s", refs)
        self._say("comparing files")
        walk = repository.walk(refs.head)
        comparison = self._compare(refs)
        walk.against(comparison.merge_base)
        # Only now: the walk's processes run while this is imported.
        from diffx.collector.scopes.assembly import assemble

        self._enrol(refs)
        survey = walk.finish()
        self._say("reading contents")
        assembly = assemble(repository, survey, started_ns=started_ns, deadline=self._deadline)
        return _Found(refs, comparison, assembly, at)

    def _branch(self) -> _Found:
        """Collect one branch's commits, whatever the checkout holds (2.4)."""
        repository, name = self._repository, self._options.branch or ""
        at = self._now()
        tip = repository.resolve(name)
        if tip is None:
            raise self._no_ref(name)
        refs = repository.refs()._replace(head=tip, branch=name)
        comparison = self._compare(refs)
        self._enrol(refs)
        from diffx.collector.scopes.assembly import assemble

        self._say("comparing commits")
        survey = repository.between(comparison.merge_base, tip)
        assembly = assemble(repository, survey, started_ns=0, deadline=self._deadline)
        return _Found(refs, comparison, assembly, at)

    def _compare(self, refs: Refs) -> Comparison:
        policy = self._options.base
        named: CommitId | None = None
        if policy not in (AUTO, HEAD):
            named = self._repository.resolve(policy)
            if named is None:
                raise self._no_ref(policy)
        question = ask(policy, refs, named)
        if not isinstance(question, Question) or refs.head is None:
            assert isinstance(question, Comparison)
            return question
        found = self._repository.nearest_base(refs.head, question.commits)
        return decide(question, refs, found, shallow=self._repository.layout.shallow)

    def _enrol(self, refs: Refs) -> None:
        if self._enrolment is not None:
            return
        from diffx.collector.enrolment.enrol import enrol

        layout, options = self._repository.layout, self._options
        self._enrolment = enrol(
            git_dir=layout.git_dir,
            common_dir=layout.common_dir,
            root=layout.top,
            remote_url=self._repository.remote_url,
            branch=refs.branch,
            source_id=options.source_id,
            new_id=self._new_id,
            repository_key=options.repository_key,
            checkout_key=options.checkout_key,
            head=refs.head,
        )

    def _observation(self, found: _Found) -> Observation:
        from diffx.collector.identity import content_hash

        enrolment = self._enrolment
        kind: SourceKind = "checkout" if self._options.branch is None else "branch"
        return Observation(
            source_id=self._options.source_id,
            source_kind=kind,
            collected_at=found.at,
            comparison=found.comparison,
            provenance=self._provenance(found.refs),
            snapshots=found.assembly.snapshots,
            texts=found.assembly.texts,
            content_hash=content_hash(found.assembly.snapshots),
            repository_key=None if enrolment is None else enrolment.repository_key,
            checkout_key=None if enrolment is None else enrolment.checkout_key,
            branch_id=None if enrolment is None else enrolment.branch_id,
            head=found.refs.head,
        )

    def _provenance(self, refs: Refs) -> Provenance:
        layout, options = self._repository.layout, self._options
        from diffx.collector.enrolment.remote import sanitised_remote

        url = self._repository.remote_url
        remote = None if url is None else sanitised_remote(url)
        return Provenance(
            repository_name=_repository_name(remote, layout.common_dir),
            remote_url=remote,
            root=_shown(str(layout.top)),
            worktree_name=_shown(layout.top.name),
            branch=None if refs.branch is None else _shown(refs.branch),
            hostname=options.hostname,
            run_id=options.run_id,
            trigger=options.trigger,
            trigger_directory=options.trigger_directory,
            session=options.session,
            engine=self._repository.engine,
            collector_version=__version__,
        )

    def _no_ref(self, name: str) -> NoSuchRefError:
        return NoSuchRefError(
            f"{self._repository.layout.top} has no local branch, tag or commit {name!r};"
            " name one that `git rev-parse` knows, or fetch it first"
        )


def _repository_name(remote: str | None, common_dir: Path) -> str | None:
    """Name a repository after its remote, else after the folder that holds its `.git`."""
    if remote is not None:
        last = remote.replace(":", "/").rstrip("/").rpartition("/")[2].removesuffix(".git")
        if last:
            return last
    name = common_dir.parent.name if common_dir.name == ".git" else common_dir.name
    return _shown(name.removesuffix(".git")) or None


def _shown(name: str) -> str:
    """Spell a path or name that is not UTF-8 as text, as `display_path` does."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _silent(_: str) -> None:
    return
