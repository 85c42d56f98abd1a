import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.review.model import IMAGE_TYPES
from diffx.review.picture import Picture, recognise
from tests.support.images import GIF, JPEG, WEBP, bomb, png

VP8 = b"RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x05\x40\x07\0\x02\0\x34\x25"
VP8X = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x63\0\0\xc7\0\0"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (png(7, 5), Picture("image/png", 7, 5)),
        (bomb(60_000, 60_000), Picture("image/png", 60_000, 60_000)),
        (GIF, Picture("image/gif", 3, 2)),
        (JPEG, Picture("image/jpeg", 1, 1)),
        (WEBP, Picture("image/webp", 1, 1)),
        (VP8, Picture("image/webp", 5, 7)),
        (VP8X, Picture("image/webp", 100, 200)),
    ],
)
def test_an_image_is_known_by_its_first_bytes_with_its_size(
    data: bytes, expected: Picture
) -> None:
    assert recognise(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
        b"RIFF\0\0\0\0WAVEfmt ",
        b"RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0nope\0\0\0\0\0\0",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7\n",
        b"BM\x3a\0\0\0",
        b"<html>\xff\xd8\xff",
    ],
)
def test_anything_else_is_no_image(data: bytes) -> None:
    assert recognise(data) is None


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xda\0\x02",
        b"\xff\xd8\xff\xc0\0\x03\x08",
        b"\xff\xd8\xff\xe0\0\0",
        b"\xff\xd8\xff\xe0\xff\xff",
        b"\xff\xd8" + b"\xff" * 100_000,
        b"\xff\xd8" + b"\xff\xd0" * 100_000,
        b"\xff\xd8" + b"\xff\xfe\0\x02" * 100_000 + b"\xff\xc0\0\x08\x08\0\x01\0\x01\0",
        png(1, 1)[:16] + b"\0\0\0\0\xff\xff\xff\xff" + png(1, 1)[24:],
        GIF[:6] + b"\0\0\0\0" + GIF[10:],
    ],
)
def test_a_header_without_a_believable_size_has_none_and_costs_little(data: bytes) -> None:
    found = recognise(data)

    assert found is not None
    assert (found.width, found.height) == (None, None)


def test_segments_before_the_frame_of_a_jpeg_are_passed_over() -> None:
    frame = b"\xff\xff\xff\xc2\0\x0b\x08\x01\x02\x03\x04\x01\x01\x11\0"
    data = b"\xff\xd8\xff\xe1\0\x06Exif\xff\xc4\0\x04\0\0\xff\x01" + frame

    assert recognise(data) == Picture("image/jpeg", 0x304, 0x102)


_STARTS = st.sampled_from([b"", png(9, 9), GIF, JPEG, WEBP, VP8, VP8X, b"\xff\xd8\xff", b"RIFF"])


@given(_STARTS, st.integers(0, 80), st.binary(max_size=400))
def test_no_bytes_break_the_reading_and_every_size_is_believable(
    start: bytes, kept: int, rest: bytes
) -> None:
    found = recognise(start[:kept] + rest)
    if found is None:
        return
    assert found.media_type in IMAGE_TYPES
    assert (found.width is None) == (found.height is None)
    if found.width is not None and found.height is not None:
        assert 0 < found.width < 1 << 31
        assert 0 < found.height < 1 << 31
