"""Collect as somebody who is not root: root reads and writes whatever the modes say."""

import importlib
import os
import pkgutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from diffx import collector
from diffx.review.model import Observation
from tests.support.repositories import Checkout, collect_at

NOBODY: Final = 65534


def _load_collector() -> None:
    """Import what is otherwise imported on the way: an ordinary user may not reach our source."""
    for module in pkgutil.walk_packages(collector.__path__, f"{collector.__name__}."):
        importlib.import_module(module.name)
    importlib.import_module("pygit2")


@contextmanager
def an_ordinary_user(folder: Path) -> Iterator[None]:
    """Give the folder to an ordinary user and be that user, where we are root."""
    if os.geteuid() != 0:
        yield
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    _load_collector()
    groups = os.getgroups()
    os.setgroups([])
    # The real ids too: git asks with those (access(2)) whether it may read its settings.
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that another user may enter; those of pytest are private."""
    with tempfile.TemporaryDirectory(prefix="diffx-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)


def collect_as_an_ordinary_user(checkout: Checkout, **options: Any) -> Observation:
    with an_ordinary_user(checkout.top):
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
        return collect_at(checkout.top, environment=environment, **options)
