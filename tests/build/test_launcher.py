import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.build import launcher


def test_pythonpath_and_site_packages_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    library = [f"/usr/lib/python{version}.zip", "/usr/lib/python3", "/usr/lib/python3/lib-dynload"]
    monkeypatch.setattr(sys, "path", ["/bin/diffx", "/evil", *library, "/usr/site-packages"])

    launcher._isolate()  # noqa: SLF001 - a part of the start that must not be run whole here

    assert sys.path == ["/bin/diffx", *library]


def test_a_relative_file_stays_findable_when_the_folder_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["dist/diffx"])

    launcher._make_absolute()  # noqa: SLF001 - likewise

    assert sys.path == [str(tmp_path / "dist" / "diffx")]


def test_an_old_python_hands_over_to_the_newest_one_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    class StartedError(Exception):
        pass

    def call(argv: list[str], **_: object) -> int:
        tried.append(argv[0])
        if argv[0] == "python3.14":
            raise FileNotFoundError
        return 127 if argv[0] == "python3.13" else 0  # as a version manager's script answers

    def execvp(name: str, argv: list[str]) -> None:
        assert argv == ["python3.12", "-I", "-S", "/bin/diffx", "--print"]
        raise StartedError

    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(sys, "argv", ["/bin/diffx", "--print"])
    monkeypatch.setattr(sys, "path", ["/bin/diffx"])
    monkeypatch.setattr(os, "execvp", execvp)

    with pytest.raises(StartedError):
        launcher.launch()
    assert tried == ["python3.14", "python3.13", "python3.12"]


def test_where_no_new_python_is_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(argv: list[str], **_: object) -> int:
        raise FileNotFoundError

    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(subprocess, "call", call)

    assert launcher.launch() == 2
    assert capsys.readouterr().err == "diffx: needs Python 3.11 or newer; python3 here is 3.9\n"
