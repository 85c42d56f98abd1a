"""What a review holds, over HTTP: manifests, patches, contents, and the first view of them.

Manifests are moved as the bytes that storage has; nothing here parses them.
"""

from typing import Final

from diffx.errors import InvalidError
from diffx.httpapi import query
from diffx.httpapi.messages import (
    IMMUTABLE,
    REVALIDATE,
    Request,
    Response,
    encode_json,
    etag_of,
)
from diffx.httpapi.shapes import (
    contents_shape,
    context_shape,
    manifest_head_shape,
    patch_page_shape,
    patch_shape,
)
from diffx.records import ContextRecord, ManifestRecord
from diffx.review.model import ContextId, DiffId, FileId
from diffx.services.catalog import Catalog

_MAX_PATCHES: Final = 500
_MAX_FIRST_PATCHES: Final = 50
_FIRST_PATCHES: Final = 8


def get_manifest(catalog: Catalog, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    context = ContextId(request.params["contextId"])
    record = catalog.get(request.owner, context)
    manifest = catalog.manifest(request.owner, context, scope)
    return Response.raw_json(
        manifest_json(record, manifest),
        cache=REVALIDATE,
        etag=f"{manifest.scope.diff}.{manifest.scope.revision}",
    )


def get_patch(catalog: Catalog, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    stored = catalog.patch(request.owner, *_diff(request), scope, _file(request))
    body = encode_json(patch_shape(stored))
    return Response.raw_json(body, cache=IMMUTABLE, etag=stored.blob or etag_of(body))


def get_contents(catalog: Catalog, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    stored = catalog.contents(request.owner, *_diff(request), scope, _file(request))
    return _immutable(contents_shape(stored))


def list_patches(catalog: Catalog, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    page = catalog.patches(
        request.owner,
        *_diff(request),
        query.scope(parameters),
        files=_file_ids(parameters),
        cursor=query.text(parameters, "cursor", limit=400),
        limit=query.number(parameters, "limit", low=1, high=_MAX_PATCHES, default=100),
    )
    return _immutable(patch_page_shape(page))


def get_view(catalog: Catalog, request: Request) -> Response:
    """Answer all that a first screen needs at once: a browser has six connections to a host."""
    parameters = query.parse_query(request.query)
    scope = query.scope(parameters)
    count = query.number(
        parameters, "patches", low=0, high=_MAX_FIRST_PATCHES, default=_FIRST_PATCHES
    )
    context = ContextId(request.params["contextId"])
    record = catalog.get(request.owner, context)
    manifest = catalog.manifest(request.owner, context, scope)
    patches = b'{"patches":[],"nextCursor":null}'
    if count:
        page = catalog.patches(request.owner, context, manifest.scope.diff, scope, limit=count)
        patches = encode_json(patch_page_shape(page))
    body = b'{"context":%b,"manifest":%b,"patches":%b}' % (
        encode_json(context_shape(record)),
        manifest_json(record, manifest),
        patches,
    )
    return Response.raw_json(body, cache=REVALIDATE, etag=etag_of(body))


def manifest_json(record: ContextRecord, manifest: ManifestRecord) -> bytes:
    """Splice the stored files into the manifest's own fields."""
    head = encode_json(manifest_head_shape(record, manifest.scope))
    return head[:-1] + b',"files":' + manifest.files_json + b"}"


def _diff(request: Request) -> tuple[ContextId, DiffId]:
    return ContextId(request.params["contextId"]), DiffId(request.params["diffId"])


def _file(request: Request) -> FileId:
    return FileId(request.params["fileId"])


def _file_ids(parameters: query.Parameters) -> tuple[FileId, ...]:
    listed = query.text(parameters, "ids", limit=8_000)
    if listed is None:
        return ()
    ids = listed.split(",")
    if not all(map(query.is_id, ids)):
        raise InvalidError("ids must be file ids with commas between them", field="ids")
    return tuple(FileId(name) for name in dict.fromkeys(ids))


def _immutable(shape: object) -> Response:
    body = encode_json(shape)
    return Response.raw_json(body, cache=IMMUTABLE, etag=etag_of(body))
