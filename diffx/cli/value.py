"""A word of the command line that may be `-`: it is then read from standard input."""

import os

from diffx.cli.world import World
from diffx.errors import InvalidError


def given(word: str, world: World, *, most: int) -> str:
    """Return the word, or for `-` the text on standard input, of at most `most` bytes."""
    if word != "-":
        return word
    if world.stdin is None:
        raise InvalidError("no standard input to read the value from")
    chunks, size = [], 0
    while size <= most and (chunk := os.read(world.stdin, most)):
        chunks.append(chunk)
        size += len(chunk)
    if size > most:
        raise InvalidError(f"the value on standard input is over {most} bytes")
    try:
        return b"".join(chunks).decode("utf-8").strip()
    except UnicodeDecodeError:
        raise InvalidError("the value on standard input is not UTF-8 text") from None
