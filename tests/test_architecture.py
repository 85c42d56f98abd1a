"""The house rules that a tool can read off the source: where things are and how large they grow."""

import argparse
import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

from diffx.cli import main as cli
from diffx.cli.usage import USAGE
from diffx.errors import KINDS, DiffxError

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = [
    ROOT / "build.py",
    *sorted(
        path for top in ("diffx", "tools", "benchmarks") for path in (ROOT / top).rglob("*.py")
    ),
]
PACKAGES: Final = sorted((ROOT / "diffx").glob("*/__init__.py"))
MAX_MODULE_LINES: Final = 500
MAX_FUNCTION_LINES: Final = 60
EDGES: Final = {
    "diffx/cli/main.py",
    "diffx/mcpapi/protocol.py",  # an agent is told of a bug in JSON-RPC, as a page is in HTTP
    "diffx/services/worker.py",
    "diffx/services/changes.py",  # whoever listens badly must not fail what was published (10.6)
}
FORBIDDEN_NAMES: Final = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "base",
    "manager",
    "misc",
}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("path", PACKAGES, ids=name)
def test_a_package_says_what_it_does_receives_hands_on_and_never_does(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    lines = docstring.splitlines()

    assert lines, f"{name(path)} has no docstring"
    assert lines[0].endswith("."), "the first line is one sentence: the job"
    assert re.search(r"^Receives: .+?\.\s+Hands on: .+", docstring, re.MULTILINE | re.DOTALL)
    assert re.search(r"^Never: .+", docstring, re.MULTILINE)


def test_the_packages_are_listed_where_a_reader_starts() -> None:
    docstring = ast.get_docstring(ast.parse((ROOT / "diffx/__init__.py").read_text())) or ""
    unlisted = [
        p.parent.name for p in PACKAGES if not re.search(rf"\b{p.parent.name}\b", docstring)
    ]

    assert unlisted == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_modules_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text()
    long = [
        f"{function.name}: {length} lines"
        for function in functions(ast.parse(text))
        if (length := (function.end_lineno or 0) - function.lineno + 1) > MAX_FUNCTION_LINES
    ]

    assert len(text.splitlines()) <= MAX_MODULE_LINES
    assert long == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_function_takes_few_arguments_besides_the_owner_unless_they_are_named(
    path: Path,
) -> None:
    crowded = [
        function.name
        for function in functions(ast.parse(path.read_text()))
        if len(
            [arg for arg in function.args.args if arg.arg not in ("self", "cls", "tx", "owner")]
        )
        > 5
    ]

    assert crowded == []


def test_no_room_is_named_after_nothing() -> None:
    assert [name(path) for path in SOURCES if path.stem in FORBIDDEN_NAMES] == []


def test_only_the_edges_catch_everything() -> None:
    """A broad `except` hides bugs; where foreign code is called, or a thread would end, one is right."""
    found = {
        name(path)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and isinstance(node.type, ast.Name)
        and node.type.id == "Exception"
    }

    allowed = EDGES | {path for path in found if path.startswith(("diffx/httpapi/", "tests/"))}
    assert found - allowed == set()


def test_production_code_never_imports_tests() -> None:
    for path in SOURCES:
        assert not re.search(r"^\s*(from|import) tests\b", path.read_text(), re.MULTILINE), path


def errors() -> Iterator[type[DiffxError]]:
    waiting: list[type[DiffxError]] = [DiffxError]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += found.__subclasses__()


def test_every_error_has_a_known_kind() -> None:
    assert {error.kind for error in errors()} <= set(KINDS)


def test_every_kind_of_failure_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()

    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


def options(parser: argparse.ArgumentParser) -> set[str]:
    """Return every option of a parser and of its subcommands."""
    found: set[str] = set()
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            for below in action.choices.values():
                found |= options(below)
        found |= {option for option in action.option_strings if action.help != argparse.SUPPRESS}
    return found


@pytest.mark.parametrize("command", sorted(cli.parsers()))
def test_every_flag_is_documented(command: str) -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    missing = [flag for flag in options(cli.parsers()[command]) if f"`{flag}" not in page]

    assert missing == []
    assert f"diffx {command}".strip() in page


def test_the_ready_made_help_page_is_complete() -> None:
    parsers = cli.parsers()
    shown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", USAGE))

    assert options(parsers[""]) <= shown
    assert shown <= {flag for parser in parsers.values() for flag in options(parser)}
    for command in parsers:
        assert command in USAGE


def test_every_promise_keeps_its_number() -> None:
    """Code and tests cite the numbers of docs/semantics.md; a number that is cited exists."""
    page = (ROOT / "docs" / "semantics.md").read_text()
    known = set(re.findall(r"^- (\d+\.\d+) ", page, re.MULTILINE))
    sections = set(re.findall(r"^## (\d+) ", page, re.MULTILINE))

    assert sections == {str(number) for number in range(1, 15)}
    for path in (ROOT / "diffx").rglob("*.py"):
        for number in re.findall(r"\((\d{1,2}\.\d)(?:, [^)]*)?\)", path.read_text()):
            if number.split(".")[0] in sections:
                assert number in known, f"{name(path)} cites {number}"


PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_a_fresh_machine_needs_two_commands() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

    assert blocks == ["python3 build.py && dist/diffx .\npython3 build.py check\n"]


def test_the_contract_is_readable() -> None:
    document = yaml.safe_load((ROOT / "docs/protocol/openapi.yaml").read_text())

    assert document["openapi"].startswith("3.1")


PRODUCERS: Final = {"collector", "submission", "hooks"}
TRANSPORTS: Final = {"httpapi", "mcpapi"}
SERVERS: Final = {"store", "services", "server"} | TRANSPORTS


@pytest.mark.parametrize(
    ("contract", "key", "packages"),
    [
        ("Producers never reach the server half", "source_modules", PRODUCERS),
        ("Producers never reach the server half", "forbidden_modules", SERVERS),
        ("Transports never import store", "source_modules", TRANSPORTS),
    ],
)
def test_the_import_contracts_name_every_package_of_their_kind(
    contract: str, key: str, packages: set[str]
) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    listed = next(entry for entry in contracts["contracts"] if entry["name"] == contract)[key]
    existing = {path.parent.name for path in PACKAGES} & packages

    assert {f"diffx.{package}" for package in existing} == set(listed)


LAYERS: Final = "A package imports only packages below it"
BREACHES: Final = {
    "upwards": ("diffx/review/model.py", "import diffx.records", LAYERS),
    "sideways": ("diffx/services/planted.py", "import diffx.store", LAYERS),
    "unknown package": ("diffx/newcomer/__init__.py", "", LAYERS),
    "producer to server": (
        "diffx/collector/planted.py",
        "import diffx.services",
        "Producers never reach the server half",
    ),
    "impure rule": (
        "diffx/review/planted.py",
        "import os",
        "review is pure: no I/O, time, randomness or threads",
    ),
    "libgit2 elsewhere": (
        "diffx/services/planted.py",
        "import pygit2",
        "pygit2 only in collector.libgit2",
    ),
    "process elsewhere": (
        "diffx/records.py",
        "import subprocess",
        "Processes start only in collector.gitexe, hooks, services.worker, cli and browser",
    ),
    "SQL elsewhere": ("diffx/services/planted.py", "import sqlite3", "SQL only in store"),
    "transport to storage": (
        "diffx/httpapi/planted.py",
        "import diffx.store",
        "Transports never import store",
    ),
    "cycle": (
        "diffx/review/model.py",
        "import diffx.review.paths  # which imports model",
        "No cycles",
    ),
}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [tool, "--no-logo", "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.system
@pytest.mark.parametrize("breach", BREACHES)
def test_the_import_contracts_notice_a_breach(breach: str, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "assets")
    shutil.copytree(ROOT / "diffx", tmp_path / "diffx", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    where, line, contract = BREACHES[breach]
    target = tmp_path / where
    target.parent.mkdir(exist_ok=True)
    with target.open("a") as stream:
        stream.write(f"\n{line}\n")

    outcome = lint_imports(tmp_path)

    assert outcome.returncode == 1, outcome.stdout
    assert f" {contract} BROKEN" in " ".join(outcome.stdout.split())


@pytest.mark.system
def test_the_import_contracts_hold() -> None:
    outcome = lint_imports(ROOT)

    assert outcome.returncode == 0, outcome.stdout
