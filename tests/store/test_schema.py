"""Which files are ours (semantics 12.5), and the tables."""

import sqlite3

import pytest

from diffx.store import schema
from diffx.store.failures import SchemaMismatchError, StoreFailedError


def header(application: int = schema.APPLICATION_ID, version: int = schema.SCHEMA) -> bytes:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute(f"PRAGMA application_id = {application}")
    conn.execute(f"PRAGMA user_version = {version}")
    conn.execute("CREATE TABLE t (a)")
    data = conn.serialize()
    conn.close()
    return data[: schema.HEADER_BYTES]


def test_our_own_header_is_accepted() -> None:
    schema.check_header(header(), "state.db")
    schema.check_header(schema.new_database("id")[: schema.HEADER_BYTES], "state.db")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (b"#!/bin/sh\n" * 20, "not a diffx database"),
        (b"SQLite format 3\x00", "not a diffx database"),
        (header(application=0), "another program"),
        (header(application=1), "another program"),
        (header(version=schema.SCHEMA - 1), "older"),
        (header(version=schema.SCHEMA + 1), "newer"),
    ],
)
def test_every_other_header_is_refused_with_a_remedy(found: bytes, words: str) -> None:
    with pytest.raises(SchemaMismatchError, match=words) as refused:
        schema.check_header(found, "/x/state.db")
    message = str(refused.value)
    assert "/x/state.db" in message
    assert "nothing was changed" in message
    assert "--state" in message
    assert "\n" not in message


def test_every_table_is_strict() -> None:
    conn = sqlite3.connect(":memory:")
    conn.deserialize(schema.new_database("id"))

    loose = conn.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict")

    assert {name for (name,) in loose} == {"sqlite_schema"}
    conn.close()


def test_a_library_that_is_too_old_is_told_in_words() -> None:
    schema.check_sqlite((3, 38, 0))

    with pytest.raises(StoreFailedError, match=r"3\.38\.0 or newer .* 3\.37\.2"):
        schema.check_sqlite((3, 37, 2))
