"""Completion scripts, run by the shells they are for."""

import os
import pty
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.viewer import environment

pytestmark = pytest.mark.system


def script(shell: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "diffx", "completion", shell],
        capture_output=True,
        env=environment(),
        check=True,
        text=True,
    )
    return done.stdout


def bash_offers(folder: Path, *words: str) -> list[str]:
    """Return what bash offers for the last of the words."""
    typed = " ".join(f"'{word}'" for word in ("diffx", *words))
    probe = (
        f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _diffx; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script('bash')}\n{probe}"],
        capture_output=True,
        cwd=folder,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["--rep"], ["--repository-key", "--replace"]),
        (["--engine", ""], ["auto", "git", "libgit2"]),
        (["co"], ["comments", "completion", "config", "contexts"]),
        (["config", "s"], ["set"]),
        (["completion", ""], ["--help", "bash", "zsh", "fish"]),
        (["contexts", "--st"], ["--state", "--stale"]),
        (["dev", "--fi"], ["--fixture"]),
        (["my"], ["my folder"]),
        (["--state", "a"], ["a file.db"]),
    ],
)
def test_bash_offers_what_may_follow(tmp_path: Path, words: list[str], offered: list[str]) -> None:
    (tmp_path / "my folder").mkdir()
    (tmp_path / "a file.db").touch()

    assert bash_offers(tmp_path, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_script(tmp_path: Path, shell: str) -> None:
    text = script(shell)
    assert "libgit2" in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(text)

    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def zsh_runs(folder: Path, typed: str) -> str:
    """Return what a zsh at a terminal writes when these keys are typed and then Enter."""
    (folder / "start").write_text(
        "autoload -Uz compinit && compinit -u -D\n"
        + script("zsh")
        + '\ndiffx() { print -r -- "ran: $*."; exit }\n'
    )
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f"], {**environment(), "TERM": "dumb"})
    os.write(terminal, f". {folder}/start\n{typed}\n".encode())
    seen = b""
    with suppress(OSError):  # Linux says so where the other side of a terminal is closed
        while read := os.read(terminal, 4096):
            seen += read
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(
    ("typed", "run"),
    [
        ("diffx --pri\t", "--print"),
        ("diffx reso\t", "resolve"),
        ("diffx my\t", "my folder"),
        ("diffx resolve ID --resolution fi\t", "resolve ID --resolution fixed"),
        ("diffx config get --conf\t", "config get --config-file"),
    ],
)
def test_zsh_completes_what_may_follow_and_says_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, run: str
) -> None:
    (tmp_path / "my folder").mkdir()
    monkeypatch.chdir(tmp_path)
    seen = zsh_runs(tmp_path, typed)

    assert f"ran: {run}." in seen
    assert "bad option" not in seen
