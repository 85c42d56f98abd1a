"""No statement walks a table that grows: EXPLAIN QUERY PLAN of every one of them."""

import re
import sqlite3
from collections.abc import Iterator

import pytest

from diffx.records import ContextQuery
from diffx.store import (
    addresses,
    bases,
    blobs,
    catalog,
    chunks,
    drafts,
    entries,
    filters,
    hunkmarks,
    iterations,
    labels,
    listing,
    marks,
    observations,
    overlay,
    renames,
    retention,
    reviews,
    schema,
    search,
    snapshots,
    threads,
)

MODULES = (
    addresses, bases, blobs, catalog, chunks, drafts, entries, hunkmarks, iterations, labels, listing, marks, observations,
    overlay, renames, retention, reviews, search, snapshots, threads,
)  # fmt: skip
FRAGMENTS = {
    "NEWEST_FIRST",
    "SELECT_REPOSITORIES",
    "SELECT_FACETS",
}
# One row, the values of a parameter, or rows that another step has chosen.
SMALL = {"state", "json_each", "matching", "g", "pragma_page_count", "pragma_page_size"}


def statements() -> Iterator[tuple[str, str]]:
    for module in MODULES:
        for name, value in vars(module).items():
            if is_statement(name, value):
                yield f"{module.__name__.rpartition('.')[2]}.{name}", value
    for number, query in enumerate(queries()):
        clauses, _ = filters.clauses(query)
        matching = f"WITH matching AS MATERIALIZED ({catalog.SELECT_MATCHING}{clauses})"
        yield f"page {number}", catalog.SELECT_PAGE + clauses + catalog.NEWEST_FIRST
        yield f"repositories {number}", matching + catalog.SELECT_REPOSITORIES
        yield f"facets {number}", matching + catalog.SELECT_FACETS


def is_statement(name: str, value: object) -> bool:
    return (
        name.isupper()
        and not name.startswith("_")
        and name not in FRAGMENTS
        and isinstance(value, str)
        and re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE)", value) is not None
    )


def queries() -> Iterator[ContextQuery]:
    yield ContextQuery()
    yield ContextQuery(text="two words", state="latest")
    yield ContextQuery(state="stale", changed=True)
    for name in filters.CLAUSES:
        yield ContextQuery(**{name: ("a", "b")})  # type: ignore[arg-type]
    yield ContextQuery(**dict.fromkeys(filters.CLAUSES, ("a",)), text="x")  # type: ignore[arg-type]


STATEMENTS = dict(statements())


@pytest.fixture(scope="module")
def conn() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:")
    opened.deserialize(schema.new_database("id"))
    yield opened
    opened.close()


def plan(conn: sqlite3.Connection, statement: str) -> list[str]:
    names = set(re.findall(r":([a-z_0-9]+)", statement))
    values: object = dict.fromkeys(names, 1) if names else (1,) * statement.count("?")
    if "json_each" in statement:
        values = dict.fromkeys(names, "[1]") if names else ("[1]",)
    rows = conn.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]
    return [row[3] for row in rows]


def growing_scans(steps: list[str], statement: str) -> list[str]:
    aliases = dict(re.findall(r"(?:FROM|JOIN)\s+(\w+) AS (\w+)", statement))
    named = {alias: table for table, alias in aliases.items()}
    bad = []
    for step in steps:
        match = re.match(r"SCAN (\w+)", step)
        if match is None:
            continue
        table = named.get(match[1], match[1])
        if table not in SMALL:
            bad.append(step)
    return bad


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_finds_its_rows_through_an_index(conn: sqlite3.Connection, name: str) -> None:
    if name == "catalog.COUNT_CONTEXTS":
        pytest.skip("a count for metrics reads the smallest index once")
    statement = STATEMENTS[name]

    steps = plan(conn, statement)

    assert growing_scans(steps, statement) == [], steps


def test_a_page_of_the_catalog_is_read_in_the_index_s_order(conn: sqlite3.Connection) -> None:
    for number, _ in enumerate(queries()):
        steps = plan(conn, STATEMENTS[f"page {number}"])
        assert any("observation_by_recency" in step for step in steps), steps
        assert not any("USE TEMP B-TREE FOR ORDER BY" in step for step in steps), steps


def test_filter_values_are_counted_label_by_label(conn: sqlite3.Connection) -> None:
    """The other way round, every context times every label, took a hundred times as long."""
    for number, _ in enumerate(queries()):
        steps = plan(conn, STATEMENTS[f"facets {number}"])
        assert "SEARCH j USING PRIMARY KEY (label=?)" in steps, steps


@pytest.mark.parametrize(
    "name",
    ["marks.SELECT_REVIEWED", "hunkmarks.SELECT_SEEN_HUNKS", "hunkmarks.SELECT_SEEN_FILES"],
)
def test_what_was_reviewed_is_looked_for_in_one_repository(
    conn: sqlite3.Connection, name: str
) -> None:
    """Through all of an owner's contexts, each publication took longer with every repository."""
    steps = plan(conn, STATEMENTS[name])

    wanted = "SEARCH o USING INDEX observation_by_repository (owner=? AND repository_key=?)"
    assert wanted in steps, steps


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("threads.SELECT_BY_ID", "SEARCH t USING INDEX sqlite_autoindex_thread_1 (id=?)"),
        ("threads.SELECT_BY_RETRY", "SEARCH t USING INDEX thread_by_retry (stream=? AND retry=?)"),
        (
            "threads.MEASURE_STREAM",
            "SEARCH thread USING COVERING INDEX thread_by_stream (stream=?)",
        ),
    ],
)
def test_a_comment_is_added_without_reading_all_others(
    conn: sqlite3.Connection, name: str, wanted: str
) -> None:
    assert wanted in plan(conn, STATEMENTS[name])


def test_the_check_itself_sees_a_scan(conn: sqlite3.Connection) -> None:
    statement = "SELECT head FROM observation WHERE head = ?"

    assert growing_scans(plan(conn, statement), statement) != []
