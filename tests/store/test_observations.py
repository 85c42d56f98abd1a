"""Publishing, reuse and freshness (semantics 4.3 and 6): what every storage must keep."""

import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diffx.errors import InvalidError
from diffx.ingestion.wire import changed_file_shape
from diffx.records import (
    ContextDeletedError,
    ContextExpiredError,
    ContextRecord,
    SubmissionReusedError,
)
from diffx.review.model import SCOPES, Comparison, ContextId, FilePatch, Scope, Session, Side
from diffx.store import blobs
from diffx.store.database import Store, open_store
from tests.support.observations import Change, change, observation, sha256, submission, withheld
from tests.support.stores import DAY, ME, NOW, OTHER, at, counted_ids, diff_of, unreadable

WEEK = 7 * DAY


def publish(store: Store, *args: Any, now: int = NOW, owner: Any = ME, **more: Any) -> ContextId:
    return store.publish(owner, submission(*args, **more), at(now)).context


def get(store: Store, context: ContextId, now: int = NOW) -> ContextRecord:
    return store.get(ME, context, at(now))


def test_what_was_submitted_is_what_is_read(store: Store) -> None:
    files = [change(f"src/{number}.py", f"new {number}\n") for number in range(300)]
    by_scope: dict[Scope, list[Change]] = {
        "all": [*files, withheld()],
        "staged": files[:10],
        "unstaged": [withheld()],
    }
    given = submission("s1", by_scope)

    context = store.publish(ME, given, NOW).context

    for snapshot in given.observation.snapshots:
        manifest = store.manifest(ME, context, snapshot.scope, NOW)
        assert json.loads(manifest.files_json) == [changed_file_shape(f) for f in snapshot.files]
        for file in snapshot.files:
            diff = manifest.scope.diff
            patch = store.patch(ME, context, diff, snapshot.scope, file.id, NOW)
            assert (patch.blob, patch.reason) == (file.patch.blob, file.patch.reason)
            assert patch.text == (
                None if patch.blob is None else given.observation.texts[patch.blob]
            )
            contents = store.contents(ME, context, diff, snapshot.scope, file.id, NOW)
            for side, found in ((file.before, contents.before), (file.after, contents.after)):
                assert side is not None
                assert found is not None
                assert (found.blob, found.reason) == (side.blob, side.reason)
                assert (found.size, found.encoding) == (side.size, side.encoding)
                assert found.text == (
                    None if side.blob is None else given.observation.texts[side.blob]
                )


def test_a_context_says_what_was_observed(store: Store) -> None:
    session = Session(harness="claude", session_id="abc", name="Fix the till")
    by_scope: dict[Scope, list[Change]] = {"all": [change(), withheld()], "staged": []}
    given = submission("s1", by_scope, provenance={"session": session})

    record = get(store, store.publish(ME, given, NOW).context)

    seen = given.observation
    assert (record.source_id, record.head) == (seen.source_id, seen.head)
    assert (record.comparison, record.provenance) == (seen.comparison, seen.provenance)
    assert (record.collected_at, record.stored_at) == (seen.collected_at, NOW)
    assert record.sessions == (session,)
    assert [(s.id, s.provenance) for s in record.submissions] == [("s1", seen.provenance)]
    assert {s.scope: s.totals.files for s in record.scopes} == {"all": 2, "staged": 0}
    totals = record.scopes[0].totals
    assert (totals.additions, totals.deletions, totals.binary) == (1, 1, 1)


def test_paths_that_are_not_text_come_back_with_their_bytes(store: Store) -> None:
    odd = change(b"caf\xe9/\xff.txt")

    context = publish(store, "s1", [odd])

    (shape,) = json.loads(store.manifest(ME, context, "all", NOW).files_json)
    assert shape == json.loads(json.dumps(changed_file_shape(odd.file)))
    assert shape["path"] == r"caf\xe9/\xff.txt"
    assert "pathBytes" in shape


