"""HEAD's commit as its files tell it, where that spares a question to git."""

import os
import re
from typing import Final

from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.repository import Layout

_MAX_BYTES: Final = 1 << 12
_BRANCH: Final = re.compile(rb"ref: (refs/heads/\S+)\n")
_COMMIT: Final = re.compile(rb"([0-9a-f]{64}|[0-9a-f]{40})\n")


def head_on_disk(layout: Layout) -> str | None:
    """Return HEAD's commit if it, or the branch that it names, has a file of its own.

    None where only git can tell: packed refs, reftables, a branch without a commit.
    """
    try:
        text = read_git_file(layout.git_dir / "HEAD", most=_MAX_BYTES)
        branch = _BRANCH.fullmatch(text)
        if branch is not None:
            text = read_git_file(layout.common_dir / os.fsdecode(branch[1]), most=_MAX_BYTES)
    except (OSError, ValueError):  # a ValueError is a NUL in the name
        return None
    commit = _COMMIT.fullmatch(text)
    return None if commit is None else commit[1].decode("ascii")
