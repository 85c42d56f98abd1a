"""Rows in an order in which they fill their pages."""

import random
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from diffx.store import schema
from diffx.store.blobs import INSERT_BLOB
from diffx.store.pages import page_order


@given(st.lists(st.integers(0, 20_000), max_size=200))
def test_every_row_is_there_once(sizes: list[int]) -> None:
    order = list(page_order(enumerate(sizes)))

    assert sorted(order) == list(range(len(sizes)))


def test_rows_of_one_size_keep_their_order() -> None:
    assert list(page_order([("a", 100), ("b", 100), ("c", 100)])) == ["a", "b", "c"]


def pages(sizes: list[int], order: list[int]) -> int:
    conn = sqlite3.connect(":memory:")
    conn.deserialize(schema.new_database("id"))
    (before,) = conn.execute("PRAGMA page_count").fetchone()
    rows = [
        (number, number.to_bytes(32, "big"), sizes[place], 1, bytes(sizes[place]))
        for number, place in enumerate(order, 1)
    ]
    conn.executemany(INSERT_BLOB, rows)
    (after,) = conn.execute("PRAGMA page_count").fetchone()
    conn.close()
    return int(after - before)


def test_sqlite_needs_fewer_pages_for_them() -> None:
    chance = random.Random(1)
    sizes = [int(chance.lognormvariate(7, 0.7)) for _ in range(2_000)]

    as_they_come = pages(sizes, list(range(len(sizes))))
    ordered = pages(sizes, list(page_order(enumerate(sizes))))

    assert ordered < 0.9 * as_they_come
    assert ordered * 4096 < 1.12 * (sum(sizes) + 100 * len(sizes))


def test_more_rows_than_pages_of_memory_are_no_matter() -> None:
    sizes = [n * 7919 % 6_000 for n in range(50_000)]

    assert len(set(page_order(enumerate(sizes)))) == len(sizes)
