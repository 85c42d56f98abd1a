"""Searching a scope: every line and path, a bounded amount of work at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from diffx.errors import InvalidError
from diffx.records import ContextMissingError
from diffx.review.find import Query
from diffx.review.model import ContextId
from diffx.services.catalog import Catalog
from diffx.services.changes import Changes
from diffx.services.search import Hit, Search
from diffx.store.database import Store, open_store
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW, OTHER

FAR = "".join(f"line {n}\n" for n in range(1, 60))


@dataclass
class House:
    store: Store
    context: ContextId

    def all(self, text: str, *, limit: int = 200, work: int = 10**9, **more: bool) -> list[Hit]:
        """Follow the cursors to the end."""
        hits: list[Hit] = []
        cursor: str | None = None
        for _ in range(10_000):
            page = self.search(work).find(
                ME, self.context, "all", Query(text=text, **more), cursor=cursor, limit=limit
            )
            hits += page.hits
            cursor = page.next_cursor
            if cursor is None:
                return hits
        raise AssertionError("the search does not end")

    def search(self, work: int = 10**9, size: int = 1 << 20) -> Search:
        catalog = Catalog(store=self.store, changes=Changes(), now=lambda: NOW)
        return Search(catalog=catalog, work_per_page=work, bytes_per_page=size)


@pytest.fixture
def house() -> Iterator[House]:
    files = [
        change(
            "a.py",
            FAR.replace("line 30\n", "changed needle\n"),
            before=FAR,
            patch="@@ -30 +30 @@\n-line 30\n+changed needle\n",
        ),
        change("needle/b.py", None, before="gone needle\n"),
        *(change(f"z/{n:03}.py", f"needle {n}\n", before="old\n") for n in range(300)),
    ]
    with open_store(None) as store:
        yield House(store, store.publish(ME, submission("s1", files), NOW).context)


def shown(hits: list[Hit]) -> list[tuple[str | None, int | None, str]]:
    return [
        (hit.line and hit.line.side, hit.line and hit.line.number, hit.text[hit.start : hit.end])
        for hit in hits
    ]


def test_changed_removed_and_unchanged_lines_and_paths_are_found(house: House) -> None:
    assert shown(house.all("needle"))[:4] == [
        ("new", 30, "needle"),
        (None, None, "needle"),
        ("old", 1, "needle"),
        ("new", 1, "needle"),
    ]
    assert shown(house.all("line 7")) == [("new", 7, "line 7")]  # shown by no hunk
    assert shown(house.all("line 30")) == [("old", 30, "line 30")]


def test_pages_join_to_the_same_hits_however_they_are_cut(house: House) -> None:
    at_once = house.all("e", limit=100_000)

    assert len(at_once) > 600
    assert house.all("e", limit=7) == at_once
    assert house.all("e", work=500) == at_once
    assert house.all("[e]", regex=True, work=500) == at_once
    small = house.search(size=100)
    page = small.find(ME, house.context, "all", Query(text="e"), limit=10_000)
    assert 0 < len(page.hits) < len(at_once)
    assert page.next_cursor is not None


def test_a_page_of_bounded_work_may_hold_nothing_and_go_on(house: House) -> None:
    page = house.search(work=50).find(ME, house.context, "all", Query(text="needle 299"))

    assert page.hits == ()
    assert page.next_cursor is not None
    assert len(house.all("needle 299", work=50)) == 1


def test_other_accounts_contexts_and_made_up_cursors_are_refused(house: House) -> None:
    with pytest.raises(ContextMissingError):
        house.search().find(OTHER, house.context, "all", Query(text="needle"))
    with pytest.raises(InvalidError, match="cursor"):
        house.search().find(ME, house.context, "all", Query(text="a"), cursor="1.2")
