"""Which bytes are an image that a browser shows, and how large it is, from its header alone. Pure.

Nothing is decoded: a header is read at fixed places, and of a JPEG a bounded number of segments.
What a name or an attribute says of a file does not count.
"""

from typing import Final, NamedTuple

from diffx.review.model import ImageType

_PNG: Final = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_GIFS: Final = (b"GIF87a", b"GIF89a")
_JPEG: Final = b"\xff\xd8\xff"
# The frame headers of JPEG (ITU T.81, B.1.1.3): all of C0 to CF but DHT, JPG and DAC.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ENDS: Final = frozenset({0xD9, 0xDA})  # end of image, start of scan: no frame header follows
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
_MOST_SEGMENTS: Final = 1_000
_MOST_FILL: Final = 64


class Picture(NamedTuple):
    """An image by its first bytes; a size is None where the header does not tell."""

    media_type: ImageType
    width: int | None = None
    height: int | None = None


def recognise(data: bytes) -> Picture | None:
    """Return what image this is, None for anything that no browser is sure to show."""
    if data.startswith(_PNG) and len(data) >= 33:
        return _sized("image/png", _big(data, 16, 4), _big(data, 20, 4))
    if data.startswith(_GIFS) and len(data) >= 13:
        return _sized("image/gif", _little(data, 6, 2), _little(data, 8, 2))
    if data.startswith(_JPEG):
        return _jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    return None


def _sized(media_type: ImageType, width: int, height: int) -> Picture:
    """A header with no width or height is a broken one: its image has no size to speak of."""
    if not 0 < width < 1 << 31 or not 0 < height < 1 << 31:
        return Picture(media_type)
    return Picture(media_type, width, height)


def _jpeg(data: bytes) -> Picture:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        # Any number of FF may stand before a marker (B.1.1.2); more than a few are an attack.
        start = at
        while data[at : at + 1] == b"\xff" and at - start < _MOST_FILL:
            at += 1
        marker = data[at] if start < at < len(data) else None
        at += 1
        if marker is None or marker in _ENDS:
            break
        if marker in _BARE:
            continue
        length = _big(data, at, 2)
        if length < 2 or at + length > len(data):
            break
        if marker in _FRAMES:
            if length < 8:
                break
            return _sized("image/jpeg", _big(data, at + 5, 2), _big(data, at + 3, 2))
        at += length
    return Picture("image/jpeg")


def _webp(data: bytes) -> Picture | None:
    """Read the first chunk of a WebP file (RFC 9649, 2.5 to 2.7)."""
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return _sized("image/webp", _little(data, 24, 3) + 1, _little(data, 27, 3) + 1)
    if kind == b"VP8L" and len(data) >= 25 and data[20] == 0x2F:
        bits = _little(data, 21, 4)
        return _sized("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 " and len(data) >= 30 and data[23:26] == b"\x9d\x01\x2a":
        return _sized("image/webp", _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF)
    return None


def _big(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "big")


def _little(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "little")
