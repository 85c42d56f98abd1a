"""The manual, formatted by the program that will format it."""

import shutil
import subprocess

import pytest

from tests.support.viewer import COMMAND, environment

pytestmark = pytest.mark.system


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_is_formatted_without_a_warning() -> None:
    page = subprocess.run(
        [*COMMAND, "help", "--man"], env=environment(), capture_output=True, check=True
    ).stdout

    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, check=True
    )

    assert done.stderr == b""
    assert b"git-diff(1)" in done.stdout
