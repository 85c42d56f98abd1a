"""Settings: defaults < file < environment < flags, private and atomic on disk (14)."""

import json
import stat
from pathlib import Path

import pytest

from diffx import config
from diffx.config import ConfigError, change, read, resolve, shown


def write(file: Path, **values: object) -> Path:
    file.write_text(json.dumps(values))
    return file


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "config.json", host="127.0.0.2", port=1, retentionDays=3)

    settings = resolve(
        file=file, environment={"DIFFX_PORT": "2", "DIFFX_HOST": "127.0.0.3"}, flags={"port": "3"}
    )

    assert settings.number("port") == 3
    assert settings.text("host") == "127.0.0.3"
    assert settings.number("retentionDays") == 3
    assert settings.origins["port"] == "--port"
    assert settings.origins["host"] == "DIFFX_HOST"
    assert settings.origins["retentionDays"] == str(file)


def test_what_is_set_nowhere_is_none(tmp_path: Path) -> None:
    settings = resolve(file=tmp_path / "none.json", environment={"DIFFX_PORT": ""}, flags={})

    assert settings.number("port") is None
    assert settings.text("host") is None


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"colour": "red"}, "unknown setting 'colour'"),
        ({"port": "80"}, "port must be a number"),
        ({"port": True}, "port must be a number"),
        ({"port": 70000}, "port must be a whole number"),
        ({"host": "example.test"}, "host must be an IP address"),
        ({"serverUrl": "http://u:p@h/"}, "must not hold credentials"),
        ({"serverUrl": "file:///etc"}, "must be an http"),
    ],
)
def test_a_wrong_value_names_the_file_and_the_key(
    tmp_path: Path, values: dict[str, object], complaint: str
) -> None:
    file = write(tmp_path / "config.json", **values)

    with pytest.raises(ConfigError) as caught:
        read(file)

    assert str(file) in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("text", ["", "[", "[]", '"x"', "[" * 100_000])
def test_a_file_that_is_no_settings_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)

    with pytest.raises(ConfigError, match=r"config\.json"):
        change(file, "port", "80")

    assert file.read_text() == text


def test_a_change_is_private_and_leaves_the_other_keys(tmp_path: Path) -> None:
    file = tmp_path / "made" / "config.json"

    assert change(file, "token", "s3cret")
    assert change(file, "port", "8000")

    assert read(file) == {"token": "s3cret", "port": 8000}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_setting_the_same_value_or_removing_nothing_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    change(file, "port", "8000")
    before = file.stat().st_mtime_ns

    assert not change(file, "port", "8000")
    assert not change(file, "token", None)
    assert file.stat().st_mtime_ns == before


def test_a_removed_key_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    change(file, "port", "8000")

    assert change(file, "port", None)
    assert read(file) == {}


def test_an_unknown_key_cannot_be_removed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown setting 'colour'"):
        change(tmp_path / "config.json", "colour", None)


@pytest.mark.parametrize(
    ("environment", "flags", "words"),
    [
        ({"DIFFX_PORT": "x"}, {}, "DIFFX_PORT must be a whole number from 0 to 65535; it is 'x'"),
        ({}, {"port": "-1"}, "--port must be a whole number from 0 to 65535; it is '-1'"),
        ({}, {"sourceId": "a b"}, "--source-id must be 1 to 128 letters, .*; it is 'a b'"),
        (
            {"DIFFX_HOST": "h" * 99},
            {},
            f"DIFFX_HOST must be an IP address .*; it is '{'h' * 60}…'",
        ),
    ],
)
def test_a_wrong_value_is_named_as_it_was_given(
    environment: dict[str, str], flags: dict[str, str | None], words: str
) -> None:
    with pytest.raises(ConfigError, match=f"^{words}$"):
        resolve(file=None, environment=environment, flags=flags)


@pytest.mark.parametrize(
    "environment", [{"DIFFX_TOKEN": "s3cret\n"}, {"DIFFX_SERVER_URL": "http://me:s3cret@host/"}]
)
def test_what_may_hold_a_secret_is_not_repeated(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(file=None, environment=environment, flags={})

    assert "s3cret" not in str(caught.value)


def test_a_token_is_never_shown() -> None:
    assert shown("token", "s3cret") == config.MASK
    assert shown("port", 80) == "80"
