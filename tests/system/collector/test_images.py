"""Images are collected as what they are, by either engine and within the budget (2.5, 2.10)."""

import os
from pathlib import Path
from typing import Literal

import pytest

from diffx.collector.contents.budget import TEXT_BYTES, TOTAL_BYTES
from diffx.review.model import LfsObject, Observation, Side
from tests.support.images import GIF, JPEG, WEBP, bomb, png
from tests.support.repositories import Checkout, files_of

pytestmark = pytest.mark.system


def bytes_of(observation: Observation, side: Side | None) -> bytes:
    assert side is not None
    assert side.image is not None
    assert side.image.blob is not None
    return observation.texts[side.image.blob]


@pytest.mark.parametrize("engine", ["git", "libgit2"])
def test_both_sides_of_an_image_are_stored_with_type_and_size(
    tmp_path: Path, engine: Literal["git", "libgit2"]
) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.write("logo.png", png(8, 4))
    checkout.write("gone.gif", GIF)
    checkout.write("staged.bin", JPEG)
    checkout.commit()
    checkout.write("logo.png", png(9, 5))
    checkout.remove("gone.gif")
    checkout.write("staged.bin", WEBP)
    checkout.git("add", "staged.bin")
    checkout.write("new", bomb(50_000, 50_000))
    checkout.write("plain.png", "no image, whatever it is called\n")
    checkout.write("noise.png", b"\0\1\2")

    observation = checkout.collect(engine=engine)

    found = files_of(observation)
    logo = found[b"logo.png"]
    assert bytes_of(observation, logo.before) == png(8, 4)
    assert bytes_of(observation, logo.after) == png(9, 5)
    assert logo.after is not None and logo.after.image is not None
    assert (logo.after.image.width, logo.after.image.height) == (9, 5)
    assert (logo.after.reason, logo.after.blob, logo.binary) == ("binary", None, True)
    assert bytes_of(observation, found[b"gone.gif"].before) == GIF
    assert bytes_of(observation, found[b"staged.bin"].before) == JPEG
    assert bytes_of(observation, files_of(observation, "staged")[b"staged.bin"].after) == WEBP
    assert bytes_of(observation, found[b"new"].after) == bomb(50_000, 50_000)
    for name in (b"plain.png", b"noise.png"):
        after = found[name].after
        assert after is not None
        assert after.image is None
    assert observation.content_hash is not None


def test_whether_an_images_bytes_are_kept_changes_no_fingerprint(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    checkout.write("large.png", png(8, 8) + os.urandom(TEXT_BYTES))
    checkout.write("small.png", png(8, 8))

    observation = checkout.collect()

    large, small = (files_of(observation)[name] for name in (b"large.png", b"small.png"))
    assert large.after is not None
    assert (large.after.reason, large.after.image) == ("too-large", None)
    assert large.fingerprint is not None
    assert small.fingerprint is not None
    assert observation.content_hash is not None


def test_images_stay_behind_before_any_text_does_and_say_so(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    checkout.commit()
    size = TEXT_BYTES - 1_000
    for number in range(TOTAL_BYTES // size):
        checkout.write(f"{number}.png", png(8, 8) + os.urandom(size - 100))
    checkout.write("words.txt", "x" * 1_000_000 + "\n")

    observation = checkout.collect()

    found = files_of(observation)
    words = found.pop(b"words.txt")
    assert words.after is not None
    assert words.after.blob is not None
    kept = [file.after.image for file in found.values() if file.after and file.after.image]
    assert {image.reason for image in kept} == {None, "budget"}
    assert all((image.width, image.height) == (8, 8) for image in kept)
    assert sum(map(len, observation.texts.values())) <= TOTAL_BYTES


def test_a_git_lfs_image_says_what_its_pointer_stands_for(tmp_path: Path) -> None:
    checkout = Checkout.init(tmp_path / "repo")
    oid = "a" * 64
    checkout.write(".gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n")
    checkout.write(
        "logo.png", f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 99\n"
    )
    checkout.commit()
    for part in ("clean", "smudge", "process"):
        checkout.git("config", f"filter.lfs.{part}", f"git-lfs {part} -- %f")
    checkout.write("logo.png", png(8, 8))

    logo = files_of(checkout.collect())[b"logo.png"]

    assert logo.before is not None
    assert logo.before.lfs == LfsObject(oid=oid, size=99)  # type: ignore[arg-type]
    assert logo.after is not None
    assert logo.after.lfs is not None
    assert (logo.after.lfs.size, logo.after.image) == (len(png(8, 8)), None)
