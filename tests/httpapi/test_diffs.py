import base64
import json
import zlib

import pytest

from diffx.httpapi.messages import IMMUTABLE, REVALIDATE
from diffx.review.model import ContextId, GitPath
from diffx.review.paths import file_id
from diffx.store.database import Store
from tests.support.http import (
    BROKEN_PATCH,
    LATIN_PATCH,
    TEXT_PATCH,
    Api,
    plain_body,
    publish,
    submission,
)


def diff_of(api: Api, context: ContextId) -> str:
    manifest = api.json(f"/api/v2/contexts/{context}/diffs/current")
    return f"/api/v2/contexts/{context}/diffs/{manifest['diffId']}"


def patch_of(api: Api, context: ContextId, path: bytes) -> str:
    return f"{diff_of(api, context)}/files/{file_id(GitPath(path))}/patch"


def test_the_manifest_names_its_files_in_order(api: Api, context: ContextId) -> None:
    manifest = api.json(f"/api/v2/contexts/{context}/diffs/current?scope=all")

    assert [file["path"] for file in manifest["files"]] == [
        *("</script><b>.txt", "bin", "latin-\\xff.txt", "other.txt")
    ]
    assert base64.b64decode(manifest["files"][2]["pathBytes"]) == b"latin-\xff.txt"
    assert manifest["totals"]["files"] == 4


def test_a_manifest_deflated_in_store_is_the_same_text(api: Api, context: ContextId) -> None:
    target = f"/api/v2/contexts/{context}/diffs/current"
    plain = api.get(target)
    packed = api.get(target, accept_encoding="gzip, deflate, br")

    assert dict(packed.headers)["Content-Encoding"] == "deflate"
    assert zlib.decompress(packed.body) == plain.body
    assert packed.etag == plain.etag


def test_a_known_manifest_is_not_sent_again(api: Api, context: ContextId) -> None:
    target = f"/api/v2/contexts/{context}/diffs/current"
    first = api.get(target)

    again = api.get(target, if_none_match=f'W/"{first.etag}"')
    other = api.get(target + "?scope=staged", if_none_match=f'"{first.etag}"')

    assert (first.cache, again.status, again.body) == (REVALIDATE, 304, b"")
    assert other.status == 200


def test_a_text_patch_is_shown_as_it_is_and_cached_for_ever(api: Api, context: ContextId) -> None:
    response = api.get(patch_of(api, context, b"</script><b>.txt"))

    assert json.loads(response.body) == {
        "patch": TEXT_PATCH.decode(),
        "reason": None,
        "encoding": "utf-8",
    }
    assert response.cache == IMMUTABLE
    assert response.etag


@pytest.mark.parametrize(
    ("path", "stored", "shown"),
    [
        (b"latin-\xff.txt", LATIN_PATCH, LATIN_PATCH.decode("latin-1")),
        (b"other.txt", BROKEN_PATCH, BROKEN_PATCH.decode("utf-8", "replace")),
    ],
)
def test_a_patch_that_is_not_utf8_brings_its_bytes(
    api: Api, context: ContextId, path: bytes, stored: bytes, shown: str
) -> None:
    body = api.get(patch_of(api, context, path)).body
    answer = json.loads(body)

    assert answer["patch"] == shown
    assert base64.b64decode(answer["patchBytes"]) == stored
    assert b"\\ud" not in body


def test_a_withheld_patch_says_why(api: Api, context: ContextId) -> None:
    answer = api.json(patch_of(api, context, b"bin"))

    assert (answer["patch"], answer["reason"]) == (None, "binary")


def test_contents_have_both_sides(api: Api, context: ContextId) -> None:
    name = file_id(GitPath(b"</script><b>.txt"))
    answer = api.json(f"{diff_of(api, context)}/files/{name}/contents")

    assert answer["before"]["text"] == "one\n"
    assert answer["after"] == {
        "text": "two \u2028\n",
        "size": 8,
        "encoding": "utf-8",
        "reason": None,
    }


def test_many_patches_come_in_pages_and_by_name(store: Store, api: Api) -> None:
    context = publish(store, submission(files=6))
    target = f"{diff_of(api, context)}/patches"

    first = api.json(f"{target}?limit=7")
    rest = api.json(f"{target}?limit=7&cursor={first['nextCursor']}")
    named = api.json(
        f"{target}?ids={rest['patches'][0]['fileId']},{first['patches'][0]['fileId']}"
    )

    assert len(first["patches"]) == 7
    assert len(rest["patches"]) == 3
    assert {entry["fileId"] for entry in named["patches"]} == {
        rest["patches"][0]["fileId"],
        first["patches"][0]["fileId"],
    }


@pytest.mark.parametrize("query", ["ids=a,,b", "ids=../x", "limit=0", "scope=x", "cursor=zz"])
def test_a_bad_parameter_of_patches_is_invalid(api: Api, context: ContextId, query: str) -> None:
    assert api.get(f"{diff_of(api, context)}/patches?{query}").status == 400


def test_a_first_view_is_context_manifest_and_patches_in_one(store: Store, api: Api) -> None:
    context = publish(store, submission(files=20))
    target = f"/api/v2/contexts/{context}"

    view = api.json(f"{target}/view?scope=all&patches=8")

    assert view["context"] == api.json(target)
    assert view["manifest"] == api.json(f"{target}/diffs/current")
    assert len(view["patches"]["patches"]) == 8
    assert api.json(f"{target}/view?patches=0")["patches"] == {"patches": [], "nextCursor": None}


def test_a_view_for_a_client_that_inflates_is_the_same_text(api: Api, context: ContextId) -> None:
    target = f"/api/v2/contexts/{context}/view"
    packed = api.get(target, accept_encoding="deflate")

    assert plain_body(packed) == api.get(target).body
    assert packed.etag == api.get(target).etag
    assert api.get(target, if_none_match=f'W/"{packed.etag}"').status == 304


def test_what_is_not_in_a_review_is_not_found(api: Api, context: ContextId) -> None:
    diff = diff_of(api, context)
    targets = [
        f"{diff}/files/nofile/patch",
        f"{diff}/files/nofile/contents",
        f"{diff.rpartition('/')[0]}/nodiff/patches",
        f"/api/v2/contexts/{context}/diffs/current/patch",
        "/api/v2/contexts/nocontext/view",
    ]

    assert [api.get(target).status for target in targets] == [404] * len(targets)
