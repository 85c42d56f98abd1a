import hashlib

import hypothesis
import hypothesis.strategies as st

from diffx.collector.gitexe.blobs import BlobReader

OID = "a" * 40


def output(*contents: bytes | None) -> bytes:
    return b"".join(
        b"%b missing\n" % OID.encode()
        if content is None
        else b"%b blob %d\n%b\n" % (OID.encode(), len(content), content)
        for content in contents
    )


@hypothesis.given(
    contents=st.lists(st.none() | st.binary(max_size=40), max_size=6),
    keep=st.integers(0, 30),
    step=st.integers(1, 50),
)
def test_objects_come_whole_however_the_stream_is_cut(
    contents: list[bytes | None], keep: int, step: int
) -> None:
    stream = output(*contents)
    reader = BlobReader(keep)

    for start in range(0, len(stream), step):
        reader.feed(stream[start : start + step])

    assert len(reader.ready) == len(contents)
    for blob, content in zip(reader.ready, contents, strict=True):
        if content is None:
            assert (blob.size, blob.digest, blob.data) == (None, None, None)
        else:
            assert blob.size == len(content)
            assert blob.digest == hashlib.sha256(content).hexdigest()
            assert blob.data == (content if len(content) <= keep else None)
            assert blob.binary == (b"\0" in content)


def test_a_large_object_is_never_held() -> None:
    reader = BlobReader(keep=1000)
    reader.feed(b"%b blob %d\n" % (OID.encode(), 50 << 20))
    for _ in range(50):
        reader.feed(b"x" * (1 << 20))
        assert len(reader._buffer) < 2 << 20  # noqa: SLF001 - what is bounded
    reader.feed(b"\n")

    assert reader.ready[0].data is None
    assert reader.ready[0].size == 50 << 20
