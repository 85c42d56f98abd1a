"""The viewer's command line: one help page, errors in one line with their exit codes."""

from dataclasses import replace
from pathlib import Path

import pytest

from diffx.cli.main import main
from diffx.cli.usage import USAGE
from tests.support.world import said, shown, world


@pytest.mark.parametrize("words", [["somewhere", "--help"], ["--port", "0", "-h"]])
def test_help_is_the_same_page_however_it_is_asked_for(
    words: list[str], capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert main(words, world(home)) == 0
    assert capsys.readouterr().out == USAGE


def test_the_version_may_be_asked_for_beside_anything(home: Path) -> None:
    where = world(home)

    assert main(["--debug", "--version"], where) == 0
    assert shown(where).startswith("diffx ")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--port", "many"], "--port must be a whole number from 0 to 65535"),
        (["--host", "localhost"], "--host must be an IP address"),
        (["--source-id", "a b"], "--source-id must be"),
        ([""], "PATH is empty"),
        (["--web-dir", "/nowhere/ui"], "/nowhere/ui is no folder"),
        (["dev", "--fixture", "x", "--web-dir", "/nowhere/ui"], "/nowhere/ui is no folder"),
        (["--web-dir", "/"], "/ holds no web UI (no index.html)"),
        (["--config-file", "/nowhere/c.json"], "/nowhere/c.json: there is no such settings file"),
    ],
)
def test_wrong_values_are_one_line_and_exit_2(
    home: Path, words: list[str], complaint: str
) -> None:
    where = world(home)

    assert main(words, where) == 2
    assert complaint in said(where)
    assert said(where).count("\n") == 1


def test_options_are_not_abbreviated(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rep"], world(home)) == 2
    assert "unrecognized arguments: --rep" in capsys.readouterr().err


def test_control_characters_of_a_path_do_not_reach_the_terminal(home: Path) -> None:
    where = world(home)

    assert main(["/nowhere/\x1b]0;owned\x07"], where) == 2
    assert "\x1b" not in said(where)
    assert r"\x1b]0;owned\x07" in said(where)


def test_a_patch_file_as_path_is_told_how_to_be_read(home: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.patch"
    saved.write_text("diff --git a/f b/f\n")
    where = world(home)

    assert main([str(saved)], where) == 2
    assert f"diffx < {saved}" in said(where)


def test_options_of_a_checkout_are_not_swallowed_with_a_patch(home: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.patch"
    saved.write_text("diff --git a/f b/f\nnew file mode 100644\n")
    where = world(home)
    with saved.open("rb") as patch:
        where = world(home, stdin=patch.fileno())

        assert main(["--base", "main"], where) == 2
    assert "--base and --engine are for a checkout" in said(where)


def test_where_no_home_is_known_there_are_no_settings_and_a_state_must_be_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.expanduser", str)  # an account that nobody listed
    where = replace(world(home), environment={})

    assert where.config_file_to_read(None) is None
    (home / "c.json").write_text("{}")
    assert where.config_file_to_read(str(home / "c.json")) == home / "c.json"
    assert main(["."], where) == 1
    assert "no home folder is known; set HOME" in said(where)
