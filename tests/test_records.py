"""Texts that join while they are deflated."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from diffx.records import Deflated

texts = st.binary(max_size=300)


@given(st.lists(texts, max_size=8))
def test_joined_pieces_are_one_valid_stream_of_the_joined_text(parts: list[bytes]) -> None:
    joined = Deflated.join(*map(Deflated.of, parts))

    assert zlib.decompress(joined.stream()) == b"".join(parts)  # checks the Adler-32 too
    assert joined.text() == b"".join(parts)
    assert joined.size == sum(map(len, parts))


@given(st.lists(texts, max_size=6), st.integers(0, 6))
def test_joining_in_steps_is_joining_at_once(parts: list[bytes], place: int) -> None:
    pieces = [Deflated.of(part) for part in parts]

    in_steps = Deflated.join(Deflated.join(*pieces[:place]), Deflated.join(*pieces[place:]))

    assert in_steps == Deflated.join(*pieces)


def test_a_piece_is_really_compressed() -> None:
    assert len(Deflated.of(b"abc" * 1_000).data) < 100
