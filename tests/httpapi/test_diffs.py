import base64
import json
import zlib

import pytest

from diffx.httpapi.messages import IMMUTABLE, REVALIDATE
from diffx.httpapi.serialize import head_bytes
from diffx.review.model import ContextId, GitPath
from diffx.review.paths import file_id
from diffx.store.database import Store
from tests.support import observations as pictures
from tests.support.http import (
    BROKEN_PATCH,
    LATIN_PATCH,
    OTHER_OWNER,
    TEXT_PATCH,
    Api,
    dispatcher,
    plain_body,
    publish,
    submission,
)
from tests.support.images import GIF, JPEG, WEBP, png


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


@pytest.mark.parametrize(
    ("data", "media_type"),
    [(png(4, 3), "image/png"), (GIF, "image/gif"), (JPEG, "image/jpeg"), (WEBP, "image/webp")],
)
def test_an_image_is_sent_as_it_is_with_its_type_and_may_do_nothing(
    store: Store, api: Api, data: bytes, media_type: str
) -> None:
    # The name says something else, and does not count.
    context = publish(store, pictures.submission("s1", [pictures.pictured("evil.html", data)]))
    target = f"{diff_of(api, context)}/files/{file_id(GitPath(b'evil.html'))}/image?side=after"

    response = api.get(target)
    assert (response.status, response.body, response.media_type) == (200, data, media_type)
    assert response.cache == IMMUTABLE
    assert response.policy.startswith("sandbox; default-src 'none';")
    wire = head_bytes(response, keep_alive=True, date=b"").lower()
    for header in (b"x-content-type-options: nosniff", b"cross-origin-resource-policy: same-orig"):
        assert header in wire
    assert api.get(target, if_none_match=f'"{response.etag}"').status == 304


def test_an_image_that_is_not_there_is_not_found_and_a_side_must_be_named(
    store: Store, api: Api
) -> None:
    context = publish(store, pictures.submission("s1", [pictures.pictured("a.png", png(1, 1))]))
    image = f"{diff_of(api, context)}/files/{file_id(GitPath(b'a.png'))}/image"

    assert api.get(f"{image}?side=before").status == 404
    assert api.get(f"{image}?side=after&scope=staged").status == 404
    assert [api.get(f"{image}{bad}").status for bad in ("", "?side=old")] == [400, 400]


def test_an_image_of_another_owner_is_not_found(store: Store, api: Api) -> None:
    given = pictures.submission("s1", [pictures.pictured("a.png", png(1, 1))])
    mine = publish(store, given)
    target = f"{diff_of(api, mine)}/files/{file_id(GitPath(b'a.png'))}/image?side=after"
    other = Api(dispatcher(store, authenticate=lambda _: OTHER_OWNER))

    assert (api.get(target).status, other.get(target).status) == (200, 404)