def test_a_patch_keeps_its_own_bytes_and_encoding(store: Store) -> None:
    body = "-café\n+cafè\n".encode("latin-1")
    odd = change(patch=body)
    odd = odd.but(patch=replace(odd.file.patch, encoding="latin-1"))

    context = publish(store, "s1", [odd])

    patch = store.patch(ME, context, diff_of(store, context), "all", odd.file.id, NOW)
    assert (patch.text, patch.encoding) == (body, "latin-1")


def test_sides_that_do_not_exist_are_none_and_empty_ones_are_empty(store: Store) -> None:
    added, emptied = change("new", "x\n", before=None), change("emptied", "")
    unchanged = change("mode-only", patch="").but(patch=FilePatch())

    context = publish(store, "s1", [added, emptied, unchanged])

    diff = diff_of(store, context)
    new = store.contents(ME, context, diff, "all", added.file.id, NOW)
    assert new.before is None
    empty = store.contents(ME, context, diff, "all", emptied.file.id, NOW)
    assert empty.after is not None
    assert (empty.after.text, empty.after.size) == (b"", 0)
    patch = store.patch(ME, context, diff, "all", unchanged.file.id, NOW)
    assert (patch.text, patch.reason) == (b"", None)


def test_a_side_in_another_encoding_says_its_own_size(store: Store) -> None:
    text = "größer\n"
    raw = text.encode("utf-16-le")
    wide = change("wide.txt", text)
    wide = wide.but(
        after=Side(
            size=len(raw),
            digest=sha256(raw),  # type: ignore[arg-type]
            blob=wide.file.after.blob,  # type: ignore[union-attr]
            encoding="utf-16-le",
        )
    )

    context = publish(store, "s1", [wide])

    diff = diff_of(store, context)
    after = store.contents(ME, context, diff, "all", wide.file.id, NOW).after
    assert after is not None
    assert (after.text, after.size) == (text.encode(), len(raw))
    assert after.encoding == "utf-16-le"


def test_an_exact_retry_gets_the_first_answer_and_renews_nothing(store: Store) -> None:
    first = store.publish(ME, submission("s1", [change()]), NOW)
    before = get(store, first.context)

    again = store.publish(ME, submission("s1", [change()]), at(NOW + DAY))

    assert (again.context, again.replayed, again.reused) == (first.context, True, False)
    assert get(store, first.context) == before


@pytest.mark.parametrize(
    "difference",
    [
        {"collected_at": 1_001},
        {"changes": [change("b.py")]},
        {"changes": [change("a.py", "other\n")], "content": "same"},
        {"provenance": {"hostname": "elsewhere"}},
        {"head": "b" * 40},
    ],
    ids="-".join,
)
def test_one_submission_id_with_other_content_is_a_conflict(
    store: Store, difference: dict[str, Any]
) -> None:
    given: dict[str, Any] = {"changes": [change("a.py")]}
    if "content" in difference:
        given |= {"content": difference["content"]}
    context = publish(store, "s1", **given)
    before = get(store, context)

    with pytest.raises(SubmissionReusedError):
        publish(store, "s1", **(given | difference))
    assert get(store, context) == before


def test_a_submission_id_belongs_to_its_source_and_owner(store: Store) -> None:
    first = publish(store, "s1", [change()])

    elsewhere = publish(store, "s1", [change()], source="desktop")
    theirs = publish(store, "s1", [change()], owner=OTHER)

    assert len({first, elsewhere, theirs}) == 3


def test_the_same_content_joins_the_context_and_refreshes_it(store: Store) -> None:
    first = publish(store, "s1", [change()], provenance={"hostname": "box"})
    before = get(store, first)

    later = at(NOW + DAY)
    receipt = store.publish(
        ME, submission("s2", [change()], collected_at=2_000, provenance={"hostname": "b2"}), later
    )

    after = get(store, first, later)
    assert (receipt.context, receipt.reused, receipt.replayed) == (first, True, False)
    assert (after.stored_at, after.expires_at) == (later, later + WEEK)
    assert [each.id for each in after.submissions] == ["s1", "s2"]
    assert after.submissions[1].provenance.hostname == "b2"
    assert (after.provenance, after.scopes) == (before.provenance, before.scopes)
    assert after.collected_at == before.collected_at


