"""`diffx help`: the help page, a command's own, or all of them as a manual page for man(1).

The manual is made of what `--help` shows: the ready-made page, every command's parser and the
table of settings. Nothing is said twice, so nothing can disagree.
"""

import argparse
import re
from collections.abc import Iterator
from typing import Final

from diffx import __version__, config
from diffx.cli.usage import USAGE
from diffx.cli.world import World

_HEADING: Final = re.compile(r"([a-z][a-z ]*):")
_ENTRY: Final = re.compile(r"  (\S.*?)(?: {2,}(.*))?")
_OPTION_HEADINGS: Final = ("arguments", "what to compare", "where to serve it", "others")
_EXIT_CODE: Final = re.compile(r"(\d+) (\S.*?)(?=\s{3,}|\n|\Z)")
_FILES: Final = (
    ("~/.config/diffx/config.json", "personal settings, and beside them the identity of this installation"),
    ("~/.local/state/diffx/state.db", "the reviews"),
    ("~/.cache/diffx", "what is made again when it is missing"),
)  # fmt: skip


def parser() -> argparse.ArgumentParser:
    from diffx.cli.main import COMMANDS

    made = argparse.ArgumentParser(
        prog="diffx help",
        description="Print the help page, or that of one command.",
        epilog="To read the manual: diffx help --man | man -l -",
        allow_abbrev=False,
    )
    made.add_argument("command", nargs="?", choices=sorted(COMMANDS), metavar="COMMAND")
    made.add_argument("--man", action="store_true", help="print the manual, for man(1)")
    return made


def run(args: argparse.Namespace, world: World) -> int:
    """Print what was asked for."""
    from diffx.cli.main import parsers

    if args.man:
        world.tell(*manual(parsers()))
    else:
        world.tell(parsers()[args.command or ""].format_help().removesuffix("\n"))
    return 0


def manual(parsers: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the lines of the manual page, in the man(7) language."""
    usage, summary, *prose, rest = _parts()
    page = _sections(rest)
    yield f'.TH DIFFX 1 "" "diffx {__version__}" "User Commands"'
    yield from (".SH NAME", rf"diffx \- {_text(summary[0].lower() + summary[1:].rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".nf", *map(_text, usage), ".fi")
    yield ".SH DESCRIPTION"
    for paragraph in prose:
        yield from (".PP", _text(paragraph))
    yield ".SH OPTIONS"
    for heading in _OPTION_HEADINGS:
        yield from (f'.SS "{heading.capitalize()}"', *_entries(page[heading]))
    yield ".SH COMMANDS"
    for name in sorted(filter(None, parsers)):
        yield from _command(name, parsers[name])
    yield ".SH ENVIRONMENT"
    yield from (".PP", _text(" ".join(map(str.strip, page["environment"]))))
    for each in config.SETTINGS:
        yield from _entry(f"{each.variable}, {each.key} in the settings file", each.help)
    yield ".SH FILES"
    for path, meaning in _FILES:
        yield from _entry(path, meaning)
    yield '.SH "EXIT STATUS"'
    for code, meaning in _EXIT_CODE.findall("\n".join(page["exit codes"])):
        yield from _entry(code, meaning)
    yield from (".SH EXAMPLES", ".nf", *(_text(line.strip()) for line in page["examples"]), ".fi")
    yield from ('.SH "SEE ALSO"', r"git(1), git\-diff(1)")


def _parts() -> tuple[list[str], str, str, str]:
    """Split the help page into usage, the line that sums up, what follows, and the sections."""
    usage, summary, prose, rest = USAGE.split("\n\n", 3)
    lines = [line.removeprefix("usage:").strip() for line in usage.splitlines()]
    return lines, summary, prose.replace("\n", " "), rest


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in filter(None, text.splitlines()):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            found[heading[1]] = []
        else:
            found[[*found][-1]].append(line)
    return found


def _entries(lines: list[str]) -> Iterator[str]:
    """Yield terms with their meaning; a line that is indented further goes on with the one before."""
    term, meaning = "", ""
    for line in lines:
        entry = _ENTRY.fullmatch(line)
        if entry is None or entry[1].startswith(" "):
            meaning += f" {line.strip()}"
            continue
        yield from _entry(term, meaning)
        term, meaning = entry[1], entry[2] or ""
    yield from _entry(term, meaning)


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from (f'.SS "diffx {name}"', _text(parser.description or ""))
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            for below in action._choices_actions:  # noqa: SLF001 - likewise
                yield from _entry(
                    _called(below.dest, action.choices[below.dest]), below.help or ""
                )
        elif "--help" not in action.option_strings and action.help != argparse.SUPPRESS:
            yield from _entry(_term(action), (action.help or "") % vars(action))
    if parser.epilog:
        yield from (".PP", *_literal(parser.epilog))


def _called(name: str, parser: argparse.ArgumentParser) -> str:
    words = [a.dest.upper() for a in parser._actions if not a.option_strings]  # noqa: SLF001
    return " ".join([name, *words])


def _term(action: argparse.Action) -> str:
    value = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    if not action.option_strings:
        return str(value)
    flags = ", ".join(action.option_strings)
    return flags if action.nargs == 0 else f"{flags} {value}"


def _literal(text: str) -> list[str]:
    """Keep the lines of a text that has several."""
    lines = [_text(line) for line in text.splitlines()]
    return [".nf", *lines, ".fi"] if len(lines) > 1 else lines


def _entry(term: str, meaning: str) -> Iterator[str]:
    if term:
        yield from (".TP", rf"\fB{_text(term)}\fR", _text(meaning.strip()) or r"\&")


def _text(text: str) -> str:
    """Write text so that nothing in it is a request: a dash stays a dash that can be copied."""
    text = (
        text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    )
    return rf"\&{text}" if text.startswith(".") else text
