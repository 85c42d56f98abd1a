"""The manual: everything that `--help` knows, in a form that nothing in it can break."""

import re
from pathlib import Path

import pytest

from diffx import config
from diffx.cli.main import main, parsers
from diffx.cli.manual import manual
from diffx.cli.usage import USAGE
from tests.support.world import said, shown, world


def plain(lines: list[str]) -> str:
    """Undo the escapes that keep text from being a request."""
    text = "\n".join(lines).replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\(ga", "`")
    return re.sub(r"\\f[BR]|\\&", "", text).replace(r"\e", "\\")


def test_every_flag_every_command_and_every_setting_is_in_it() -> None:
    page = plain([*manual(parsers())])

    for name, parser in parsers().items():
        assert name in page
        for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
            assert [flag for flag in action.option_strings if flag not in page] == []
    assert [each.variable for each in config.SETTINGS if each.variable not in page] == []


def test_every_sentence_of_the_help_page_is_in_it() -> None:
    page = " ".join(plain([*manual(parsers())]).lower().split())
    # Of the commands each says more of itself.
    help_page = re.sub(r"\ncommands:\n.*?\n\n", "\n", USAGE, flags=re.DOTALL)
    words = re.findall(r"[\w./~-]+", help_page.partition("\n\n")[2])
    sections = {"codes"}

    assert [
        word for word in words if word.lower().rstrip(".") not in page and word not in sections
    ] == []


def test_no_text_is_taken_for_a_request() -> None:
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"}
    lines = [*manual(parsers())]

    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} <= known
    assert [line for line in lines if "\n" in line] == []
    assert re.findall(r"\\(?![-&e]|\((?:aq|ga)|f[BR])", "\n".join(lines)) == []


@pytest.mark.parametrize("command", sorted(filter(None, parsers())))
def test_help_of_a_command_is_its_own_page(command: str, home: Path) -> None:
    where = world(home)

    assert main(["help", command], where) == 0
    assert shown(where).startswith(f"usage: diffx {command}")


def test_help_of_nothing_that_exists_is_wrong_usage(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["help", "colour"], world(home)) == 2
    assert "invalid choice: 'colour'" in capsys.readouterr().err
    where = world(home)
    assert main(["help", "--man"], where) == 0
    assert shown(where).startswith('.TH DIFFX 1 ""')
    assert said(where) == ""
