"""Build the browser application into diffx/assets, and run its own checks."""

import json
import shutil
from pathlib import Path
from typing import Any

from tools.build.node import Node, find_node
from tools.build.project import ASSETS, WEBUI, WORK
from tools.build.terminal import must, note, run


def build_assets() -> bool:
    """Put the built application into diffx/assets; False, with a notice, if there is none yet."""
    if not (WEBUI / "build.mjs").exists():
        note("NOTICE: webui/build.mjs does not exist; the file will have no web UI")
        return False
    node = _installed()
    fresh = WORK / "assets"
    shutil.rmtree(fresh, ignore_errors=True)
    must(
        [node.node, "build.mjs", fresh],
        cwd=WEBUI,
        env=node.environment,
        remedy="the web UI does not build",
    )
    shutil.rmtree(ASSETS, ignore_errors=True)
    shutil.move(fresh, ASSETS)
    return True


def check_webui() -> int:
    """Run the web UI's types and tests; return their exit code."""
    node = _installed()
    return run([*node.npm, "run", "check"], cwd=WEBUI, env=node.environment)


def _installed() -> Node:
    node = find_node()
    if not is_installed(WEBUI / "package-lock.json", WEBUI / "node_modules"):
        note("installing the web UI's packages")
        must(
            [*node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=WEBUI,
            env=node.environment,
            remedy="the packages come from the npm registry: is it reachable?",
        )
    return node


def is_installed(lock: Path, modules: Path) -> bool:
    """Say whether `modules` holds what `lock` says, going by the record that npm keeps there."""
    try:
        wanted = json.loads(lock.read_text())["packages"]
        found = json.loads((modules / ".package-lock.json").read_text())["packages"]
    except (OSError, ValueError, KeyError):
        return False
    needed = {name for name, entry in wanted.items() if name and not entry.get("optional")}
    return needed <= found.keys() and all(_same(wanted.get(name), found[name]) for name in found)


def _same(wanted: dict[str, Any] | None, found: dict[str, Any]) -> bool:
    keys = ("version", "integrity")
    return wanted is not None and all(wanted.get(key) == found.get(key) for key in keys)
