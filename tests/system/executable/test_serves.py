"""The file alone serves all that it should: pages, their assets, its contract, and a review."""

import re
import shutil
import urllib.request
from pathlib import Path

import pytest

from tests.support.viewer import viewing

pytestmark = pytest.mark.system

PATCH = b"diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n"


def fetch(url: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.headers["Content-Type"], answer.read()


def test_a_copy_elsewhere_serves_pages_assets_contract_and_review(
    executable: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "elsewhere" / "diffx"
    alone.parent.mkdir()
    shutil.copy(executable, alone)
    command = [str(alone)]
    with viewing("--state", "memory", stdin=PATCH, cwd=tmp_path, command=command) as viewer:
        kind, page = fetch(viewer.url)
        assert kind.startswith("text/html")
        named = re.findall(rb'(?:src|href)="(/assets/[^"]+)"', page)
        assert any(name.endswith(b".js") for name in named)
        for name in named:
            assert fetch(viewer.origin + name.decode())[1]

        kind, contract = fetch(f"{viewer.origin}/openapi.yaml")
        assert kind == "application/yaml"
        assert contract.startswith(b"openapi: 3.1")

        (file,) = viewer.manifest()["files"]
        assert (file["path"], file["additions"], file["deletions"]) == ("f.txt", 1, 1)
