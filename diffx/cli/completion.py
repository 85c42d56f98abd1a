"""`diffx completion bash|zsh|fish`: print a completion script, made from the real options."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from diffx.cli.usage import USAGE
from diffx.cli.world import World

SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = frozenset({"FILE", "PATH"})
_FOLDERS: Final = frozenset({"DIR"})


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="diffx completion",
        description="Print a completion script for a shell.",
        epilog='bash: source <(diffx completion bash)      zsh: eval "$(diffx completion zsh)"'
        "      fish: diffx completion fish | source",
        allow_abbrev=False,
    )
    made.add_argument("shell", choices=SHELLS)
    return made


def run(args: argparse.Namespace, world: World) -> int:
    """Print the script for one shell."""
    from diffx.cli.main import parsers

    commands = {name: tuple(_options(parser)) for name, parser in parsers().items()}
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell]
    world.tell(write(commands).removesuffix("\n"))
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    """One option or positional word, and what may follow it."""

    flag: str | None
    takes: Literal["nothing", "words", "files", "folders", "text"]
    words: tuple[str, ...] = ()
    text: str = ""


_Commands = dict[str, tuple[_Option, ...]]


def _options(parser: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        long = [flag for flag in action.option_strings if flag.startswith("--")]
        choices = tuple(str(choice) for choice in action.choices or ())
        if choices:
            yield _Option(flag=long[0] if long else None, takes="words", words=choices)
        elif long:
            yield _Option(flag=long[0], takes=_takes(action), text=_described(long[0]))


def _takes(action: argparse.Action) -> Literal["nothing", "files", "folders", "text"]:
    if action.nargs == 0:
        return "nothing"
    if action.metavar in _FILES:
        return "files"
    return "folders" if action.metavar in _FOLDERS else "text"


def _described(flag: str) -> str:
    found = re.search(rf"^  (?:-\w, )?{flag}(?: [A-Z]+)? {{2,}}(.+)$", USAGE, re.MULTILINE)
    return found[1].split("; ")[0] if found else ""


def _subcommands(commands: _Commands) -> str:
    return " ".join(name for name in commands if name)


def _flags(options: tuple[_Option, ...]) -> str:
    words = [option.flag for option in options if option.flag]
    words += [word for option in options if option.flag is None for word in option.words]
    return " ".join(words)


def _bash(commands: _Commands) -> str:
    lines = [
        "_diffx() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '  local command="" words=""',
        f'  case " {_subcommands(commands)} " in *" ${{COMP_WORDS[1]}} "*)',
        '    [ "$COMP_CWORD" -gt 1 ] && command="${COMP_WORDS[1]}" ;;',
        "  esac",
        '  case "$command $previous" in',
    ]
    for name, options in commands.items():
        lines += [
            f'    "{name} {option.flag}") {_bash_value(option)}; return ;;'
            for option in options
            if option.flag and option.takes != "nothing"
        ]
    lines += ["  esac", '  case "$command" in']
    for name, options in commands.items():
        first = f" {_subcommands(commands)}" if not name else ""
        lines.append(f'    "{name}") words="{_flags(options)}{first}" ;;')
    lines += [
        "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "  local IFS=$'\\n'  # a folder's name may have spaces",
        '  [ -z "$command" ] && COMPREPLY+=($(compgen -d -- "$current"))',
        "}",
        "complete -o filenames -F _diffx diffx",
    ]
    return "\n".join(lines) + "\n"


def _bash_value(option: _Option) -> str:
    generate = {
        "words": f'-W "{" ".join(option.words)}"',
        "files": "-f",
        "folders": "-d",
        "text": '-W ""',
    }[option.takes]
    split = "local IFS=$'\\n'; " if option.takes in ("files", "folders") else ""
    return f'{split}COMPREPLY=($(compgen {generate} -- "$current"))'


def _zsh(commands: _Commands) -> str:
    lines = ["#compdef diffx", "_diffx() {", '  case "$words[2]" in']
    for name, options in commands.items():
        if name:
            lines.append(f"    {name}) shift words; (( CURRENT-- )); _arguments \\")
            lines += [f"      {_zsh_spec(option)} \\" for option in options]
            lines += ["      '*:value:( )' && return ;;"]
    lines += ["    *) _arguments \\"]
    lines += [f"      {_zsh_spec(option)} \\" for option in commands[""]]
    lines += [
        f'      \'1:command or path: _alternative "commands\\:command\\:({_subcommands(commands)})"'
        ' "paths\\:path\\:_files"\' ;;',
        "  esac",
        "}",
        "compdef _diffx diffx",
    ]
    return "\n".join(lines) + "\n"


def _zsh_spec(option: _Option) -> str:
    text = re.sub(r"[\[\]:']", " ", option.text)
    value = {
        "nothing": "",
        "words": f":value:({' '.join(option.words)})",
        "files": ":file:_files",
        "folders": ":folder:_files -/",
        "text": ":value: ",
    }[option.takes]
    return f"'{option.flag}[{text}]{value}'" if option.flag else f"'1{value}'"


def _fish(commands: _Commands) -> str:
    known = _subcommands(commands)
    lines = [f"complete -c diffx -n __fish_use_subcommand -a '{known}'"]
    for name, options in commands.items():
        seen = f"__fish_seen_subcommand_from {name or known}"
        when = f"'{seen}'" if name else f"'not {seen}'"
        lines += [f"complete -c diffx -n {when} {_fish_spec(option)}" for option in options]
    return "\n".join(lines) + "\n"


def _fish_spec(option: _Option) -> str:
    words = f"-x -a '{' '.join(option.words)}'"
    if option.flag is None:
        return words
    value = {
        "nothing": "",
        "words": f" {words}",
        "files": " -r -F",
        "folders": " -x -a '(__fish_complete_directories)'",
        "text": " -x",
    }[option.takes]
    text = option.text.replace("'", "\\'")
    return f"-l {option.flag[2:]}{value}" + (f" -d '{text}'" if text else "")
