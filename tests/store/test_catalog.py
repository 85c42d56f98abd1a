"""Listing, filtering, searching, grouping (semantics 7.1): what every storage must keep."""

from typing import Any

import pytest

from diffx.errors import InvalidError
from diffx.records import (
    ContextDeletedError,
    ContextMissingError,
    ContextQuery,
    FacetValue,
)
from diffx.review.model import ContextId, OwnerId, Session
from diffx.store.database import Store
from tests.support.observations import change, submission
from tests.support.stores import DAY, ME, NOW, OTHER, at


def publish(store: Store, name: str, *, owner: OwnerId = ME, **more: Any) -> ContextId:
    changes = more.pop("changes", [change(f"{name}.py", f"{name}\n")])
    return store.publish(owner, submission(name, changes, **more), NOW).context


def found(store: Store, query: ContextQuery | None = None, owner: OwnerId = ME) -> list[str]:
    """Return the contexts of a query by the name of their first submission."""
    page = store.find(owner, query or ContextQuery(limit=200), NOW)
    return [store.get(owner, one.context, NOW).submissions[0].id for one in page.contexts]


def by(session: str, name: str | None = None, harness: str = "claude") -> dict[str, Any]:
    return {"session": Session(harness=harness, session_id=session, name=name)}


def test_the_newest_stored_comes_first_and_a_renewed_one_moves_up(store: Store) -> None:
    for number, name in enumerate(("a", "b", "c"), 1):
        publish(store, name, collected_at=number)
    assert found(store) == ["c", "b", "a"]

    publish(store, "a-again", changes=[change("a.py", "a\n")], collected_at=4)

    assert found(store) == ["a", "c", "b"]


def test_pages_hold_each_context_once_while_others_arrive(store: Store) -> None:
    for number in range(7):
        publish(store, f"s{number}", collected_at=number)
    seen: list[str] = []
    cursor = None
    for turn in range(4):
        page = store.find(ME, ContextQuery(limit=2, cursor=cursor), NOW)
        seen += [one.scopes[0].diff for one in page.contexts]
        cursor = page.next_cursor
        publish(store, f"meanwhile{turn}")
        publish(store, f"s6-{turn}", changes=[change("s6.py", "s6\n")])

    assert cursor is None
    assert len(seen) == len(set(seen)) == 7


def test_a_page_that_holds_the_last_says_so(store: Store) -> None:
    for name in ("a", "b"):
        publish(store, name)

    assert store.find(ME, ContextQuery(limit=2), NOW).next_cursor is None
    assert store.find(ME, ContextQuery(limit=1), NOW).next_cursor is not None


@pytest.mark.parametrize("limit", [-1, 0, 201])
def test_a_limit_out_of_bounds_is_refused_and_not_bent(store: Store, limit: int) -> None:
    with pytest.raises(InvalidError) as refused:
        store.find(ME, ContextQuery(limit=limit), NOW)
    assert refused.value.field == "limit"


def test_too_many_words_are_refused_and_repeated_ones_count_once(store: Store) -> None:
    publish(store, "a")

    assert found(store, ContextQuery(text="shop " * 5_000)) == ["a"]
    with pytest.raises(InvalidError) as refused:
        store.find(ME, ContextQuery(text=" ".join(map(str, range(101)))), NOW)
    assert refused.value.field == "q"


def test_a_label_that_is_no_unicode_is_found_by_its_display_form(store: Store) -> None:
    root = b"/home/caf\xe9".decode("utf-8", "surrogateescape")
    context = publish(store, "a", provenance={"root": root} | by("\udce9", "na\udcefve"))

    record = store.get(ME, context, NOW)
    assert record.provenance.root == root
    assert record.sessions[0].name == r"na\udcefve"
    assert found(store, ContextQuery(text=root)) == ["a"]
    assert found(store, ContextQuery(text="/home/caf")) == ["a"]


@pytest.mark.parametrize("cursor", ["", "r", "x5", "r-5", "r5; DROP", "r٣", "r" + "9" * 30])
def test_a_cursor_of_another_make_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(InvalidError) as refused:
        store.find(ME, ContextQuery(cursor=cursor), NOW)
    assert refused.value.field == "cursor"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ContextQuery(repository=("github.com/acme/shop",)), {"shop", "both"}),
        (ContextQuery(repository=("bank",)), {"bank"}),
        (ContextQuery(branch=("topic",)), {"bank"}),
        (ContextQuery(branch=("topic", "main")), {"shop", "bank", "both"}),
        (ContextQuery(branch=("main",), hostname=("b2",)), {"both"}),
        (ContextQuery(worktree=("wt",)), {"bank"}),
        (ContextQuery(source_id=("desktop",)), {"bank"}),
        (ContextQuery(run_id=("run-7",)), {"both"}),
        (ContextQuery(harness=("codex",)), {"both"}),
        (ContextQuery(session_id=("s-1",)), {"shop", "both"}),
        (ContextQuery(session_name=("New till",)), {"shop", "both"}),
        (ContextQuery(session_name=("Old till",)), set()),
        (ContextQuery(harness=("codex",), branch=("topic",)), set()),
        (ContextQuery(branch=("to",)), set()),
        (ContextQuery(branch=('it\'s "quoted" %',)), set()),
        (ContextQuery(changed=True), {"shop", "bank", "both"}),
        (ContextQuery(changed=False), {"clean"}),
    ],
    ids=lambda value: None if isinstance(value, set) else str(value)[13:60],
)
def test_filters_are_alternatives_inside_and_all_apply_across(
    store: Store, query: ContextQuery, expected: set[str]
) -> None:
    fill(store)

    assert set(found(store, query)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHOP", {"shop", "both"}),
        ("shop till", {"shop", "both"}),
        ("b2", {"both"}),
        ("codex", {"both"}),
        ("run-7", {"both"}),
        ("s-1", {"shop", "both"}),
        ("desk topic", {"bank"}),
        ("/srv/bank", {"bank"}),
        ("ÄRGER", {"bank"}),
        ("%", set()),
        ("_", set()),
        ("nowhere", set()),
        ("shop nowhere", set()),
        ("   ", {"shop", "bank", "both", "clean"}),
        ("a" * 190, set()),
    ],
)
def test_every_word_of_free_text_must_be_in_some_label_of_some_submission(
    store: Store, text: str, expected: set[str]
) -> None:
    fill(store)

    assert set(found(store, ContextQuery(text=text))) == expected


