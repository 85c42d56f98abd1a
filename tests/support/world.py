"""A command's world with a private home and readable output."""

import io
import os
from pathlib import Path

from diffx.cli.world import World
from diffx.clock import random_id, system_clock


def world(home: Path, *, stdin: int | None = None, **variables: str) -> World:
    """Describe a process without a terminal, with git on its PATH."""
    return World(
        environment={"HOME": str(home), "PATH": os.environ["PATH"], **variables},
        stdin=stdin,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
        now=system_clock,
        new_id=random_id,
    )


def shown(where: World) -> str:
    """Return what went to standard output."""
    assert isinstance(where.stdout, io.StringIO)
    return where.stdout.getvalue()


def said(where: World) -> str:
    """Return what went to standard error."""
    assert isinstance(where.stderr, io.StringIO)
    return where.stderr.getvalue()
