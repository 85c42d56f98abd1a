"""Any order of submissions, retries, deletions and prunings agrees with a model of one page.

The model keeps what semantics 4.3, 6 and 7 say and nothing of how it is stored.
"""

import contextlib
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from diffx.errors import DiffxError
from diffx.records import (
    ContextDeletedError,
    ContextExpiredError,
    ContextMissingError,
    ContextQuery,
    SubmissionReusedError,
)
from diffx.review.model import ContextId, Millis, OwnerId, Session, Submission
from diffx.store.database import Store, open_store
from tests.support.observations import change, submission
from tests.support.stores import DAY, ME, OTHER, broken, counted_ids, unreadable

RETENTION = 7 * DAY

owners = st.sampled_from([ME, OTHER])
branches = st.sampled_from(["main", "topic"])
contents = st.sampled_from(["", "one", "two", "three"])  # "" is a clean checkout
moments = st.integers(min_value=0, max_value=6)
names = st.sampled_from([None, "Till", "Cellar"])


@dataclass
class Live:
    """A context while it lives."""

    owner: OwnerId
    stream: tuple[str, ...]
    content: tuple[str, ...] | None
    expires_at: int
    recency: int
    submissions: list[str] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)


@dataclass
class Model:
    live: dict[ContextId, Live] = field(default_factory=dict)
    fates: dict[ContextId, type[DiffxError]] = field(default_factory=dict)
    sent: dict[tuple[str, str], tuple[Submission, ContextId]] = field(default_factory=dict)
    heads: dict[tuple[str, ...], tuple[int, int, ContextId]] = field(default_factory=dict)
    names: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    arrivals: int = 0

    def ended(self, context: ContextId, now: int) -> type[DiffxError] | None:
        if context in self.fates:
            return self.fates[context]
        return ContextExpiredError if self.live[context].expires_at <= now else None

    def readable(self, owner: OwnerId, now: int) -> list[ContextId]:
        """Return an owner's contexts, newest stored first."""
        mine = [
            (one.recency, context)
            for context, one in self.live.items()
            if one.owner == owner and one.expires_at > now
        ]
        return [context for _, context in sorted(mine, reverse=True)]

    def end(self, context: ContextId, fate: type[DiffxError]) -> None:
        gone = self.live.pop(context)
        self.fates[context] = fate
        still = {(one.owner, each) for one in self.live.values() for each in one.sessions}
        for session in gone.sessions:
            if (gone.owner, session) not in still:
                self.names.pop((gone.owner, session), None)