def test_a_retry_of_a_submission_that_joined_finds_the_context_it_joined(store: Store) -> None:
    first = publish(store, "s1", [change()])
    publish(store, "s2", [change()])

    receipt = store.publish(ME, submission("s2", [change()]), NOW)

    assert (receipt.context, receipt.replayed) == (first, True)


@pytest.mark.parametrize(
    "difference",
    [
        {"source": "desktop"},
        {"repository": "github.com/acme/bank"},
        {"checkout": "checkout-2"},
        {"branch": "topic"},
        {"policy": "HEAD"},
        {"head": "b" * 40},
        {"source_kind": "branch"},
        {"changes": {"all": [change()], "staged": []}, "content": "same"},
        {"content": "other"},
    ],
    ids="-".join,
)
def test_each_part_of_the_content_identity_keeps_contexts_apart(
    store: Store, difference: dict[str, Any]
) -> None:
    given: dict[str, Any] = {"changes": [change()], "content": "same"}
    first = publish(store, "s1", **given)

    assert publish(store, "s2", **(given | difference)) != first
    assert publish(store, "s3", **given) == first


def test_owners_never_share_a_context(store: Store) -> None:
    assert publish(store, "s1", [change()]) != publish(store, "s1", [change()], owner=OTHER)


def test_without_a_content_hash_only_empty_observations_are_the_same(store: Store) -> None:
    blind = [publish(store, name, [change()], content=None) for name in ("s1", "s2")]
    clean = [publish(store, name, [], content=None) for name in ("s3", "s4")]

    assert blind[0] != blind[1]
    assert clean[0] == clean[1]


def test_an_expired_context_is_not_joined(store: Store) -> None:
    first = publish(store, "s1", [change()])

    assert publish(store, "s2", [change()], now=NOW + WEEK) != first


def test_a_deleted_context_is_not_joined_and_does_not_come_back(store: Store) -> None:
    first = publish(store, "s1", [change()])
    store.delete(ME, first, NOW)

    with pytest.raises(ContextDeletedError):
        publish(store, "s1", [change()])
    second = publish(store, "s2", [change()])
    assert second != first
    with pytest.raises(ContextDeletedError):
        publish(store, "s1", [change()])
    with pytest.raises(SubmissionReusedError):
        publish(store, "s1", [change("b.py")])


@pytest.mark.parametrize("pruned", [False, True])
def test_a_retry_of_an_expired_submission_says_so_and_revives_nothing(
    store: Store, pruned: bool
) -> None:
    context = publish(store, "s1", [change()])
    if pruned:
        store.prune(at(NOW + WEEK))

    with pytest.raises(ContextExpiredError):
        publish(store, "s1", [change()], now=NOW + WEEK)
    with pytest.raises(ContextExpiredError):
        get(store, context, NOW + WEEK)


def test_the_newest_collection_of_a_stream_is_latest(store: Store) -> None:
    first = publish(store, "s1", [change("a.py")], collected_at=1)
    second = publish(store, "s2", [change("b.py")], collected_at=2)

    assert not get(store, first).latest
    assert get(store, second).latest


def test_a_late_upload_of_an_old_collection_stays_stale(store: Store) -> None:
    new = publish(store, "s2", [change("b.py")], collected_at=2)
    late = publish(store, "s1", [change("a.py")], collected_at=1)

    assert get(store, new).latest
    assert not get(store, late).latest


def test_arrival_breaks_ties_of_collection_time(store: Store) -> None:
    first = publish(store, "s1", [change("a.py")], collected_at=1)
    second = publish(store, "s2", [change("b.py")], collected_at=1)

    assert [get(store, each).latest for each in (first, second)] == [False, True]


