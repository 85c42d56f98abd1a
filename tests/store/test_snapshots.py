"""Reading stored scopes: what every storage must keep."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from diffx.errors import InvalidError
from diffx.records import (
    ContextDeletedError,
    ContextMissingError,
    FileMissingError,
    FilePlace,
    ImageMissingError,
)
from diffx.review.model import ContextId, DiffId, FileId
from diffx.store.database import Store
from tests.support.images import GIF, png
from tests.support.observations import Change, change, pictured, submission, withheld
from tests.support.stores import ME, NOW, OTHER, diff_of


def publish(store: Store, changes: Any) -> tuple[ContextId, DiffId]:
    context = store.publish(ME, submission("s1", changes), NOW).context
    return context, diff_of(store, context)


def many(count: int, size: int = 20) -> list[Change]:
    changes = [change(f"{n:04}.py", patch=f"+{n:04}" + "x" * size) for n in range(count)]
    return sorted(changes, key=lambda one: one.file.path)


def test_a_manifest_as_it_is_stored_is_the_same_as_inflated(store: Store) -> None:
    context, _ = publish(store, many(700))

    packed = store.packed_manifest(ME, context, "all", NOW)
    plain = store.manifest(ME, context, "all", NOW)

    assert zlib.decompress(packed.files.stream()) == plain.files_json == packed.files.text()
    assert packed.files.size == len(plain.files_json)
    assert packed.scope == plain.scope
    assert len(json.loads(plain.files_json)) == 700


def test_an_empty_scope_has_an_empty_manifest(store: Store) -> None:
    context, diff = publish(store, [])

    assert store.manifest(ME, context, "all", NOW).files_json == b"[]"
    assert store.patches(ME, context, diff, "all", NOW).patches == ()


def test_pages_of_patches_join_to_all_of_them_in_manifest_order(store: Store) -> None:
    changes = many(300)
    context, diff = publish(store, changes)
    seen: list[str] = []
    cursor = None
    while True:
        page = store.patches(ME, context, diff, "all", NOW, cursor=cursor, limit=37)
        assert len(page.patches) <= 37
        seen += [one.file for one in page.patches]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == [one.file.id for one in changes]


def test_a_page_of_patches_stays_under_its_bytes_but_is_never_empty(store: Store) -> None:
    context, diff = publish(store, many(6, size=1_000))

    page = store.patches(ME, context, diff, "all", NOW, max_bytes=2_500)
    assert len(page.patches) == 2
    page = store.patches(ME, context, diff, "all", NOW, max_bytes=10)
    assert len(page.patches) == 1
    assert page.next_cursor is not None


def test_chosen_patches_come_in_manifest_order_and_page_too(store: Store) -> None:
    changes = many(200)
    context, diff = publish(store, changes)
    wanted = [changes[place].file.id for place in (150, 3, 77)]

    page = store.patches(ME, context, diff, "all", NOW, files=tuple(wanted), limit=2)
    rest = store.patches(
        ME, context, diff, "all", NOW, files=tuple(wanted), cursor=page.next_cursor
    )

    assert [one.file for one in page.patches] == [wanted[1], wanted[2]]
    assert [one.file for one in rest.patches] == [wanted[0]]
    assert rest.next_cursor is None


def test_a_withheld_patch_has_its_place_and_its_reason(store: Store) -> None:
    context, diff = publish(store, [change("a.py"), withheld("b.png"), change("c.py")])

    page = store.patches(ME, context, diff, "all", NOW)

    assert [one.patch.reason for one in page.patches] == [None, "binary", None]


@pytest.mark.parametrize("cursor", ["", "1", "1.", "-1.2", "1.2.3", "a.b", "9" * 20 + ".1", "²"])
def test_a_cursor_of_another_make_is_refused(store: Store, cursor: str) -> None:
    context, diff = publish(store, many(3))

    with pytest.raises(InvalidError) as refused:
        store.patches(ME, context, diff, "all", NOW, cursor=cursor)
    assert refused.value.field == "cursor"


def test_what_is_not_there_is_missing_and_named(store: Store) -> None:
    context, diff = publish(store, {"all": [change()], "staged": []})
    file = change().file.id
    nothing = FileId("nothing")
    asks: dict[str, Callable[[], object]] = {
        "scope unstaged": lambda: store.manifest(ME, context, "unstaged", NOW),
        "diff other": lambda: store.patch(ME, context, DiffId("other"), "all", file, NOW),
        f"diff {diff} of scope staged": lambda: store.contents(
            ME, context, diff, "staged", file, NOW
        ),
        "file nothing": lambda: store.patch(ME, context, diff, "all", nothing, NOW),
        "no file nothing": lambda: store.patches(
            ME, context, diff, "all", NOW, files=(file, nothing)
        ),
    }
    for words, ask in asks.items():
        with pytest.raises(FileMissingError, match=words):
            ask()


def test_an_image_is_read_with_its_type_and_is_no_text(store: Store) -> None:
    old, new = png(2, 2), png(3, 2)
    one = pictured("logo.png", new, before=old)
    context, diff = publish(store, [one, change("a.py")])

    for side, data in (("before", old), ("after", new)):
        stored = store.image(ME, context, diff, "all", one.file.id, NOW, side=side)  # type: ignore[arg-type]
        assert (stored.data, stored.media_type) == (data, "image/png")
    contents = store.contents(ME, context, diff, "all", one.file.id, NOW)
    assert contents.after is not None
    assert (contents.after.text, contents.after.reason) == (None, "binary")
    assert contents.after.size == len(new)
    page = store.searched(ME, context, "all", FilePlace(0, 0), NOW, max_bytes=1 << 20)
    assert next(file for file in page.files if file.path == "logo.png").after is None


@pytest.mark.parametrize("one", [change("a.py"), withheld("logo.png"), pictured("new.png", GIF)])
def test_a_side_without_a_stored_image_says_that_there_is_none(store: Store, one: Change) -> None:
    context, diff = publish(store, [one])

    with pytest.raises(ImageMissingError, match="no image is stored"):
        store.image(ME, context, diff, "all", one.file.id, NOW, side="before")


def test_an_image_is_nobody_elses_and_goes_with_its_context(store: Store) -> None:
    one = pictured("logo.png", png(2, 2))
    context, diff = publish(store, [one])

    with pytest.raises(ContextMissingError):
        store.image(OTHER, context, diff, "all", one.file.id, NOW, side="after")
    before = store.figures().database_bytes
    store.delete(ME, context, NOW)
    with pytest.raises(ContextDeletedError):
        store.image(ME, context, diff, "all", one.file.id, NOW, side="after")
    assert store.figures().database_bytes <= before


def test_a_manifest_says_of_an_image_what_and_how_large_it_is(store: Store) -> None:
    context, _ = publish(store, [pictured("logo.png", png(30, 20))])

    (file,) = json.loads(store.manifest(ME, context, "all", NOW).files_json)
    assert file["after"]["image"] == {
        "type": "image/png",
        "available": True,
        "width": 30,
        "height": 20,
    }
