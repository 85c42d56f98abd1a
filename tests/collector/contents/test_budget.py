import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.collector.contents.budget import Budget
from diffx.review.model import BlobId

_TEXTS = st.lists(st.binary(max_size=40), max_size=25)


def _blob(text: bytes) -> BlobId:
    return BlobId(hashlib.sha256(text).hexdigest())


def _smallest_first(texts: set[bytes], room: int) -> set[bytes]:
    kept = set()
    for text in sorted(texts, key=lambda text: (len(text), _blob(text))):
        if len(text) > room:
            break
        room -= len(text)
        kept.add(text)
    return kept


@given(_TEXTS, _TEXTS, st.integers(0, 400), st.integers(1, 40))
def test_patches_come_first_and_then_the_smallest_contents(
    patches: list[bytes], contents: list[bytes], total: int, per_text: int
) -> None:
    budget = Budget(total=total, per_text=per_text)
    for patch in patches:
        assert budget.offer_patch(patch) == _blob(patch)
    for content in contents:
        assert budget.offer_content(content) == _blob(content)

    small = {text for text in patches if len(text) <= per_text}
    kept = _smallest_first(small, total)
    room = total - sum(map(len, kept))
    rest = {text for text in contents if len(text) <= per_text} - kept
    expected = kept | _smallest_first(rest, room)
    assert set(budget.texts.values()) == expected
    assert sum(map(len, budget.texts.values())) <= total
    for text in {*patches, *contents}:
        reason = budget.reason(_blob(text))
        if text in expected:
            assert reason is None
        else:
            assert reason == ("too-large" if len(text) > per_text else "budget")


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=25), st.integers(0, 200))
def test_no_more_is_held_than_the_limit(contents: list[bytes], total: int) -> None:
    budget = Budget(total=total)
    for content in contents:
        budget.offer_content(content)
        assert sum(map(len, budget.texts.values())) <= total


def test_content_shared_by_scopes_counts_once() -> None:
    budget = Budget(total=10)
    for _ in range(3):
        budget.offer_content(b"x" * 10)
    assert budget.reason(_blob(b"x" * 10)) is None


def test_a_patch_after_a_content_is_a_mistake_of_the_caller() -> None:
    budget = Budget()
    budget.offer_content(b"a")
    with pytest.raises(ValueError, match="before any contents"):
        budget.offer_patch(b"b")


@given(_TEXTS, _TEXTS, st.integers(0, 300))
def test_images_take_only_what_texts_have_left(
    texts: list[bytes], images: list[bytes], total: int
) -> None:
    without, budget = Budget(total=total), Budget(total=total)
    for text in texts:
        without.offer_content(text)
        budget.offer_content(text)
    for image in images:
        budget.offer_image(image)

    kept = set(budget.texts.values())
    texts_kept = set(without.texts.values())
    room = total - sum(map(len, texts_kept))
    assert kept == texts_kept | _smallest_first(set(images) - texts_kept, room)


def test_a_content_after_an_image_is_a_mistake_of_the_caller() -> None:
    budget = Budget()
    budget.offer_image(b"a")
    with pytest.raises(ValueError, match="images last"):
        budget.offer_content(b"b")
