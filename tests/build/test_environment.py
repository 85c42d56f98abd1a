import sys
from pathlib import Path

import pytest

from tools.build import check, environment
from tools.build.project import BuildError
from tools.build.terminal import must


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Environments are only noted, not made; the list is what would have been installed."""
    asked: list[list[str]] = []

    def install(wanted: list[str], folder: Path, python: Path) -> None:
        asked.append(wanted)
        folder.mkdir()
        (folder / "complete").touch()

    monkeypatch.setattr(environment, "WORK", tmp_path)
    monkeypatch.setattr(environment, "_install", install)
    return asked


def test_an_environment_is_reused_while_its_versions_stay(installed: list[list[str]]) -> None:
    first = environment.environment("package")

    assert environment.environment("package") == first
    assert len(installed) == 1


def test_a_changed_version_makes_another_environment(
    installed: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = environment.environment("package")
    monkeypatch.setattr(environment, "requirements", lambda group: ["shiv==9.9.9"])

    assert environment.environment("package") != first
    assert installed[1] == ["shiv==9.9.9"]


def test_an_environment_that_was_never_finished_is_made_again(
    installed: list[list[str]], tmp_path: Path
) -> None:
    python = environment.environment("package")
    (python.parents[1] / "complete").unlink()
    python.parents[1].rmdir()

    environment.environment("package")

    assert len(installed) == 2


def test_a_python_without_venv_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)

    with pytest.raises(BuildError, match="apt-get install python3-venv"):
        environment._create(tmp_path)  # noqa: SLF001 - the step before pip, which needs a network


def test_a_missing_browser_is_a_failure_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def must_fails(argv: object, *, remedy: str, env: object) -> None:
        raise BuildError(remedy)

    monkeypatch.setattr(check, "find_browser", lambda: None)
    monkeypatch.setattr(check, "environment", lambda *_, **__: Path("python"))
    monkeypatch.setattr(check, "must", must_fails)

    with pytest.raises(BuildError, match="apt-get install chromium"):
        check.STEPS["browser"].run()


def test_a_program_that_is_not_there_is_one_line() -> None:
    with pytest.raises(BuildError, match=r"cannot start no-such-program: .*; do something"):
        must(["no-such-program"], remedy="do something")
