"""The web UI: its one page, and the hashed files behind it, as the web build left them.

A folder of assets holds `index.html`, the files it names, `.gz` and `.br` copies beside those
that shrink, and `assets.json`, which lists them. Only listed files are ever served.
"""

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, Final

from diffx.errors import MissingError
from diffx.httpapi.messages import REVALIDATE, Request, Response, etag_of
from diffx.httpapi.representation import accepts

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types diffx"
)
WORKER_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HASHED_FOREVER: Final = "public, max-age=31536000, immutable"

# Explicit: `mimetypes` reads the machine's own tables, and a wrong type is a broken page.
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}

_INDEX: Final = "index.html"
_HASHED: Final = re.compile(r".+-[A-Za-z0-9_]{8,64}\.[a-z0-9]+")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_COPIES: Final = (("br", ".br"), ("gzip", ".gz"))

_UNBUILT: Final = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>diffx</title></head><body>
<h1>The web UI is not built</h1>
<p>This copy of diffx runs from source without its web UI. Build it with:</p>
<pre>python3 build.py</pre>
<p>REST and MCP work without it: see <a href="/openapi.yaml">/openapi.yaml</a>.</p>
</body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One listed file: what it is and which compressed copies lie beside it."""

    name: str
    media_type: str
    etag: str
    copies: tuple[str, ...]

    @property
    def policy(self) -> str:
        if self.name.startswith("worker-") and self.name.endswith(".js"):
            return WORKER_POLICY
        return PAGE_POLICY

    @property
    def cache(self) -> str:
        return _HASHED_FOREVER if _HASHED.fullmatch(self.name) else REVALIDATE


class Assets:
    """The listed files of one folder, each read when first asked for and then kept."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self._listed = _read_list(folder)
        self._lock = threading.Lock()
        self._bytes: dict[str, bytes] = {}

    def get_page(self, request: Request) -> Response:
        """Answer the page, whichever review it is to show."""
        asset = self._listed.get(_INDEX)
        if asset is None:
            return Response(
                body=_UNBUILT,
                media_type=MEDIA_TYPES[".html"],
                cache=REVALIDATE,
                etag=etag_of(_UNBUILT),
                policy=PAGE_POLICY,
            )
        return self._answer(asset, request)

    def get_asset(self, request: Request) -> Response:
        asset = self._listed.get(request.params["name"])
        if asset is None or asset.name == _INDEX:
            raise MissingError("there is no such asset; reload the page")
        return self._answer(asset, request)

    def _answer(self, asset: Asset, request: Request) -> Response:
        headers: tuple[tuple[str, str], ...] = (("Vary", "Accept-Encoding"),)
        name = asset.name
        for coding, ending in _COPIES:
            if coding in asset.copies and accepts(request.headers, coding):
                headers = (*headers, ("Content-Encoding", coding))
                name += ending
                break
        return Response(
            body=self._read(name),
            media_type=asset.media_type,
            headers=headers,
            cache=asset.cache,
            etag=asset.etag,
            policy=asset.policy,
        )

    def _read(self, name: str) -> bytes:
        with self._lock:
            known = self._bytes.get(name)
            if known is None:
                known = self._bytes[name] = (self._folder / name).read_bytes()
            return known


def _read_list(folder: Traversable) -> Mapping[str, Asset]:
    """Read assets.json; a folder without one is a source tree without a web build."""
    index = folder / "assets.json"
    if not index.is_file():
        return {}
    files: Mapping[str, Mapping[str, Any]] = json.loads(index.read_bytes())["files"]
    return {name: _asset(name, entry) for name, entry in files.items() if _NAME.fullmatch(name)}


def _asset(name: str, entry: Mapping[str, Any]) -> Asset:
    return Asset(
        name=name,
        media_type=MEDIA_TYPES.get(f".{name.rpartition('.')[2]}", "application/octet-stream"),
        etag=str(entry["sha256"])[:24],
        copies=tuple(coding for coding, _ in _COPIES if entry.get(coding)),
    )
