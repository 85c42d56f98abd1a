"""`diffx config`: what a person types and sees."""

import os
from pathlib import Path

from diffx.cli.main import main
from tests.support.world import said, shown, world


def test_a_value_that_was_set_is_shown(home: Path) -> None:
    assert main(["config", "set", "port", "8000"], world(home)) == 0

    where = world(home)
    assert main(["config", "get", "port"], where) == 0
    assert shown(where) == "8000\n"


def test_a_token_from_standard_input_is_saved_and_masked(home: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"s3cret\n")
    os.close(write)
    try:
        assert main(["config", "set", "token", "-"], world(home, stdin=read)) == 0
    finally:
        os.close(read)

    where = world(home)
    assert main(["config", "get"], where) == 0
    assert shown(where) == "token=********\n"


def test_a_wrong_value_is_usage_and_names_the_key(home: Path) -> None:
    where = world(home)

    assert main(["config", "set", "port", "many"], where) == 2
    assert said(where) == "diffx: port must be a whole number from 0 to 65535; it is 'many'\n"


def test_a_missing_value_is_said_with_exit_1(home: Path) -> None:
    where = world(home)

    assert main(["config", "get", "port"], where) == 1
    assert said(where) == f"diffx: port is not set in {home}/.config/diffx/config.json\n"


def test_where_nothing_is_set_it_says_so_and_what_could_be(home: Path) -> None:
    where = world(home)

    assert main(["config", "get"], where) == 0
    assert shown(where) == ""
    assert said(where).startswith(f"diffx: nothing is set in {home}/.config/diffx/config.json; ")
    assert "retentionDays" in said(where)


def test_a_variable_that_wins_over_the_file_is_mentioned(home: Path) -> None:
    main(["config", "set", "port", "8000"], world(home))
    where = world(home, DIFFX_PORT="9000", DIFFX_HOST="::1")

    assert main(["config", "get", "port"], where) == 0
    assert shown(where) == "8000\n"
    assert said(where) == "diffx: DIFFX_PORT is set, and wins over port in the file\n"


def test_the_settings_file_can_be_named_by_variable_and_flag(home: Path, tmp_path: Path) -> None:
    by_variable, by_flag = tmp_path / "a.json", tmp_path / "b.json"
    main(["config", "set", "port", "1"], world(home, DIFFX_CONFIG_PATH=str(by_variable)))
    main(["config", "--config-file", str(by_flag), "set", "port", "2"], world(home))
    main(["config", "set", "host", "::1", "--config-file", str(by_flag)], world(home))

    assert b'"port": 1' in by_variable.read_bytes()
    assert b'"port": 2' in by_flag.read_bytes()
    assert b'"host": "::1"' in by_flag.read_bytes()
