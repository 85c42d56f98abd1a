"""Texts as they are stored."""

import os
import zlib

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.model import BlobId
from diffx.store import blobs
from tests.support.images import GIF, JPEG, WEBP, png
from tests.support.observations import sha256


@given(st.binary(max_size=1_000))
def test_a_packed_text_is_never_larger_and_always_itself(text: bytes) -> None:
    packed = blobs.pack(text)

    assert len(packed.data) <= len(text) == packed.size
    assert (zlib.decompress(packed.data) if packed.deflated else packed.data) == text


def test_short_and_incompressible_texts_stay_as_they_are() -> None:
    assert not blobs.pack(b"a" * (blobs.MIN_DEFLATED - 1)).deflated
    assert not blobs.pack(os.urandom(1_000)).deflated
    assert blobs.pack(b"a" * blobs.MIN_DEFLATED).deflated
    for image in (png(1, 1), GIF, JPEG, WEBP):
        assert not blobs.pack(image + b"\0" * 1_000).deflated


def test_many_texts_are_packed_like_one_each() -> None:
    texts = {BlobId(sha256(b"%d" % n)): b"text %d\n" % n * (n % 3_000) for n in range(1_500)}

    packed = blobs.pack_all(texts, texts)

    assert packed == {name: blobs.pack(text) for name, text in texts.items()}
