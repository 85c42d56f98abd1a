"""The changed files of one scope: found by path, listed in pages."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, NamedTuple

from diffx.mcpapi import rpc
from diffx.mcpapi.arguments import Argument, Arguments, Number, Text, ToolError
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.tool import Outcome
from diffx.mcpapi.untrusted import KEY, one_line
from diffx.records import ContextRecord
from diffx.review.model import STATUSES, FileId, OwnerId, Scope
from diffx.services.catalog import Catalog

LIST_TAKES: Final[dict[str, Argument]] = {
    "path_prefix": Text(about="Only paths that start with this."),
    "status": Text(
        about="Only these: A added, M modified, D deleted, R renamed, T type changed, U conflict.",
        choices=STATUSES,
    ),
    "limit": Number(about="How many to list at most.", low=1, high=200, default=200),
    "cursor": Text(about="next_cursor of the page before.", limit=20),
}
PATH: Final = Text(about="Path of a changed file, as list_changed_files shows it.", limit=8_192)
FILE_ID: Final = Text(about="file_id, where list_changed_files shows one.", limit=80)
SIDES: Final = ("before", "after")
_CACHED: Final = 4
_MAX_PATH_CHARS: Final = 1_000
_PAGE_BYTES: Final = 15 << 10


class FileRow(NamedTuple):
    """What a listed file comes down to for an agent; it never changes."""

    id: FileId
    path: str
    shape: Json


@dataclass(frozen=True, slots=True)
class FileList:
    """The files of one scope in manifest order."""

    rows: tuple[FileRow, ...]

    def find(self, path: str | None, file: str | None) -> FileRow:
        """Return the file that a call means, or say how to name it."""
        if path is None and file is None:
            raise ToolError(
                "path is required; call list_changed_files for the paths", field="path"
            )
        found = [
            row
            for row in self.rows
            if (file is None or row.id == file)
            and (path is None or path in (row.path, _plain(row)))
        ]
        if not found:
            raise ToolError(
                "this scope has no such changed file; call list_changed_files for the paths",
                field="path",
            )
        if len(found) > 1:
            raise ToolError(
                f"{len(found)} files have this path; give file_id, as list_changed_files shows it",
                field="path",
            )
        return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Read manifests for agents; the last few stay at hand, for a stored one never changes."""

    catalog: Catalog
    _lock: Lock = field(default_factory=Lock)
    _kept: OrderedDict[tuple[OwnerId, str, Scope], FileList] = field(default_factory=OrderedDict)

    def of(self, owner: OwnerId, record: ContextRecord, scope: Scope) -> FileList:
        key = (owner, record.context, scope)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            return kept
        manifest = self.catalog.manifest(owner, record.context, scope)
        made = FileList(tuple(_rows(json.loads(manifest.files_json))))
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > _CACHED:
                self._kept.popitem(last=False)
        return made


def list_page(
    files: FileList, arguments: Arguments, scope: Scope, comments: Mapping[FileId, int]
) -> Outcome:
    """List files from a cursor on, as many as fit into one answer."""
    prefix, status = arguments.text("path_prefix"), arguments.text("status")
    chosen = [
        row
        for row in files.rows
        if (prefix is None or row.path.startswith(prefix))
        and (status is None or row.shape["status"] == status)
    ]
    start = _position(arguments.text("cursor"), len(chosen))
    shown: list[Json] = []
    size = 0
    for row in chosen[start : start + arguments.number("limit")]:
        count = comments.get(row.id)
        shape = row.shape if not count else {**row.shape, "open_comments": count}
        size += len(rpc.encode(shape)) + 1
        if shown and size > _PAGE_BYTES:
            break
        shown.append(shape)
    following = start + len(shown)
    data: dict[str, object] = {"scope": scope, "matching": len(chosen), "listed": len(shown)}
    if following < len(chosen):
        data |= {"remaining": len(chosen) - following, "next_cursor": str(following)}
    data[KEY] = {"files": shown}
    return Outcome.of(data)


def _position(cursor: str | None, count: int) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit()) or int(cursor) > count:
        raise ToolError("this cursor is not from here; leave it out to start anew", field="cursor")
    return int(cursor)


def _rows(files: Iterable[dict[str, Any]]) -> Iterable[FileRow]:
    listed = list(files)
    paths: dict[str, int] = {}
    for file in listed:
        paths[file["path"]] = paths.get(file["path"], 0) + 1
    for file in listed:
        path = label_path(file["path"])
        plain = path == file["path"] and paths[path] == 1
        yield FileRow(FileId(file["id"]), file["path"], _shape(file, path, named=plain))


def label_path(path: str) -> str:
    """Show a path so that it can be given back; one that is cut or escaped has a file_id beside it."""
    shown = one_line(path)
    return shown if len(shown) <= _MAX_PATH_CHARS else shown[:_MAX_PATH_CHARS] + "…"


def _plain(row: FileRow) -> object:
    """The path as it was shown, which an agent gives back."""
    return row.shape["path"]


def _shape(file: dict[str, Any], path: str, *, named: bool) -> Json:
    shape: dict[str, object] = {"path": path}
    if not named:
        shape["file_id"] = file["id"]
    if file["oldPath"] is not None:
        shape["old_path"] = label_path(file["oldPath"])
    shape["status"] = file["status"]
    if file["additions"] is not None:
        shape |= {"additions": file["additions"], "deletions": file["deletions"]}
    if file["binary"]:
        shape["binary"] = True
    images = {side: _image(file[side]["image"]) for side in SIDES if "image" in (file[side] or {})}
    if images:
        shape["image"] = images
    patch = file["patch"]
    if patch["available"]:
        shape["patch_bytes"] = patch["bytes"]
    else:
        shape["patch_withheld"] = patch.get("reason", "none")
    if "noise" in file:
        shape["noise"] = file["noise"]["class"]
    if "conflict" in file:
        shape["conflict"] = file["conflict"]
    return shape


def _image(image: Json) -> str:
    """Say what kind of image a side is and how large; its bytes are not for agents' texts."""
    size = "" if image["width"] is None else f" {image['width']}x{image['height']}"
    return f"{image['type']}{size}"