def fill(store: Store) -> None:
    """Four contexts: one is found through its second submission, a session has been renamed."""
    publish(store, "shop", provenance=by("s-1", "Old till"))
    publish(
        store,
        "bank",
        source="desktop",
        repository="github.com/acme/bank",
        branch="topic",
        provenance={"worktree_name": "wt", "root": "/srv/bank", "remote_url": "git@x:ärger"},
    )
    publish(store, "both")
    publish(
        store,
        "both-2",
        changes=[change("both.py", "both\n")],
        collected_at=2_000,
        provenance=by("s-1", "New till") | {"hostname": "b2", "run_id": "run-7"},
    )
    publish(
        store,
        "both-3",
        changes=[change("both.py", "both\n")],
        provenance=by("s-2", harness="codex"),
    )
    publish(
        store,
        "clean",
        changes=[],
        repository=None,
        checkout=None,
        branch=None,
        provenance={"hostname": None, "root": None},
    )


def test_latest_and_stale_are_complements(store: Store) -> None:
    publish(store, "old", collected_at=1)
    publish(store, "new", collected_at=2)
    publish(store, "elsewhere", collected_at=1, branch="topic")

    assert set(found(store, ContextQuery(state="latest"))) == {"new", "elsewhere"}
    assert found(store, ContextQuery(state="stale")) == ["old"]


def test_another_owner_sees_and_touches_nothing(store: Store) -> None:
    mine = publish(store, "mine", provenance=by("s-1", "Secret name"))
    publish(store, "theirs", owner=OTHER)
    diff = store.get(ME, mine, NOW).scopes[0].diff
    file = change("mine.py").file.id

    assert found(store, owner=OTHER) == ["theirs"]
    for query in (ContextQuery(text="secret"), ContextQuery(session_id=("s-1",))):
        assert found(store, query, owner=OTHER) == []
    for touch in (
        lambda: store.get(OTHER, mine, NOW),
        lambda: store.delete(OTHER, mine, NOW),
        lambda: store.manifest(OTHER, mine, "all", NOW),
        lambda: store.packed_manifest(OTHER, mine, "all", NOW),
        lambda: store.patch(OTHER, mine, diff, "all", file, NOW),
        lambda: store.contents(OTHER, mine, diff, "all", file, NOW),
        lambda: store.patches(OTHER, mine, diff, "all", NOW),
    ):
        with pytest.raises(ContextMissingError) as theirs:
            touch()
        with pytest.raises(ContextMissingError) as nobodys:
            store.get(OTHER, ContextId("nobody"), NOW)
        assert str(theirs.value).replace(mine, "nobody") == str(nobodys.value)
    assert store.get(ME, mine, NOW).context == mine


def test_expiry_holds_from_its_millisecond_on_without_pruning(store: Store) -> None:
    context = publish(store, "a")
    end = at(NOW + 7 * DAY)

    assert len(store.find(ME, ContextQuery(), at(end - 1)).contexts) == 1
    assert store.get(ME, context, at(end - 1)).expires_at == end
    assert store.find(ME, ContextQuery(), end).contexts == ()
    assert store.groups(ME, ContextQuery(), end).repositories == ()


def test_a_deleted_context_is_gone_from_every_list(store: Store) -> None:
    context = publish(store, "a", provenance=by("s-1", "Till"))
    store.delete(ME, context, NOW)

    assert found(store) == []
    assert found(store, ContextQuery(text="till")) == []
    assert store.figures().contexts == 0
    with pytest.raises(ContextDeletedError):
        store.delete(ME, context, NOW)


def test_groups_count_what_matches_and_are_named_by_their_newest(store: Store) -> None:
    publish(store, "a", collected_at=1, provenance={"repository_name": "old name"})
    publish(store, "b", collected_at=2, provenance={"hostname": "b2"})
    publish(store, "c", branch="topic")
    publish(store, "bank", repository="github.com/acme/bank", changes=[])
    publish(store, "theirs", owner=OTHER)

    groups = store.groups(ME, ContextQuery(), NOW)

    rows = [(g.key, g.name, g.contexts, g.latest, g.changed) for g in groups.repositories]
    assert rows == [
        ("github.com/acme/bank", "bank", 1, 1, 0),
        ("github.com/acme/shop", "shop", 3, 2, 3),
    ]
    assert groups.branches == (
        FacetValue(value="main", contexts=3),
        FacetValue(value="topic", contexts=1),
    )
    assert [each.value for each in groups.hostnames] == ["box", "b2"]
    assert groups.worktrees == ()

    filtered = store.groups(ME, ContextQuery(hostname=("b2",), state="latest"), NOW)
    assert [(g.name, g.contexts) for g in filtered.repositories] == [("shop", 1)]
    assert filtered.branches == (FacetValue(value="main", contexts=1),)


def test_everything_outside_a_repository_is_one_group(store: Store) -> None:
    for name in ("a", "b"):
        publish(store, name, repository=None, checkout=None, branch=None)

    (group,) = store.groups(ME, ContextQuery(), NOW).repositories

    assert (group.key, group.contexts) == (None, 2)
