"""Completion scripts, run by the shells they are for."""

import shutil
import subprocess
import sys
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
