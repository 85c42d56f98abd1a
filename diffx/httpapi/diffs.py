"""What a review holds, over HTTP: manifests, patches, contents, and the first view of them.

Manifests are moved as the bytes that storage has, deflated where the client can inflate them;
nothing here parses them.
"""

from typing import Final

from diffx.errors import InvalidError
from diffx.httpapi import query
from diffx.httpapi.markshapes import marks_shape
from diffx.httpapi.messages import (
    IMAGE_POLICY,
    IMMUTABLE,
    REVALIDATE,
    Request,
    Response,
    encode_json,
    etag_of,
)
from diffx.httpapi.representation import accepts, matches, ready_deflated
from diffx.httpapi.reviewshapes import thread_shape
from diffx.httpapi.shapes import (
    contents_shape,
    context_shape,
    manifest_head_shape,
    patch_page_shape,
    patch_shape,
)
from diffx.records import ContextRecord, Deflated, ManifestRecord, PackedManifest, ScopeRecord
from diffx.review.model import ContextId, DiffId, FileId, OwnerId, Scope
from diffx.services.catalog import Catalog
from diffx.services.reviews import Reviews

_MAX_PATCHES: Final = 500
_MAX_FIRST_PATCHES: Final = 50
_FIRST_PATCHES: Final = 8
_LEVEL: Final = 1
_END_OF_OBJECT: Final = Deflated.of(b"}")
_VARY: Final = (("Vary", "Accept-Encoding"),)


def get_manifest(catalog: Catalog, request: Request) -> Response:
    scope = query.scope(query.parse_query(request.query))
    context = ContextId(request.params["contextId"])
    record = catalog.get(request.owner, context)
    known = _known(record, scope, request)
    if known is not None:
        return known
    if accepts(request.headers, "deflate"):
        packed = catalog.packed_manifest(request.owner, context, scope)
        text = packed_manifest_json(record, packed)
        return ready_deflated(text, cache=REVALIDATE, etag=_manifest_etag(record, packed.scope))
    manifest = catalog.manifest(request.owner, context, scope)
    return Response.raw_json(
        manifest_json(record, manifest),
        cache=REVALIDATE,
        etag=_manifest_etag(record, manifest.scope),
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


def get_image(catalog: Catalog, request: Request) -> Response:
    """Answer an image's own bytes, as what its first bytes say it is and as nothing else."""
    parameters = query.parse_query(request.query)
    named = query.choice(parameters, "side", ("before", "after"))
    if named is None:
        raise InvalidError("side must be before or after", field="side")
    stored = catalog.image(
        request.owner,
        *_diff(request),
        query.scope(parameters),
        _file(request),
        side="before" if named == "before" else "after",
    )
    return Response(
        body=stored.data,
        media_type=stored.media_type,
        cache=IMMUTABLE,
        etag=stored.blob,
        policy=IMAGE_POLICY,
    )


def list_patches(catalog: Catalog, request: Request) -> Response:
    parameters = query.parse_query(request.query)
    page = catalog.patches(
        request.owner,
        *_diff(request),
        query.scope(parameters),
        files=tuple(map(FileId, query.ids(parameters))),
        cursor=query.text(parameters, "cursor", limit=400),
        limit=query.number(parameters, "limit", low=1, high=_MAX_PATCHES, default=100),
    )
    return _immutable(patch_page_shape(page))


def get_view(catalog: Catalog, reviews: Reviews, request: Request) -> Response:
    """Answer all that a first screen needs at once: a browser has six connections to a host."""
    parameters = query.parse_query(request.query)
    scope = query.scope(parameters)
    count = query.number(
        parameters, "patches", low=0, high=_MAX_FIRST_PATCHES, default=_FIRST_PATCHES
    )
    context = ContextId(request.params["contextId"])
    record = catalog.get(request.owner, context)
    before = b'{"context":' + encode_json(
        context_shape(record, reviews.counts(request.owner, context))
    )
    before += b',"manifest":'
    review = _review(reviews, request.owner, context, scope)
    if accepts(request.headers, "deflate"):
        packed = catalog.packed_manifest(request.owner, context, scope)
        after = review + _first_patches(catalog, request, packed.scope, count)
        text = Deflated.join(
            Deflated.of(before, _LEVEL),
            packed_manifest_json(record, packed),
            Deflated.of(after, _LEVEL),
        )
        etag = f"{_manifest_etag(record, packed.scope)}.{etag_of(before + after)}"
        return ready_deflated(text, cache=REVALIDATE, etag=etag)
    manifest = catalog.manifest(request.owner, context, scope)
    after = review + _first_patches(catalog, request, manifest.scope, count)
    return Response.raw_json(
        before + manifest_json(record, manifest) + after,
        cache=REVALIDATE,
        etag=f"{_manifest_etag(record, manifest.scope)}.{etag_of(before + after)}",
    )


def _review(reviews: Reviews, owner: OwnerId, context: ContextId, scope: Scope) -> bytes:
    """Write the part of a view that changes: what was reviewed, and what was said."""
    marks = marks_shape(scope, reviews.marks(owner, context, scope))
    seen = reviews.threads(owner, context, scope)
    threads = [thread_shape(each) for each in seen.threads]
    return b',"marks":' + encode_json(marks) + b',"threads":' + encode_json(threads)


def _first_patches(catalog: Catalog, request: Request, scope: ScopeRecord, count: int) -> bytes:
    """Write the end of a view: the patches that its first screen shows."""
    patches = b'{"patches":[],"nextCursor":null}'
    if count:
        context = ContextId(request.params["contextId"])
        page = catalog.patches(request.owner, context, scope.diff, scope.scope, limit=count)
        patches = encode_json(patch_page_shape(page))
    return b',"patches":' + patches + b"}"


def manifest_json(record: ContextRecord, manifest: ManifestRecord) -> bytes:
    """Splice the stored files into the manifest's own fields."""
    return _manifest_start(record, manifest.scope) + manifest.files_json + b"}"


def packed_manifest_json(record: ContextRecord, packed: PackedManifest) -> Deflated:
    """The same text, deflated, with the stored part as it was stored."""
    start = Deflated.of(_manifest_start(record, packed.scope), _LEVEL)
    return Deflated.join(start, packed.files, _END_OF_OBJECT)


def _manifest_start(record: ContextRecord, scope: ScopeRecord) -> bytes:
    return encode_json(manifest_head_shape(record, scope))[:-1] + b',"files":'


def _manifest_etag(record: ContextRecord, scope: ScopeRecord) -> str:
    # Read before the files: a review that changes in between has a new tag the next time.
    return f"{scope.diff}.{scope.revision}.{record.review}"


def _known(record: ContextRecord, scope: Scope, request: Request) -> Response | None:
    """Answer a client that has this manifest already, without reading it."""
    for stored in record.scopes:
        etag = _manifest_etag(record, stored)
        if stored.scope == scope and matches(request.headers.get("if-none-match"), etag):
            return Response(status=304, cache=REVALIDATE, etag=etag, headers=_VARY)
    return None


def _diff(request: Request) -> tuple[ContextId, DiffId]:
    return ContextId(request.params["contextId"]), DiffId(request.params["diffId"])


def _file(request: Request) -> FileId:
    return FileId(request.params["fileId"])


def _immutable(shape: object) -> Response:
    body = encode_json(shape)
    return Response.raw_json(body, cache=IMMUTABLE, etag=etag_of(body))
