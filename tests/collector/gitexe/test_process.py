from pathlib import Path

from diffx.collector.gitexe.process import SAFE_CONFIG, find_git, safe_environment
from diffx.collector.gitexe.submodules import (
    cleaning_filters,
    neutral_filters,
    pinned_paths,
    read_settings,
)


def program(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "git"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_nothing_that_begins_with_git_is_inherited() -> None:
    inherited = {"GIT_DIR": "x", "GIT_TRACE": "1", "GIT_SSH_COMMAND": "evil", "HOME": "/h"}

    safe = safe_environment(inherited, {"a.b": "c"})

    assert safe["HOME"] == "/h"
    assert not {"GIT_DIR", "GIT_TRACE", "GIT_SSH_COMMAND"} & safe.keys()
    assert safe["GIT_OPTIONAL_LOCKS"] == "0"


def test_settings_go_above_every_file_even_with_an_equals_sign_in_their_name() -> None:
    safe = safe_environment({}, {"filter.a=b.clean": "", "core.x": "1"})

    assert safe["GIT_CONFIG_COUNT"] == "2"
    assert (safe["GIT_CONFIG_KEY_0"], safe["GIT_CONFIG_VALUE_0"]) == ("filter.a=b.clean", "")


def test_git_is_found_by_absolute_path_entries_only(tmp_path: Path) -> None:
    found = program(tmp_path / "bin")
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/git").mkdir()

    path = f"relative:.::{tmp_path}/dir:{tmp_path}/nowhere:{tmp_path}/bin"
    assert find_git({"PATH": path}) == str(found)
    assert find_git({"PATH": "."}) is None


def test_every_configured_filter_is_emptied_and_named() -> None:
    settings = read_settings(
        b"filter.a=b.clean\nsed\0filter.x.y.process\nrun\0filter.smudge.smudge\ncat\0"
        b"filter.off.clean\n\0diff.py.binary\ntrue\0novalue\0"
    )

    neutral = neutral_filters(settings)

    for name in ("a=b", "x.y", "smudge"):
        for part in ("clean", "smudge", "process"):
            assert neutral[f"filter.{name}.{part}"] == ""
        assert neutral[f"filter.{name}.required"] == "false"
    assert neutral["diff.py.binary"] == "auto"
    assert cleaning_filters(settings) == {"a=b", "x.y"}


def test_the_last_value_of_a_setting_wins() -> None:
    assert read_settings(b"a.b\n1\0a.b\n2\n3\0") == {"a.b": "2\n3"}


def test_no_program_is_left_in_the_safe_configuration() -> None:
    assert SAFE_CONFIG["core.fsmonitor"] == "false"
    assert SAFE_CONFIG["diff.external"] == ""
    assert SAFE_CONFIG["credential.helper"] == ""


def test_pinned_entries_are_told_from_plain_and_unmerged_ones() -> None:
    listing = b"H plain\0h assumed\0S skipped\0s both\0M unmerged\0H H \0S \ns \0"
    assert pinned_paths(listing) == {b"assumed", b"skipped", b"both", b"\ns "}
    assert pinned_paths(b"") == frozenset()