def test_a_queue_s_order_of_arrival_counts_and_not_its_order_of_work(store: Store) -> None:
    accepted_second = store.publish(ME, submission("s2", [change("b.py")]), NOW, arrival=12)
    accepted_first = store.publish(ME, submission("s1", [change("a.py")]), NOW, arrival=11)

    assert get(store, accepted_second.context).latest
    assert not get(store, accepted_first.context).latest


def test_a_fresh_duplicate_makes_an_old_context_latest_again(store: Store) -> None:
    first = publish(store, "s1", [change("a.py")], collected_at=1)
    second = publish(store, "s2", [change("b.py")], collected_at=2)

    publish(store, "s3", [change("a.py")], collected_at=3)

    assert [get(store, each).latest for each in (first, second)] == [True, False]


def test_a_late_duplicate_does_not(store: Store) -> None:
    first = publish(store, "s1", [change("a.py")], collected_at=1)
    second = publish(store, "s3", [change("b.py")], collected_at=3)

    publish(store, "s2", [change("a.py")], collected_at=2)

    assert [get(store, each).latest for each in (first, second)] == [False, True]


@pytest.mark.parametrize("how", ["deleted", "expired", "pruned"])
def test_a_stream_does_not_fall_back_when_its_head_ends(store: Store, how: str) -> None:
    head = publish(store, "s2", [change("b.py")], collected_at=2)
    now = NOW + WEEK - 1
    older = publish(store, "s1", [change("a.py")], collected_at=1, now=now)
    if how == "deleted":
        store.delete(ME, head, at(now))
    else:
        now = NOW + WEEK
    if how == "pruned":
        assert store.prune(at(now)).contexts == 1

    assert not get(store, older, now).latest
    newer = publish(store, "s3", [change("c.py")], collected_at=3, now=now)
    assert get(store, newer, now).latest


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"source": "desktop"},
        {"repository": "github.com/acme/bank"},
        {"checkout": "checkout-2"},
        {"branch": "topic"},
        {"policy": "HEAD"},
    ],
    ids="-".join,
)
def test_streams_are_independent(store: Store, elsewhere: dict[str, Any]) -> None:
    first = publish(store, "s1", [change("a.py")], collected_at=1)
    other = publish(store, "s2", [change("b.py")], collected_at=2, **elsewhere)

    assert get(store, first).latest
    assert get(store, other).latest


def test_branches_without_an_enrolled_id_are_told_apart_by_name(store: Store) -> None:
    first, second = (
        publish(store, one, [change()], collected_at=when, branch=name, branch_id=None)
        for one, when, name in (("s1", 1, "main"), ("s2", 2, "topic"))
    )

    assert first != second
    assert get(store, first).latest
    assert get(store, second).latest


def test_a_loose_patch_makes_no_other_patch_stale(store: Store) -> None:
    loose: dict[str, Any] = {
        "repository": None,
        "checkout": None,
        "branch": None,
        "source_kind": "patch",
        "comparison": Comparison(policy="patch", kind="patch"),
    }
    first = publish(store, "s1", [change("a.py")], collected_at=1, **loose)
    second = publish(store, "s2", [change("b.py")], collected_at=2, **loose)
    again = publish(store, "s3", [change("a.py")], collected_at=3, **loose)

    assert again == first
    assert get(store, first).latest
    assert get(store, second).latest


def test_sessions_gather_and_a_renamed_one_is_renamed_everywhere(store: Store) -> None:
    def seen(one: str, session: str, name: str | None, when: int, path: str) -> ContextId:
        said = Session(harness="claude", session_id=session, name=name)
        return publish(store, one, [change(path)], collected_at=when, provenance={"session": said})

    first = seen("s1", "one", "Old name", 1, "a.py")
    assert seen("s2", "two", None, 2, "a.py") == first
    second = seen("s3", "one", "New name", 3, "b.py")
    seen("s4", "one", None, 4, "c.py")
    seen("s5", "one", "Late old name", 2, "d.py")

    names = {each.session_id: each.name for each in get(store, first).sessions}
    assert names == {"one": "New name", "two": None}
    assert [each.name for each in get(store, second).sessions] == ["New name"]
    original = get(store, first).provenance.session
    assert original is not None
    assert original.name == "Old name"