class StoreMachine(RuleBasedStateMachine):
    """Drive a real database and the model side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "state.db"
        self.new_id = counted_ids()
        self.store: Store = open_store(self.path, new_id=self.new_id)
        self.model = Model()
        self.now = 1_000 * DAY
        self.count = 0

    @initialize()
    def remember_identity(self) -> None:
        self.state_id = self.store.state_id

    @rule(
        owner=owners,
        branch=branches,
        content=contents,
        hashed=st.booleans(),
        collected=moments,
        session=st.sampled_from([None, "s-a", "s-b"]),
        name=names,
    )
    def submit(
        self,
        owner: OwnerId,
        branch: str,
        content: str,
        hashed: bool,
        collected: int,
        session: str | None,
        name: str | None,
    ) -> None:
        """Send something new: first, late, or the same content again."""
        self.count += 1
        said = None if session is None else Session(harness="h", session_id=session, name=name)
        given = submission(
            f"sub-{self.count}",
            [change("a.py", content), change("b.py")] if content else [],
            branch=branch,
            collected_at=collected,
            content=content if hashed else None,
            provenance={"session": said},
        )
        self._check_fresh(owner, given, branch, self._content(branch, content, hashed))

    def _content(self, branch: str, content: str, hashed: bool) -> tuple[str, ...] | None:
        if hashed:
            return (branch, "hash", content)
        return None if content else (branch, "empty")

    def _check_fresh(
        self, owner: OwnerId, given: Submission, branch: str, content: tuple[str, ...] | None
    ) -> None:
        model = self.model
        same = [
            context
            for context, one in model.live.items()
            if one.owner == owner
            and content is not None
            and one.content == content
            and one.expires_at > self.now
        ]

        receipt = self.store.publish(owner, given, Millis(self.now))

        model.arrivals += 1
        assert (receipt.replayed, receipt.reused) == (False, bool(same))
        assert receipt.context in same if same else receipt.context not in model.fates
        stream = (owner, branch)
        live = model.live.setdefault(receipt.context, Live(owner, stream, content, 0, 0))
        live.expires_at = self.now + RETENTION
        live.recency = model.arrivals
        live.submissions.append(given.id)
        model.sent[owner, given.id] = (given, receipt.context)
        place = (given.observation.collected_at, model.arrivals, receipt.context)
        model.heads[stream] = max(model.heads.get(stream, place), place)
        session = given.observation.provenance.session
        if session is not None:
            live.sessions.add(session.session_id)
            key = (owner, session.session_id)
            known = model.names.get(key)
            if session.name is not None and (
                known is None or given.observation.collected_at >= known[0]
            ):
                model.names[key] = (given.observation.collected_at, session.name)

    @precondition(lambda self: self.model.sent)
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        (owner, _), (given, context) = data.draw(st.sampled_from(list(self.model.sent.items())))
        ended = self.model.ended(context, self.now)
        if ended is not None:
            self._refused(ended, lambda: self.store.publish(OwnerId(owner), given, self._now()))
            return
        receipt = self.store.publish(OwnerId(owner), given, self._now())
        assert (receipt.context, receipt.replayed) == (context, True)

    @precondition(lambda self: self.model.sent)
    @rule(data=st.data())
    def retry_with_other_content(self, data: st.DataObject) -> None:
        owner, name = data.draw(st.sampled_from(list(self.model.sent)))
        other = submission(name, [change("conflict.py")])
        self._refused(
            SubmissionReusedError, lambda: self.store.publish(OwnerId(owner), other, self._now())
        )

    @precondition(lambda self: self.model.live or self.model.fates)
    @rule(data=st.data(), owner=owners)
    def delete(self, data: st.DataObject, owner: OwnerId) -> None:
        known = [*self.model.live, *self.model.fates]
        context = data.draw(st.sampled_from(known))
        owners_of = {where: who for (who, _), (_, where) in self.model.sent.items()}
        ended = (
            ContextMissingError
            if owners_of[context] != owner
            else self.model.ended(context, self.now)
        )
        if ended is not None:
            self._refused(ended, lambda: self.store.delete(owner, context, self._now()))
            return
        self.store.delete(owner, context, self._now())
        self.model.end(context, ContextDeletedError)

    @rule(days=st.sampled_from([1, 3, 7]))
    def wait(self, days: int) -> None:
        self.now += days * DAY

    @rule()
    def prune(self) -> None:
        gone = [one for one, live in self.model.live.items() if live.expires_at <= self.now]
        pruned = self.store.prune(self._now())
        assert pruned.contexts == len(gone)
        assert set(pruned.owners) == {self.model.live[one].owner for one in gone}
        for context in gone:
            self.model.end(context, ContextExpiredError)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.path, new_id=self.new_id)
        assert self.store.state_id == self.state_id

    @invariant()
    def shows_what_the_model_shows(self) -> None:
        for owner in (ME, OTHER):
            page = self.store.find(owner, ContextQuery(limit=200), self._now())
            assert [one.context for one in page.contexts] == self.model.readable(owner, self.now)
            for found in page.contexts:
                live = self.model.live[found.context]
                head = self.model.heads[live.stream]
                assert found.latest == (head[2] == found.context)
                assert found.expires_at == live.expires_at
                record = self.store.get(owner, found.context, self._now())
                assert [one.id for one in record.submissions] == live.submissions
                assert {(one.session_id, one.name) for one in record.sessions} == {
                    (one, self.model.names.get((owner, one), (0, None))[1])
                    for one in live.sessions
                }

    @invariant()
    def ends_are_told_apart(self) -> None:
        owners_of = {where: who for (who, _), (_, where) in self.model.sent.items()}
        known = [*self.model.fates, *self.model.live]
        ended = {context: self.model.ended(context, self.now) for context in known}
        for context, fate in ended.items():
            if fate is None:
                continue
            owner = OwnerId(owners_of[context])
            self._refused(fate, partial(self.store.get, owner, context, self._now()))
            other = OTHER if owner == ME else ME
            missing = partial(self.store.get, other, context, self._now())
            self._refused(ContextMissingError, missing)

    def teardown(self) -> None:
        for owner in (ME, OTHER):
            assert list(unreadable(self.store, owner, self._now())) == []
        self.store.close()
        with contextlib.closing(sqlite3.connect(self.path)) as conn:
            assert list(broken(conn)) == []
        self.folder.cleanup()

    def _now(self) -> Millis:
        return Millis(self.now)

    def _refused(self, kind: type[DiffxError], action: Callable[[], object]) -> None:
        try:
            action()
        except kind:
            return
        raise AssertionError(f"not refused with {kind.__name__}")


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=60, stateful_step_count=30)
