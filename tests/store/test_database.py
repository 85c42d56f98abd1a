"""Opening, refusing and closing database files (semantics 11.3, 12.5)."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from diffx.errors import DiffxError
from diffx.store import connections, schema
from diffx.store.database import open_store
from diffx.store.failures import (
    SchemaMismatchError,
    StoreClosedError,
    StoreDamagedError,
    StoreInUseError,
    StorePlaceError,
)
from tests.support.observations import change, submission
from tests.support.stores import ME, NOW, counted_ids


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def foreign(path: Path, *, application: int = 0, version: int = 0) -> None:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute(f"PRAGMA application_id = {application}")
    conn.execute(f"PRAGMA user_version = {version}")
    conn.execute("CREATE TABLE precious (a)")
    conn.close()


def listing(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}


def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "made" / "below" / "state.db"
    with open_store(path) as store:
        store.publish(ME, submission("s1", [change()]), NOW)
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}

    assert set(modes.values()) == {0o600}
    assert "state.db-wal" in modes
    for folder in (path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_database_keeps_its_identity_and_everything_in_it(path: Path) -> None:
    with open_store(path) as store:
        state_id = store.state_id
        receipt = store.publish(ME, submission("s1", [change()]), NOW)

    with open_store(path) as store:
        assert store.state_id == state_id
        assert store.publish(ME, submission("s1", [change()]), NOW).context == receipt.context
    with open_store(None) as other:
        assert other.state_id != state_id


def test_closing_leaves_one_file_and_its_lock(path: Path) -> None:
    with open_store(path) as store:
        store.publish(ME, submission("s1", [change()]), NOW)

    assert {one.name for one in path.parent.iterdir()} == {"state.db", "state.db.lock"}


@pytest.mark.parametrize(
    ("application", "version"),
    [
        (0, 0),
        (0, schema.SCHEMA),
        (schema.APPLICATION_ID, schema.SCHEMA - 1),
        (schema.APPLICATION_ID, schema.SCHEMA + 1),
    ],
)
def test_a_database_that_is_not_ours_is_refused_and_nothing_is_touched(
    path: Path, application: int, version: int
) -> None:
    foreign(path, application=application, version=version)
    before = listing(path.parent)

    with pytest.raises(SchemaMismatchError):
        open_store(path)

    assert listing(path.parent) == before


def test_a_foreign_database_with_a_log_of_its_own_is_left_with_it(path: Path) -> None:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("CREATE TABLE precious (a)")
    before = listing(path.parent)

    with pytest.raises(SchemaMismatchError):
        open_store(path)

    assert listing(path.parent) == before
    conn.close()


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("my diary\n" * 100)
    before = listing(path.parent)

    with pytest.raises(SchemaMismatchError, match="not a diffx database"):
        open_store(path)
    assert listing(path.parent) == before


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch(mode=0o644)

    open_store(path).close()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_a_pipe_a_loop_of_links_and_a_place_below_a_file_are_refused(
    tmp_path: Path,
) -> None:
    pipe, file, loop = tmp_path / "pipe", tmp_path / "file", tmp_path / "loop"
    os.mkfifo(pipe)
    file.touch()
    loop.symlink_to(loop)
    for place in (tmp_path, pipe, file / "state.db", loop, loop / "state.db"):
        with pytest.raises(StorePlaceError) as refused:
            open_store(place)
        assert "\n" not in str(refused.value)
        assert str(tmp_path) in str(refused.value)


def test_a_log_whose_database_is_lost_is_not_replayed_into_a_new_one(path: Path) -> None:
    log = path.with_name("state.db-wal")
    log.write_bytes(b"changes")

    with pytest.raises(StorePlaceError, match=r"state\.db-wal"):
        open_store(path)
    assert log.read_bytes() == b"changes"
    assert not path.exists()


def test_a_link_to_a_database_opens_what_it_points_to(path: Path, tmp_path: Path) -> None:
    with open_store(path) as store:
        state_id = store.state_id
    link = tmp_path / "link.db"
    link.symlink_to(path)

    with open_store(link) as store:
        assert store.state_id == state_id
        with pytest.raises(StoreInUseError):
            open_store(path)


def test_a_database_that_is_cut_short_is_refused_untouched(path: Path) -> None:
    with open_store(path) as store:
        store.publish(ME, submission("s1", [change()]), NOW)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    before = listing(path.parent)

    with pytest.raises(StoreDamagedError):
        open_store(path)
    assert listing(path.parent) == before


def test_damage_inside_is_told_in_one_line_and_not_as_a_bug(path: Path) -> None:
    with open_store(path, new_id=counted_ids()) as store:
        context = store.publish(ME, submission("s1", [change()]), NOW).context
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)

    with pytest.raises(StoreDamagedError) as told, open_store(path) as store:
        store.manifest(ME, context, "all", NOW)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


def test_a_damaged_database_is_let_go_of(path: Path) -> None:
    open_store(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))

    with pytest.raises(StoreDamagedError):
        open_store(path)

    path.write_bytes(whole)
    open_store(path).close()


def test_one_process_owns_a_database_once(path: Path) -> None:
    with open_store(path), pytest.raises(StoreInUseError, match="in use by another diffx"):
        open_store(path)

    open_store(path).close()


def test_a_failed_opening_lets_go_of_the_place(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_anything: object) -> None:
        raise sqlite3.OperationalError("cannot")

    with monkeypatch.context() as patched:
        patched.setattr(connections, "_open_writer", broken)
        with pytest.raises(sqlite3.OperationalError):
            open_store(path)

    open_store(path).close()


def test_another_program_s_lock_is_told_and_not_waited_for_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_MS", 20)
    with open_store(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreInUseError, match="locked by another program"):
            store.publish(ME, submission("s1", [change()]), NOW)
        other.execute("ROLLBACK")
        other.close()

        store.publish(ME, submission("s1", [change()]), NOW)


@pytest.mark.parametrize("place", ["file", "memory"])
def test_a_closed_store_answers_that_it_is_closed(path: Path, place: str) -> None:
    store = open_store(path if place == "file" else None)
    store.close()
    store.close()

    for ask in (store.figures, lambda: store.publish(ME, submission("s1", [change()]), NOW)):
        with pytest.raises(StoreClosedError):
            ask()


def test_every_refusal_is_a_failure_for_people() -> None:
    for kind in (SchemaMismatchError, StorePlaceError, StoreDamagedError, StoreInUseError):
        assert issubclass(kind, DiffxError)
