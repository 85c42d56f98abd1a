"""Other people's MCP clients, pinned, and installed once below .build for all test runs."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from diffx.files import exclusive
from tools.build.environment import environment
from tools.build.node import Node, find_node
from tools.build.project import WORK
from tools.build.terminal import must

NODE_FOLDER: Final = Path(__file__).parents[1] / "system" / "mcp" / "node"
# A bound for a client that hangs: busy machines have taken half a minute for one run.
_RUN_S: Final = 600


@dataclass(frozen=True, slots=True)
class Ran:
    """What a client did: its exit code and all that it printed."""

    code: int
    output: str

    @property
    def data(self) -> Any:
        """The JSON that a client script printed last."""
        assert self.code == 0, self.output
        return json.loads(self.output.splitlines()[-1])


@dataclass(frozen=True, slots=True)
class PythonClient:
    """The Python of an environment that has one generation of `mcp`."""

    python: Path

    def run(self, script: Path, *arguments: str) -> Ran:
        return _run([str(self.python), "-B", str(script), *arguments], None)


@dataclass(frozen=True, slots=True)
class NodeClients:
    """The npm clients, the Inspector and the conformance suite."""

    node: Node
    folder: Path

    def run(self, script: Path, *arguments: str) -> Ran:
        # Node resolves packages from where the script lies.
        for each in script.parent.glob("*.mjs"):
            shutil.copy(each, self.folder)
        return _run([str(self.node.node), str(self.folder / script.name), *arguments], self.node)

    def program(self, package: str, *arguments: str) -> Ran:
        """Run the program that a package brings, as `npx` would."""
        home = self.folder / "node_modules" / package
        entry = json.loads((home / "package.json").read_text())["bin"]
        path = entry if isinstance(entry, str) else next(iter(entry.values()))
        return _run([str(self.node.node), str(home / path), *arguments], self.node)


def python_client(group: str) -> PythonClient:
    return PythonClient(environment(group))


def node_clients() -> NodeClients:
    node = find_node()
    listed = (NODE_FOLDER / "package-lock.json").read_bytes()
    folder = WORK / f"mcp-clients-{sha256(listed).hexdigest()[:12]}"
    with exclusive(WORK / "mcp-clients.lock"):
        if not (folder / "complete").exists():
            for outdated in WORK.glob("mcp-clients-*"):
                shutil.rmtree(outdated, ignore_errors=True)
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(NODE_FOLDER / name, folder)
            must(
                [*node.npm, "ci"],
                cwd=folder,
                env=node.environment,
                remedy="the packages come from the npm registry: is it reachable?",
            )
            (folder / "complete").touch()
    return NodeClients(node, folder)


def _run(argv: list[str], node: Node | None) -> Ran:
    env = dict(os.environ) if node is None else {**os.environ, **node.environment}
    done = subprocess.run(
        argv,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_RUN_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout)
