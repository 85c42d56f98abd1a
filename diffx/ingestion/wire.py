"""The JSON shapes that cross between the halves, and how domain values become them.

camelCase lives here and in httpapi.shapes only. A ChangedFile has one public shape, used by the
REST manifest, by storage as ready-made JSON, and (with its private half beside it) by ingestion.
"""

import base64
from typing import Final, NotRequired, TypedDict

from diffx.review.model import (
    ChangedFile,
    FilePatch,
    GitPath,
    Image,
    Noise,
    Rows,
    Side,
    Submodule,
)
from diffx.review.paths import display_path, is_plain

PROTOCOL_VERSION: Final = 4


NoiseShape = TypedDict("NoiseShape", {"class": str, "reason": str})  # `class` is a keyword


class RowsShape(TypedDict):
    hunks: int
    unified: int
    split: int
    maxColumns: int


class PatchShape(TypedDict):
    available: bool
    bytes: int
    reason: NotRequired[str]


class ImageShape(TypedDict):
    type: str
    available: bool
    width: int | None
    height: int | None
    reason: NotRequired[str]


class LfsShape(TypedDict):
    oid: str
    size: int


class SideShape(TypedDict):
    available: bool
    size: int | None
    encoding: str
    reason: NotRequired[str]
    image: NotRequired[ImageShape]
    lfs: NotRequired[LfsShape]


class SubmoduleShape(TypedDict):
    oldCommit: str | None
    newCommit: str | None
    modifiedContent: bool
    untrackedContent: bool


class ChangedFileShape(TypedDict):
    id: str
    path: str
    pathBytes: NotRequired[str]
    oldPath: str | None
    oldPathBytes: NotRequired[str]
    status: str
    indexStatus: str | None
    worktreeStatus: str | None
    oldMode: str | None
    newMode: str | None
    additions: int | None
    deletions: int | None
    binary: bool
    size: int | None
    fingerprint: str | None
    conflict: NotRequired[str]
    submodule: NotRequired[SubmoduleShape]
    repository: NotRequired[bool]
    noise: NotRequired[NoiseShape]
    rows: RowsShape | None
    patch: PatchShape
    before: SideShape | None
    after: SideShape | None
    commit: NotRequired[str]
    damage: NotRequired[str]
    reviewed: bool
    commentCount: int


def changed_file_shape(file: ChangedFile) -> ChangedFileShape:
    """Project a file to its public shape, without the review state of any account."""
    shape = ChangedFileShape(
        id=file.id,
        path=display_path(file.path),
        oldPath=None if file.old_path is None else display_path(file.old_path),
        status=file.status,
        indexStatus=file.index_status,
        worktreeStatus=file.worktree_status,
        oldMode=file.old_mode,
        newMode=file.new_mode,
        additions=file.additions,
        deletions=file.deletions,
        binary=file.binary,
        size=file.size,
        fingerprint=file.fingerprint,
        rows=None if file.rows is None else _rows_shape(file.rows),
        patch=_patch_shape(file.patch),
        before=None if file.before is None else _side_shape(file.before),
        after=None if file.after is None else _side_shape(file.after),
        reviewed=False,
        commentCount=0,
    )
    _add_rare(shape, file)
    return shape


def _add_rare(shape: ChangedFileShape, file: ChangedFile) -> None:
    """Add the keys that most files do not need; absent means what its schema says."""
    if not is_plain(file.path):
        shape["pathBytes"] = _base64(file.path)
    if file.old_path is not None and not is_plain(file.old_path):
        shape["oldPathBytes"] = _base64(file.old_path)
    if file.conflict is not None:
        shape["conflict"] = file.conflict
    if file.submodule is not None:
        shape["submodule"] = _submodule_shape(file.submodule)
    if file.repository:
        shape["repository"] = True
    if file.noise is not None:
        shape["noise"] = _noise_shape(file.noise)
    if file.commit is not None:
        shape["commit"] = file.commit
    if file.damage is not None:
        shape["damage"] = file.damage


def _base64(path: GitPath) -> str:
    return base64.b64encode(path).decode("ascii")


def _rows_shape(rows: Rows) -> RowsShape:
    return RowsShape(
        hunks=rows.hunks, unified=rows.unified, split=rows.split, maxColumns=rows.max_columns
    )


def _patch_shape(patch: FilePatch) -> PatchShape:
    shape = PatchShape(available=patch.blob is not None, bytes=patch.size)
    if patch.reason is not None:
        shape["reason"] = patch.reason
    return shape


def _side_shape(side: Side) -> SideShape:
    shape = SideShape(available=side.blob is not None, size=side.size, encoding=side.encoding)
    if side.reason is not None:
        shape["reason"] = side.reason
    if side.image is not None:
        shape["image"] = _image_shape(side.image)
    if side.lfs is not None:
        shape["lfs"] = LfsShape(oid=side.lfs.oid, size=side.lfs.size)
    return shape


def _image_shape(image: Image) -> ImageShape:
    shape = ImageShape(
        type=image.media_type,
        available=image.blob is not None,
        width=image.width,
        height=image.height,
    )
    if image.reason is not None:
        shape["reason"] = image.reason
    return shape


def _submodule_shape(submodule: Submodule) -> SubmoduleShape:
    return SubmoduleShape(
        oldCommit=submodule.old_commit,
        newCommit=submodule.new_commit,
        modifiedContent=submodule.modified_content,
        untrackedContent=submodule.untracked_content,
    )


def _noise_shape(noise: Noise) -> NoiseShape:
    return {"class": noise.noise_class, "reason": noise.reason}