@pytest.mark.parametrize("stored_before", [False, True])
def test_texts_that_are_named_but_not_sent_are_refused(store: Store, stored_before: bool) -> None:
    secret = change("secret.txt", "their secret\n")
    if stored_before:
        publish(store, "s1", [secret], owner=OTHER)

    lacking = replace(observation([secret]), texts={})
    with pytest.raises(InvalidError):
        store.publish(ME, replace(submission("s1"), observation=lacking), NOW)


def test_what_ends_while_a_publication_is_compressed_is_stored_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [change(f"{number}.py", f"text {number}\n" * 20) for number in range(80)]
    first = publish(store, "s1", changes)
    pack_all = blobs.pack_all

    def deleted_meanwhile(*given: Any) -> Any:
        store.delete(ME, first, NOW)
        return pack_all(*given)

    monkeypatch.setattr(blobs, "pack_all", deleted_meanwhile)
    second = publish(store, "s2", changes, branch="topic")

    assert list(unreadable(store, ME, NOW)) == []
    assert get(store, second).scopes[0].totals.files == 80


def test_what_is_stored_while_a_publication_is_compressed_is_stored_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [change(f"{number}.py", f"text {number}\n" * 20) for number in range(80)]
    pack_all = blobs.pack_all

    def overtaken(*given: Any) -> Any:
        monkeypatch.setattr(blobs, "pack_all", pack_all)
        publish(store, "s1", changes)
        return pack_all(*given)

    monkeypatch.setattr(blobs, "pack_all", overtaken)

    receipt = store.publish(ME, submission("s1", changes), NOW)
    assert receipt.replayed
    assert store.figures().contexts == 1


def test_readers_see_whole_observations_while_others_come_and_go(store: Store) -> None:
    changes = [change(f"{number}.py", f"text {number}\n") for number in range(100)]
    done = threading.Event()

    def read() -> int:
        rounds = 0
        while not done.is_set() or rounds == 0:
            with contextlib.suppress(ContextDeletedError):
                assert list(unreadable(store, ME, NOW)) == []
            rounds += 1
        return rounds

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for number in range(12):
                context = publish(store, f"s{number}", [*changes, change("turn", f"{number}")])
                if number % 2:
                    store.delete(ME, context, NOW)
        finally:
            done.set()
        assert all(reader.result() for reader in readers)


def test_scopes_are_listed_in_their_order(store: Store) -> None:
    context = publish(store, "s1", {"unstaged": [], "staged": [], "all": [change()]})

    assert tuple(each.scope for each in get(store, context).scopes) == SCOPES


def test_a_revision_follows_the_files_and_a_diff_is_of_one_context(store: Store) -> None:
    first = get(store, publish(store, "s1", [change("a.py")]))
    same = get(store, publish(store, "s2", [change("a.py")], branch="topic"))
    other = get(store, publish(store, "s3", [change("b.py")]))

    assert first.scopes[0].revision == same.scopes[0].revision != other.scopes[0].revision
    assert len({each.scopes[0].diff for each in (first, same, other)}) == 3


def test_a_retention_setting_moves_no_expiry_until_a_fresh_submission(tmp_path: Path) -> None:
    ids = counted_ids()
    with open_store(tmp_path / "state.db", new_id=ids, retention_days=7) as week:
        context = publish(week, "s1", [change()])

    with open_store(tmp_path / "state.db", new_id=ids, retention_days=2) as short:
        publish(short, "s1", [change()])
        assert get(short, context).expires_at == NOW + WEEK
        publish(short, "s2", [change()])
        assert get(short, context).expires_at == NOW + 2 * DAY
