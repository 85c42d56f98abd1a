"""Transactions, threads and the end of a database's connections."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from diffx.store import schema
from diffx.store.connections import Connections
from diffx.store.failures import StoreFailedError, StoreFullError
from tests.support.stores import counted_ids


@pytest.fixture(params=["memory", "file"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connections]:
    path = None
    if request.param == "file":
        path = tmp_path / "state.db"
        path.write_bytes(schema.new_database("id"))
    connections = Connections(path, counted_ids())
    yield connections
    connections.close()


@pytest.fixture
def in_file(tmp_path: Path) -> Iterator[Connections]:
    path = tmp_path / "state.db"
    path.write_bytes(schema.new_database("id"))
    connections = Connections(path, counted_ids())
    yield connections
    connections.close()


def sequence(connections: Connections) -> int:
    with connections.read() as tx:
        return int(tx.execute("SELECT sequence FROM state").fetchone()[0])


def count_up(connections: Connections) -> None:
    with connections.write() as tx:
        tx.execute("UPDATE state SET sequence = sequence + 1")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_block_that_fails_leaves_nothing(
    opened: Connections, error: type[BaseException]
) -> None:
    with pytest.raises(error), opened.write() as tx:
        tx.execute("UPDATE state SET sequence = 99")
        raise error

    assert sequence(opened) == 0
    count_up(opened)
    assert sequence(opened) == 1


def test_readers_see_the_state_before_and_wait_for_nobody(in_file: Connections) -> None:
    with in_file.write() as tx:
        tx.execute("UPDATE state SET sequence = 5")
        assert sequence(in_file) == 0
    assert sequence(in_file) == 5


def test_a_reader_keeps_its_state_while_others_write(in_file: Connections) -> None:
    with in_file.read() as tx:
        assert tx.execute("SELECT sequence FROM state").fetchone() == (0,)
        count_up(in_file)
        assert tx.execute("SELECT sequence FROM state").fetchone() == (0,)


def test_a_reader_cannot_write(in_file: Connections) -> None:
    with pytest.raises(StoreFailedError), in_file.read() as tx:
        tx.execute("UPDATE state SET sequence = 7")


def test_writers_of_many_threads_take_turns_and_readers_see_whole_states(
    opened: Connections,
) -> None:
    def work(number: int) -> None:
        for _ in range(20):
            if number % 2:
                count_up(opened)
            else:
                with opened.read() as tx:
                    (first,) = tx.execute("SELECT sequence FROM state").fetchone()
                    (again,) = tx.execute("SELECT sequence FROM state").fetchone()
                    assert first == again

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    assert sequence(opened) == 80


def test_closing_waits_for_a_reader_that_is_under_way(in_file: Connections) -> None:
    ended = threading.Event()

    def close() -> None:
        in_file.close()
        ended.set()

    closer = threading.Thread(target=close)
    with in_file.read() as tx:
        closer.start()
        assert not ended.wait(0.05)
        assert tx.execute("SELECT sequence FROM state").fetchone() == (0,)
    closer.join()

    assert ended.is_set()


def test_a_full_disk_is_told_and_the_step_left_out(opened: Connections) -> None:
    with opened.outside() as conn:
        (pages,) = conn.execute("PRAGMA page_count").fetchone()
        conn.execute(f"PRAGMA max_page_count = {pages + 4}")

    with pytest.raises(StoreFullError, match="disk is full"), opened.write() as tx:
        tx.execute("UPDATE state SET sequence = 9")
        tx.execute(
            "INSERT INTO blob (hash, size, deflated, data) VALUES (x'00', 1, 0, zeroblob(99999))"
        )

    assert sequence(opened) == 0
    count_up(opened)


def test_a_bug_in_a_statement_stays_a_bug(opened: Connections) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), opened.read() as tx:
        tx.execute("SELECT 1 FROM missing")
